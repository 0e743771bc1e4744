//! Which file systems a store may live on.
//!
//! The store stands on three promises of the file system: `flock` excludes
//! everybody else, `fdatasync` reaches the disk, and a rename is atomic. File
//! systems that reach another machine or another program to keep them break
//! one or the other without an error, so they are refused by name.

use std::path::Path;

use crate::Error;
use crate::disk::parent_of;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(target_os = "macos", test))]
mod names;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use names as system;

#[cfg(target_os = "macos")]
pub(crate) use names::keeps_birth_times;

/// Refuses a path on a file system that cannot keep the store's promises. The
/// path need not exist; the nearest directory that does is asked.
///
/// # Errors
/// [`Error::RemoteFilesystem`], or that the file system could not be asked.
pub fn refuse_remote_filesystem(path: &Path) -> Result<(), Error> {
    let mut existing = path;
    while !existing.exists() && existing.parent().is_some() {
        existing = parent_of(existing);
    }
    let status = rustix::fs::statfs(existing)
        .map_err(|errno| Error::io("examine", existing)(errno.into()))?;
    match system::remote(&status) {
        Some(name) => Err(Error::RemoteFilesystem {
            path: path.to_owned(),
            name,
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_is_not_there_yet_is_judged_by_what_it_will_be_in() {
        let directory = tempfile::TempDir::new().unwrap();
        refuse_remote_filesystem(&directory.path().join("not/yet/there")).unwrap();
        // What is nowhere is on no file system that could be asked.
        refuse_remote_filesystem(Path::new("")).unwrap_err();
    }
}
