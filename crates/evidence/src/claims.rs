//! What an agent says of itself in a status block.
//!
//! Loops ask their agents to end with a block of this kind:
//!
//! ```text
//! ---RALPH_STATUS---
//! STATUS: IN_PROGRESS
//! FILES_MODIFIED: 3
//! EXIT_SIGNAL: false
//! ---END_RALPH_STATUS---
//! ```
//!
//! All of it is a claim. Text around it is not even that: agents write "done" and
//! `EXIT_SIGNAL: true` while they explain what they are going to do, and they quote the
//! template that they were given. So only a block that is closed counts, the last one that
//! says anything wins, and values that cannot be meant are refused one by one.

mod block;
mod words;

use crate::plain_text::{MESSAGE_BYTES, NAME_BYTES, clean, clip};
use crate::run::KEPT;
use block::Block;
pub(crate) use words::is_placeholder;
use words::word;
pub use words::{Phase, Status, TestsStatus, WorkType};

/// Beyond this a number of files, tasks or tests is not meant seriously.
const LARGEST_NUMBER: u64 = 1_000_000;

/// What one status block says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// How the work stands.
    pub status: Option<Status>,
    /// Whether the loop may end.
    pub exit_signal: Option<bool>,
    /// Files it says it created, modified or deleted.
    pub files_modified: Option<u64>,
    /// Those of them that it says it created, where it tells them apart.
    pub files_created: Option<u64>,
    /// Those of them that it says it deleted, where it tells them apart.
    pub files_deleted: Option<u64>,
    /// Tasks it says it completed.
    pub tasks_completed: Option<u32>,
    /// How it says the tests stand.
    pub tests: Option<TestsStatus>,
    /// Tests it says it counted.
    pub test_counts: Option<TestCounts>,
    /// What kind of work it says it did.
    pub work: Option<WorkType>,
    /// The phase it says it is in.
    pub phase: Option<Phase>,
    /// Its own number for the iteration.
    pub iteration: Option<u64>,
    /// How much of the phase it says is done.
    pub progress_percent: Option<u8>,
    /// What it recommends, in one line.
    pub recommendation: Option<String>,
    /// What it says is in its way.
    pub blockers: Vec<String>,
    /// Fields that are not known here, kept as they are.
    pub other: Vec<Field>,
    /// Fields that are known, with values that cannot be meant.
    pub refused: Vec<Field>,
}

/// One field as it was written. A field of a section is named `SECTION.FIELD`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name, in capital letters.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// Tests that were counted. The parts add up to the total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestCounts {
    /// All of them.
    pub total: u64,
    /// Those that pass.
    pub passing: u64,
    /// Those that fail.
    pub failing: u64,
    /// Those that were skipped.
    pub skipped: u64,
}

/// Reads the last status block of a text that says anything; `None` if there is none.
pub fn read(text: &[u8]) -> Option<Claims> {
    last(block::find(&clean(text)))
}

/// The same of all that a program printed that was given this `prompt`.
///
/// What it repeats of the prompt is not its own, and a block with a lot of text below it is not
/// how it ended.
pub fn read_printed(text: &[u8], prompt: &str) -> Option<Claims> {
    last(block::find_printed(&clean(text), &clean(prompt.as_bytes())))
}

fn last(blocks: Vec<Block<'_>>) -> Option<Claims> {
    blocks
        .into_iter()
        .rev()
        .map(|block| Claims::of(&block))
        .find(Claims::says_anything)
}

impl Claims {
    /// Whether it says that the work is complete.
    pub fn complete(&self) -> Option<bool> {
        self.status.map(|status| status == Status::Complete)
    }

    /// Whether it says that it cannot go on without a person.
    pub fn needs_person(&self) -> Option<bool> {
        self.status.map(|status| status == Status::Blocked)
    }

    fn of(block: &Block<'_>) -> Self {
        let mut claims = Self::default();
        let mut numbers = Numbers::default();
        for (name, value) in &block.fields {
            if claims.take(name, value, &mut numbers).is_none() {
                keep(&mut claims.refused, name, value);
            }
        }
        claims.files_modified = claims.files_modified.or(numbers.files);
        claims.add_test_counts(&numbers);
        claims.check_exit();
        claims
    }

