//! A task on each line: cub's list, and the plain one of our own.

use serde_json::value::RawValue;

use super::Shape;
use super::records::{Progress, Words};
use crate::source::{Capabilities, Move};
use crate::task::Task;

/// What our own list is called.
pub const BUILT_IN: &str = "built-in";

/// A task on each line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// cub's list.
    Theirs,
    /// Our own, for those who have none.
    Ours,
}

impl Lines {
    fn progress(self) -> Progress {
        Progress::Words(match self {
            Self::Theirs => Words {
                open: "open",
                in_progress: "in_progress",
                // Its own tools refuse a word that they do not know.
                blocked: None,
                done: "closed",
                started: "started_at",
                holder: Some("assignee"),
                closed: Some("closed_at"),
            },
            Self::Ours => Words {
                open: "open",
                in_progress: "in_progress",
                blocked: Some("blocked"),
                done: "done",
                started: "started_at",
                holder: Some("assignee"),
                closed: Some("closed_at"),
            },
        })
    }
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
}

impl Shape for Lines {
    fn name(&self) -> &'static str {
        match self {
            Self::Theirs => "tasks.jsonl",
            Self::Ours => BUILT_IN,
        }
    }

    fn capabilities(&self, _text: &str) -> Capabilities {
        self.progress().capabilities()
    }

    fn recognises(&self, text: &str) -> bool {
        let first = text.lines().next().unwrap_or_default();
        self.read(first).is_some()
    }

    fn read(&self, text: &str) -> Option<Vec<Task>> {
        lines(text)
            .map(|(place, line)| {
                self.progress()
                    .read(serde_json::from_str::<&RawValue>(line).ok()?, place)
            })
            .collect()
    }

    fn moved(&self, text: &str, id: &str, to: &Move<'_>) -> Option<String> {
        let progress = self.progress();
        let (_, line) = lines(text).find(|(place, line)| {
            let record = serde_json::from_str::<&RawValue>(line).ok();
            record
                .and_then(|record| progress.read(record, *place))
                .is_some_and(|task| task.id == id)
        })?;
        let changed = progress.moved(line, serde_json::from_str(line).ok()?, to)?;
        let start = line.as_ptr().addr() - text.as_ptr().addr();
        Some(format!(
            "{}{changed}{}",
            &text[..start],
            &text[start + line.len()..]
        ))
    }
}
