//! The state of one circuit: entries folded together.

mod rows;
mod together;

use serde::{Deserialize, Serialize};

use rows::push_row;
pub use rows::{Named, Row, RowError, SeenTree, name_id};
pub(crate) use rows::{ROWS_KEPT, RowContext};

use crate::budget::Budgets;
use crate::clock::{BootId, Moment};
use crate::decision::Evidence;
use crate::journal::{Entry, Event, ImportedFile, Projection};
use crate::limiter::Window;
use crate::observation::{Ended, Environment, Extra, FeatureCounts, Observation, WorkPhase};
use crate::patterns::{Acknowledgements, Pattern, Severity};
use crate::policy::{Enforcement, Preset, RuleId};
use crate::signals::{Counters, Progress, Signal};

/// How many names of unknown fields are kept.
const STRANGERS_KEPT: usize = 16;
/// How many tasks that were given up are kept.
const BLOCKED_KEPT: usize = 64;

/// The state of one circuit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Circuit {
    /// What every entry states anew.
    pub core: Core,
    /// The calls that may still count against the limit.
    pub calls: Window,
    /// The last iterations, oldest first.
    pub rows: Vec<Row>,
    /// The work trees that were seen, oldest first.
    #[serde(default)]
    pub trees: Vec<SeenTree>,
    /// What may still count against the budgets.
    #[serde(default, skip_serializing_if = "Budgets::is_empty")]
    pub budgets: Budgets,
    /// Which anomalies are evidence, and which were.
    #[serde(default, skip_serializing_if = "Acknowledgements::is_empty")]
    pub anomalies: Acknowledgements,
    /// The files of other systems that say what this circuit says, as they were
    /// last written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projections: Vec<Projection>,
    /// The files with settings for another system that are heeded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imported: Vec<ImportedFile>,
}

/// The part of the state that every entry states anew. Small, because it is
/// written with each of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Core {
    /// The way of working this circuit was begun with. It stays: thresholds and
    /// ways out must not change under an open breaker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// The threshold a person set for this circuit, where they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u32>,
    /// Where the state machine stands.
    pub phase: Phase,
    /// The number of the last iteration that was granted or reported.
    pub iterations: u64,
    /// What the signals count.
    pub counters: Counters,
    /// The iteration that was granted and not yet reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<Grant>,
    /// Where the supervisor stands whose iteration is not known to be over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under_way: Option<UnderWay>,
    /// The work tree after the last iteration that measured it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// How many features stood how after the last session that told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<FeatureCounts>,
    /// Probes that failed since the breaker was last closed.
    pub failed_probes: u32,
    /// Iterations left in which a relapse goes straight to a person.
    #[serde(skip_serializing_if = "is_zero")]
    pub watched: u32,
    /// What the next probe is to do differently.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guidance: Option<String>,
    /// Strategies of recovery that were taken since the breaker was last closed.
    #[serde(skip_serializing_if = "is_zero")]
    pub strategies: u32,
    /// Steps up the ladder of models.
    #[serde(skip_serializing_if = "is_zero")]
    pub rung: u32,
    /// The fingerprint of what the latest run was asked to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Trouble outside that is expected to last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outage: Option<Outage>,
    /// Tasks that were given up, the latest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<String>,
    /// The fingerprint of how the tasks stood before an iteration that nobody saw the end of,
    /// until a run that works through a list has looked at what became of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unseen: Option<String>,
    /// Phases that a person took for complete, in the order in which they did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedPhase>,
    /// What has been used up since the first entry.
    pub totals: Totals,
    /// Names of fields that reports carried and this release does not know, so
    /// that each is spoken of once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strangers: Vec<String>,
}

