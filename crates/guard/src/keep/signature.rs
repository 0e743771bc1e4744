//! What tells without reading that a file is still the same.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::Stat;

/// A file that changed less than this ago may change again within the same tick of the file
/// system's clock, which nothing but its content would show.
const SETTLES: Duration = Duration::from_millis(100);

/// What the system tells of a file. The time of the last change of status is among it, which
/// no program can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) size: u64,
    /// In nanoseconds.
    pub(super) modified: i128,
    pub(super) changed: i128,
}

impl Signature {
    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_fallible_conversions,
        reason = "the widths of these numbers differ between machines"
    )]
    pub(super) fn of(stat: &Stat) -> Self {
        let nanoseconds = |seconds: i128, rest: i128| seconds * 1_000_000_000 + rest;
        Self {
            device: u64::try_from(stat.st_dev).unwrap_or(u64::MAX),
            inode: u64::from(stat.st_ino),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: nanoseconds(stat.st_mtime.into(), stat.st_mtime_nsec.into()),
            changed: nanoseconds(stat.st_ctime.into(), stat.st_ctime_nsec.into()),
        }
    }

    /// Whether it is the same file, whatever its name is now.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode, self.size, self.modified)
            == (other.device, other.inode, other.size, other.modified)
    }
}

/// A signature, and whether it can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) signature: Signature,
    /// Not where the file had changed just before: then its content is compared.
    pub(super) settled: bool,
}

impl Seen {
    /// This is about the clock that dates files, so no other clock would do.
    pub(super) fn of(stat: &Stat) -> Self {
        let signature = Signature::of(stat);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let settled = now.ok().and_then(|now| now.checked_sub(SETTLES));
        let settled = settled.and_then(|time| i128::try_from(time.as_nanos()).ok());
        Self {
            signature,
            settled: settled.is_some_and(|time| signature.changed < time),
        }
    }

    /// Whether the file is sure to be as it was.
    pub(super) fn is_still(&self, stat: &Stat) -> bool {
        self.settled && self.signature == Signature::of(stat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_apart_by_their_seconds_and_by_less() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let signature = |time: Duration| {
            let times = std::fs::FileTimes::new().set_modified(UNIX_EPOCH + time);
            file.as_file().set_times(times).expect("times");
            Signature::of(&rustix::fs::stat(file.path()).expect("a file"))
        };
        let at = signature(Duration::new(1_000, 7));
        assert_eq!(at.modified, 1_000_000_000_007);
        assert!(at.is_same_file(&signature(Duration::new(1_000, 7))));
        assert!(!at.is_same_file(&signature(Duration::new(1_001, 7))));
        assert!(!at.is_same_file(&signature(Duration::new(1_000, 8))));
    }
}
