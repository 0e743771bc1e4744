//! What points to a loop that has stopped moving. One file for each signal.
//!
//! A signal is a number between one tick and the next, read from the last
//! iterations and a few counters. It does not know its threshold, and it does
//! not decide; the [`machine`](crate::machine) does.

mod circling;
mod circular;
mod claims;
mod counters;
mod denials;
mod drift;
mod environment;
mod gains;
mod no_progress;
mod output_decline;
mod progress;
mod repeated_error;
mod returns;
mod score;
mod streaks;
mod tasks;
mod tests_only;

use serde::{Deserialize, Serialize};

pub use counters::Counters;
pub(crate) use drift::worth;
pub use progress::Progress;
pub use score::{Before, score};
pub use streaks::ErrorStreaks;
pub use tasks::TaskWork;

use crate::circuit::Row;
use crate::decision::{Evidence, Place, Reading};
use crate::policy::{Policy, SignalRule};
use crate::text::clip;

/// As much of a task's name is told in a sentence.
const TASK_BYTES: usize = 80;

/// The signals this engine knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// Iterations in a row in which nothing was gained.
    NoProgress,
    /// Iterations in a row that ran into the same error.
    RepeatedError,
    /// Iterations on one task without completing it.
    TaskStuck,
    /// Claims of completion in a row that the evidence contradicts.
    Unproven,
    /// Claims of completion in a row, with nothing completed.
    DoneInARow,
    /// The fall of the output, in percent.
    OutputDecline,
    /// Tool calls denied in a row.
    Denials,
    /// The share of iterations spent on tests alone, in percent.
    TestsOnly,
    /// Full cycles of the same two or three approaches.
    Circular,
    /// How far below zero the score of three iterations is.
    Score,
    /// Sessions in a row in which no feature newly passed.
    FailedSessions,
    /// Iterations on one task.
    TaskLoops,
    /// Tasks in a row with three failed attempts each.
    FailedTasks,
    /// Returns to an earlier work tree among the last iterations.
    Returns,
    /// Edits without gain, added up.
    Drift,
    /// Iterations in a row in which the agent asked for a person.
    NeedsPerson,
    /// Iterations in a row in which a claim contradicts a measurement.
    Contradiction,
    /// Iterations in a row lost to trouble outside.
    Environment,
    /// Protected files that were emptied or replaced.
    ProtectedLost,
    /// Iterations in a row that were ended for going round in circles.
    Circling,
}

