//! The facts of one tick of a loop.

mod ended;
mod shift;
mod work;

use serde::{Deserialize, Serialize};

pub use ended::Ended;
pub use shift::Shift;
pub use work::{PhaseMetrics, WorkPhase, WorkType};

use crate::fact::Fact;
use crate::text::clip;

/// The longest error message that is kept, in bytes.
pub const MESSAGE_BYTES: usize = 2048;
/// The most errors that are kept of one iteration.
pub const ERRORS_KEPT: usize = 32;
/// The most paths that are kept of one iteration.
pub const PATHS_KEPT: usize = 64;
/// The longest name (task, phase, approach, path) that is kept, in bytes.
pub const NAME_BYTES: usize = 256;

/// What is known of one tick: one iteration of the agent's loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observation {
    /// The caller's own number for the iteration, if it keeps one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u64>,
    /// The task worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The phase of the work, where there are phases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<WorkPhase>,
    /// What kind of work it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_type: Option<WorkType>,
    /// What was tried, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approach: Option<String>,
    /// The phase's own numbers.
    #[serde(skip_serializing_if = "PhaseMetrics::is_empty")]
    pub metrics: PhaseMetrics,
    /// The files whose content changed in a way that means something.
    #[serde(skip_serializing_if = "Fact::is_unknown")]
    pub files: Fact<FileChanges>,
    /// An identifier of the whole work tree after the iteration.
    #[serde(skip_serializing_if = "Fact::is_unknown")]
    pub tree: Fact<String>,
    /// How far the work moved since it was last measured.
    #[serde(skip_serializing_if = "Fact::is_unknown")]
    pub shift: Fact<Shift>,
    /// Tasks that were completed.
    #[serde(skip_serializing_if = "Fact::is_unknown")]
    pub tasks_completed: Fact<u32>,
    /// Features that newly pass.
    #[serde(skip_serializing_if = "Fact::is_unknown")]
    pub features_passed: Fact<u32>,
    /// How many features stand how, afterwards.
    #[serde(skip_serializing_if = "Fact::is_unknown")]
    pub features: Fact<FeatureCounts>,
    /// Results of the test suite.
    #[serde(skip_serializing_if = "Fact::is_unknown")]
    pub tests: Fact<TestCounts>,
    /// Commands of the user's own that failed, and left unknown how many tests did.
    #[serde(skip_serializing_if = "Fact::is_unknown")]
    pub checks_failed: Fact<u32>,
    /// Files that must exist and do not.
    #[serde(skip_serializing_if = "Fact::is_unknown")]
    pub required_missing: Fact<u32>,
    /// Acceptance criteria that are not met.
    #[serde(skip_serializing_if = "Fact::is_unknown")]
    pub criteria_unmet: Fact<u32>,
    /// Which files are missing and which criteria are not met, each in words; the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
    /// Errors of the last build.
    #[serde(skip_serializing_if = "Fact::is_unknown")]
    pub build_errors: Fact<u32>,
    /// Errors the iteration ran into.
    #[serde(skip_serializing_if = "Fact::is_unknown")]
    pub errors: Fact<Vec<ErrorReport>>,
    /// Lines of output.
    #[serde(skip_serializing_if = "Fact::is_unknown")]
    pub output_lines: Fact<u64>,
    /// Tool calls denied in a row at the end of the iteration.
    #[serde(skip_serializing_if = "Fact::is_unknown")]
    pub permission_denials: Fact<u32>,
    /// Trouble that is not the agent's doing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// When that trouble is expected to be over, on the wall clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_at_ms: Option<i64>,
    /// Nobody said when: that is merely when it will be tried again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub retry_is_guess: bool,
    /// How the agent's process ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// How long the iteration took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// What the iteration used up.
    #[serde(skip_serializing_if = "Usage::is_empty")]
    pub usage: Usage,
    /// What the agent says of itself.
    #[serde(skip_serializing_if = "Claims::is_empty")]
    pub claimed: Claims,
    /// Fields this release does not know, kept word for word.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<Extra>,
}

/// Files that changed between the start and the end of an iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChanges {
    /// How many, exactly.
    pub count: u64,
    /// How many of them were not there at the start; absent if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<u64>,
    /// How many of them are no longer there; absent if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<u64>,
    /// Their paths, as far as they are known; at most [`PATHS_KEPT`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

