//! Thresholds and release rules, as numbers and closed enums.
//!
//! A policy holds no expressions: whatever differs between two ways of working
//! is a different value in the same fields. The ways themselves are a table, in
//! [`presets`].

mod choices;
mod companion;
mod fnv;
mod limits;
pub mod presets;
mod rules;
mod tasks;

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

pub use choices::{
    CallUnit, Capabilities, DriftRule, Enforcement, ErrorIdentity, ExitMap, HaltMode, Labels,
    ProbeRule, ProgressRule, ReleaseRules, ScoreWeights, StreakRule, ThresholdEdits, TickUnit,
};
pub use companion::{Companion, MovedDirectory, StateCodes, Variable, VariableMeaning};
pub use limits::{CallLimit, MOST_CALLS, Recovery, WindowLimit};
pub use presets::Preset;
pub use rules::{Bound, SignalRule, SignalRules};
pub use tasks::TaskRules;

use fnv::Fnv;

use crate::budget::Resource;
use crate::calls::CallPolicy;
use crate::circuit::State;
use crate::patterns::PatternRules;
use crate::signals::Signal;

/// The smallest and the largest value a threshold may have.
pub const THRESHOLD_RANGE: std::ops::RangeInclusive<u32> = 1..=99;

/// The identifier of the written rule a decision was made by.
pub type RuleId = Cow<'static, str>;

/// Everything a decision depends on besides the facts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Which row of the table this is, or was before it was edited.
    pub preset: Preset,
    /// What the states are called.
    pub labels: Labels,
    /// What one tick is.
    pub unit: TickUnit,
    /// What counts as having gained something.
    pub progress: ProgressRule,
    /// When two errors are the same error.
    pub errors: ErrorIdentity,
    /// What ends the streak of an error that is still there.
    pub streaks: StreakRule,
    /// What each signal warns and trips at. A signal without a rule is off.
    pub rules: SignalRules,
    /// What an iteration is worth.
    pub score: ScoreWeights,
    /// What edits without gain are held against.
    pub drift: DriftRule,
    /// With fewer lines of output than this before it, a fall means nothing.
    pub output_floor: u64,
    /// Whether a shell command may add to a protected file.
    pub commands_may_append: bool,
    /// How an opened breaker may be closed again.
    pub release: ReleaseRules,
    /// How long to wait before a probe, and how often.
    pub recovery: Recovery,
    /// What happens when the breaker opens.
    pub halt: HaltMode,
    /// What may be done on the breaker's behalf.
    pub capabilities: Capabilities,
    /// Which way thresholds may be edited.
    pub edits: ThresholdEdits,
    /// How long one iteration may take; a probe that takes longer has failed.
    pub iteration_limit_ms: u64,
    /// How many calls may be made in a rolling window.
    pub calls: CallLimit,
    /// What a call is.
    pub calls_unit: CallUnit,
    /// How many tokens may be used in a rolling window, if that is limited.
    pub tokens: Option<WindowLimit>,
    /// How much money may be spent in a rolling window, in millionths of a US
    /// dollar, if that is limited.
    pub micro_usd: Option<WindowLimit>,
    /// How patterns across anomalies are looked for, where they are.
    pub patterns: Option<PatternRules>,
    /// Exit codes that differ between ways of working.
    pub exits: ExitMap,
    /// What an opening does to the loop.
    pub enforcement: Enforcement,
    /// What is said at the start of a run, where the written rules ask for it.
    pub announcement: Option<&'static str>,
    /// Where in the work tree the artifacts of an iteration are kept as well.
    pub artifacts: Option<&'static str>,
    /// What becomes of tasks.
    pub tasks: TaskRules,
    /// What it shares with the tools of another system, where there are such.
    pub companion: Option<Companion>,
    /// The variables that the tools of another system read, where there are such.
    pub variables: &'static [Variable],
    /// Where those tools keep their files, if that can be moved.
    pub directory: Option<MovedDirectory>,
    /// When a session is taken for a loop while it runs.
    pub in_session: CallPolicy,
}

