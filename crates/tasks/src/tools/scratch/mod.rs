//! A file that nobody else can find.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(target_os = "macos", test))]
mod unlinked;

#[cfg(target_os = "linux")]
pub(super) use linux::file;
#[cfg(target_os = "macos")]
pub(super) use unlinked::file;
