//! `circuit-breaker.json`, written so that only our own values change.

use fusebox_core::observation::{PhaseMetrics, WorkPhase};
use fusebox_core::quiet_json;
use serde_json::Value;

use super::{history, log, state};
use crate::Scene;
use crate::json::{Wrong, object, push, set};
use crate::time;

/// The file of a breaker that nothing has happened to.
const FRESH: &str = r#"{
  "state": "CLOSED",
  "no_progress_count": 0,
  "same_error_count": 0,
  "last_progress_metric": {
    "RED": { "tests_generated": 0 },
    "GREEN": { "tests_passing": 0 },
    "REFACTOR": { "patterns_applied": 0 },
    "DOCUMENT": { "docs_generated": 0 }
  },
  "last_error_hash": null,
  "opened_at": null,
  "open_reason": null,
  "history": []
}
"#;

/// What has happened stays in the file for so many events.
const HISTORY_KEPT: usize = 500;

/// The file as it is to be.
pub(super) fn write(found: Option<&str>, scene: &Scene<'_>) -> Result<String, Wrong> {
    let core = &scene.circuit.core;
    let counters = &core.counters;
    let opening = core.phase.opening();
    let opened_at = opening.map(|opening| opening.since.wall_ms);
    // What was open before we came to it has been open since then.
    let opened_there = found.and_then(|found| state::read(found).ok()?.opened_ms());
    let is_kept = opened_at.is_some() && opened_there < opened_at && opened_there.is_some();
    let reason = opening.map(|opening| opening.reason.as_str());
    let mut text = found.unwrap_or(FRESH).to_owned();
    for (name, value) in [
        ("state", Value::from(log::label(scene, core.phase.state()))),
        ("no_progress_count", counters.no_progress.into()),
        (
            "same_error_count",
            counters.errors.longest(scene.policy.streaks).into(),
        ),
        ("opened_at", opened_at.map(time::written).into()),
        ("open_reason", reason.into()),
    ] {
        if name == "opened_at" && is_kept {
            continue;
        }
        text = set(&text, &[name], &quiet_json(&value.to_string()))?;
    }
    for phase in WorkPhase::ALL {
        for (name, value) in numbers(phase, &counters.last_metrics(phase)) {
            let path = ["last_progress_metric", phase.name(), name];
            text = set(&text, &path, &value.to_string())?;
        }
    }
    if let Some(hash) = history::last_error_hash(scene) {
        text = set(&text, &["last_error_hash"], &Value::from(hash).to_string())?;
    }
    with_history(&text, scene)
}

fn with_history(text: &str, scene: &Scene<'_>) -> Result<String, Wrong> {
    let found = object(text)?.raw("history");
    let found = found.filter(|list| list.get() != "null");
    let mut list = found.map_or_else(|| "[]".to_owned(), |list| list.get().to_owned());
    for event in history::events(scene) {
        list = push(&list, &event, HISTORY_KEPT).unwrap_or(list);
    }
    set(text, &["history"], &list)
}

/// The numbers of a phase under the names that they have there. The first of
/// them is always there.
fn numbers(phase: WorkPhase, last: &PhaseMetrics) -> Vec<(&'static str, Value)> {
    let must = |name, value: Option<u64>| Some((name, Value::from(value.unwrap_or(0))));
    let may = |name, value: Option<u64>| value.map(|value| (name, Value::from(value)));
    let all = match phase {
        WorkPhase::Red => [
            must("tests_generated", last.tests_generated),
            may("criteria_covered", last.criteria_covered),
            None,
        ],
        WorkPhase::Green => [
            must("tests_passing", last.tests_passing),
            may("tests_failing", last.tests_failing),
            may("tests_total", last.tests_total),
        ],
        WorkPhase::Refactor => [
            must("patterns_applied", last.patterns_applied),
            last.complexity_milli
                .map(|score| ("complexity_score", thousandths(score))),
            None,
        ],
        WorkPhase::Document => [
            must("docs_generated", last.docs_generated),
            may("diagrams_valid", last.diagrams_valid),
            None,
        ],
    };
    all.into_iter().flatten().collect()
}

/// A score as the number it was reported as.
fn thousandths(milli: u64) -> Value {
    if milli.is_multiple_of(1_000) {
        return Value::from(milli / 1_000);
    }
    let text = format!("{}.{:03}", milli / 1_000, milli % 1_000);
    text.parse::<f64>().map_or(Value::Null, Value::from)
}
