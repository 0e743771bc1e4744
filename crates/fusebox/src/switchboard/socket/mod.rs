//! Local sockets at paths of any length, and who is at their other end.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(any(target_os = "macos", test))]
mod short;

#[cfg(target_os = "linux")]
pub(super) use linux::{bind, call, peer};
#[cfg(target_os = "macos")]
pub(super) use macos::{bind, call, peer};

use rustix::process::Uid;

/// Who is at the other end.
pub(super) struct Peer {
    pub(super) pid: i32,
    pub(super) uid: Uid,
}
