//! Tasks that are JSON objects, whatever list they stand in.
//!
//! The lists differ in what their keys are called and in whether progress is a
//! flag or a word. That is data; reading and changing a record is written once.

use fusebox_edit::splice::{Cut, Object, put, quoted, splice};
use serde_json::value::RawValue;

use crate::record::Record;
use crate::source::{Capabilities, Move};
use crate::status::Status;
use crate::task::{Holder, Task};
use crate::time;

/// How a list tells how far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// A flag that says whether it passes.
    Passes,
    /// A word, in the spellings of this list.
    Words(Words),
}

/// The words of a list; `None` is a status that it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) open: &'static str,
    pub(super) in_progress: &'static str,
    pub(super) blocked: Option<&'static str>,
    pub(super) done: &'static str,
    /// The key that holds since when somebody works on it.
    pub(super) started: &'static str,
    /// The key that holds who.
    pub(super) holder: Option<&'static str>,
    /// The key that holds when it was done, where the list has one.
    pub(super) closed: Option<&'static str>,
}

/// Where lists keep the start of work, ours first.
const STARTED: [&str; 2] = ["started_at", "startedAt"];
const UPDATED: [&str; 3] = ["updated_at", "updatedAt", "last_updated"];
const TITLES: [&str; 4] = ["title", "name", "subject", "description"];
const KINDS: [&str; 5] = ["issue_type", "type", "kind", "category", "phase"];
const CRITERIA: [&str; 4] = [
    "acceptanceCriteria",
    "acceptance_criteria",
    "acceptance",
    "steps",
];
const DEPENDS: [&str; 3] = ["dependsOn", "depends_on", "dependencies"];

impl Progress {
    pub(super) fn capabilities(self) -> Capabilities {
        match self {
            Self::Passes => Capabilities {
                close: true,
                ..Capabilities::default()
            },
            Self::Words(words) => Capabilities {
                claim: true,
                start_time: true,
                block: words.blocked.is_some(),
                close: true,
                ..Capabilities::default()
            },
        }
    }

    /// What a record is; one that says nothing of how far it is, is no task.
    pub(super) fn read(self, record: &RawValue, place: usize) -> Option<Task> {
        let fields = Object::of(record)?;
        let status = match self {
            Self::Passes if fields.get("passes")? => Status::Done,
            Self::Passes => Status::Open,
            // A word of somebody's own is not ours to work on, and not done either.
            Self::Words(_) => Status::of_word(&fields.text("status")?).unwrap_or(Status::Deferred),
        };
        let title = fields.first_text(&TITLES)?;
        let description = fields.text("description").filter(|text| *text != title);
        let since = fields
            .first_text(&STARTED)
            .or_else(|| fields.first_text(&UPDATED));
        Some(Task {
            id: fields
                .text("id")
                .unwrap_or_else(|| format!("#{}", place + 1)),
            named_by_words: false,
            status,
            priority: priority(&fields),
            kind: fields.first_text(&KINDS),
            description: [description, fields.text("details")]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join("\n"),
            criteria: first_list(&fields, &CRITERIA),
            depends_on: first_list(&fields, &DEPENDS),
            holder: Holder {
                name: fields.text("assignee"),
                since_ms: since.and_then(|text| time::parse(&text)),
                ..Holder::default()
            },
            title,
        })
    }

    /// The text after a move of the record.
    pub(super) fn moved(self, text: &str, record: &RawValue, to: &Move<'_>) -> Option<String> {
        let cuts = match self {
            Self::Passes => {
                let passes = match to {
                    Move::Close { .. } => "true",
                    Move::Open { .. } => "false",
                    _ => return None,
                };
                vec![put(text, record, "passes", passes)?]
            }
            Self::Words(words) => words.cuts(text, record, to)?,
        };
        Some(splice(text, cuts))
    }
}

impl Words {
    fn cuts(self, text: &str, record: &RawValue, to: &Move<'_>) -> Option<Vec<Cut>> {
        let fields = Object::of(record)?;
        let has = |key: &str| fields.raw(key).is_some();
        let (status, at_ms) = match to {
            Move::Claim { at_ms, .. } => (self.in_progress, Some(*at_ms)),
            Move::Open { .. } => (self.open, None),
            Move::Block { .. } => (self.blocked?, None),
            Move::Close { at_ms, .. } => (self.done, Some(*at_ms)),
            // Nothing of this is worth a change of the file every minute.
            Move::Heartbeat { .. } => return None,
        };
        let stamp = at_ms.map(|at| quoted(&time::written(at)));
        let mut cuts = vec![put(text, record, "status", &quoted(status))?];
        let mut also = |key: &str, value: &str| {
            cuts.extend(put(text, record, key, value));
        };
        let started = STARTED
            .into_iter()
            .find(|key| has(key))
            .unwrap_or(self.started);
        match to {
            Move::Claim { actor, .. } => {
                also(started, stamp.as_deref().unwrap_or("null"));
                if let Some(key) = self.holder {
                    also(key, &quoted(actor));
                }
            }
            Move::Open { .. } => {
                // Whoever begins anew begins now: an old start would make the next
                // claim old from its first second on.
                if has(started) {
                    also(started, "null");
                }
                if let Some(key) = self.holder.filter(|key| has(key)) {
                    also(key, "null");
                }
            }
            Move::Close { .. } => {
                if let (Some(key), Some(stamp)) = (self.closed, &stamp) {
                    also(key, stamp);
                }
            }
            Move::Block { .. } | Move::Heartbeat { .. } => {}
        }
        let updated = UPDATED.into_iter().find(|key| has(key));
        if let (Some(key), Some(stamp)) = (updated, &stamp) {
            also(key, stamp);
        }
        Some(cuts)
    }
}

/// The spelling of `status` that a list uses already; else `usual`.
pub(super) fn spelling(text: &str, status: Status, usual: &'static str) -> &'static str {
    let used = |word: &&&'static str| text.contains(&format!("\"{word}\""));
    if used(&&usual) {
        return usual;
    }
    status
        .spellings()
        .iter()
        .find(used)
        .copied()
        .unwrap_or(usual)
}

fn first_list(fields: &Object<'_>, keys: &[&str]) -> Vec<String> {
    let lists = keys.iter().map(|key| fields.texts(key));
    lists
        .into_iter()
        .find(|list| !list.is_empty())
        .unwrap_or_default()
}

/// Numbers, `P0` to `P4`, or words.
fn priority(fields: &Object<'_>) -> Option<i64> {
    if let Some(number) = fields.number("priority") {
        return Some(number);
    }
    match fields.text("priority")?.to_ascii_lowercase().as_str() {
        "critical" => Some(0),
        "high" => Some(1),
        "medium" => Some(2),
        "low" => Some(3),
        other => other.strip_prefix('p')?.parse().ok(),
    }
}
