//! On macOS orphans fall to `launchd`, and nobody is told of a parent's end.

use std::io;

use super::Orphans;

pub(super) const ORPHANS: Orphans = Orphans::Searched;

/// Nobody inherits anything here.
pub(crate) struct Heir(());

impl Heir {
    pub(crate) fn begin() -> io::Result<Self> {
        Ok(Self(()))
    }
}

pub(crate) fn inherit_orphans() -> io::Result<()> {
    Ok(())
}

/// There is no such wish. A keeper that is killed leaves its command running
/// until the supervisor, which hears of it at once through the closed socket,
/// has ended it.
pub(crate) fn die_with_parent() -> io::Result<()> {
    Ok(())
}
