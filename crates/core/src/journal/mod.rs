//! What happened, and what came of it.
//!
//! An [`Entry`] holds the event, the rules' revision and fingerprint, and the
//! resulting state. Kinds are only ever added; a reader that meets a kind it
//! does not know must refuse rather than guess.

mod names;
mod runs;

pub use runs::{PauseFor, RunEnd, RunOver};
use serde::{Deserialize, Serialize};

use crate::ENGINE_REVISION;
use crate::budget::{Resource, Spending};
use crate::circuit::{Core, GrantId, Row};
use crate::clock::Moment;
use crate::decision::Transition;
use crate::observation::{Observation, WorkPhase};
use crate::patterns::{Anomaly, Marked, Pattern, Severity};
use crate::policy::{CallLimit, Policy, Preset};

/// One line of a circuit's history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When it happened.
    pub at: Moment,
    /// The revision of the rules that decided.
    pub engine: u32,
    /// The fingerprint of the policy that decided.
    pub policy: u64,
    /// What happened.
    pub event: Event,
    /// What came of it.
    pub outcome: EntryOutcome,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// An iteration was granted.
    Granted {
        /// Under which name.
        grant: GrantId,
        /// Whether it is the single trial of an open breaker.
        probe: bool,
    },
    /// An iteration was reported.
    Reported(Box<Report>),
    /// The breaker was opened by request.
    Tripped {
        /// Why.
        reason: String,
        /// By whom.
        by: Actor,
    },
    /// The breaker was closed by a person.
    Reset {
        /// Why.
        reason: String,
        /// By whom.
        by: Actor,
        /// What was found damaged, if the memory had been.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after_damage: Option<String>,
        /// What is to be done differently from now on, if anything.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        guidance: Option<String>,
    },
    /// A person lets one probe run at once.
    Retried {
        /// Why, and with what.
        note: String,
        /// By whom.
        by: Actor,
        /// Steps up the ladder of models, from now on.
        rung: u32,
    },
    /// A strategy of recovery was taken.
    Recovering {
        /// Its number, from 1.
        strategy: u32,
        /// What is to be done differently.
        note: String,
        /// By whom.
        by: Actor,
    },
    /// Another phase of the work began.
    PhaseEntered {
        /// Which.
        phase: WorkPhase,
    },
    /// Nothing is left to do.
    Completed,
    /// What the state rests on has changed without a step of ours, and the state follows: a
    /// threshold was lowered in the configuration, or there is work again where none was left.
    Reconsidered,
    /// Anomalies were searched for patterns.
    Analysed {
        /// The patterns that were there, the gravest first.
        matched: Vec<MatchedPattern>,
    },
    /// A person has corrected what opened the breaker.
    Resolved {
        /// How.
        resolution: String,
        /// Who.
        by: Actor,
    },
    /// Somebody at work reported an anomaly.
    AnomalyReported {
        /// What.
        anomaly: Box<Anomaly>,
        /// Who.
        by: Actor,
    },
    /// A person set another threshold, and the state follows.
    ThresholdSet {
        /// Which.
        threshold: u32,
        /// Why.
        reason: String,
        /// Who.
        by: Actor,
    },
    /// A person has the failures counted anew, and the state follows.
    FailuresForgotten {
        /// Why.
        reason: String,
        /// Who.
        by: Actor,
    },
    /// A supervisor began a run.
    RunBegan {
        /// The fingerprint of what it was asked to do.
        plan: String,
        /// The supervisor's process.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pid: Option<u32>,
    },
    /// The run rests.
    RunPaused {
        /// What it waits for.
        waits: PauseFor,
    },
    /// The run rests no longer.
    RunWentOn,
    /// The run is over.
    RunEnded(RunEnd),
    /// A task was given up.
    TaskBlocked {
        /// Which.
        task: String,
        /// Why.
        reason: String,
        /// By whom.
        by: Actor,
    },
    /// A task that had been given up was taken up again.
    TaskReopened {
        /// Which.
        task: String,
        /// By whom.
        by: Actor,
    },
    /// Calls were taken from the limit without an iteration.
    Taken {
        /// How many.
        calls: u32,
    },
    /// An iteration under way needed more of a budget than was put aside for it.
    ReservedMore {
        /// Of what.
        resource: Resource,
    },
    /// Files of another system are about to say what this circuit says.
    Projected {
        /// Which, from what, to what.
        files: Vec<Projection>,
    },
    /// Something stricter was taken over from a file of another system.
    Adopted {
        /// Which file.
        from: String,
        /// What it said, in words.
        what: String,
    },
    /// A file of another system was edited to say less than this circuit does.
    /// It was not believed.
    EditRefused {
        /// Which file.
        path: String,
        /// What it said, in words.
        what: String,
    },
    /// A person declared a phase complete although it was not.
    PhaseSkipped {
        /// Which.
        phase: WorkPhase,
        /// The one that follows it, if one does.
        next: Option<WorkPhase>,
        /// Why.
        reason: String,
        /// By whom.
        by: Actor,
    },
    /// A person chose another way of working.
    PresetChanged {
        /// The old one, if there was one.
        from: Option<Preset>,
        /// The new one.
        to: Preset,
        /// By whom.
        by: Actor,
    },
    /// The settings of another system are heeded from now on.
    Imported {
        /// Which file, and as what.
        file: ImportedFile,
        /// Who asked.
        by: Actor,
    },
    /// Protected files were lost.
    ProtectedLost(Losses),
}

