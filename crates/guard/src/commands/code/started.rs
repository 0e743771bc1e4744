//! What a program is started with: which one it is, its words, and where it works.

use super::mentions::Mention;
use super::outline::{Outline, Span};
use crate::text::Text;

/// Options that say where a program works.
pub(super) const DIRECTORIES: &[&str] = &[
    "cwd",
    "chdir",
    "cd",
    "dir",
    "Dir",
    "workingDir",
    "workingDirectory",
    "WorkingDirectory",
    "currentDirectoryURL",
    "currentDirectoryPath",
];

/// Options that say which program it is, wherever they stand.
const PROGRAMS: &[&str] = &[
    "executableURL",
    "launchPath",
    "FileName",
    "Path",
    "executable",
];

/// Options that name the words themselves.
const WORDS: &[&str] = &[
    "args",
    "Args",
    "arguments",
    "Arguments",
    "argv",
    "command",
    "fileURLWithPath",
    "filePath",
];

/// What a call that starts a program tells it.
pub(super) struct Started<'m> {
    pub(super) words: Vec<&'m Mention>,
    /// Where it works, if that is said: each place that may be meant.
    pub(super) directories: Option<Vec<Text>>,
}

impl<'m> Started<'m> {
    pub(super) fn new(outline: &Outline<'_>, arguments: Span, told: &[&'m Mention]) -> Self {
        let mut places = values(outline, arguments, DIRECTORIES);
        places.extend(files(outline, arguments));
        let programs = values(outline, arguments, PROGRAMS);
        let (directories, words): (Vec<&Mention>, Vec<&Mention>) =
            told.iter().partition(|one| one.is_within(&places));
        let is_other = |one: &&Mention| match option_of(&outline.bare[..one.at]) {
            Some(name) => !WORDS.contains(&name) && !PROGRAMS.contains(&name),
            None => false,
        };
        let words = words.into_iter().filter(|one| !is_other(one));
        let (mut first, others): (Vec<&Mention>, Vec<&Mention>) =
            words.partition(|one| one.is_within(&programs));
        first.extend(others);
        let directories = directories.iter().map(|one| one.text.clone()).collect();
        Self {
            words: first,
            directories: (!places.is_empty()).then_some(directories),
        }
    }
}

/// Where the values of these options stand.
fn values(outline: &Outline<'_>, (from, to): Span, names: &[&str]) -> Vec<Span> {
    let bare = &outline.bare;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut spans = Vec::new();
    for name in names {
        for (at, _) in bare[from..to].match_indices(name) {
            let (start, end) = (from + at, from + at + name.len());
            let rest = bare[end..to].trim_start();
            let is_sign = rest.starts_with(['=', ':']);
            let is_other = ["==", "=>", "::"].iter().any(|sign| rest.starts_with(sign));
            if is_sign && !is_other && !bare[..start].ends_with(is_word) {
                let value = to - rest.len() + 1;
                spans.push((value, outline.up_to((value, to), b",")));
            }
        }
    }
    spans
}

/// The arguments that are files as such: `new java.io.File("a")`. No word of a command is one,
/// but the place where it works is.
fn files(outline: &Outline<'_>, (from, to): Span) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut at = outline.up_to((from, to), b",") + 1;
    while at < to {
        let end = outline.up_to((at, to), b",");
        let text = outline.bare[at..end].trim();
        let text = text
            .strip_prefix("Some(")
            .map_or(text, |text| text.trim_end_matches(')'));
        let text = text.strip_prefix("new ").unwrap_or(text);
        let text = text.strip_prefix("java.io.").unwrap_or(text);
        let inner = text.strip_prefix("File(");
        if inner.is_some_and(|inner| !inner.trim_end_matches(')').contains(')')) {
            spans.push((at, end));
        }
        at = end + 1;
    }
    spans
}

/// The option whose value comes next: `shell=`, `shell:`.
fn option_of(before: &str) -> Option<&str> {
    let before = before.trim_end();
    let before = before.strip_suffix(['=', ':'])?.trim_end();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let name = &before[before.trim_end_matches(is_word).len()..];
    (!name.is_empty()).then_some(name)
}
