//! Thresholds and release rules, as numbers and closed enums.
//!
//! A policy holds no expressions: whatever differs between two ways of working
//! is a different value in the same fields. The ways themselves are a table, in
//! [`presets`].

mod companion;
mod fnv;
mod limits;
pub mod presets;
mod rules;
mod tasks;

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

pub use companion::{Companion, StateCodes};
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
    /// What each signal warns and trips at. A signal without a rule is off.
    pub rules: SignalRules,
    /// What an iteration is worth.
    pub score: ScoreWeights,
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
    /// When a session is taken for a loop while it runs.
    pub in_session: CallPolicy,
}

/// What counts as a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallUnit {
    /// Starting the agent.
    Invocation,
    /// A request to the model, of which one iteration makes many.
    Request,
}

/// What an opening does to the loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Enforcement {
    /// It halts.
    #[default]
    Halt,
    /// It is announced, and the loop goes on. Limits hold.
    Announce,
    /// Everything is decided and written down, and nothing is denied: not by
    /// what opens meanwhile, and not by a limit. What was open before stays so.
    Observe,
}

/// The words that stand for the states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Labels {
    /// Normal operation.
    pub closed: &'static str,
    /// The warning before a trip; `None` where there is no such state.
    pub watching: Option<&'static str>,
    /// Halted.
    pub open: &'static str,
    /// The single trial; the label of `open` where there is no such state.
    pub probing: &'static str,
    /// Nothing left to do; `None` where there is no such state.
    pub complete: Option<&'static str>,
}

/// What one tick of the breaker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TickUnit {
    /// One run of the agent.
    Iteration,
    /// One action within a phase.
    PhaseAction,
    /// One analysis of reported anomalies.
    Analysis,
    /// One session, which may hold many iterations.
    Session,
}

/// What counts as having gained something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProgressRule {
    /// A meaningful change of a file, a completed task or a newly passing
    /// feature.
    AnyGain,
    /// A changed file or a completed task; work on tests alone does not count.
    BeyondTests,
    /// A better value of the phase's own metrics.
    PhaseMetrics,
    /// A newly passing feature.
    Features,
}

/// When two errors are the same error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorIdentity {
    /// Same type, same message once what varies is masked.
    Normalised,
    /// Same type and message, byte for byte.
    Exact,
    /// The first line that names an error, with two kinds of numbers masked.
    FirstLine,
}

/// What an iteration is worth, indicator by indicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScoreWeights {
    /// For each test that failed before and passes now.
    pub test_fixed: i32,
    /// For each completed task.
    pub task: i32,
    /// For meaningful changes of files.
    pub files: i32,
    /// Whether `files` counts for each file or once for the iteration.
    pub per_file: bool,
    /// For a build with fewer errors than before.
    pub build_fixed: i32,
    /// For the same error as in the iteration before.
    pub same_error: i32,
    /// For not modifying any file.
    pub no_files: i32,
    /// For returning to an earlier work tree.
    pub reverted: i32,
}

/// How an opened breaker may be closed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate way out")]
pub struct ReleaseRules {
    /// A person may close it.
    pub person: bool,
    /// A probe may run after a cooldown.
    pub cooldown: bool,
    /// A person may close it by saying how its cause was corrected.
    pub correction: bool,
    /// A person may let one probe run at once, with another model or approach.
    pub retry: bool,
    /// What a probe must show to close the breaker.
    pub probe: ProbeRule,
}

/// What a probe must show to close the breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProbeRule {
    /// Progress.
    Progress,
    /// A progress score above zero.
    PositiveScore,
}

/// What happens when the breaker opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HaltMode {
    /// Ask a person; without one, stay halted.
    Pause,
    /// Print the block with the choices and halt.
    Prompt,
    /// Leave a checkpoint file and wait for its removal.
    Checkpoint,
    /// Write the report and leave.
    Exit,
    /// Wait for the cooldown.
    Wait,
}

/// What may be done on the breaker's behalf besides deciding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate grant")]
pub struct Capabilities {
    /// Mark a task as blocked.
    pub block_task: bool,
    /// Go on with another model.
    pub switch_model: bool,
    /// Tell somebody outside.
    pub notify: bool,
    /// Skip a phase.
    pub skip_phase: bool,
    /// Write a report.
    pub report: bool,
    /// Put back protected files.
    pub restore_files: bool,
    /// Switch single signals off.
    pub switch_off_signals: bool,
    /// Only announce an opening, or only observe.
    pub advise_only: bool,
}

/// Which way thresholds may be edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThresholdEdits {
    /// Both ways.
    Free,
    /// Both ways, and the state follows at once.
    Reevaluate,
    /// Only to stricter values.
    TightenOnly,
}

/// Exit codes that differ between ways of working.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExitMap {
    /// The breaker is open.
    pub open: u8,
    /// A person is needed and there is nobody to ask.
    pub paused: u8,
    /// Added to the codes 1 to 6, which mean something else there.
    pub shift: u8,
}

impl Policy {
    /// The default way of working.
    #[must_use]
    pub fn native() -> Self {
        Self::of(Preset::Native)
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