/// A file of another system, before and after it was made to say what a circuit
/// says. Digests are SHA-256 in hexadecimal; none stands for no file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Projection {
    /// Where it is, below the root of the work tree.
    pub path: String,
    /// What it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What it is to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A file of the repository with settings for another system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedFile {
    /// Where it is, below the root of the work tree.
    pub path: String,
    /// The SHA-256 of its content, in hexadecimal.
    pub digest: String,
    /// Whether a person vouches for it as it is. It may relax, then, for as long
    /// as nobody changes it.
    pub trusted: bool,
}

/// Protected files that were lost in one step, by what was found instead.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Losses {
    /// How many were gone from their places.
    pub missing: u32,
    /// How many had been emptied or replaced.
    pub replaced: u32,
    /// The first of them, a line each: what became of it, and whether it is back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
}

/// A pattern that was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchedPattern {
    /// Which.
    pub pattern: Pattern,
    /// How far up the problem lies.
    pub severity: Severity,
    /// How often.
    pub count: u32,
}

/// The report of one iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The grant it answers, if it came with one or one was waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantId>,
    /// Whether it came too late to count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// The facts.
    pub facts: Observation,
}

/// Who asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// The user's name or number.
    pub user: String,
    /// How it was shown that they may.
    pub proof: AuthorityProof,
}

/// How somebody showed that they may do what they asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthorityProof {
    /// No proof was needed.
    NotNeeded,
    /// `yes` typed on the terminal.
    Terminal,
    /// The operator's key.
    OperatorKey,
    /// An edit of a file that is a person's to edit, made while nothing guarded
    /// was alive.
    EditedFile,
    /// A throw-away circuit that belongs to the program itself.
    Demonstration,
}

/// What came of an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntryOutcome {
    /// The small state afterwards.
    pub core: Core,
    /// Calls that were taken from the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granted: Option<Granted>,
    /// What was reserved and settled of each budget.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spent: Vec<Spending>,
    /// The iteration in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<Row>,
    /// The anomalies that became evidence, or ceased to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anomalies: Option<Marked>,
    /// The changes of state, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transitions: Vec<Transition>,
}

/// Calls that were taken from the limit, and the limit they were taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Granted {
    /// How many.
    pub calls: u32,
    /// The limit in force.
    pub rule: CallLimit,
}

impl Entry {
    /// An entry made now, under `policy`.
    #[must_use]
    pub fn new(at: Moment, policy: &Policy, event: Event, outcome: EntryOutcome) -> Self {
        Self {
            at,
            engine: ENGINE_REVISION,
            policy: policy.fingerprint(),
            event,
            outcome,
        }
    }
}
