//! `feature_list.json`: what is to be built, and what passes.
//!
//! The file is written by agents, and its shape drifts: the list may stand alone or
//! be an object by id, a status may be spelled in a dozen ways or be a mere
//! `"passes": true`. All of that is understood. What is not is an error, because a
//! feature that cannot be read would neither count nor be missed.

use std::collections::BTreeSet;
use std::ops::Range;

use fusebox_core::observation::FeatureCounts;
use fusebox_edit::splice::{Cut, quoted, splice};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json::{self, Object, span};
use crate::{Placed, Wrong};

/// After so many attempts nobody tries a feature again.
pub const ATTEMPTS: u32 = 3;

/// How a feature stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureStatus {
    /// Nobody has begun.
    Pending,
    /// Somebody has.
    InProgress,
    /// It passes.
    Pass,
    /// The last attempt failed.
    Fail,
    /// It waits for a person.
    Blocked,
}

impl FeatureStatus {
    fn of(word: &str) -> Option<Self> {
        let word = word.trim().to_ascii_lowercase().replace(['-', ' '], "_");
        Some(match word.as_str() {
            "pending" | "todo" | "open" | "not_started" | "planned" | "" => Self::Pending,
            "in_progress" | "started" | "wip" | "active" | "implementing" => Self::InProgress,
            "pass" | "passed" | "passing" | "passes" | "done" | "complete" | "completed"
            | "success" | "implemented" | "verified" => Self::Pass,
            "fail" | "failed" | "failing" | "error" | "retry" => Self::Fail,
            "blocked" | "skipped" | "deferred" => Self::Blocked,
            _ => return None,
        })
    }
}

/// One feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its id; where it has none, its place in the list.
    pub id: String,
    /// What it is.
    pub name: String,
    /// How it stands.
    pub status: FeatureStatus,
    /// How often it was tried.
    pub attempts: u32,
    /// Why it is blocked.
    pub blocked_reason: Option<String>,
    /// What was noted, such as why an attempt failed.
    pub notes: Option<String>,
    /// The bytes of the object, and of the values that a person may change.
    spans: Spans,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Spans {
    object: Range<usize>,
    status: Option<Range<usize>>,
    reason: Option<Range<usize>>,
}

impl Feature {
    /// Whether anything is left to be tried.
    #[must_use]
    pub fn is_actionable(&self) -> bool {
        match self.status {
            FeatureStatus::Pending | FeatureStatus::InProgress => true,
            FeatureStatus::Fail => self.attempts < ATTEMPTS,
            FeatureStatus::Pass | FeatureStatus::Blocked => false,
        }
    }
}

/// All features.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeatureList {
    /// In the order of the file.
    pub features: Vec<Feature>,
}

impl FeatureList {
    /// Reads the file.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn read(text: &str) -> Result<Self, Wrong> {
        let whole: &RawValue = serde_json::from_str(json::without_mark(text)).map_err(|_| {
            json::object(text)
                .err()
                .unwrap_or_else(|| wrong(0..0, "this is not valid JSON"))
        })?;
        let features = match first(whole) {
            b'[' => list(text, whole)?,
            b'{' => {
                let object = object(text, whole)?;
                let Some(inner) = object.raw("features") else {
                    return Err(wrong(span(text, whole), "there are no `features`"));
                };
                match first(inner) {
                    b'[' => list(text, inner)?,
                    b'{' => by_id(text, inner)?,
                    _ => return Err(wrong(span(text, inner), "`features` is not a list")),
                }
            }
            _ => return Err(wrong(span(text, whole), "this is not a list of features")),
        };
        refuse_doubles(&features)?;
        Ok(Self { features })
    }

    /// How many stand how.
    #[must_use]
    pub fn counts(&self) -> FeatureCounts {
        let mut counts = FeatureCounts::default();
        for feature in &self.features {
            match feature.status {
                FeatureStatus::Pending | FeatureStatus::InProgress => counts.pending += 1,
                FeatureStatus::Pass => counts.pass += 1,
                FeatureStatus::Fail => counts.fail += 1,
                FeatureStatus::Blocked => counts.blocked += 1,
            }
        }
        counts
    }

    /// The ids of those that pass.
    #[must_use]
    pub fn passing(&self) -> BTreeSet<&str> {
        let passing = self
            .features
            .iter()
            .filter(|feature| feature.status == FeatureStatus::Pass);
        passing.map(|feature| feature.id.as_str()).collect()
    }

    /// The ids of those that pass and did not pass `before`. Where a name that passed is gone, a
    /// passing one that nobody knew is taken for the same feature, and nothing new.
    #[must_use]
    pub fn newly_passing(&self, before: &Self) -> BTreeSet<&str> {
        let passed = before.passing();
        let known = before.ids();
        let renamed = passed.difference(&self.ids()).count();
        let new = self.passing().into_iter().filter(|id| !passed.contains(id));
        let (mut new, strangers): (BTreeSet<_>, BTreeSet<_>) =
            new.partition(|id| known.contains(id));
        new.extend(strangers.into_iter().skip(renamed));
        new
    }

    /// The ids of all.
    #[must_use]
    pub fn ids(&self) -> BTreeSet<&str> {
        self.features
            .iter()
            .map(|feature| feature.id.as_str())
            .collect()
    }

    /// Whether anything is left to be tried.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.features.iter().any(Feature::is_actionable)
    }

    /// The text it was read from with feature `id` blocked for `reason`, and every
    /// other byte as it was. `None` if there is no such feature.
    #[must_use]
    pub fn block(&self, text: &str, id: &str, reason: &str) -> Option<String> {
        let Feature { spans, .. } = self.features.iter().find(|feature| feature.id == id)?;
        let quoted = quoted(reason);
        let end = spans.object.end.checked_sub(1)?;
        // Behind the last value, where the object holds any.
        let inside = text[spans.object.start + 1..end].trim_end();
        let behind = spans.object.start + 1 + inside.len();
        let comma = if inside.is_empty() { "" } else { ", " };
        let cut = |held: &Option<Range<usize>>, value: String, added: String| match held {
            Some(at) => Cut {
                at: at.clone(),
                with: value,
            },
            None => Cut {
                at: behind..behind,
                with: added,
            },
        };
        let reason = format!("{comma}\"blocked_reason\": {quoted}");
        let status = ", \"status\": \"blocked\"".to_owned();
        let cuts = vec![
            cut(&spans.reason, quoted, reason),
            cut(&spans.status, "\"blocked\"".to_owned(), status),
        ];
        Some(splice(text, cuts))
    }
}

