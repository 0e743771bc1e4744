//! Which directory this is, whatever it is called.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

#[cfg(target_os = "linux")]
pub(crate) use linux::key_of;
#[cfg(target_os = "macos")]
pub(crate) use macos::key_of;

use rustix::fs::Stat;

/// The number of the device that something is on.
#[allow(
    clippy::useless_conversion,
    clippy::unnecessary_fallible_conversions,
    reason = "the width of this number differs between systems"
)]
pub(crate) fn device(stat: &Stat) -> u64 {
    u64::try_from(stat.st_dev).unwrap_or(u64::MAX)
}
