//! The fields of a report, each parsed by name so that a complaint can name it.

use std::collections::BTreeMap;

use fusebox_core::Observation;
use fusebox_core::circuit::GrantId;
use fusebox_core::fact::Fact;
use fusebox_core::observation::{
    Claims, Ended, Environment, ErrorReport, Extra, FileChanges, PhaseMetrics, TestCounts, Usage,
    WorkPhase, WorkType,
};
use fusebox_edit::splice::without_mark;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::amounts;
use crate::grant;
use crate::moment;

/// The version of the report's shape.
const SCHEMA: u32 = 1;
/// Fields that are part of the shape and may hold words no signal reads: kept
/// then, and not complained about.
const KEPT: [&str; 3] = ["phase", "unit", "metrics"];

/// Reads one object.
pub(super) fn parse(text: &str) -> Result<(Observation, Option<GrantId>), String> {
    let text = without_mark(text);
    let mut fields = Fields(serde_json::from_str(text).map_err(|error| explain(text, &error))?);
    if let Some(schema) = fields
        .take::<u32>("schema")?
        .filter(|schema| *schema != SCHEMA)
    {
        return Err(format!(
            "it has schema {schema}, and this release reads schema {SCHEMA}"
        ));
    }
    let grant = match fields.take::<String>("grant")? {
        Some(name) => Some(
            grant::parse(&name)
                .ok_or_else(|| format!("`grant`: `{name}` does not look like `g-12`"))?,
        ),
        None => None,
    };
    let facts = Observation {
        iteration: fields.take("iteration")?,
        task: fields.take("task")?,
        phase: fields.word("phase", WorkPhase::ALL, WorkPhase::name),
        work_type: fields.take("work_type")?.map(|WireWork(work)| work),
        approach: fields.take("approach")?,
        metrics: fields.metrics()?,
        required_missing: Fact::measured(fields.take("required_missing")?),
        criteria_unmet: Fact::measured(fields.take("criteria_unmet")?),
        // How many says it all.
        lacks: Vec::new(),
        files: Fact::measured(fields.files()?),
        tree: Fact::measured(fields.take("tree")?),
        // Nobody but us can tell: it takes two of our own snapshots.
        shift: Fact::Unknown,
        tasks_completed: Fact::measured(fields.take("tasks_completed")?),
        features_passed: Fact::measured(fields.take("features_passed")?),
        // Nobody but the supervisor reads the list of features.
        features: Fact::Unknown,
        tests: Fact::measured(fields.take::<TestCounts>("tests")?),
        checks_failed: Fact::measured(fields.take("checks_failed")?),
        build_errors: Fact::measured(fields.take("build_errors")?),
        errors: Fact::measured(fields.take::<Vec<ErrorReport>>("errors")?),
        output_lines: Fact::measured(fields.take("output_lines")?),
        permission_denials: Fact::measured(fields.take("permission_denials")?),
        environment: fields.take::<Environment>("environment")?,
        retry_at_ms: fields.time("retry_at")?,
        retry_is_guess: false,
        ended: fields.take("exit_code")?.map(Ended::exited),
        duration_ms: fields.take("duration_ms")?,
        usage: fields.usage()?,
        claimed: fields.take::<Claims>("claimed")?.unwrap_or_default(),
        extra: fields.rest(),
    };
    Ok((facts, grant))
}

/// Names of fields that this release does not know.
pub(crate) fn strangers(facts: &Observation) -> impl Iterator<Item = &str> {
    facts
        .extra
        .iter()
        .map(|extra| extra.name.as_str())
        .filter(|name| !KEPT.contains(name))
}

/// What serde_json says, with the mistake people make most often named.
fn explain(text: &str, error: &serde_json::Error) -> String {
    match text.trim_start().chars().next() {
        None => "it is empty".into(),
        Some('{') => format!("it is not valid JSON: {error}"),
        Some(_) => "it is not a JSON object".into(),
    }
}

/// What serde says, without the names that types have in the code.
fn plain(why: &str) -> String {
    if why.contains("untagged enum") {
        return "it is of the wrong type".into();
    }
    let Some((found, expected)) = why.rsplit_once(", expected ") else {
        return why.to_owned();
    };
    let expected = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 on",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a sequence" => "a list",
        "a map" => "an object",
        "a boolean" => "true or false",
        other if other.contains("struct ") => "an object",
        other if other.contains("enum ") => "one of its words",
        other => other,
    };
    format!("{found}, expected {expected}")
}

struct Fields(BTreeMap<String, Box<RawValue>>);

