//! What macOS reports about its processes, boots and sockets.
//!
//! This is the one room with `unsafe` in it. `rustix` and the standard library reach most of
//! the system; they do not reach `sysctl`, `libproc`, or who is at the other end of a local
//! socket. So these few calls stand here, each with the reason why it is sound, and
//! everything above them is as safe as on Linux.
//!
//! Nothing is decided here. The answers are bytes that the system lays out by its own headers
//! (`sys/sysctl.h`, `sys/proc_info.h`); they are read by position, in modules that know
//! nothing of the system and are tested on any machine. On other systems the crate is empty.

#[cfg(any(target_os = "macos", test))]
mod arguments;
#[cfg(any(target_os = "macos", test))]
mod bytes;
#[cfg(any(target_os = "macos", test))]
mod record;
#[cfg(any(target_os = "macos", test))]
mod socket;

#[cfg(target_os = "macos")]
mod ask;
#[cfg(target_os = "macos")]
mod calls;

#[cfg(any(target_os = "macos", test))]
pub use arguments::Arguments;
#[cfg(any(target_os = "macos", test))]
pub use record::{Record, State};

#[cfg(target_os = "macos")]
pub use ask::{
    Peer, Usage, arguments, boot_session, machine, peer, process, processes, socket_holders, usage,
};
