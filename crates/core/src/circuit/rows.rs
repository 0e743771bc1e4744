//! One iteration in a line: what signals and evidence are made from.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::clock::Moment;
use crate::observation::{Ended, ErrorReport, Observation, TestCounts, WorkType};
use crate::policy::{ErrorIdentity, Policy};
use crate::signals::{Before, Counters, Progress, Signal, score, worth};
use crate::signature::{Identified, Signature, of_message, test_shown, told};
use crate::text::clip;

/// How many iterations are kept at hand.
pub(crate) const ROWS_KEPT: usize = 24;
/// How many errors of an iteration are kept at hand.
const ERRORS_SHOWN: usize = 3;
/// How much of what a completion lacks is kept at hand.
const LACKS_SHOWN: usize = 3;
/// How much of an approach's name is kept for showing.
const APPROACH_BYTES: usize = 60;
/// How many earlier work trees are known.
const TREES_KEPT: usize = 128;

/// One iteration in a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The iteration's number.
    pub iteration: u64,
    /// When it was reported.
    pub at_ms: i64,
    /// Whether it gained anything.
    pub progress: Progress,
    /// Whether anyone reported it.
    pub reported: bool,
    /// Whether the signals look at it. A result that came too late and a probe
    /// stand aside.
    pub counted: bool,
    /// What it was worth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// What it was worth to drift, in tenths of a point, where that is looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worth: Option<i32>,
    /// Files that changed, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Tasks that were completed, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<u32>,
    /// How the tests went, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCounts>,
    /// Errors of the build, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_errors: Option<u32>,
    /// Commands that failed without saying how many tests did, if there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks_failed: Option<u32>,
    /// How many errors there were, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_count: Option<u32>,
    /// The first of its errors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<RowError>,
    /// Lines of output, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_lines: Option<u64>,
    /// What kind of work it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_type: Option<WorkType>,
    /// What was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approach: Option<Named>,
    /// The work tree afterwards, by a hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<u64>,
    /// The sources and tests in it, by a sum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<u64>,
    /// The earlier iteration whose work tree this one came back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned_to: Option<u64>,
    /// Whether only its sources and tests are what they were then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sources_alone: bool,
    /// How the agent's process ended, where that was not by itself and well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// Whether completion was claimed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub claimed: bool,
    /// What a completion lacks: the first of the files that must be there and are not, and of the
    /// criteria that are not met, each in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
}

/// One error of an iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowError {
    /// Its identity.
    pub signature: Signature,
    /// Its text in a few words.
    pub shown: String,
    /// Where it is, such as `src/auth.js:42`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The test that failed with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// The identity of its text alone, where it is followed by that as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Signature>,
}

impl RowError {
    /// Its text, and the test that failed with it, or else where it is, unless the text says so
    /// itself.
    #[must_use]
    pub fn told(&self) -> String {
        let (word, place) = match (&self.test, &self.place) {
            (Some(test), _) => ("in", test),
            (None, Some(place)) => ("at", place),
            (None, None) => return self.shown.clone(),
        };
        if self.shown.contains(place) {
            return self.shown.clone();
        }
        format!("{} ({word} {place})", self.shown)
    }
}

/// Something with a name: compared by its hash, shown by its beginning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The hash of the name, letter case and outer spaces aside.
    pub id: u64,
    /// How the name begins.
    pub shown: String,
}

/// A work tree that was seen, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenTree {
    /// The iteration it was first seen after.
    pub iteration: u64,
    /// Its hash.
    pub id: u64,
}

/// The hash a name is compared by.
#[must_use]
pub fn name_id(name: &str) -> u64 {
    let digest = Sha256::digest(name.trim().to_lowercase());
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    u64::from_be_bytes(first) >> 11
}

/// What a row is made with besides the facts.
pub(crate) struct RowContext<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) counters: &'a Counters,
    pub(crate) rows: &'a [Row],
    pub(crate) trees: &'a [SeenTree],
    pub(crate) works: &'a [SeenTree],
    /// The work tree before this iteration, as far as it was measured.
    pub(crate) current: Option<&'a str>,
    /// The work in it, as far as that is known.
    pub(crate) current_work: Option<u64>,
    pub(crate) counted: bool,
    pub(crate) now: &'a Moment,
}