#[derive(Deserialize)]
struct WireUsage {
    calls: Option<u32>,
    input_tokens: Option<u64>,
    cached_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cost_usd: Option<f64>,
}

/// The kinds of work, in the words that agents use for them.
struct WireWork(WorkType);

impl<'de> Deserialize<'de> for WireWork {
    fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let word = String::deserialize(input)?.to_lowercase();
        Ok(Self(match word.as_str() {
            "implementation" | "code" | "coding" => WorkType::Implementation,
            "testing" | "test" | "tests" => WorkType::Testing,
            "documentation" | "docs" => WorkType::Documentation,
            "refactoring" | "refactor" => WorkType::Refactoring,
            _ => WorkType::Other,
        }))
    }
}

#[derive(Deserialize)]
struct WireMetrics {
    tests_generated: Option<u64>,
    criteria_covered: Option<u64>,
    tests_passing: Option<u64>,
    tests_failing: Option<u64>,
    tests_total: Option<u64>,
    patterns_applied: Option<u64>,
    pattern_applied: Option<bool>,
    complexity_score: Option<f64>,
    duplication_removed: Option<bool>,
    docs_generated: Option<u64>,
    diagrams_valid: Option<u64>,
}

impl Fields {
    /// A field that is absent or null is unknown.
    fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, String> {
        let Some(raw) = self.0.remove(name) else {
            return Ok(None);
        };
        serde_json::from_str(raw.get()).map_err(|error| {
            let said = error.to_string();
            let why = said.split(" at line ").next().unwrap_or(&said);
            format!("`{name}`: {}", plain(why))
        })
    }