impl Signal {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 20] = [
        Self::NoProgress,
        Self::RepeatedError,
        Self::TaskStuck,
        Self::Unproven,
        Self::DoneInARow,
        Self::OutputDecline,
        Self::Denials,
        Self::TestsOnly,
        Self::Circular,
        Self::Score,
        Self::FailedSessions,
        Self::TaskLoops,
        Self::FailedTasks,
        Self::Returns,
        Self::Drift,
        Self::NeedsPerson,
        Self::Contradiction,
        Self::Environment,
        Self::ProtectedLost,
        Self::Circling,
    ];

    /// Its name in data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoProgress => "no_progress",
            Self::RepeatedError => "repeated_error",
            Self::TaskStuck => "task_stuck",
            Self::Unproven => "unproven_completion",
            Self::DoneInARow => "done_in_a_row",
            Self::OutputDecline => "output_decline",
            Self::Denials => "permission_denials",
            Self::TestsOnly => "tests_only",
            Self::Circular => "circular_approach",
            Self::Score => "score",
            Self::FailedSessions => "failed_sessions",
            Self::TaskLoops => "task_loops",
            Self::FailedTasks => "failed_tasks",
            Self::Returns => "returns",
            Self::Drift => "drift",
            Self::NeedsPerson => "needs_person",
            Self::Contradiction => "contradiction",
            Self::Environment => "environment",
            Self::ProtectedLost => "protected_lost",
            Self::Circling => "circling",
        }
    }

    /// Whether its value is a number of ticks that grows by one at most.
    #[must_use]
    pub fn counts_iterations(self) -> bool {
        !matches!(
            self,
            Self::OutputDecline
                | Self::TestsOnly
                | Self::Score
                | Self::Drift
                | Self::FailedTasks
                | Self::ProtectedLost
        )
    }

    /// The same, with the name of the task that was worked on where that is what it is about.
    #[must_use]
    pub fn sentence_on(self, value: u32, task: Option<&str>) -> String {
        match (self, task) {
            (Self::TaskStuck, Some(task)) => {
                let task = clip(task, TASK_BYTES);
                format!("Task {task} in progress for {value} iterations")
            }
            _ => self.sentence(value),
        }
    }

    /// A value of it as people read it: the score is kept as how far it lies below zero.
    #[must_use]
    pub fn shown(self, value: u32) -> String {
        match self {
            Self::Score if value > 0 => format!("-{value}"),
            _ => value.to_string(),
        }
    }

    /// What it says of `value`, in one sentence.
    #[must_use]
    pub fn sentence(self, value: u32) -> String {
        match self {
            Self::NoProgress => format!("No progress for {value} iterations"),
            Self::RepeatedError => format!("Same error repeated {value} times"),
            Self::TaskStuck => format!("Task in progress for {value} iterations"),
            Self::Unproven if value == 1 => "Completion claimed without evidence".to_owned(),
            Self::Unproven => {
                format!("Completion claimed without evidence in {value} iterations in a row")
            }
            Self::DoneInARow => {
                format!("Completion claimed {value} times in a row with nothing completed")
            }
            Self::OutputDecline => format!("Output fell by {value} %"),
            Self::Denials => format!("{value} tool calls denied in a row"),
            Self::TestsOnly => format!("{value} % of the last iterations went into tests alone"),
            Self::Circular => format!("The same approaches alternate: {value} full cycles"),
            Self::Score => format!("The progress score of the last three iterations is -{value}"),
            Self::FailedSessions => {
                format!("{value} sessions in a row in which no feature newly passed")
            }
            Self::TaskLoops => format!("{value} iterations on a single task"),
            Self::FailedTasks => {
                format!("{value} tasks in a row failed three attempts each")
            }
            Self::Returns => format!("The work tree returned to an earlier state {value} times"),
            Self::Drift => format!(
                "Edits without measurable progress: {}.{} points below what is expected",
                value / 10,
                value % 10
            ),
            Self::NeedsPerson => {
                format!("The agent asked for a person in {value} iterations in a row")
            }
            Self::Contradiction => {
                format!("Claims contradict measurements in {value} iterations in a row")
            }
            Self::Environment => format!("{value} iterations in a row lost to trouble outside"),
            Self::ProtectedLost if value == 1 => {
                "A protected file was emptied or replaced".to_owned()
            }
            Self::ProtectedLost => format!("{value} protected files were emptied or replaced"),
            Self::Circling if value == 1 => "An iteration went round in circles".to_owned(),
            Self::Circling => {
                format!("{value} iterations in a row went round in circles")
            }
        }
    }
}

/// How bad a reading is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing to say.
    Quiet,
    /// Worth a warning.
    Warn,
    /// Enough to stop.
    Trip,
}

/// What the signals look at: the counters, and the iterations since counting
/// began, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct Sight<'a> {
    /// What was counted.
    pub counters: &'a Counters,
    /// The last iterations.
    pub rows: &'a [Row],
}