impl RowContext<'_> {
    /// The row of an iteration that is being reported.
    pub(crate) fn row(&self, iteration: u64, facts: &Observation, errors: &Identified<'_>) -> Row {
        let reported = facts.errors.seen().map(Vec::len);
        let tree = facts.tree.seen().map(|tree| name_id(tree));
        let work = self.work(iteration, facts);
        let same_tree = tree.and_then(|tree| self.tree_before(tree));
        let same_work = work.and_then(|work| self.work_before(work));
        let mut row = Row {
            iteration: facts.iteration.unwrap_or(iteration),
            at_ms: self.now.wall_ms,
            progress: self.counters.judge(facts, self.policy),
            reported: facts.ended != Some(Ended::Unreported),
            counted: self.counted,
            score: None,
            worth: None,
            files: facts.files.seen().map(|files| files.count),
            tasks: facts.tasks_completed.seen().copied(),
            tests: facts.tests.seen().copied(),
            build_errors: facts.build_errors.seen().copied(),
            checks_failed: facts.checks_failed.seen().copied(),
            error_count: reported.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
            errors: errors
                .iter()
                .flatten()
                .take(ERRORS_SHOWN)
                .map(|error| shown(error, self.policy.errors))
                .collect(),
            output_lines: facts.output_lines.seen().copied(),
            work_type: facts.work_type,
            approach: facts.approach.as_deref().map(Named::new),
            tree,
            work,
            returned_to: same_tree.or(same_work),
            sources_alone: same_tree.is_none() && same_work.is_some(),
            ended: facts.ended.filter(|ended| ended.is_remarkable()),
            claimed: facts.claimed.complete == Some(true),
            lacks: lacks(facts),
        };
        // What cannot be held against the loop is worth nothing, not less.
        if row.progress != Progress::Exempt {
            let known = &self.counters.errors;
            let mut met = errors.iter().flatten();
            let before = Before {
                row: self.rows.last(),
                same_error: met.any(|(signature, _)| known.holds(*signature)),
            };
            let weights = &self.policy.score;
            row.score = Some(score(weights, facts, &row, before));
            if self.policy.rules.get(Signal::Drift).is_some() {
                let before = (self.counters, self.rows);
                row.worth = worth(self.policy, (facts, errors), &row, before);
            }
        }
        row
    }

    /// The iteration that had this very work tree before it was left.
    fn tree_before(&self, tree: u64) -> Option<u64> {
        find(self.trees, tree).filter(|_| self.current.map(name_id) != Some(tree))
    }

    /// The iteration that had this very work before it was left.
    fn work_before(&self, work: u64) -> Option<u64> {
        find(self.works, work).filter(|_| self.current_work != Some(work))
    }

    /// The work after the iteration: what it was, moved. Where what it was is not known, sums
    /// begin anew, somewhere else, so that none of them meets an earlier one.
    fn work(&self, iteration: u64, facts: &Observation) -> Option<u64> {
        let (tree, shift) = (facts.tree.seen()?, facts.shift.seen());
        if self.current == Some(tree) {
            return self.current_work;
        }
        let shift = shift?;
        let known = self.current == Some(shift.from.as_str());
        let before = self.current_work.filter(|_| known);
        let anew = || name_id(&format!("{iteration} {}", shift.from));
        Some(shift.after(before.unwrap_or_else(anew)))
    }
}

fn find(known: &[SeenTree], id: u64) -> Option<u64> {
    let mut known = known.iter();
    Some(known.find(|seen| seen.id == id)?.iteration)
}

/// What a completion lacks, as far as there is room for it.
fn lacks(facts: &Observation) -> Vec<String> {
    let mut lacks: Vec<String> = facts.lacks.iter().take(LACKS_SHOWN).cloned().collect();
    let more = facts.lacks.len().saturating_sub(lacks.len());
    if more > 0 {
        lacks.push(format!("and {more} more"));
    }
    lacks
}

fn shown((signature, error): &(Signature, &ErrorReport), identity: ErrorIdentity) -> RowError {
    RowError {
        signature: *signature,
        shown: told(error, identity),
        place: error.place(),
        test: test_shown(error),
        message: of_message(error).filter(|_| identity == ErrorIdentity::Placed),
    }
}

impl Named {
    fn new(name: &str) -> Self {
        Self {
            id: name_id(name),
            shown: clip(name.trim(), APPROACH_BYTES).to_owned(),
        }
    }
}

/// Takes a tree, or the work in it, into the bounded list of those that were seen.
pub(crate) fn see(known: &mut Vec<SeenTree>, iteration: u64, id: Option<u64>) {
    if let Some(id) = id.filter(|id| find(known, *id).is_none()) {
        keep_last(known, TREES_KEPT - 1);
        known.push(SeenTree { iteration, id });
    }
}

/// Takes a row into the bounded list of rows.
pub(crate) fn push_row(rows: &mut Vec<Row>, row: Row) {
    if row.counted {
        keep_last(rows, ROWS_KEPT - 1);
        rows.push(row);
    }
}

fn keep_last<T>(list: &mut Vec<T>, most: usize) {
    let surplus = list.len().saturating_sub(most);
    list.drain(..surplus);
}

#[cfg(test)]
impl Row {
    /// A row of which nothing is known, for the signals' own tests.
    pub(crate) fn blank(iteration: u64) -> Self {
        Self {
            iteration,
            at_ms: 0,
            progress: Progress::None,
            reported: true,
            counted: true,
            score: None,
            worth: None,
            files: None,
            tasks: None,
            tests: None,
            build_errors: None,
            checks_failed: None,
            error_count: None,
            errors: Vec::new(),
            output_lines: None,
            work_type: None,
            approach: None,
            tree: None,
            work: None,
            returned_to: None,
            sources_alone: false,
            ended: None,
            claimed: false,
            lacks: Vec::new(),
        }
    }
}