    /// Takes one field; `None` if its value cannot be meant.
    fn take(&mut self, name: &str, value: &str, numbers: &mut Numbers) -> Option<()> {
        match name {
            "STATUS" => self.status = Some(Status::parse(value)?),
            "EXIT_SIGNAL" => self.exit_signal = Some(truth(value)?),
            "FILES_MODIFIED" => self.files_modified = Some(number(value)?),
            "TASKS_COMPLETED_THIS_LOOP" | "TASKS_COMPLETED" => {
                self.tasks_completed = Some(u32::try_from(number(value)?).ok()?);
            }
            "TESTS_STATUS" => self.tests = Some(TestsStatus::parse(value)?),
            "WORK_TYPE" => self.work = Some(WorkType::parse(value)?),
            "PHASE" => self.phase = Some(Phase::parse(value)?),
            "ITERATION" => self.iteration = Some(number(value)?),
            "PROGRESS_PERCENT" => {
                let percent = u8::try_from(number(value.trim_end_matches('%'))?).ok()?;
                self.progress_percent = Some(percent).filter(|percent| *percent <= 100);
                self.progress_percent?;
            }
            "RECOMMENDATION" => {
                let words = Some(value).filter(|value| !is_placeholder(value))?;
                self.recommendation = Some(clip(words, MESSAGE_BYTES));
            }
            "BLOCKERS" if value.eq_ignore_ascii_case("none") => {}
            "BLOCKERS" if self.blockers.len() < KEPT => {
                self.blockers.push(clip(value, MESSAGE_BYTES));
            }
            "TESTS.TOTAL" => numbers.total = Some(number(value)?),
            "TESTS.PASSING" => numbers.passing = Some(number(value)?),
            "TESTS.FAILING" => numbers.failing = Some(number(value)?),
            "TESTS.SKIPPED" => numbers.skipped = Some(number(value)?),
            "FILES.CREATED" | "FILES.MODIFIED" | "FILES.DELETED" => {
                let count = number(value)?;
                numbers.files = Some(numbers.files.unwrap_or(0) + count);
                match name {
                    "FILES.CREATED" => self.files_created = Some(count),
                    "FILES.DELETED" => self.files_deleted = Some(count),
                    _ => {}
                }
            }
            _ => keep(&mut self.other, name, value),
        }
        Some(())
    }

    /// Takes the counts of tests if they add up.
    fn add_test_counts(&mut self, numbers: &Numbers) {
        let (Some(total), Some(passing), Some(failing)) =
            (numbers.total, numbers.passing, numbers.failing)
        else {
            return;
        };
        let skipped = numbers.skipped.unwrap_or(0);
        if passing + failing + skipped == total {
            self.test_counts = Some(TestCounts {
                total,
                passing,
                failing,
                skipped,
            });
        } else {
            keep(&mut self.refused, "TESTS.TOTAL", &total.to_string());
        }
    }

    /// An agent that waits for a person has no say in whether the loop may end.
    fn check_exit(&mut self) {
        if self.status == Some(Status::Blocked) && self.exit_signal == Some(true) {
            self.exit_signal = None;
            keep(&mut self.refused, "EXIT_SIGNAL", "true");
        }
    }

    /// A template says nothing: all that it has is placeholders.
    fn says_anything(&self) -> bool {
        *self
            != Self {
                other: self.other.clone(),
                refused: self.refused.clone(),
                ..Self::default()
            }
    }
}

/// Numbers that only mean something together.
#[derive(Default)]
struct Numbers {
    total: Option<u64>,
    passing: Option<u64>,
    failing: Option<u64>,
    skipped: Option<u64>,
    files: Option<u64>,
}

fn keep(fields: &mut Vec<Field>, name: &str, value: &str) {
    if fields.len() < KEPT {
        fields.push(Field {
            name: clip(name, NAME_BYTES),
            value: clip(value, MESSAGE_BYTES),
        });
    }
}

/// `true`, in any case and with a remark behind it.
fn truth(value: &str) -> Option<bool> {
    match word(value)?.as_str() {
        "TRUE" => Some(true),
        "FALSE" => Some(false),
        _ => None,
    }
}

fn number(value: &str) -> Option<u64> {
    let number = word(value)?.parse().ok()?;
    (number <= LARGEST_NUMBER).then_some(number)
}

#[cfg(test)]
mod tests;
