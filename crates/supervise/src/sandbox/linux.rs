//! Raising the walls, by a process that is about to become the command.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::StatVfsMountFlags;
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change,
    mount_remount,
};
use rustix::process::{getegid, geteuid};
use rustix::thread::{
    CapabilitySet, UnshareFlags, capabilities, remove_capability_from_bounding_set,
    set_capabilities, set_no_new_privs,
};

use thiserror::Error;

use super::Walls;

/// What it would take to have walls where there are none.
pub const NEEDED: &str = "`run --sandbox` needs unprivileged user namespaces, or root";

/// With one of these a process of root's walks around any wall: mounts anew, enters
/// a process outside, loads code into the system, or writes to the bare disk.
const WAYS_AROUND: [CapabilitySet; 4] = [
    CapabilitySet::SYS_ADMIN,
    CapabilitySet::SYS_PTRACE,
    CapabilitySet::SYS_MODULE,
    CapabilitySet::SYS_RAWIO,
];

/// A wall that could not be raised.
#[derive(Debug, Error)]
#[error("{path}: {error}", path = path.display())]
pub(crate) struct Unraised {
    path: PathBuf,
    pub(crate) error: io::Error,
}

impl From<io::Error> for Unraised {
    fn from(error: io::Error) -> Self {
        Self {
            path: "/proc/self/ns".into(),
            error,
        }
    }
}

/// Raises the walls around this process, for good.
pub(crate) fn enter(walls: &Walls) -> Result<(), Unraised> {
    let powerful = is_powerful();
    if powerful {
        unshare(UnshareFlags::NEWNS)?;
    } else {
        enter_user_namespace()?;
    }
    // What is mounted here must not spread to where it is inherited from.
    let private = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    named("/".as_ref(), mount_change("/", private))?;
    for path in present(&walls.kept) {
        named(path, mount_bind_recursive(path, path))?;
    }
    for path in present(&walls.frozen) {
        named(path, mount_bind(path, path))?;
        let read_only = MountFlags::BIND | MountFlags::RDONLY | inherited(path)?;
        named(path, mount_remount(path, read_only, ""))?;
    }
    for path in present(&walls.hidden) {
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        named(
            path,
            mount("none", path, "tmpfs", flags, Some(c"mode=0700,size=64m")),
        )?;
    }
    if powerful {
        give_up_ways_around()?;
    }
    // A program that gains powers when it starts would gain those as well.
    set_no_new_privs(true).map_err(io::Error::from)?;
    Ok(())
}

fn is_powerful() -> bool {
    capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::SYS_ADMIN))
}

#[expect(
    deprecated,
    reason = "it is called unsafe for one flag, about tables of open files, which is not used here"
)]
fn unshare(flags: UnshareFlags) -> io::Result<()> {
    rustix::thread::unshare(flags)?;
    Ok(())
}

/// A user namespace in which everybody is who they were, and whose powers are lost
/// when the command starts.
fn enter_user_namespace() -> io::Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

fn present(paths: &[PathBuf]) -> impl Iterator<Item = &Path> {
    // A mount on a link would be one on what it leads to.
    let there = |path: &&Path| {
        let about = path.symlink_metadata();
        about.is_ok_and(|about| !about.is_symlink())
    };
    paths.iter().map(PathBuf::as_path).filter(there)
}

/// What holds for the file system a path is on and may not be relaxed.
fn inherited(path: &Path) -> io::Result<MountFlags> {
    let found = rustix::fs::statvfs(path)?.f_flag;
    let pairs = [
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ];
    let held = pairs.into_iter().filter(|(flag, _)| found.contains(*flag));
    Ok(held.fold(MountFlags::empty(), |all, (_, flag)| all | flag))
}

fn give_up_ways_around() -> io::Result<()> {
    let mut sets = capabilities(None)?;
    for way in WAYS_AROUND {
        match remove_capability_from_bounding_set(way) {
            // One that this system does not know, nobody has.
            Ok(()) | Err(Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
        sets.effective.remove(way);
        sets.permitted.remove(way);
        sets.inheritable.remove(way);
    }
    set_capabilities(None, sets)?;
    Ok(())
}

fn named(path: &Path, done: Result<(), Errno>) -> Result<(), Unraised> {
    done.map_err(|error| Unraised {
        path: path.to_owned(),
        error: error.into(),
    })
}
