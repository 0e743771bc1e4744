//! What an agent says it spent.
//!
//! Claude Code sends numbers of its own if it is told to, also where nobody reads what
//! it prints. Two of them are picked up, cost and tokens, by model; everything else is
//! taken and forgotten. They are the agent's word: shown among the metrics, and never
//! decided by.

use std::collections::HashMap;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::spent::Totals;

/// The most models that are told apart, and the most series of one session's numbers.
const MODELS: usize = 32;
const SERIES: usize = 4_096;
/// No model has a longer name.
const NAME_BYTES: usize = 128;
/// What the protocol calls a number that goes on from the last one.
const CUMULATIVE: u8 = 2;

const COST: &str = "claude_code.cost.usage";
const TOKENS: &str = "claude_code.token.usage";

/// Adds numbers up as they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) totals: Totals,
    /// The last value of every series that goes on from it. What a series is called may be
    /// long, so it is known by its digest.
    last: HashMap<[u8; 32], f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Push {
    resource_metrics: Vec<ResourceMetrics>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ResourceMetrics {
    scope_metrics: Vec<ScopeMetrics>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ScopeMetrics {
    metrics: Vec<Metric>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Metric {
    name: String,
    sum: Option<Sum>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Sum {
    aggregation_temporality: u8,
    data_points: Vec<Point>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Point {
    attributes: Vec<Attribute>,
    as_double: Option<f64>,
    /// A number of 64 bits is a text here, or a number after all.
    as_int: Option<Number>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Text(String),
    Whole(i64),
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Attribute {
    key: String,
    value: Value,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Value {
    string_value: Option<String>,
}

impl Ledger {
    /// Goes on from what was received before.
    pub(crate) fn after(totals: Totals) -> Self {
        Self {
            totals,
            ..Self::default()
        }
    }

    /// Takes a push of metrics in; how many numbers of it counted.
    ///
    /// # Errors
    /// When it is not what the protocol says.
    pub(crate) fn take(&mut self, body: &[u8]) -> Result<usize, serde_json::Error> {
        let push: Push = serde_json::from_slice(body)?;
        let scopes = push.resource_metrics.into_iter();
        let metrics = scopes.flat_map(|one| one.scope_metrics);
        let mut counted = 0;
        for metric in metrics.flat_map(|one| one.metrics) {
            let is_known = metric.name == COST || metric.name == TOKENS;
            for (sum, point) in points(metric.sum.filter(|_| is_known)) {
                counted += usize::from(self.add(&metric.name, sum, &point));
            }
        }
        Ok(counted)
    }

    fn add(&mut self, name: &str, temporality: u8, point: &Point) -> bool {
        let Some(value) = point.value().filter(|value| value.is_finite()) else {
            return false;
        };
        let more = match temporality {
            CUMULATIVE => self.since_last(name, point, value),
            _ => value,
        };
        let model = point.text("model").filter(|name| name.len() <= NAME_BYTES);
        let model = model.unwrap_or("unknown");
        let models = &mut self.totals.models;
        if more <= 0.0 || (models.len() >= MODELS && !models.contains_key(model)) {
            return false;
        }
        let spent = models.entry(model.to_owned()).or_default();
        let total = if name == COST {
            &mut spent.cost_usd
        } else {
            let kinds = ["input", "output", "cacheRead", "cacheCreation"];
            match point.text("type").filter(|kind| kinds.contains(kind)) {
                Some(kind) => spent.tokens.entry(kind.to_owned()).or_default(),
                None => return false,
            }
        };
        // What is without end could not be written down, and all the rest with it.
        let counts = (*total + more).is_finite();
        if counts {
            *total += more;
        }
        counts
    }

    /// What a number that only grows has grown by; after a fresh start, all of it.
    fn since_last(&mut self, name: &str, point: &Point, value: f64) -> f64 {
        let mut series = vec![name.to_owned()];
        let attributes = point.attributes.iter();
        series.extend(attributes.map(|one| {
            let value = one.value.string_value.as_deref().unwrap_or_default();
            format!("{}={value}", one.key)
        }));
        series.sort();
        if self.last.len() >= SERIES {
            self.last.clear();
        }
        let series = Sha256::digest(series.join("\n")).into();
        match self.last.insert(series, value) {
            Some(before) if before <= value => value - before,
            _ => value,
        }
    }
}

fn points(sum: Option<Sum>) -> impl Iterator<Item = (u8, Point)> {
    let sum = sum.unwrap_or_default();
    let temporality = sum.aggregation_temporality;
    let points = sum.data_points.into_iter();
    points.map(move |point| (temporality, point))
}

impl Point {
    fn value(&self) -> Option<f64> {
        match (&self.as_double, &self.as_int) {
            (Some(value), _) => Some(*value),
            (None, Some(Number::Whole(value))) => Some(*value as f64),
            (None, Some(Number::Text(text))) => text.parse().ok(),
            (None, None) => None,
        }
    }

    fn text(&self, key: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|one| one.key == key)?;
        found.value.string_value.as_deref()
    }
}

/// A door for the fuzzer: whatever is pushed, what was added up can be written down and read again.
#[cfg(feature = "fuzzing")]
pub(crate) fn take_in(bytes: &[u8]) {
    let mut ledger = Ledger::default();
    for body in bytes.split(|byte| *byte == b'\n') {
        // What is not understood is refused; everything else is.
        let _ = ledger.take(body);
    }
    let written = serde_json::to_vec(&ledger.totals).expect("totals can be written");
    let read: Totals = serde_json::from_slice(&written).expect("and read");
    assert!(read.models.len() <= MODELS);
    assert!(read.models.keys().eq(ledger.totals.models.keys()));
}

/// A door for the fuzzer: whatever the file says that is gone on from, its sums stay numbers that
/// can be written down and read again.
#[cfg(feature = "fuzzing")]
pub(crate) fn go_on_from(text: &[u8]) {
    let mut ledger = Ledger::after(Totals::of_text(text));
    let models: Vec<String> = ledger.totals.models.keys().take(3).cloned().collect();
    for model in models.iter().map(String::as_str).chain(["new"]) {
        let model = serde_json::to_string(model).expect("a name");
        let push = format!(
            r#"{{"resourceMetrics":[{{"scopeMetrics":[{{"metrics":[{{"name":"{COST}","sum":{{
            "aggregationTemporality":1,"dataPoints":[{{"asDouble":1e308,"attributes":[
            {{"key":"model","value":{{"stringValue":{model}}}}}]}}]}}}}]}}]}}]}}"#
        );
        ledger.take(push.as_bytes()).expect("a push");
    }
    let written = serde_json::to_vec(&ledger.totals).expect("totals can be written");
    let read: Totals = serde_json::from_slice(&written).expect("and read");
    assert!(read.models.keys().eq(ledger.totals.models.keys()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(model: &str, cost: f64) -> String {
        format!(
            r#"{{"resourceMetrics":[{{"scopeMetrics":[{{"metrics":[{{"name":"{COST}","sum":{{
            "aggregationTemporality":1,"dataPoints":[{{"asDouble":{cost:e},"attributes":[
            {{"key":"model","value":{{"stringValue":"{model}"}}}}]}}]}}}}]}}]}}]}}"#
        )
    }

    #[test]
    fn sums_stay_numbers_and_names_stay_short() {
        let mut ledger = Ledger::default();
        for (model, cost, counted) in [
            ("opus", 1e308, 1),
            ("opus", 1e308, 0),
            ("opus", -1.0, 0),
            (&"x".repeat(NAME_BYTES + 1), 1.0, 1),
        ] {
            let taken = ledger.take(push(model, cost).as_bytes());
            assert_eq!(taken.expect("a push"), counted, "{model} {cost}");
        }
        let names: Vec<&str> = ledger.totals.models.keys().map(String::as_str).collect();
        assert_eq!(names, ["opus", "unknown"]);
        let state = tempfile::tempdir().expect("a directory");
        ledger.totals.save(state.path()).expect("written");
        assert_eq!(Totals::load(state.path()), ledger.totals);
    }
}
