//! Opening a directory beneath another one that no link leads out of.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(target_os = "macos", test))]
mod stepwise;

#[cfg(target_os = "linux")]
pub(super) use linux::directory;
#[cfg(target_os = "macos")]
pub(super) use stepwise::directory;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};
    use std::path::Path;

    use rustix::fs::fstat;
    use rustix::io::Errno;

    use super::*;

    /// Which directory both ways reach, by its number, or why none.
    fn both(root: &Path, path: &str) -> [Result<u64, Errno>; 2] {
        let number = |opened: rustix::io::Result<std::os::fd::OwnedFd>| {
            opened.map(|opened| fstat(&opened).unwrap().st_ino)
        };
        [
            number(directory(root, Path::new(path))),
            number(stepwise::directory(root, Path::new(path))),
        ]
    }

    #[test]
    fn both_ways_reach_the_same_or_refuse_for_the_same_reason() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("root");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir(home.path().join("outside")).unwrap();
        fs::write(root.join("file"), "").unwrap();
        symlink("a", root.join("link")).unwrap();
        symlink("../outside", root.join("out")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        let number = |path: &str| Ok(root.join(path).metadata().unwrap().ino());
        for (path, expected) in [
            (".", number(".")),
            ("a", number("a")),
            ("a/b", number("a/b")),
            ("./a/./b/", number("a/b")),
            ("a/../a/b/..", number("a")),
            ("missing", Err(Errno::NOENT)),
            ("a/missing/b", Err(Errno::NOENT)),
            ("file", Err(Errno::NOTDIR)),
            ("file/a", Err(Errno::NOTDIR)),
            ("link", Err(Errno::LOOP)),
            ("link/b", Err(Errno::LOOP)),
            ("out", Err(Errno::LOOP)),
            ("dangling", Err(Errno::LOOP)),
            ("..", Err(Errno::XDEV)),
            ("a/../..", Err(Errno::XDEV)),
            ("../root/a", Err(Errno::XDEV)),
            ("/tmp", Err(Errno::XDEV)),
        ] {
            assert_eq!(both(&root, path), [expected; 2], "{path}");
        }
        assert_eq!(both(&root.join("missing"), "a"), [Err(Errno::NOENT); 2]);
    }
}
