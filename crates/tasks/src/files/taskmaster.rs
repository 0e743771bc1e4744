//! Taskmaster's `tasks.json`: tasks below a tag, or at the top in older files.
//! Sub-tasks are steps of their task and move with it.

use fusebox_edit::splice::Object;
use serde_json::value::RawValue;

use super::Shape;
use super::prd::{all, begins_well, moved};
use super::records::{Progress, Words};
use crate::record::Record;
use crate::source::{Capabilities, Move};
use crate::task::Task;

/// The tag that is meant where nobody chose one.
const USUAL_TAG: &str = "master";

/// Tasks below a tag.
pub(crate) struct Taskmaster {
    tag: String,
}

const PROGRESS: Progress = Progress::Words(Words {
    open: "pending",
    in_progress: "in-progress",
    blocked: Some("blocked"),
    done: "done",
    started: "started_at",
    holder: None,
    closed: None,
});

impl Taskmaster {
    /// With the tag that Taskmaster's own state names, if it names one.
    pub(crate) fn with_state(state: Option<&str>) -> Self {
        let tag = state.and_then(|text| Object::parse(text).ok()?.text("currentTag"));
        Self {
            tag: tag.unwrap_or_else(|| USUAL_TAG.to_owned()),
        }
    }

    fn records<'a>(&self, text: &'a str) -> Option<Vec<&'a RawValue>> {
        let top = Object::parse(text).ok()?;
        match top.raw(&self.tag) {
            Some(tag) => Object::of(tag)?.objects("tasks"),
            None => top.objects("tasks"),
        }
    }
}

impl Shape for Taskmaster {
    fn name(&self) -> &'static str {
        "Taskmaster"
    }

    fn key(&self) -> Option<&'static str> {
        Some("tasks")
    }

    fn capabilities(&self, _text: &str) -> Capabilities {
        PROGRESS.capabilities()
    }

    fn recognises(&self, text: &str) -> bool {
        self.records(text)
            .is_some_and(|records| begins_well(PROGRESS, &records))
    }

    fn read(&self, text: &str) -> Option<Vec<Task>> {
        all(PROGRESS, &self.records(text)?)
    }

    fn moved(&self, text: &str, id: &str, to: &Move<'_>) -> Option<String> {
        moved(PROGRESS, text, &self.records(text)?, id, to)
    }
}
