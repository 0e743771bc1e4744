//! Files that somebody else can reach too.
//!
//! The work tree is the agent's, and the memory lies where a process of the same user can
//! write. A name there may have become a pipe, at which whoever opens it waits for ever; a link,
//! which leads elsewhere; a device, or a file larger than memory. And whoever holds a lock may
//! have been stopped. So every room opens such files here:
//!
//! * [`regular`]: at once or not at all, and regular files alone.
//! * [`beneath`]: directories that no link leads out of.
//! * [`replace`](mod@replace): in one step, so that a reader, and whoever comes after a crash,
//!   finds the old file or the new one.
//! * [`drafts`]: what a file is called until it is whole, and what becomes of it where its writer
//!   was killed.
//! * [`deliver`](mod@deliver): to where a person said, be it a file, a link, a pipe or a device.
//! * [`lock`](mod@lock): waited for, but not for ever.
//! * `kernel`: files of `/proc`, unless something was mounted over them.
//!
//! A tool and no room: it knows nothing of what is in a file, nor of whose it is.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod beneath;
pub mod deliver;
pub mod drafts;
#[cfg(target_os = "linux")]
pub mod kernel;
pub mod lock;
pub mod regular;
pub mod replace;

#[cfg(test)]
mod planted;

pub use deliver::deliver;
pub use lock::{Busy, lock, lock_beside, lock_file};
pub use regular::Links;
pub use replace::{
    create_whole, replace, replace_locked, replace_locked_durably, sync_directory_of,
};
