//! Being next in line when a keeper is lost.
//!
//! An agent can kill its keeper: they are the same user. What the keeper had
//! adopted then falls to the nearest ancestor that declared itself a
//! subreaper, and the supervisor would rather that were itself than `init`.

use std::io;
use std::sync::{Mutex, PoisonError};

use rustix::process::{
    Signal, child_subreaper, getpid, set_child_subreaper, set_parent_process_death_signal,
};

use super::Orphans;

pub(super) const ORPHANS: Orphans = Orphans::Adopted;

/// The attribute belongs to the process, and several steps may run in it.
static RUNNING: Mutex<Running> = Mutex::new(Running {
    steps: 0,
    was_subreaper: false,
});

struct Running {
    steps: usize,
    was_subreaper: bool,
}

/// Makes the process a subreaper while at least one of these lives.
pub(crate) struct Heir(());

impl Heir {
    pub(crate) fn begin() -> io::Result<Self> {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if running.steps == 0 {
            running.was_subreaper = child_subreaper()?.is_some();
            set_child_subreaper(Some(getpid()))?;
        }
        running.steps += 1;
        Ok(Self(()))
    }
}

impl Drop for Heir {
    fn drop(&mut self) {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.steps -= 1;
        if running.steps == 0 && !running.was_subreaper {
            // Cannot fail: it did not when it was switched on.
            let _ = set_child_subreaper(None);
        }
    }
}

/// Makes the calling keeper the one to whom every orphan below it falls.
pub(crate) fn inherit_orphans() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// Asks to be killed when the parent is.
pub(crate) fn die_with_parent() -> io::Result<()> {
    Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
}