impl Sight<'_> {
    /// What every signal of the policy reads, with the evidence of what is not
    /// quiet.
    #[must_use]
    pub fn read(&self, policy: &Policy) -> Vec<Reading> {
        let all = policy.rules.iter();
        all.map(|(signal, rule)| self.with_evidence(self.reading(signal, rule, policy), policy))
            .collect()
    }

    /// The reading that matters most, with its evidence; the first of equals.
    #[must_use]
    pub fn worst(&self, policy: &Policy) -> Option<Reading> {
        let all = policy.rules.iter();
        let readings = all.map(|(signal, rule)| self.reading(signal, rule, policy));
        let graver = |worst: Reading, next: Reading| {
            if next.level > worst.level {
                next
            } else {
                worst
            }
        };
        let worst = readings.reduce(graver)?;
        Some(self.with_evidence(worst, policy))
    }

    fn with_evidence(&self, reading: Reading, policy: &Policy) -> Reading {
        let evidence = if reading.level > Level::Quiet {
            self.evidence(reading.signal, reading.value, policy)
        } else {
            Vec::new()
        };
        Reading {
            evidence,
            ..reading
        }
    }

    pub(crate) fn reading(&self, signal: Signal, rule: &SignalRule, policy: &Policy) -> Reading {
        let value = self.value(signal, policy);
        let trip = rule.trip_at(self.counters.phase);
        let level = if trip.is_some_and(|bound| bound.holds(value)) {
            Level::Trip
        } else if rule.warn.is_some_and(|bound| bound.holds(value)) {
            Level::Warn
        } else {
            Level::Quiet
        };
        Reading {
            signal,
            value,
            threshold: trip.or(rule.warn).map(crate::policy::Bound::number),
            level,
            rule: rule.rule.clone(),
            unreported: match signal {
                Signal::NoProgress | Signal::FailedSessions => {
                    no_progress::unreported(self.rows, value)
                }
                _ => 0,
            },
            evidence: Vec::new(),
        }
    }

    fn value(&self, signal: Signal, policy: &Policy) -> u32 {
        let Self { counters, rows } = self;
        match signal {
            Signal::NoProgress | Signal::FailedSessions => counters.no_progress,
            Signal::RepeatedError => counters.errors.longest(policy.streaks),
            Signal::TaskStuck | Signal::TaskLoops => counters.task.iterations,
            Signal::FailedTasks => counters.task.failed(),
            Signal::Unproven => counters.unproven,
            Signal::DoneInARow => counters.done_claims,
            Signal::NeedsPerson => counters.needs_person,
            Signal::Contradiction => counters.contradictions,
            Signal::Environment => counters.environment,
            Signal::ProtectedLost => counters.protected_lost,
            Signal::Circling => counters.circling,
            Signal::Denials => counters.denials,
            Signal::Drift => counters.drift,
            Signal::OutputDecline => output_decline::value(rows, policy.output_floor),
            Signal::TestsOnly => tests_only::value(rows),
            Signal::Circular => circular::value(rows),
            Signal::Score => score::deficit(rows),
            Signal::Returns => returns::value(rows),
        }
    }

    fn evidence(&self, signal: Signal, value: u32, policy: &Policy) -> Vec<Evidence> {
        let Self { counters, rows } = self;
        match signal {
            Signal::NoProgress | Signal::FailedSessions => no_progress::evidence(rows, value),
            Signal::RepeatedError => repeated_error::evidence(&counters.errors, value, rows),
            Signal::OutputDecline => output_decline::evidence(rows),
            Signal::TestsOnly => tests_only::evidence(rows),
            Signal::Circular => circular::evidence(rows),
            Signal::Score => score::evidence(rows),
            Signal::Drift => drift::evidence(rows, value, policy.drift),
            Signal::Returns => returns::evidence(rows),
            // Its evidence is files, which the loss itself brought along.
            Signal::ProtectedLost => Vec::new(),
            Signal::TaskStuck
            | Signal::TaskLoops
            | Signal::FailedTasks
            | Signal::Unproven
            | Signal::DoneInARow
            | Signal::NeedsPerson
            | Signal::Contradiction
            | Signal::Environment
            | Signal::Circling
            | Signal::Denials => claims::evidence(rows, value),
        }
    }
}

/// The last `count` of what is sorted by age, oldest first.
fn last<T>(rows: &[T], count: usize) -> &[T] {
    &rows[rows.len().saturating_sub(count)..]
}

/// One row of evidence.
fn found(row: &Row, what: impl Into<String>) -> Evidence {
    Evidence {
        place: Place::Iteration(row.iteration),
        found: what.into(),
    }
}

/// What a completion lacks, in words.
fn lacks(row: &Row) -> Option<String> {
    (!row.lacks.is_empty()).then(|| row.lacks.join(", "))
}
