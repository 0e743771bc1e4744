//! Small things that systems do differently.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

#[cfg(target_os = "linux")]
pub(crate) use linux::{enlarge, ignored_signals};
#[cfg(target_os = "macos")]
pub(crate) use macos::{enlarge, ignored_signals};
