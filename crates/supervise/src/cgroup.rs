//! A control group for the tree, where one can be had.
//!
//! `cgroup.kill` is the only way to end a whole tree in one atomic act; a fork
//! storm cannot outrun it. It needs a writable version 2 hierarchy, which an
//! ordinary user has inside a delegated scope and root nearly everywhere.
//! Without one the walk of the process table does the same work in rounds, so
//! nothing in here is ever an error.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::cookie::Cookie;

const REMOVAL_ATTEMPTS: u32 = 40;

/// The control group of one step.
pub(crate) struct Cgroup {
    dir: PathBuf,
}

impl Cgroup {
    /// Makes a group for this step below our own, if that is allowed.
    pub(crate) fn create(cookie: &Cookie) -> Option<Self> {
        let dir = place(cookie)?;
        fs::create_dir(&dir).ok()?;
        let group = Self { dir };
        if group.dir.join("cgroup.kill").exists() {
            return Some(group);
        }
        group.remove();
        None
    }

    /// The group that an earlier process made for this step, if it is there.
    pub(crate) fn existing(cookie: &Cookie) -> Option<Self> {
        place(cookie)
            .filter(|dir| dir.is_dir())
            .map(|dir| Self { dir })
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Kills every process in the group and in those below it.
    pub(crate) fn kill(&self) {
        let _ = fs::write(self.dir.join("cgroup.kill"), "1");
    }

    /// Removes the group with those the command may have made in it. A killed
    /// process counts until it has quite gone, so this takes a few attempts;
    /// if one never goes, the report tells that in its own way.
    pub(crate) fn remove(&self) {
        for _ in 0..REMOVAL_ATTEMPTS {
            if remove_groups(&self.dir).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Moves the calling process into the group at `dir`.
pub(crate) fn join(dir: &Path) -> io::Result<()> {
    fs::write(dir.join("cgroup.procs"), "0")
}

fn remove_groups(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_groups(&entry.path())?;
        }
    }
    fs::remove_dir(dir)
}

fn place(cookie: &Cookie) -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    Some(own_group(&mounts, &own)?.join(format!("fusebox-{cookie}")))
}

/// Where our own version 2 group is mounted, from the texts of
/// `/proc/self/mountinfo` and `/proc/self/cgroup`.
fn own_group(mounts: &str, own: &str) -> Option<PathBuf> {
    let path = Path::new(own.lines().find_map(|line| line.strip_prefix("0::"))?);
    mounts.lines().find_map(|line| {
        let (mount, kind) = line.split_once(" - ")?;
        if kind.split(' ').next() != Some("cgroup2") {
            return None;
        }
        let mut fields = mount.split(' ').skip(3);
        let (root, at) = (fields.next()?, fields.next()?);
        // In a container the mount may show only a part of the hierarchy. Where that is not ours,
        // our own is told as a way out of it, and is not beneath the mount.
        let below = path.strip_prefix(root).ok()?;
        let leads_out = below.components().any(|part| part == Component::ParentDir);
        (!leads_out).then(|| Path::new(at).join(below))
    })
}

/// A door for the fuzzer: a group lies beneath a mount that the first text names.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_groups(mounts: &str, own: &str) {
    let Some(group) = own_group(mounts, own) else {
        return;
    };
    let is_plain = |below: &Path| below.components().all(|part| part != Component::ParentDir);
    let holds = |mount: &str| group.strip_prefix(mount).is_ok_and(is_plain);
    assert!(mounts.split([' ', '\n']).any(holds), "{group:?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_group_is_found_under_its_mount() {
        let hybrid = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
                      32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                      41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let part = "41 31 0:38 /docker/7 /sys/fs/cgroup rw shared:1 - cgroup2 cgroup rw\n";
        for (mounts, own, expected) in [
            (hybrid, "1:cpu:/x\n0::/\n", Some("/sys/fs/cgroup/unified/")),
            (
                hybrid,
                "0::/user.slice/a\n",
                Some("/sys/fs/cgroup/unified/user.slice/a"),
            ),
            (part, "0::/docker/7/b\n", Some("/sys/fs/cgroup/b")),
            (part, "0::/elsewhere\n", None),
            (hybrid, "0::/../../tmp\n", None),
            (hybrid, "1:cpu:/x\n", None),
            ("", "0::/\n", None),
        ] {
            assert_eq!(
                own_group(mounts, own),
                expected.map(PathBuf::from),
                "{own:?}"
            );
        }
    }
}
