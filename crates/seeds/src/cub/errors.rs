//! `error_history.json`: which errors were met, iteration by iteration.

use fusebox_core::circuit::Row;
use fusebox_core::quiet_json;
use fusebox_core::signature::mask_lines;
use serde_json::json;

use crate::json::{object, push, set};

/// How many errors the file holds.
const KEPT: usize = 500;
/// The file before the first of them.
const FRESH: &str = "{\n  \"error_history\": []\n}\n";

/// The file with the errors of one more iteration at its end; `None` where there
/// were none. One that cannot be read any more begins anew.
#[must_use]
pub fn error_history(found: Option<&str>, row: &Row) -> Option<String> {
    if row.errors.is_empty() {
        return None;
    }
    let found = found.filter(|text| list(text).is_some());
    let text = found.unwrap_or(FRESH);
    let mut history = list(text)?;
    for error in &row.errors {
        let entry = json!({
            "iteration": row.iteration,
            "signature": mask_lines(&error.shown),
            "file": error.place,
        });
        history = push(&history, &quiet_json(&entry.to_string()), KEPT)?;
    }
    set(text, &["error_history"], &history).ok()
}

fn list(text: &str) -> Option<String> {
    let list = object(text).ok()?.raw("error_history")?.get();
    list.starts_with('[').then(|| list.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusebox_core::circuit::RowError;
    use fusebox_core::signals::Progress;
    use fusebox_core::signature::Signature;

    fn row(iteration: u64, errors: Vec<RowError>) -> Row {
        Row {
            iteration,
            at_ms: 0,
            progress: Progress::None,
            reported: true,
            counted: true,
            score: None,
            worth: None,
            files: None,
            tasks: None,
            tests: None,
            build_errors: None,
            checks_failed: None,
            error_count: None,
            errors,
            output_lines: None,
            work_type: None,
            approach: None,
            tree: None,
            work: None,
            returned_to: None,
            sources_alone: false,
            ended: None,
            claimed: false,
            lacks: Vec::new(),
        }
    }

    fn error() -> RowError {
        RowError {
            message: None,
            signature: Signature(1),
            shown: "TypeError: undefined is not a function".to_owned(),
            place: Some("src/auth.js:42".to_owned()),
            test: None,
        }
    }

    /// The example of its document.
    const PRINTED: &str = r#"{
  "error_history": [
    {"iteration": 5, "signature": "TypeError: undefined is not a function", "file": "src/auth.js:42"},
    {"iteration": 6, "signature": "TypeError: undefined is not a function", "file": "src/auth.js:42"},
    {"iteration": 7, "signature": "TypeError: undefined is not a function", "file": "src/auth.js:42"}
  ]
}"#;

    #[test]
    fn req_000_028_and_093_to_094_signatures_are_written_without_the_numbers_of_lines() {
        let moved = |line: u32| RowError {
            signature: Signature(1),
            shown: format!("TypeError: x at line {line}, see src/a.js:{line}:7 after 3 tries"),
            place: None,
            test: None,
            message: None,
        };
        let first = error_history(None, &row(1, vec![moved(12)]));
        let text = error_history(first.as_deref(), &row(2, vec![moved(340)])).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        for entry in value["error_history"].as_array().unwrap() {
            let said = "TypeError: x at line N, see src/a.js:N:7 after 3 tries";
            assert_eq!(entry["signature"], said);
        }
    }

    #[test]
    fn req_000_027_to_028_and_d_076_the_printed_history_comes_about_and_grows() {
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        let mut text = None;
        for iteration in 5..=7 {
            text = error_history(text.as_deref(), &row(iteration, vec![error()]));
        }
        assert_eq!(value(&text.unwrap()), value(PRINTED));
        let grown = error_history(Some(PRINTED), &row(8, vec![error()])).unwrap();
        assert!(
            grown.starts_with(PRINTED.trim_end_matches("\n  ]\n}")),
            "{grown}"
        );
        assert_eq!(value(&grown)["error_history"].as_array().unwrap().len(), 4);
        assert_eq!(error_history(Some(PRINTED), &row(8, Vec::new())), None);
        for broken in ["", "{", "[]", r#"{"error_history": 3}"#] {
            let anew = error_history(Some(broken), &row(1, vec![error()])).unwrap();
            assert_eq!(value(&anew)["error_history"][0]["iteration"], 1, "{broken}");
        }
    }
}
