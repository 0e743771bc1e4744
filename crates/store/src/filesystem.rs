//! Which file systems a store may live on.
//!
//! The store stands on three promises of the file system: `flock` excludes
//! everybody else, `fdatasync` reaches the disk, and a rename is atomic. File
//! systems that reach another machine or another program to keep them break
//! one or the other without an error, so they are refused by name.

use std::path::Path;

use crate::Error;
use crate::disk::parent_of;

/// The magic numbers that `statfs` reports, and what people call them.
const REMOTE: [(u64, &str); 10] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x0102_1997, "9p"),
    (0x6573_5546, "FUSE"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
];

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
    // The field's type and sign differ between platforms; the magic numbers
    // are 32 bits wide everywhere.
    #[expect(clippy::cast_sign_loss, reason = "the numbers are bit patterns")]
    let magic = status.f_type as u64 & 0xffff_ffff;
    match remote_name(magic) {
        Some(name) => Err(Error::RemoteFilesystem {
            path: path.to_owned(),
            name,
        }),
        None => Ok(()),
    }
}

fn remote_name(magic: u64) -> Option<&'static str> {
    REMOTE
        .iter()
        .find(|(number, _)| *number == magic)
        .map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remote_filesystems_are_known_by_number_and_local_ones_pass() {
        for (magic, name) in [
            (0x6969, Some("NFS")),
            (0x6573_5546, Some("FUSE")),
            (0xef53, None),
            (0x0102_1994, None),
        ] {
            assert_eq!(remote_name(magic), name, "{magic:#x}");
        }
        let directory = tempfile::TempDir::new().unwrap();
        refuse_remote_filesystem(&directory.path().join("not/yet/there")).unwrap();
        // What is nowhere is on no file system that could be asked.
        refuse_remote_filesystem(Path::new("")).unwrap_err();
    }
}