    /// A moment, as RFC 3339 or as seconds since the epoch.
    fn time(&mut self, name: &str) -> Result<Option<i64>, String> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Wire {
            Seconds(i64),
            Text(String),
        }
        match self.take::<Wire>(name)? {
            None => Ok(None),
            Some(Wire::Seconds(seconds)) => Ok(Some(seconds.saturating_mul(1_000))),
            Some(Wire::Text(text)) => moment::parse(&text).map(Some).ok_or_else(|| {
                format!("`{name}`: `{text}` is not a time like 2026-01-31T12:00:00Z")
            }),
        }
    }

    /// A number or a list of paths.
    fn files(&mut self) -> Result<Option<FileChanges>, String> {
        let is_list = self
            .0
            .get("files_changed")
            .is_some_and(|raw| raw.get().starts_with('['));
        if is_list {
            let paths = self.take::<Vec<String>>("files_changed")?;
            return Ok(paths.map(|paths| FileChanges {
                count: paths.len() as u64,
                paths,
                ..FileChanges::default()
            }));
        }
        let count = self.take::<u64>("files_changed")?;
        Ok(count.map(|count| FileChanges {
            count,
            paths: Vec::new(),
            ..FileChanges::default()
        }))
    }

    fn usage(&mut self) -> Result<Usage, String> {
        let Some(wire) = self.take::<WireUsage>("usage")? else {
            return Ok(Usage::default());
        };
        let micro_usd = wire
            .cost_usd
            .map(|dollars| amounts::micro_dollars("usage.cost_usd", dollars))
            .transpose()?;
        Ok(Usage {
            calls: wire.calls,
            input_tokens: wire.input_tokens,
            cached_tokens: wire.cached_tokens,
            output_tokens: wire.output_tokens,
            micro_usd,
        })
    }

    /// One of a few words; any other word stays where it is and is kept.
    fn word<T: Copy, const N: usize>(
        &mut self,
        field: &str,
        all: [T; N],
        name: fn(T) -> &'static str,
    ) -> Option<T> {
        let raw = self.0.get(field)?;
        let word: String = serde_json::from_str(raw.get()).ok()?;
        let found = all
            .into_iter()
            .find(|one| name(*one).eq_ignore_ascii_case(word.trim()))?;
        self.0.remove(field);
        Some(found)
    }

    /// The numbers of a phase. The object itself is kept too: other numbers in
    /// it belong to the sender.
    fn metrics(&mut self) -> Result<PhaseMetrics, String> {
        let Some(raw) = self.0.get("metrics").cloned() else {
            return Ok(PhaseMetrics::default());
        };
        let Some(wire) = self.take::<WireMetrics>("metrics")? else {
            return Ok(PhaseMetrics::default());
        };
        self.0.insert("metrics".to_owned(), raw);
        let complexity_milli = wire
            .complexity_score
            .map(|score| amounts::thousandths("metrics.complexity_score", score));
        Ok(PhaseMetrics {
            tests_generated: wire.tests_generated,
            criteria_covered: wire.criteria_covered,
            tests_passing: wire.tests_passing,
            tests_failing: wire.tests_failing,
            tests_total: wire.tests_total,
            patterns_applied: wire.patterns_applied,
            pattern_applied: wire.pattern_applied,
            complexity_milli: complexity_milli.transpose()?,
            duplication_removed: wire.duplication_removed,
            docs_generated: wire.docs_generated,
            diagrams_valid: wire.diagrams_valid,
        })
    }

    fn rest(self) -> Vec<Extra> {
        self.0
            .into_iter()
            .map(|(name, value)| Extra {
                name,
                value: value.get().to_owned(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_object_is_read_in_full() {
        let text = r#"{"schema": 1, "iteration": 7, "task": "T-12", "phase": "GREEN", "unit": "iteration",
            "files_changed": ["src/a.rs"], "tree": "abc", "tasks_completed": 0, "features_passed": 0,
            "tests": {"passed": 3, "failed": 7, "skipped": 0}, "build_errors": 0,
            "errors": [{"type": "TypeError", "message": "x is undefined", "file": "src/a.js", "line": 42}],
            "output_lines": 120, "permission_denials": 0, "work_type": "testing", "approach": "patch serializer",
            "metrics": {"tests_generated": 4}, "environment": null, "exit_code": 0, "duration_ms": 91000,
            "usage": {"calls": 4, "input_tokens": 1200, "cached_tokens": 90000, "output_tokens": 800, "cost_usd": 0.12},
            "claimed": {"complete": false, "exit_signal": false, "files_modified": 1}, "new_thing": [1, 2]}"#;
        let (facts, grant) = parse(text).unwrap();
        assert_eq!(grant, None);
        assert_eq!(
            facts.files,
            Fact::Measured(FileChanges {
                count: 1,
                paths: vec!["src/a.rs".into()],
                ..FileChanges::default()
            })
        );
        assert_eq!(
            facts.tests,
            Fact::Measured(TestCounts {
                passed: 3,
                failed: 7,
                skipped: 0
            })
        );
        assert_eq!(facts.usage.micro_usd, Some(120_000));
        assert_eq!(
            (facts.phase, facts.work_type),
            (Some(WorkPhase::Green), Some(WorkType::Testing))
        );
        assert_eq!(facts.metrics.tests_generated, Some(4));
        assert_eq!(facts.approach.as_deref(), Some("patch serializer"));
        assert_eq!(facts.claimed.files_modified, Some(1));
        assert_eq!(facts.environment, None);
        assert_eq!(strangers(&facts).collect::<Vec<_>>(), ["new_thing"]);
        assert!(
            facts
                .extra
                .iter()
                .any(|extra| extra.name == "metrics" && extra.value.contains("tests_generated"))
        );
    }

    #[test]
    fn an_absent_field_is_unknown_and_zero_is_not() {
        let (facts, _) = parse("{}").unwrap();
        assert_eq!(facts, Observation::default());
        let (facts, grant) =
            parse(r#"{"files_changed": 0, "errors": [], "grant": "g-3"}"#).unwrap();
        assert_eq!(facts.files, Fact::Measured(FileChanges::default()));
        assert_eq!(facts.errors, Fact::Measured(Vec::new()));
        assert_eq!(grant, Some(GrantId(3)));
    }

    #[test]
    fn complaints_name_the_field() {
        for (text, complaint) in [
            ("", "it is empty"),
            ("[1]", "it is not a JSON object"),
            (r#"{"files_changed": 3"#, "it is not valid JSON"),
            (
                r#"{"files_changed": -1}"#,
                "`files_changed`: invalid value: integer `-1`",
            ),
            (r#"{"files_changed": 1e99}"#, "`files_changed`"),
            (r#"{"tasks_completed": 4294967296}"#, "`tasks_completed`"),
            (r#"{"errors": "boom"}"#, "`errors`"),
            (
                r#"{"environment": "weather"}"#,
                "`environment`: unknown variant `weather`",
            ),
            (r#"{"usage": {"cost_usd": -0.5}}"#, "`usage.cost_usd`"),
            (r#"{"schema": 2}"#, "it has schema 2"),
            (r#"{"grant": "7"}"#, "`grant`"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(complaint), "{text}: {error}");
        }
    }

    #[test]
    fn deep_nesting_overflows_nothing() {
        let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(parse(&format!(r#"{{"x": {nested}}}"#)).is_ok());
        assert!(parse(&format!(r#"{{"errors": {nested}}}"#)).is_err());
    }
}
