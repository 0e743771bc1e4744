//! `feature_list.json`: an array, or an object around one; flags, or words that
//! every project has changed a little.

use fusebox_edit::splice::{Object, list_of};
use serde_json::value::RawValue;

use super::Shape;
use super::prd::{all, begins_well, moved};
use super::records::{Progress, Words, spelling};
use crate::source::{Capabilities, Move};
use crate::status::Status;
use crate::task::Task;

/// Features.
pub(crate) struct FeatureList;

impl Shape for FeatureList {
    fn name(&self) -> &'static str {
        "feature_list.json"
    }

    fn key(&self) -> Option<&'static str> {
        Some("features")
    }

    fn capabilities(&self, text: &str) -> Capabilities {
        found(text).map_or_else(Capabilities::default, |(_, progress)| {
            progress.capabilities()
        })
    }

    fn recognises(&self, text: &str) -> bool {
        found(text).is_some_and(|(records, progress)| begins_well(progress, &records))
    }

    fn read(&self, text: &str) -> Option<Vec<Task>> {
        let (records, progress) = found(text)?;
        all(progress, &records)
    }

    fn moved(&self, text: &str, id: &str, to: &Move<'_>) -> Option<String> {
        let (records, progress) = found(text)?;
        moved(progress, text, &records, id, to)
    }
}

/// The features, and how they tell how far they are.
fn found(text: &str) -> Option<(Vec<&RawValue>, Progress)> {
    let records: Vec<&RawValue> = match text.trim_start().starts_with('[') {
        true => serde_json::from_str(text).ok()?,
        false => list_of(text, "features")?,
    };
    let first = Object::of(records.first()?)?;
    let progress = if first.get::<bool>("passes").is_some() {
        Progress::Passes
    } else {
        // Words of these lists differ, so what is written is what they write.
        Progress::Words(Words {
            open: spelling(text, Status::Open, "pending"),
            in_progress: spelling(text, Status::InProgress, "in_progress"),
            blocked: Some("blocked"),
            done: spelling(text, Status::Done, "done"),
            started: "started_at",
            holder: None,
            closed: None,
        })
    };
    Some((records, progress))
}
