//! Straight from the system, into a buffer of the caller's.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::os::fd::BorrowedFd;

use rustix::fs::{FileType, RawDir};

/// Shows each name but the dots, in no order, until `visit` has seen enough. The kind may be
/// unknown.
pub(crate) fn each<B>(
    directory: BorrowedFd<'_>,
    buffer: &mut [MaybeUninit<u8>],
    mut visit: impl FnMut(&CStr, FileType) -> ControlFlow<B>,
) -> rustix::io::Result<ControlFlow<B>> {
    let mut entries = RawDir::new(directory, buffer);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        if let ControlFlow::Break(enough) = visit(name, entry.file_type()) {
            return Ok(ControlFlow::Break(enough));
        }
    }
    Ok(ControlFlow::Continue(()))
}
