//! Python: a list of places, the innermost last, and then the exception.
//!
//! An exception that was raised while another was handled comes with both tracebacks; only
//! the last of them is what the program ended with.

use super::{Problem, Stage};

pub(super) fn find(text: &str, add: &mut dyn FnMut(Problem)) {
    let mut place: Option<(&str, u32)> = None;
    let mut raised: Option<Problem> = None;
    for line in text.lines() {
        if is_chained(line) {
            raised = None;
        } else if let Some(found) = frame(line) {
            place = Some(found);
        } else if place.is_some()
            && let Some((kind, message)) = exception(line)
        {
            if let Some(earlier) = raised.take() {
                add(earlier);
            }
            raised = Some(Problem::new(stage(kind), Some(kind), message, place.take()));
        } else if !line.starts_with(' ') && !line.is_empty() {
            place = None;
        }
    }
    if let Some(last) = raised {
        add(last);
    }
}

fn is_chained(line: &str) -> bool {
    line.starts_with("During handling of the above exception")
        || line.starts_with("The above exception was the direct cause")
}

/// `  File "test_import.py", line 1, in <module>`
fn frame(line: &str) -> Option<(&str, u32)> {
    let (file, rest) = line.trim_start().strip_prefix("File \"")?.split_once('"')?;
    let number = rest.strip_prefix(", line ")?;
    let digits = number.split(|it: char| !it.is_ascii_digit()).next()?;
    Some((file, digits.parse().ok()?))
}

/// `ModuleNotFoundError: No module named 'nothing'`, which is never indented.
fn exception(line: &str) -> Option<(&str, &str)> {
    let (kind, message) = line.split_once(':').unwrap_or((line, ""));
    let is_name = !kind.is_empty()
        && kind
            .chars()
            .all(|it| it.is_alphanumeric() || matches!(it, '_' | '.'));
    (is_name && kind != "Traceback").then_some((kind, message))
}

fn stage(kind: &str) -> Stage {
    match kind {
        "SyntaxError" | "IndentationError" | "TabError" => Stage::Building,
        _ => Stage::Running,
    }
}