/// How many features stand how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FeatureCounts {
    /// They pass.
    pub pass: u32,
    /// Nobody has finished them.
    pub pending: u32,
    /// Their last attempt failed.
    pub fail: u32,
    /// They wait for a person.
    pub blocked: u32,
}

/// Results of one run of a test suite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TestCounts {
    /// Tests that passed.
    pub passed: u32,
    /// Tests that failed.
    pub failed: u32,
    /// Tests that were skipped.
    pub skipped: u32,
}

/// One error as it was reported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorReport {
    /// Its type or code, such as `TypeError` or `E0308`.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its text.
    pub message: String,
    /// The file it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The test that failed with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// All that was printed with it, by a hash, where that is the only thing it can be told apart
    /// by: what varies masked, in any order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
}

impl ErrorReport {
    /// Where it is, such as `src/auth.js:42`, as far as that is known.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        let file = self.file.as_deref()?;
        Some(match self.line {
            Some(line) => format!("{file}:{line}"),
            None => file.to_owned(),
        })
    }
}

/// Trouble outside the agent and the work. It counts neither for nor against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Environment {
    /// A usage limit of the vendor.
    Limit,
    /// The vendor's service is overloaded.
    Overload,
    /// Not logged in, or no longer.
    Auth,
    /// The network.
    Network,
    /// The disk is full or failing.
    Disk,
}

/// What an iteration used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Model requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u32>,
    /// Input tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Input tokens read from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Output tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Money, in millionths of a US dollar, so that sums stay exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micro_usd: Option<u64>,
}

impl Usage {
    /// Tokens, all kinds together, if any were counted.
    #[must_use]
    pub fn tokens(&self) -> Option<u64> {
        [self.input_tokens, self.cached_tokens, self.output_tokens]
            .into_iter()
            .flatten()
            .reduce(u64::saturating_add)
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What the agent says of itself. Recorded beside what was measured, believed
/// by no signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Claims {
    /// The work is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// The loop may end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_signal: Option<bool>,
    /// It cannot go on without a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_person: Option<bool>,
    /// How many files it says it modified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_modified: Option<u64>,
}

impl Claims {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A field this release does not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extra {
    /// Its name.
    pub name: String,
    /// Its value as it was written.
    pub value: String,
}

impl Observation {
    /// An iteration that was started and never reported: nothing is known of it.
    #[must_use]
    pub fn unreported() -> Self {
        Self {
            ended: Some(Ended::Unreported),
            ..Self::default()
        }
    }

    /// Cuts every text and list down to what is kept.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        shorten_name(&mut self.task);
        shorten_name(&mut self.approach);
        if let Fact::Claimed(errors) | Fact::Measured(errors) = &mut self.errors {
            errors.truncate(ERRORS_KEPT);
            errors.iter_mut().for_each(ErrorReport::shorten);
        }
        if let Fact::Claimed(files) | Fact::Measured(files) = &mut self.files {
            files.paths.truncate(PATHS_KEPT);
            files
                .paths
                .iter_mut()
                .for_each(|path| shorten(path, NAME_BYTES));
        }
        if let Fact::Claimed(tree) | Fact::Measured(tree) = &mut self.tree {
            shorten(tree, NAME_BYTES);
        }
        if let Fact::Claimed(shift) | Fact::Measured(shift) = &mut self.shift {
            shorten(&mut shift.from, NAME_BYTES);
        }
        self.lacks.truncate(ERRORS_KEPT);
        for lack in &mut self.lacks {
            shorten(lack, NAME_BYTES);
        }
        self.extra.truncate(ERRORS_KEPT);
        for extra in &mut self.extra {
            shorten(&mut extra.name, NAME_BYTES);
            shorten(&mut extra.value, MESSAGE_BYTES);
        }
        self
    }
}

impl ErrorReport {
    fn shorten(&mut self) {
        shorten(&mut self.message, MESSAGE_BYTES);
        shorten_name(&mut self.kind);
        shorten_name(&mut self.file);
        shorten_name(&mut self.test);
    }
}

fn shorten_name(name: &mut Option<String>) {
    if let Some(name) = name {
        shorten(name, NAME_BYTES);
    }
}

fn shorten(text: &mut String, max: usize) {
    let kept = clip(text, max).len();
    text.truncate(kept);
}
