//! What an iteration said last, for an error that has no better words.

use fusebox_supervise::HeadTail;
use serde::Deserialize;

use super::listener::{Heard, LAST_WORDS};

/// A line of a log that programs write for programs, as far as it is meant for people.
#[derive(Deserialize)]
struct LogLine {
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    msg: Option<String>,
    #[serde(default)]
    error: Option<Trouble>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Trouble {
    Said(String),
    Told { message: String },
    Other(serde::de::IgnoredAny),
}

/// The last line that says anything: of standard error, else of what the agent said, else, where
/// its output is not a stream of events, of all output.
pub(super) fn of(heard: &Heard, structured: bool) -> String {
    let told = || match structured {
        true => heard.activity.last_said.as_deref().and_then(last_of),
        false => last_line(&heard.all),
    };
    let line = last_line(&heard.errors).or_else(told);
    line.map_or_else(String::new, in_words)
}

/// What programs begin an error with, in any case of letters.
const MARKS: [&str; 7] = [
    "error:",
    "error[",
    "exception:",
    "failed:",
    "fail:",
    "fatal:",
    "panicked at",
];

/// Whether a line says by itself that it is an error.
pub(super) fn name_an_error(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    MARKS.iter().any(|mark| line.contains(mark))
}

/// What a line means for people, if it is one for programs.
pub(super) fn in_words(line: String) -> String {
    if !line.starts_with('{') {
        return line;
    }
    let Ok(log) = serde_json::from_str::<LogLine>(&line) else {
        return line;
    };
    let trouble = match log.error {
        Some(Trouble::Said(words) | Trouble::Told { message: words }) => Some(words),
        Some(Trouble::Other(_)) | None => None,
    };
    let words = [log.message, log.msg, trouble].into_iter().flatten();
    let words: Vec<String> = words.filter(|words| !words.trim().is_empty()).collect();
    if words.is_empty() {
        line
    } else {
        words.join(": ")
    }
}

fn last_line(kept: &HeadTail) -> Option<String> {
    let mut bytes = Vec::new();
    kept.write_to(&mut bytes).ok()?;
    let end = &bytes[bytes.len().saturating_sub(LAST_WORDS)..];
    last_of(&String::from_utf8_lossy(end))
}

fn last_of(text: &str) -> Option<String> {
    let lines = text.lines().rev().map(str::trim);
    let mut said = lines.filter(|line| !line.is_empty());
    said.next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_programs_is_told_as_people_would() {
        for (line, words) in [
            ("plain words", "plain words"),
            (r#"{"level":"error","msg":"no route","code":7}"#, "no route"),
            (r#"{"error":{"message":"no key","type":"auth"}}"#, "no key"),
            (
                r#"{"message":"cannot start","error":"no room"}"#,
                "cannot start: no room",
            ),
            (r#"{"error":12}"#, r#"{"error":12}"#),
            (r#"{"broken"#, r#"{"broken"#),
        ] {
            assert_eq!(in_words(line.to_owned()), words);
        }
    }
}
