//! Setting the permissions of a directory that may be replaced meanwhile.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod macos;

#[cfg(target_os = "linux")]
pub(super) use linux::directory;
#[cfg(not(target_os = "linux"))]
pub(super) use macos::directory;