/// A phase that a person took for complete although it was not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedPhase {
    /// Which.
    pub phase: WorkPhase,
    /// How many tests failed then, and are known failures from there on.
    pub failing: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Core {
    /// Whether a person took this phase for complete, and nobody has begun it anew since.
    #[must_use]
    pub fn has_skipped(&self, phase: WorkPhase) -> bool {
        self.skipped.iter().any(|skipped| skipped.phase == phase)
    }

    /// Tests that may go on failing, because the phase that was to mend them was skipped.
    #[must_use]
    pub fn known_failures(&self) -> u64 {
        let mut skipped = self.skipped.iter();
        let green = skipped.find(|skipped| skipped.phase == WorkPhase::Green);
        green.map_or(0, |skipped| skipped.failing)
    }

    /// Where a supervisor sees processes from whose iteration may still be under way.
    #[must_use]
    pub fn guarded_from(&self, now: &Moment) -> Option<&str> {
        let under_way = self.under_way.as_ref()?;
        (under_way.boot == now.boot).then_some(under_way.standpoint.as_str())
    }

    /// Notes that a task was given up.
    pub(crate) fn block(&mut self, task: &str) {
        self.unblock(task);
        let surplus = (self.blocked.len() + 1).saturating_sub(BLOCKED_KEPT);
        self.blocked.drain(..surplus);
        self.blocked.push(task.to_owned());
    }

    /// Notes that a task is taken up again.
    pub(crate) fn unblock(&mut self, task: &str) {
        self.blocked.retain(|one| one != task);
    }

    /// Remembers the names of fields that nobody knows.
    pub(crate) fn meet(&mut self, extras: &[Extra]) {
        for extra in extras {
            if self.strangers.len() < STRANGERS_KEPT && !self.strangers.contains(&extra.name) {
                self.strangers.push(extra.name.clone());
            }
        }
    }
}

/// Where the state machine stands, with exactly what that place needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "snake_case")]
pub enum Phase {
    /// Normal operation.
    #[default]
    Closed,
    /// At least one signal warns.
    Watching,
    /// Halted.
    Open(Opening),
    /// Halted, but for one trial.
    Probing(Opening),
    /// Nothing is left to do.
    Complete,
}

/// The names of the states, without their data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum State {
    /// Normal operation.
    Closed,
    /// The warning before a trip.
    Watching,
    /// Halted.
    Open,
    /// The single trial after a cooldown.
    Probing,
    /// Nothing is left to do.
    Complete,
}

impl State {
    /// Its canonical name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Closed => "Closed",
            Self::Watching => "Watching",
            Self::Open => "Open",
            Self::Probing => "Probing",
            Self::Complete => "Complete",
        }
    }
}

impl Phase {
    /// The state's name.
    #[must_use]
    pub fn state(&self) -> State {
        match self {
            Self::Closed => State::Closed,
            Self::Watching => State::Watching,
            Self::Open(_) => State::Open,
            Self::Probing(_) => State::Probing,
            Self::Complete => State::Complete,
        }
    }

    /// Why it is halted, if it is.
    #[must_use]
    pub fn opening(&self) -> Option<&Opening> {
        match self {
            Self::Open(opening) | Self::Probing(opening) => Some(opening),
            Self::Closed | Self::Watching | Self::Complete => None,
        }
    }
}

/// Why, when and until when the breaker is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// What opened it.
    pub cause: Cause,
    /// The same in one sentence.
    pub reason: String,
    /// The written rule that decided.
    pub rule: RuleId,
    /// When it opened, or opened again.
    pub since: Moment,
    /// Who or what may close it.
    pub release: Release,
    /// The iterations that led to it.
    pub evidence: Vec<Evidence>,
    /// Only announced: a loop that asked for that goes on, and progress closes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub advisory: bool,
    /// It relapsed right after a recovery: a person should look now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub escalate: bool,
    /// All that was found is somebody's sign to halt, with nothing said of why. A reason that
    /// is found later takes its place; the breaker stays open as it was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub placeholder: bool,
    /// Ticks since it was last announced, where it is only announced.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unannounced: u32,
}

impl Opening {
    /// Whether the loop stands still under it. That an opening was only announced is for those
    /// who asked for announcements: anybody else finds an open breaker, or one run that observes
    /// would switch it off for all that follow.
    pub(crate) fn halts(&self, enforcement: Enforcement) -> bool {
        !self.advisory || enforcement == Enforcement::Halt
    }
}

/// What opened a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A signal reached its threshold.
    Signal(Signal),
    /// A pattern across anomalies, found by a rule or by a person.
    Pattern {
        /// Which, if it is one of those the rules know.
        pattern: Option<Pattern>,
        /// How far up the problem lies.
        severity: Severity,
    },
    /// Somebody asked for it.
    Asked,
    /// The supervisor found the ground gone: the work tree was moved, the memory
    /// was damaged.
    Supervisor,
}

/// Who or what may close an open breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// Only a person.
    Person,
    /// A person, or one successful probe after this wait in milliseconds.
    Cooldown(u64),
}

/// Trouble outside that is expected to last: a vendor's usage limit says when it
/// ends. Until then another iteration would be spent on nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outage {
    /// Which.
    pub kind: Environment,
    /// When it was met.
    pub at: Moment,
    /// How long it was expected to last from then on.
    pub wait_ms: u64,
    /// Nobody said so: it is when it will be tried again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guessed: bool,
}

