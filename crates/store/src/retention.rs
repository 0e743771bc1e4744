//! What may be forgotten, and forgetting it so that it is remembered.
//!
//! Sealed logs are removed from the oldest on. Before the first of them goes,
//! the live log is sealed and its successor notes up to which record the past is
//! gone, with that record's hash. So a sealed log that is missing without such a
//! note was removed by somebody else, and says so.

use std::time::Duration;

use crate::belief::{self, Belief, Files};
use crate::disk::{self, Access};
use crate::frame::Mark;
use crate::header::{GoesOn, NOTHING};
use crate::log::Log;
use crate::segment::Segment;
use crate::{Error, Folded, Store};
use crate::{batch, commit, sealed};

/// How much of the past is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Sealed logs are kept for this long.
    pub age: Duration,
    /// And as long as they take no more than this together.
    pub bytes: u64,
}

/// What was, or would be, removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    /// How many sealed logs.
    pub segments: u64,
    /// How many records they held.
    pub records: u64,
    /// How many bytes they took.
    pub bytes: u64,
}

impl<S: Folded> Store<S> {
    /// What [`Store::prune`] would remove now.
    ///
    /// # Errors
    /// When the files cannot be read or cannot be believed.
    pub fn prunable(&self, now_ms: u64, retention: &Retention) -> Result<Pruned, Error> {
        let log = self.log()?;
        Ok(log.map_or_else(Pruned::default, |log| {
            Doomed::among(&log, now_ms, retention).pruned()
        }))
    }

    /// Removes the sealed logs that need not be kept, noting it first. What is
    /// found wrong on the way is latched.
    ///
    /// # Errors
    /// When the files cannot be read, believed or written.
    pub fn prune(&self, now_ms: u64, retention: &Retention) -> Result<Pruned, Error> {
        self.latching(now_ms, self.prune_under_lock(now_ms, retention))
    }

    fn prune_under_lock(&self, now_ms: u64, retention: &Retention) -> Result<Pruned, Error> {
        let Some(files) = self.lock_files(Access::Write)? else {
            return Ok(Pruned::default());
        };
        let belief: Belief<S> = belief::form(&files, &self.location)?;
        let Files { log, slots, head } = files;
        let log = Log::open(log, belief.last.mark, &self.location)?;
        let doomed = Doomed::among(&log, now_ms, retention);
        let (pruned, floor) = (doomed.pruned(), doomed.last_gone());
        let log = log.into_live();
        if floor != log.beginning.floor {
            self.note(Files { log, slots, head }, &belief, floor, now_ms)?;
        }
        // Besides, what somebody noted who died before removing it.
        for number in sealed::numbers(&self.location)? {
            if floor != NOTHING && number <= floor.seq {
                disk::remove_if_present(&sealed::path(&self.location, number))?;
            }
        }
        Ok(pruned)
    }

    /// Seals the live log and notes in its successor what is about to go.
    fn note(
        &self,
        mut files: Files,
        belief: &Belief<S>,
        floor: Mark,
        now_ms: u64,
    ) -> Result<(), Error> {
        let mut notes = commit::mend(&mut files, belief, &self.location)?;
        let state = batch::encode(&belief.view.state)?;
        let before = belief.last.mark;
        let from = GoesOn {
            before,
            floor,
            state: &state,
        };
        let (live, head, at) = (&files.log, notes.head(), &self.location);
        let successor = sealed::Successor::prepare(live, head, &from, at, now_ms)?;
        let (_locked, opening) = successor.take_over(&self.location)?;
        notes.follow(opening, state);
        Ok(())
    }
}

/// The oldest sealed logs, as far as they may go.
struct Doomed<'a> {
    segments: &'a [Segment],
    /// The first that stays.
    next: &'a Segment,
}

impl<'a> Doomed<'a> {
    /// The newest sealed log always stays: whoever watches the log from outside
    /// must be able to find the last record they saw.
    fn among(log: &'a Log, now_ms: u64, retention: &Retention) -> Self {
        let sealed = log.sealed();
        let age_ms = u64::try_from(retention.age.as_millis()).unwrap_or(u64::MAX);
        let mut left: u64 = sealed.iter().map(size).sum();
        let mut count = 0;
        for (segment, next) in sealed.iter().zip(sealed.iter().skip(1)) {
            // Of the two times somebody may have set back, the later counts.
            let sealed_ms = next.beginning.created_ms.max(segment.file.modified_ms());
            let is_old = sealed_ms.saturating_add(age_ms) <= now_ms;
            if !is_old && left <= retention.bytes {
                break;
            }
            left = left.saturating_sub(size(segment));
            count += 1;
        }
        Self {
            segments: &sealed[..count],
            next: log.segment(count),
        }
    }

    /// The last record that goes; what was pruned before if none does.
    fn last_gone(&self) -> Mark {
        self.next.beginning.before
    }

    fn pruned(&self) -> Pruned {
        let first = self.segments.first().unwrap_or(self.next);
        Pruned {
            segments: self.segments.len() as u64,
            records: self.next.beginning.first_seq() - first.beginning.first_seq(),
            bytes: self.segments.iter().map(size).sum(),
        }
    }
}

fn size(segment: &Segment) -> u64 {
    segment.file.len()
}
