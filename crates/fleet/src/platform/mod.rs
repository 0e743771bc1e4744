//! What a system says of its boots and of time.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

#[cfg(target_os = "linux")]
pub(crate) use linux::{COUNTS_ASLEEP, boot_name};
#[cfg(target_os = "macos")]
pub(crate) use macos::{COUNTS_ASLEEP, boot_name};