impl Policy {
    /// The default way of working.
    #[must_use]
    pub fn native() -> Self {
        Self::of(Preset::default())
    }

    /// Trips after `count` iterations without progress, and warns one earlier
    /// where there is a warning at all.
    ///
    /// # Errors
    /// [`OutOfRange`] unless `count` is within [`THRESHOLD_RANGE`].
    pub fn with_stagnation_threshold(mut self, count: u32) -> Result<Self, OutOfRange> {
        if !THRESHOLD_RANGE.contains(&count) {
            return Err(OutOfRange);
        }
        let shared = self.rules.shares_stagnation_threshold();
        for signal in [
            Signal::NoProgress,
            Signal::FailedSessions,
            Signal::RepeatedError,
        ] {
            if signal == Signal::RepeatedError && !shared {
                continue;
            }
            if let Some(rule) = self.rules.get_mut(signal) {
                rule.retarget(count);
            }
        }
        Ok(self)
    }

    /// The budgets there are.
    pub fn budgets(&self) -> impl Iterator<Item = (Resource, WindowLimit)> {
        let tokens = self.tokens.map(|rule| (Resource::Tokens, rule));
        let money = self.micro_usd.map(|rule| (Resource::Money, rule));
        tokens.into_iter().chain(money)
    }

    /// After how many iterations without progress the breaker opens, where one
    /// number can be named for that.
    #[must_use]
    pub fn stagnation_threshold(&self) -> Option<u32> {
        [Signal::NoProgress, Signal::RepeatedError]
            .into_iter()
            .find_map(|signal| self.rules.get(signal)?.trip)
            .map(Bound::number)
    }

    /// The number of a state, where tools of another system know it by one.
    #[must_use]
    pub fn state_code(&self, state: State) -> Option<u8> {
        self.companion.map(|companion| companion.codes.of(state))
    }

    /// Whether the warning before a trip is a state here.
    #[must_use]
    pub fn watches(&self) -> bool {
        self.labels.watching.is_some()
    }

    /// Whether this way of working warns of a signal before it trips. A threshold that
    /// leaves no room for the warning takes nothing from that.
    pub(crate) fn warns_of(&self, signal: Signal) -> bool {
        let warns = |policy: &Self| {
            policy
                .rules
                .get(signal)
                .is_some_and(|rule| rule.warn.is_some())
        };
        self.watches() && (warns(self) || warns(&Self::of(self.preset)))
    }

    /// Whether a person who goes on after a stop lets one iteration try: where no
    /// clock releases, and a retry does.
    #[must_use]
    pub fn resumes_by_person(&self) -> bool {
        self.release.retry && !self.release.cooldown
    }

    /// A short fingerprint, equal for equal policies of one engine revision.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = Fnv::default();
        self.hash(&mut hasher);
        hasher.finish() >> 11
    }
}

/// A threshold lies outside [`THRESHOLD_RANGE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_outside_one_to_ninety_nine_are_refused() {
        for count in [1, 2, 99] {
            let policy = Policy::native().with_stagnation_threshold(count).unwrap();
            let rule = policy.rules.get(Signal::NoProgress).unwrap();
            assert_eq!(rule.trip_at(None), Some(Bound::AtLeast(count)));
            assert_eq!(
                rule.warn,
                (count > 1).then_some(Bound::AtLeast(count.max(2) - 1))
            );
        }
        for count in [0, 100, u32::MAX] {
            assert_eq!(
                Policy::native().with_stagnation_threshold(count),
                Err(OutOfRange)
            );
        }
    }

    #[test]
    fn the_fingerprint_tells_policies_apart() {
        let mut seen: Vec<u64> = Preset::ALL
            .into_iter()
            .map(|p| Policy::of(p).fingerprint())
            .collect();
        seen.push(
            Policy::native()
                .with_stagnation_threshold(2)
                .unwrap()
                .fingerprint(),
        );
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), all);
        assert_eq!(
            Policy::native().fingerprint(),
            Policy::of(Preset::Native).fingerprint()
        );
    }
}