fn list(text: &str, raw: &RawValue) -> Result<Vec<Feature>, Wrong> {
    let items: Vec<&RawValue> = parse(text, raw)?;
    let one = |(place, item): (usize, &&RawValue)| feature(text, item, format!("#{}", place + 1));
    items.iter().enumerate().map(one).collect()
}

fn by_id(text: &str, raw: &RawValue) -> Result<Vec<Feature>, Wrong> {
    let object = object(text, raw)?;
    let fields = object.fields().iter();
    fields
        .map(|(id, item)| feature(text, item, id.to_string()))
        .collect()
}

fn feature(text: &str, raw: &RawValue, place: String) -> Result<Feature, Wrong> {
    let object = object(text, raw)?;
    let get = |names: &[&str]| {
        let mut fields = object.fields().iter();
        fields
            .find(|(name, _)| names.contains(&name.as_ref()))
            .map(|(_, value)| *value)
    };
    let word = |names: &[&str]| get(names).and_then(plain);
    let id = word(&["id", "feature_id"]).unwrap_or(place);
    let status_value = get(&["status", "state", "passes"]);
    let status = match status_value {
        None => FeatureStatus::Pending,
        Some(value) => status(value).ok_or_else(|| {
            let what = format!("the status of {id} is none that is known");
            Placed {
                what,
                span: span(text, value),
            }
        })?,
    };
    let attempts = match get(&["attempts"]) {
        None => 0,
        Some(value) if value.get() == "null" => 0,
        Some(value) => plain(value)
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| wrong(span(text, value), "`attempts` is not a number"))?,
    };
    Ok(Feature {
        name: word(&["name", "title", "description"]).unwrap_or_default(),
        blocked_reason: word(&["blocked_reason"]),
        notes: word(&["implementation_notes", "notes", "error"]),
        spans: Spans {
            object: span(text, raw),
            status: get(&["status", "state"]).map(|value| span(text, value)),
            reason: get(&["blocked_reason"]).map(|value| span(text, value)),
        },
        id,
        status,
        attempts,
    })
}

/// What a status says: a word, or whether it passes.
fn status(raw: &RawValue) -> Option<FeatureStatus> {
    match raw.get() {
        "true" => Some(FeatureStatus::Pass),
        "false" | "null" => Some(FeatureStatus::Pending),
        text => FeatureStatus::of(&serde_json::from_str::<String>(text).ok()?),
    }
}

/// A text or a number, as text.
fn plain(raw: &RawValue) -> Option<String> {
    match raw.get() {
        "null" => None,
        text if text.starts_with('"') => serde_json::from_str(text).ok(),
        text if text.bytes().all(|b| b.is_ascii_digit()) => Some(text.to_owned()),
        _ => None,
    }
}

fn object<'t>(text: &'t str, raw: &'t RawValue) -> Result<Object<'t>, Wrong> {
    if first(raw) != b'{' {
        return Err(wrong(span(text, raw), "this is not a feature"));
    }
    let object: Object<'t> = parse(text, raw)?;
    let mut seen = BTreeSet::new();
    let mut fields = object.fields().iter();
    match fields.find(|(name, _)| !seen.insert(name.as_ref())) {
        Some((name, value)) => {
            let what = format!("`{name}` is there twice");
            Err(Placed {
                what,
                span: span(text, value),
            })
        }
        None => Ok(object),
    }
}

fn parse<'t, T: Deserialize<'t>>(text: &str, raw: &'t RawValue) -> Result<T, Wrong> {
    serde_json::from_str(raw.get()).map_err(|error| {
        let what = error.to_string();
        Placed {
            what,
            span: span(text, raw),
        }
    })
}

fn refuse_doubles(features: &[Feature]) -> Result<(), Wrong> {
    let mut seen = BTreeSet::new();
    match features
        .iter()
        .find(|feature| !seen.insert(feature.id.as_str()))
    {
        Some(feature) => {
            let what = format!("the feature {} is there twice", feature.id);
            Err(Placed {
                what,
                span: feature.spans.object.clone(),
            })
        }
        None => Ok(()),
    }
}

fn first(raw: &RawValue) -> u8 {
    raw.get().bytes().next().unwrap_or_default()
}

fn wrong(span: Range<usize>, what: &str) -> Wrong {
    Placed {
        what: what.to_owned(),
        span,
    }
}

#[cfg(test)]
#[path = "features_tests.rs"]
mod tests;
