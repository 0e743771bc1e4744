//! Step by step, each directory opened in the one before and never through a link. What a
//! rename does in between changes which directory beneath the root is reached, not whether it
//! lies beneath.

use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

pub(in crate::files) fn directory(root: &Path, path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // All that are open on the way, so that `..` leads to where it was come from.
    let mut way = vec![openat(CWD, root, flags, Mode::empty())?];
    for component in path.components() {
        let here = way.last().ok_or(Errno::XDEV)?;
        match component {
            Component::CurDir => {}
            Component::Normal(name) => {
                let next = openat(here, name, flags | OFlags::NOFOLLOW, Mode::empty());
                way.push(next.map_err(|error| {
                    // Systems differ in what they call a link where no link may be.
                    let is_link =
                        statat(here, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|found| {
                            FileType::from_raw_mode(found.st_mode) == FileType::Symlink
                        });
                    if is_link { Errno::LOOP } else { error }
                })?);
            }
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
