//! Reaching below a directory without ever being led out of it.
//!
//! A path is walked one component at a time, each opened in the one before and never through a
//! link. What a rename does in between changes which directory beneath the root is reached, not
//! whether it lies beneath.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};
use rustix::io::{Errno, Result};

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// Whether missing directories are made on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// No: there is nothing there then.
    Fails,
    /// Yes, for whoever the user's mask allows.
    IsMade,
}

/// Opens a directory wherever it is, links followed: where a walk begins.
///
/// # Errors
/// What the system says.
pub fn root(path: &Path) -> Result<OwnedFd> {
    openat(rustix::fs::CWD, path, DIRECTORY, Mode::empty())
}

/// Opens the directory at `path` beneath `root`; the empty path is the root itself.
///
/// # Errors
/// [`Errno::LOOP`] where a link is on the way, [`Errno::XDEV`] where the path leads out, and what
/// the system says.
pub fn directory(root: impl AsFd, path: &Path, missing: Missing) -> Result<OwnedFd> {
    // All that are open on the way, so that `..` leads to where it was come from.
    let mut way = vec![openat(root, ".", DIRECTORY, Mode::empty())?];
    for component in path.components() {
        let here = way.last().ok_or(Errno::XDEV)?;
        match component {
            Component::CurDir => {}
            Component::Normal(name) => way.push(enter(here, Path::new(name), missing)?),
            Component::ParentDir if way.len() > 1 => {
                way.pop();
            }
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(Errno::XDEV);
            }
        }
    }
    way.pop().ok_or(Errno::XDEV)
}

fn enter(here: &OwnedFd, name: &Path, missing: Missing) -> Result<OwnedFd> {
    let open = || openat(here, name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty());
    match open() {
        Err(Errno::NOENT) if missing == Missing::IsMade => {
            match rustix::fs::mkdirat(here, name, Mode::from_raw_mode(0o777)) {
                // Somebody may have been faster.
                Ok(()) | Err(Errno::EXIST) => open(),
                Err(error) => Err(error),
            }
        }
        // Systems differ in what they call a link where no link may be.
        Err(Errno::NOTDIR) if is_link(here, name) => Err(Errno::LOOP),
        opened => opened,
    }
}

fn is_link(directory: &OwnedFd, name: &Path) -> bool {
    statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Symlink)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, symlink};

    #[test]
    fn no_link_and_no_dots_lead_out() {
        let home = tempfile::tempdir().unwrap();
        let top = home.path().join("root");
        fs::create_dir_all(top.join("a/b")).unwrap();
        fs::create_dir(home.path().join("outside")).unwrap();
        fs::write(top.join("file"), "").unwrap();
        symlink("a", top.join("link")).unwrap();
        symlink("../outside", top.join("out")).unwrap();
        symlink("nowhere", top.join("dangling")).unwrap();
        let number = |path: &str| Ok(top.join(path).metadata().unwrap().ino());
        let opened = root(&top).unwrap();
        for (path, expected) in [
            ("", number(".")),
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
            let reached = directory(&opened, Path::new(path), Missing::Fails);
            let reached = reached.map(|opened| rustix::fs::fstat(opened).unwrap().st_ino);
            assert_eq!(reached, expected, "{path}");
        }
        assert_eq!(root(&top.join("missing")).unwrap_err(), Errno::NOENT);
    }

    #[test]
    fn directories_are_made_but_not_through_links() {
        let home = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        symlink(elsewhere.path(), home.path().join("link")).unwrap();
        let opened = root(home.path()).unwrap();
        let made = |path: &str| directory(&opened, Path::new(path), Missing::IsMade);
        made("a/b/c").unwrap();
        assert!(home.path().join("a/b/c").is_dir());
        assert_eq!(made("link/x").unwrap_err(), Errno::LOOP);
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}
