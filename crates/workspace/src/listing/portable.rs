//! By the system's library, which keeps a buffer of its own.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::os::fd::BorrowedFd;

use rustix::fs::{Dir, FileType};

/// Shows each name but the dots, in no order, until `visit` has seen enough. The kind may be
/// unknown.
pub(crate) fn each<B>(
    directory: BorrowedFd<'_>,
    _: &mut [MaybeUninit<u8>],
    mut visit: impl FnMut(&CStr, FileType) -> ControlFlow<B>,
) -> rustix::io::Result<ControlFlow<B>> {
    // This opens the directory once more, so the place in it is its own.
    for entry in Dir::read_from(directory)? {
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
