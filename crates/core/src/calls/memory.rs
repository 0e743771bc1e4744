//! What is remembered of earlier calls: enough to know an outcome again.

use serde::{Deserialize, Serialize};

use super::bounded::Bounded;
use super::deed::Deed;
use super::digest::Digest;
use super::event::{CallResult, Status};
use super::kind::CallKind;
use super::row::row;

/// Pairs of call and answer that are remembered.
const PAIRS: usize = 56;
/// Errors that are remembered.
const ERRORS: usize = 16;
/// Edits that are remembered.
const EDITS: usize = 16;

/// Earlier outcomes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Memory {
    pairs: Bounded<Pair, PAIRS>,
    errors: Bounded<SeenError, ERRORS>,
    edits: Bounded<SeenEdit, EDITS>,
    /// Looks before this round were forgotten by the agent as well.
    looks_forgotten: u32,
}

row! {
    /// A call and its answer.
    struct Pair {
        call: Digest,
        answer: Digest,
        round: u32,
        /// How often in a row this call had this answer.
        times: u32,
    }
}

row! {
    /// An error, and in how many rounds it was met.
    struct SeenError {
        error: Digest,
        round: u32,
        times: u32,
    }
}

row! {
    /// An edit that took.
    struct SeenEdit {
        target: Digest,
        old: Digest,
        new: Digest,
    }
}

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It changed a file in a way that was not tried before.
    Gain,
    /// It answered what was not known before.
    Fresh,
    /// It failed in a way that is new. That is no progress, and no repetition.
    NewError,
    /// What came of it had come before.
    Known,
    /// It says nothing about the session.
    Nothing,
}

impl Outcome {
    pub(super) fn is_news(self) -> bool {
        matches!(self, Self::Fresh | Self::Gain)
    }
}

impl Memory {
    /// What this call was answered the last times, if it was always the same.
    pub(super) fn expected(&self, call: Digest) -> Option<Digest> {
        let last = self.pairs.find(|pair| pair.call == call)?;
        (last.times >= 2).then_some(last.answer)
    }

    /// Sets the outcome of `deed`, done in `round`, beside all earlier ones, and
    /// says where it leads if it is an edit.
    pub(super) fn judge(
        &mut self,
        deed: &Deed,
        round: u32,
        result: &CallResult,
    ) -> (Outcome, Option<Trace>) {
        match result.status {
            Status::Outage | Status::Denied => return (Outcome::Nothing, None),
            Status::Blocked => return (Outcome::Known, None),
            Status::Answered | Status::Silent | Status::Failed => {}
        }
        let pair = self.pair(deed, round, result.digest);
        let error = result.error.map(|error| self.error(error, round));
        let edit = result.status.took().then(|| self.edit(deed)).flatten();
        let outcome = match (pair, error, edit) {
            (Seen::Before, ..) | (_, Some(Seen::Before), _) => Outcome::Known,
            (Seen::Now, ..) | (_, Some(Seen::Now), _) => Outcome::Nothing,
            (Seen::Never, _, _) if result.status == Status::Failed => Outcome::NewError,
            (Seen::Never, _, Some(Trace::Again)) => Outcome::Known,
            (Seen::Never, _, Some(Trace::Back)) => Outcome::Nothing,
            (Seen::Never, _, _) if deed.changes => Outcome::Gain,
            (Seen::Never, _, _) => Outcome::Fresh,
        };
        (outcome, edit)
    }

    /// Remembers a pair.
    fn pair(&mut self, deed: &Deed, round: u32, answer: Digest) -> Seen {
        let last = self.pairs.find(|pair| pair.call == deed.call).copied();
        let same = |pair: &Pair| pair.call == deed.call && pair.answer == answer;
        let seen = self.pairs.take(same);
        let times = match last {
            Some(last) if same(&last) => last.times.saturating_add(1),
            _ => 1,
        };
        self.pairs.push(Pair {
            call: deed.call,
            answer,
            round,
            times,
        });
        match seen {
            Some(pair) if deed.kind.is_look() && pair.round < self.looks_forgotten => Seen::Never,
            Some(pair) => Seen::at(pair.round, round),
            None => Seen::Never,
        }
    }

    /// Remembers an error. One round counts once, whatever it holds.
    fn error(&mut self, error: Digest, round: u32) -> Seen {
        let seen = self.errors.take(|seen| seen.error == error);
        let (when, times) = match seen {
            Some(seen) if seen.round == round => (Seen::Now, seen.times),
            Some(seen) => (Seen::Before, seen.times.saturating_add(1)),
            None => (Seen::Never, 1),
        };
        self.errors.push(SeenError {
            error,
            round,
            times,
        });
        when
    }

    /// Remembers an edit that took, and says whether it goes over a trodden path.
    fn edit(&mut self, deed: &Deed) -> Option<Trace> {
        if deed.kind != CallKind::Edit {
            return None;
        }
        let old = deed.old;
        let (Some(target), Some(new)) = (deed.target, deed.new) else {
            // What names no text takes another edit back.
            return (old.is_none() && deed.new.is_none()).then_some(Trace::Back);
        };
        let this = SeenEdit {
            target,
            old: old.unwrap_or_default(),
            new,
        };
        let again = self.edits.take(|seen| *seen == this).is_some();
        let back =
            |seen: &SeenEdit| seen.target == target && seen.old == this.new && seen.new == this.old;
        let back = self.edits.find(back).is_some();
        self.edits.push(this);
        match (again || old == Some(new), back) {
            (true, _) => Some(Trace::Again),
            (false, true) => Some(Trace::Back),
            (false, false) => None,
        }
    }

    /// How often the error was met that was met most, and which it is.
    pub(super) fn most_met_error(&self) -> Option<(Digest, u32)> {
        let most = self.errors.iter().max_by_key(|seen| seen.times)?;
        Some((most.error, most.times))
    }

    /// A person has spoken: errors from before have been seen.
    pub(super) fn forget_errors(&mut self) {
        self.errors.clear();
    }

    /// The agent has forgotten what it read before `round`.
    pub(super) fn forget_looks(&mut self, round: u32) {
        self.looks_forgotten = round;
    }
}

/// Whether something was seen, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Never,
    /// In the same round: the agent could not have known.
    Now,
    Before,
}

impl Seen {
    fn at(then: u32, now: u32) -> Self {
        if then == now { Self::Now } else { Self::Before }
    }
}

/// Where an edit leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trace {
    /// It was made before, or changes nothing.
    Again,
    /// It takes an earlier one back. That can be the right thing to do, once.
    Back,
}
