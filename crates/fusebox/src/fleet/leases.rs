//! The leases of commands that end at once: what `tasks claim` was given is needed again
//! by `tasks done`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fusebox_files::regular;
use fusebox_fleet::{Claimed, Held, LeaseEnd};
use fusebox_view::{escape, phrase};

use super::party::Party;
use super::seat::Seat;
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;
use crate::tasks;

/// Where nobody is ever taken for gone, a lease still ends.
const LONGEST: Duration = Duration::from_secs(24 * 3_600);
/// Longer than any change of what is written down takes.
const PATIENCE: Duration = Duration::from_secs(5);
/// Nobody holds more of them than fit into this.
const MOST_BYTES: u64 = 4 << 20;

/// The leases that were taken from this work tree.
pub(crate) struct Leases {
    seat: Seat,
    path: PathBuf,
    held: BTreeMap<String, u64>,
    ttl: Duration,
}

impl Leases {
    /// Those of the fleet that is configured; `None` if none is.
    pub(crate) fn open(
        session: &Session,
        flag: Option<&str>,
        stale_ms: Option<u64>,
    ) -> Result<Option<Self>, Failure> {
        let party = Party::of(flag, &session.layers.borrow(), &session.located)?;
        let Some(party) = party else {
            return Ok(None);
        };
        let mut seat = Seat::take(session, &party, None)?;
        seat.coordinator.enrol(&seat.worker)?;
        let path = tasks::directory(session).join("leases.json");
        let held = read(&path);
        let ttl = stale_ms.map_or(LONGEST, Duration::from_millis);
        Ok(Some(Self {
            seat,
            path,
            held,
            ttl: ttl.clamp(Duration::from_secs(60), LONGEST),
        }))
    }

    /// Gets the lease on a task, or says who has it.
    pub(crate) fn claim(&mut self, task: &str) -> Result<(), Failure> {
        let claimed = self
            .seat
            .coordinator
            .claim(&self.seat.worker, Some(task), self.ttl)?;
        let shown = escape::line(task, 80);
        let refused = |what: String| Err(Failure::new(exit::REFUSED, what));
        match claimed {
            Claimed::Yours { held, .. } => self.write(|leases| {
                leases.insert(held.task, held.fence);
            }),
            Claimed::Taken { owner, wait } => refused(format!(
                "{shown} is worker {}'s, whose lease ends in {} unless it is renewed",
                escape::line(&owner, 8),
                phrase::duration(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
            )),
            Claimed::Over(how) => refused(format!(
                "{shown} is {} in the fleet",
                escape::line(&how, 200)
            )),
            Claimed::Halted(why) => {
                refused(format!("the fleet is halted: {}", escape::line(&why, 200)))
            }
            Claimed::Nothing => refused(format!("{shown} is not to be had")),
        }
    }

    /// Renews the lease on a task.
    pub(crate) fn renew(&mut self, task: &str) -> Result<(), Failure> {
        let held = self.lease(task)?;
        let still =
            self.seat
                .coordinator
                .beat(&self.seat.worker, std::slice::from_ref(&held), self.ttl)?;
        if still.contains(&held.task) {
            Ok(())
        } else {
            lost(task)
        }
    }

    /// Ends the lease on a task. Says no if it is somebody else's by now, and then
    /// nothing has changed.
    pub(crate) fn end(&mut self, task: &str, end: LeaseEnd, note: &str) -> Result<(), Failure> {
        let held = self.lease(task)?;
        let note = escape::line(note, 300);
        let ours = self
            .seat
            .coordinator
            .finish(&self.seat.worker, &held, end, &note)?;
        self.write(|leases| {
            leases.remove(task);
        })?;
        if ours { Ok(()) } else { lost(task) }
    }

    fn lease(&self, task: &str) -> Result<Held, Failure> {
        match self.held.get(task) {
            Some(fence) => Ok(Held {
                task: task.to_owned(),
                fence: *fence,
            }),
            None => lost(task),
        }
    }

    /// Changes what is written down, with nobody else doing so at the same time: what
    /// another command has claimed meanwhile stays.
    fn write(&mut self, change: impl FnOnce(&mut BTreeMap<String, u64>)) -> Result<(), Failure> {
        let path = &self.path;
        let written = || -> io::Result<BTreeMap<String, u64>> {
            let _held = fusebox_files::lock_beside(path, PATIENCE)?;
            let mut leases = read(path);
            change(&mut leases);
            fusebox_files::replace_locked(path, &serde_json::to_vec(&leases)?)?;
            Ok(leases)
        };
        self.held = written()
            .map_err(|error| Failure::new(exit::STATE, format!("{}: {error}", path.display())))?;
        Ok(())
    }
}

/// What is written down. What cannot be read is no lease: whoever speaks for it is refused.
fn read(path: &Path) -> BTreeMap<String, u64> {
    let bytes = regular::read(path, MOST_BYTES).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn lost<T>(task: &str) -> Result<T, Failure> {
    let shown = escape::line(task, 80);
    Err(
        Failure::new(exit::REFUSED, format!("no lease on {shown} is held here")).hint(
            "somebody else may have begun: nothing was changed; `fusebox tasks claim` asks anew",
        ),
    )
}
