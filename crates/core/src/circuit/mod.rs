//! The state of one circuit: entries folded together.

mod grant;
mod outage;
mod phase;
mod rows;
mod run;
mod together;

use serde::{Deserialize, Serialize};

pub use grant::{Grant, GrantId, UnderWay};
pub use outage::Outage;
pub use phase::{Cause, Opening, Phase, Release, State};
pub use rows::{Named, Row, RowError, SeenTree, name_id};
pub(crate) use rows::{ROWS_KEPT, RowContext};
use rows::{push_row, see};
pub use run::{Over, Pause, Run};

use crate::budget::Budgets;
use crate::clock::Moment;
use crate::journal::{Entry, Event, ImportedFile, Projection};
use crate::limiter::Window;
use crate::observation::{Ended, Extra, FeatureCounts, Observation, WorkPhase};
use crate::patterns::Acknowledgements;
use crate::policy::Preset;
use crate::signals::{Counters, Progress};

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
    /// The work in them, as far as sources and tests hold it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub works: Vec<SeenTree>,
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
    /// The last run that began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
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
    /// The sources and tests in it, by a sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<u64>,
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
    /// Notes where the work tree stands, if that was measured, and the work in it.
    pub(crate) fn stand_in(&mut self, tree: Option<&String>, work: Option<u64>) {
        if let Some(tree) = tree {
            self.tree = Some(tree.clone());
            self.work = work;
        }
    }

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
        under_way
            .may_last(now)
            .then_some(under_way.standpoint.as_str())
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

/// Sums over the life of the circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Iterations that were reported.
    pub reported: u64,
    /// Iterations that were granted, and settled because nobody ever reported them.
    #[serde(skip_serializing_if = "none")]
    pub unreported: u64,
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
        let reported = observation.ended != Some(Ended::Unreported);
        self.reported += u64::from(reported);
        self.unreported += u64::from(!reported);
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

    /// What speaks against a completion that was claimed, in words, and after which iteration;
    /// `None` where none was claimed, or nothing speaks against it.
    #[must_use]
    pub fn refuted(&self) -> Option<(u64, Vec<String>)> {
        if self.core.counters.unproven == 0 {
            return None;
        }
        // Who says nothing afterwards takes nothing back.
        let row = self.counted_rows().iter().rfind(|row| row.claimed)?;
        let mut against = row.lacks.clone();
        let failed = row.tests.map_or(0, |tests| tests.failed);
        match (failed, row.build_errors.unwrap_or(0)) {
            (0, 0) => {}
            (0, _) => against.push("the build fails".into()),
            (1, _) => against.push("1 test fails".into()),
            (failed, _) => against.push(format!("{failed} tests fail")),
        }
        if row.checks_failed.is_some_and(|failed| failed > 0) {
            against.push("the test command fails".into());
        }
        (!against.is_empty()).then_some((row.iteration, against))
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
            see(&mut self.trees, row.iteration, row.tree);
            see(&mut self.works, row.iteration, row.work);
            push_row(&mut self.rows, row.clone());
        }
        run::fold(&mut self.run, &entry.event, &entry.at);
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
