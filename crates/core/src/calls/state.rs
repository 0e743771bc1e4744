//! What is remembered of a session.
//!
//! Bounded by construction, so that it can be kept between two hooks of one
//! session and read in no time: what is older than the newest pairs of call and
//! answer is forgotten, and with it a loop that takes longer than that to come
//! round.

use serde::{Deserialize, Serialize};

use super::bounded::Bounded;
use super::deed::Deed;
use super::digest::Digest;
use super::event::{Call, CallResult, Said, Status};
use super::kind::CallKind;
use super::memory::{Memory, Outcome};
use super::policy::CallPolicy;
use super::row::row;
use super::signals::futile_edits::FutileEdits;
use super::signals::nothing_new::NothingNew;
use super::signals::repetition::{Made, Repetition};
use super::signals::return_on_effort::Effort;
use super::signals::streaks::{Denials, Failures, Oscillation, Paging};
use super::signals::turns::{Turns, Words};

/// The format of the state; a state of another one is begun anew.
pub const STATE_VERSION: u32 = 3;
/// The most that the state takes when it is written as JSON, in bytes.
pub const STATE_BYTES: usize = 8 * 1024;
/// Calls that may be under way at once; the answers of more are not judged.
const PENDING: usize = 12;
/// Loops that the agent was told of.
const TOLD: usize = 8;

/// What is remembered of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallState {
    version: u32,
    /// Calls so far.
    pub(super) calls: u32,
    /// Rounds so far: calls that were made before any of them was answered.
    round: u32,
    /// Something was answered since the last call.
    answered: bool,
    /// A file was changed.
    pub(super) touched: bool,
    /// What was said since the last call.
    words: Words,
    /// What was said last claims that the work is done.
    claims: bool,
    /// What was said last is about an outage.
    outage: bool,
    /// The kinds of calls since things began to repeat, a bit for each.
    pub(super) kinds: u8,
    /// The last call and the last error, for people.
    pub(super) last_call: String,
    pub(super) last_error: String,
    pending: Bounded<Pending, PENDING>,
    pub(super) memory: Memory,
    pub(super) nothing_new: NothingNew,
    pub(super) repetition: Repetition,
    pub(super) turns: Turns,
    pub(super) futile: FutileEdits,
    pub(super) failures: Failures,
    pub(super) denials: Denials,
    pub(super) oscillation: Oscillation,
    pub(super) paging: Paging,
    pub(super) effort: Effort,
    told: Bounded<Digest, TOLD>,
}

row! {
    /// A call that was not answered yet.
    struct Pending {
        id: Digest,
        number: u32,
        round: u32,
        /// What was said before it.
        words: Digest,
        deed: Deed,
    }
}

/// What a call will come to if it ends as it always did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Foretold {
    pub(super) made: Made,
    pub(super) is_small: bool,
}

impl Default for CallState {
    fn default() -> Self {
        Self {
            version: STATE_VERSION,
            calls: 0,
            round: 0,
            answered: false,
            touched: false,
            words: Words::default(),
            claims: false,
            outage: false,
            kinds: 0,
            last_call: String::new(),
            last_error: String::new(),
            pending: Bounded::default(),
            memory: Memory::default(),
            nothing_new: NothingNew::default(),
            repetition: Repetition::default(),
            turns: Turns::default(),
            futile: FutileEdits::default(),
            failures: Failures::default(),
            denials: Denials::default(),
            oscillation: Oscillation::default(),
            paging: Paging::default(),
            effort: Effort::default(),
            told: Bounded::default(),
        }
    }
}

impl CallState {
    /// Whether this release can go on with it.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.version == STATE_VERSION
    }

    /// How many calls were seen.
    #[must_use]
    pub fn calls(&self) -> u32 {
        self.calls
    }

    pub(super) fn say(&mut self, said: &Said) {
        self.words.add(said);
        self.claims = said.claims_done;
        self.outage = said.outage;
    }

    pub(super) fn end_turn(&mut self) {
        let words = std::mem::take(&mut self.words);
        if !std::mem::take(&mut self.outage) {
            self.turns.end(words);
        }
        if std::mem::take(&mut self.claims) {
            self.effort.claim();
        }
    }

    /// A call is about to be made. Answers with what will come of it, if that can
    /// be foretold.
    pub(super) fn begin(&mut self, call: &Call) -> Option<Foretold> {
        self.calls = self.calls.saturating_add(1);
        if std::mem::take(&mut self.answered) {
            self.round = self.round.saturating_add(1);
        }
        self.turns.call();
        if call.kind == CallKind::Finish {
            self.effort.claim();
        }
        self.last_call.clone_from(&call.words);
        let words = std::mem::take(&mut self.words).digest;
        let twin = |pending: &Pending| pending.deed.call == call.digest;
        let alone = self.pending.find(twin).is_none();
        self.pending.push(Pending {
            id: call.id,
            number: self.calls,
            round: self.round,
            words,
            deed: Deed::from(call),
        });
        let answer = self.memory.expected(call.digest).filter(|_| alone)?;
        Some(Foretold {
            made: Made {
                call: call.digest,
                answer,
                words,
                number: self.calls,
            },
            is_small: self.is_small(call.digest, call.kind),
        })
    }

    /// Whether to make this call again says little: it only looks, and something
    /// else was done in between.
    fn is_small(&self, call: Digest, kind: CallKind) -> bool {
        kind.is_look() && self.repetition.last() != Some(call)
    }

    /// A call was answered.
    pub(super) fn end(&mut self, policy: &CallPolicy, result: &CallResult) {
        let Some(pending) = self.pending.take(|pending| pending.id == result.id) else {
            return;
        };
        self.answered = true;
        let Pending {
            number,
            words,
            deed,
            ..
        } = pending;
        let (outcome, trace) = self.memory.judge(&deed, pending.round, result);
        let is_small = self.is_small(deed.call, deed.kind) || result.status == Status::Silent;
        self.nothing_new
            .take(outcome, is_small, &policy.points, number);
        self.touched |= outcome == Outcome::Gain;
        self.futile.take(&deed, pending.round, result);
        self.failures.take(&deed, result.status, outcome);
        self.denials.take(result.status);
        self.oscillation.take(&deed, outcome, trace);
        self.paging.take(&deed);
        if outcome.is_news() {
            self.effort.news();
            self.turns.news();
            self.futile.news();
        }
        self.kinds = if self.nothing_new.value() == 0 {
            0
        } else {
            self.kinds | deed.kind.bit()
        };
        if !result.words.is_empty() {
            self.last_error.clone_from(&result.words);
        }
        if outcome != Outcome::Nothing {
            self.repetition.push(Made {
                call: deed.call,
                answer: result.digest,
                words,
                number,
            });
        }
    }

    /// Somebody spoke in the place of a person.
    pub(super) fn hear(&mut self, digest: Digest, is_long: bool) {
        if !self.turns.prompt(digest, is_long) {
            return;
        }
        self.repetition.clear();
        self.nothing_new.begin_anew();
        self.memory.forget_errors();
        self.futile = FutileEdits::default();
        self.failures = Failures::default();
        self.denials = Denials::default();
        self.oscillation = Oscillation::default();
        self.paging = Paging::default();
        self.effort.person();
        self.kinds = 0;
    }

    pub(super) fn compact(&mut self) {
        self.effort.compact();
        self.memory.forget_looks(self.round.saturating_add(1));
    }

    /// Whether the agent hears of this loop for the first time.
    pub(super) fn tell(&mut self, identity: Digest) -> bool {
        let known = self.told.take(|told| *told == identity).is_some();
        self.told.push(identity);
        !known
    }
}
