//! File systems by the names that macOS reports.

/// The names that `statfs` reports, and what people call them. A name is
/// compared without regard to case and to what follows it: those of FUSE come
/// with a version or a vendor.
const REMOTE: [(&str, &str); 11] = [
    ("nfs", "NFS"),
    ("smbfs", "SMB"),
    ("cifs", "CIFS"),
    ("afpfs", "AFP"),
    ("webdav", "WebDAV"),
    ("ftp", "FTP"),
    ("acfs", "Xsan"),
    ("macfuse", "FUSE"),
    ("osxfuse", "FUSE"),
    ("fuse", "FUSE"),
    ("lifs", "a file system in a program of its own"),
];

/// Those that are known to remember when a directory was made.
const WITH_BIRTH_TIMES: [&str; 2] = ["apfs", "hfs"];

/// What people call the file system, if it is one to refuse.
#[cfg(target_os = "macos")]
pub(super) fn remote(status: &rustix::fs::StatFs) -> Option<&'static str> {
    remote_name(&name_of(status))
}

/// Whether the birth time that a file has is its own.
#[cfg(target_os = "macos")]
pub(crate) fn keeps_birth_times(status: &rustix::fs::StatFs) -> bool {
    remembers_births(&name_of(status))
}

#[cfg(target_os = "macos")]
fn name_of(status: &rustix::fs::StatFs) -> String {
    let letters = status.f_fstypename.iter();
    let letters = letters.map(|letter| letter.cast_unsigned());
    let name: Vec<u8> = letters.take_while(|letter| *letter != 0).collect();
    String::from_utf8_lossy(&name).into_owned()
}

fn remembers_births(name: &str) -> bool {
    WITH_BIRTH_TIMES.contains(&name)
}

fn remote_name(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    REMOTE
        .iter()
        .find(|(known, _)| name.starts_with(known))
        .map(|(_, called)| *called)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remote_filesystems_are_known_by_name_and_local_ones_pass() {
        for (name, called) in [
            ("nfs", Some("NFS")),
            ("smbfs", Some("SMB")),
            ("afpfs", Some("AFP")),
            ("webdav", Some("WebDAV")),
            ("macfuse", Some("FUSE")),
            ("osxfusefs", Some("FUSE")),
            ("fuse-t", Some("FUSE")),
            ("SMBFS", Some("SMB")),
            ("apfs", None),
            ("hfs", None),
            ("msdos", None),
            ("exfat", None),
            ("tmpfs", None),
            ("", None),
        ] {
            assert_eq!(remote_name(name), called, "{name}");
            assert_eq!(remembers_births(name), ["apfs", "hfs"].contains(&name));
        }
    }
}