/// The longest that any such trouble is waited for: a weekly limit, and a day.
const LONGEST_OUTAGE_MS: u64 = 8 * 24 * 3_600_000;

impl Outage {
    /// What an iteration that ended `now` says about it.
    pub(crate) fn met(facts: &Observation, now: &Moment) -> Option<Self> {
        let wait = facts.retry_at_ms?.saturating_sub(now.wall_ms);
        Some(Self {
            kind: facts.environment?,
            at: *now,
            wait_ms: u64::try_from(wait).unwrap_or(0).min(LONGEST_OUTAGE_MS),
            guessed: facts.retry_is_guess,
        })
    }

    /// What is left of it.
    #[must_use]
    pub fn left_ms(&self, now: &Moment) -> u64 {
        self.wait_ms.saturating_sub(now.waited_since(&self.at))
    }
}

/// The permission for one iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Its name, which is the iteration's number.
    pub id: GrantId,
    /// When it was given.
    pub at: Moment,
    /// How long the iteration may take, by the policy it was granted under.
    pub limit_ms: u64,
    /// The work tree it starts from, if that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// The features that passed when it was given, each by [`name_id`], where sessions
    /// are counted by features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passing: Option<Vec<u64>>,
    /// The hash of a secret that only the supervisor of the iteration knows. A
    /// report that does not show it comes from somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<u64>,
    /// The fingerprint of how the tasks stood when it was given, where a list is worked through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<String>,
}

/// An iteration whose supervisor has not reported it, whoever else has settled or released
/// what it was granted for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnderWay {
    /// The hash of its supervisor's secret.
    pub seal: u64,
    /// In which boot it began: nothing of it outlives that.
    pub boot: BootId,
    /// Where its supervisor sees processes from.
    pub standpoint: String,
}

/// The name of a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GrantId(pub u64);

/// Sums over the life of the circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Iterations that were reported.
    pub reported: u64,
    /// Of these, iterations that gained something.
    pub progress: u64,
    /// Times the breaker opened.
    pub trips: u64,
    /// Probes that were decided, one way or the other.
    #[serde(skip_serializing_if = "none")]
    pub probes: u64,
    /// Time spent in iterations.
    pub duration_ms: u64,
    /// Tokens, all kinds together.
    pub tokens: u64,
    /// Money, in millionths of a US dollar.
    pub micro_usd: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn none(count: &u64) -> bool {
    *count == 0
}

impl Totals {
    pub(crate) fn add(&mut self, observation: &Observation, progress: Progress) {
        let usage = &observation.usage;
        self.reported += u64::from(observation.ended != Some(Ended::Unreported));
        self.progress += u64::from(progress == Progress::Made);
        self.duration_ms = self
            .duration_ms
            .saturating_add(observation.duration_ms.unwrap_or(0));
        self.tokens = self.tokens.saturating_add(usage.tokens().unwrap_or(0));
        self.micro_usd = self.micro_usd.saturating_add(usage.micro_usd.unwrap_or(0));
    }
}

impl Circuit {
    /// The state's name.
    #[must_use]
    pub fn state(&self) -> State {
        self.core.phase.state()
    }

    /// The iterations since counting began, oldest first.
    #[must_use]
    pub fn counted_rows(&self) -> &[Row] {
        let counted = self.core.counters.ticks as usize;
        &self.rows[self.rows.len().saturating_sub(counted)..]
    }

    /// Takes in what an entry says came of it. Runs no rule.
    pub fn fold(&mut self, entry: &Entry) {
        let outcome = &entry.outcome;
        self.core = outcome.core.clone();
        if let Some(granted) = &outcome.granted {
            self.calls.grant(granted.calls, &granted.rule, &entry.at);
        }
        for spending in &outcome.spent {
            self.budgets.fold(spending, &entry.at);
        }
        if let Some(marked) = &outcome.anomalies {
            self.anomalies.mark(marked);
        }
        if let Some(row) = &outcome.row {
            push_row(&mut self.rows, &mut self.trees, row.clone());
        }
        match &entry.event {
            Event::Projected { files } => {
                for file in files {
                    self.projections.retain(|known| known.path != file.path);
                    self.projections.push(file.clone());
                }
            }
            Event::Imported { file, .. } => {
                self.imported.retain(|known| known.path != file.path);
                self.imported.push(file.clone());
            }
            _ => {}
        }
    }
}
