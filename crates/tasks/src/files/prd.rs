//! `prd.json`, in both shapes that go by this name.
//!
//! The name is also that of any product's specification, so only stories that say
//! how far they are make a list of tasks.

use fusebox_edit::splice::list_of;
use serde_json::value::RawValue;

use super::Shape;
use super::records::{Progress, Words};
use crate::source::{Capabilities, Move};
use crate::task::Task;

/// Stories with a flag.
pub(crate) struct Prd;

/// Stories with a status and a start.
pub(crate) struct Stories;

const WORDS: Words = Words {
    open: "open",
    in_progress: "in_progress",
    blocked: None,
    done: "done",
    started: "startedAt",
    holder: None,
    closed: Some("completedAt"),
};

impl Shape for Prd {
    fn name(&self) -> &'static str {
        "prd.json with flags"
    }

    fn key(&self) -> Option<&'static str> {
        Some("userStories")
    }

    fn capabilities(&self, _text: &str) -> Capabilities {
        Progress::Passes.capabilities()
    }

    fn recognises(&self, text: &str) -> bool {
        records(text, "userStories").is_some_and(|found| begins_well(Progress::Passes, &found))
    }

    fn read(&self, text: &str) -> Option<Vec<Task>> {
        all(Progress::Passes, &records(text, "userStories")?)
    }

    fn moved(&self, text: &str, id: &str, to: &Move<'_>) -> Option<String> {
        moved(
            Progress::Passes,
            text,
            &records(text, "userStories")?,
            id,
            to,
        )
    }
}

impl Shape for Stories {
    fn name(&self) -> &'static str {
        "prd.json with stories"
    }

    fn key(&self) -> Option<&'static str> {
        Some("stories")
    }

    fn capabilities(&self, _text: &str) -> Capabilities {
        Progress::Words(WORDS).capabilities()
    }

    fn recognises(&self, text: &str) -> bool {
        let progress = Progress::Words(WORDS);
        records(text, "stories").is_some_and(|found| begins_well(progress, &found))
    }

    fn read(&self, text: &str) -> Option<Vec<Task>> {
        all(Progress::Words(WORDS), &records(text, "stories")?)
    }

    fn moved(&self, text: &str, id: &str, to: &Move<'_>) -> Option<String> {
        moved(
            Progress::Words(WORDS),
            text,
            &records(text, "stories")?,
            id,
            to,
        )
    }
}

fn records<'a>(text: &'a str, key: &str) -> Option<Vec<&'a RawValue>> {
    // A list may be long, and looking for a word is quicker than reading all of it.
    let is_there = text.contains(&format!("\"{key}\""));
    is_there.then(|| list_of(text, key))?
}

/// Whether the first record is a task; a list may also be empty.
pub(super) fn begins_well(progress: Progress, records: &[&RawValue]) -> bool {
    let first = records.first();
    first.is_none_or(|record| progress.read(record, 0).is_some())
}

/// All records as tasks; `None` unless every one of them is a task.
pub(super) fn all(progress: Progress, records: &[&RawValue]) -> Option<Vec<Task>> {
    let records = records.iter().enumerate();
    records
        .map(|(place, record)| progress.read(record, place))
        .collect()
}

/// The text after a move of the record that goes by `id`.
pub(super) fn moved(
    progress: Progress,
    text: &str,
    records: &[&RawValue],
    id: &str,
    to: &Move<'_>,
) -> Option<String> {
    let mut all = records.iter().enumerate();
    let (_, record) = all.find(|(place, record)| {
        progress
            .read(record, *place)
            .is_some_and(|task| task.id == id)
    })?;
    progress.moved(text, record, to)
}
