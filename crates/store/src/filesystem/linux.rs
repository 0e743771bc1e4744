//! File systems by the numbers that Linux reports.

use rustix::fs::StatFs;

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

/// What people call the file system, if it is one to refuse.
pub(super) fn remote(status: &StatFs) -> Option<&'static str> {
    // The field's type and sign differ between platforms; the magic numbers
    // are 32 bits wide everywhere.
    #[expect(clippy::cast_sign_loss, reason = "the numbers are bit patterns")]
    let magic = status.f_type as u64 & 0xffff_ffff;
    remote_name(magic)
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
    fn remote_filesystems_are_known_by_number() {
        for (magic, name) in [
            (0x6969, Some("NFS")),
            (0x6573_5546, Some("FUSE")),
            (0xef53, None),
            (0x0102_1994, None),
        ] {
            assert_eq!(remote_name(magic), name, "{magic:#x}");
        }
    }
}
