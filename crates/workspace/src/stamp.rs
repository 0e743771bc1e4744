//! What a directory entry looks like without reading it.

use rustix::fs::{FileType, Stat};

/// The metadata by which an unchanged file is recognised.
///
/// Times are kept to the nanosecond and the change time is among them: a program may set
/// the modification time back after an edit, but not the change time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    pub(crate) modified: Moment,
    pub(crate) changed: Moment,
    pub(crate) inode: u64,
}

/// Seconds and nanoseconds of the wall clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(pub(crate) i64, pub(crate) u64);

/// The kinds of entry that have content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Executable,
    Symlink,
}

/// File systems stamp changes with a clock that may tick as rarely as every ten
/// milliseconds. Two edits closer together than this may carry the same change time.
const SLOWEST_TICK_NANOS: i128 = 100_000_000;

impl Stamp {
    /// `None` for what has no content of its own: directories, sockets, devices, FIFOs.
    pub(crate) fn of(stat: &Stat) -> Option<Self> {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile if stat.st_mode & 0o100 != 0 => Kind::Executable,
            FileType::RegularFile => Kind::File,
            FileType::Symlink => Kind::Symlink,
            _ => return None,
        };
        Some(Self {
            kind,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: Moment(stat.st_mtime, nanos(stat.st_mtime_nsec)),
            changed: Moment(stat.st_ctime, nanos(stat.st_ctime_nsec)),
            inode: stat.st_ino,
        })
    }

    /// Whether an edit made at `now` would be sure to get another stamp than this one.
    pub(crate) fn is_settled(&self, now: Moment) -> bool {
        now.nanos() - self.changed.nanos() > SLOWEST_TICK_NANOS
    }
}

/// Some systems count nanoseconds with a sign.
fn nanos(count: impl TryInto<u64>) -> u64 {
    count.try_into().unwrap_or(0)
}

impl Moment {
    pub(crate) fn now() -> Self {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
        Self(now.tv_sec, u64::try_from(now.tv_nsec).unwrap_or(0))
    }

    fn nanos(self) -> i128 {
        i128::from(self.0) * 1_000_000_000 + i128::from(self.1)
    }
}

impl Kind {
    /// The mode that git stores for it.
    pub(crate) fn git_mode(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_changes_are_not_settled() {
        let stamp = Stamp {
            kind: Kind::File,
            size: 1,
            modified: Moment(0, 0),
            changed: Moment(100, 950_000_000),
            inode: 1,
        };
        for (now, settled) in [
            (Moment(101, 50_000_001), true),
            (Moment(101, 50_000_000), false),
            (Moment(100, 950_000_000), false),
            // The clock was set back.
            (Moment(50, 0), false),
        ] {
            assert_eq!(stamp.is_settled(now), settled, "{now:?}");
        }
    }
}
