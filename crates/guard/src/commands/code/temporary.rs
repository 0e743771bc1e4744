//! Names that a program makes up for itself: `mkdtemp()`, `os.tmpdir()`.

use super::deeds::calls;
use super::given::HERE;
use super::mentions::Mention;
use super::outline::{Outline, Span};
use crate::commands::temporary::MADE;
use crate::text::Text;

/// Calls that answer with a place where nothing of anybody else is.
const MAKING: &[&str] = &[
    "mkdtemp",
    "mkdtempSync",
    "TemporaryDirectory",
    "NamedTemporaryFile",
    "gettempdir",
    "tmpdir",
    "mktmpdir",
    "MkdirTemp",
    "CreateTemp",
    "TempDir",
    "TempFile",
    "createTempDirectory",
    "createTempFile",
    "createTempDir",
    "temp_dir",
    "tempdir",
    "NSTemporaryDirectory",
    "GetTempPath",
];

/// What joins a directory and a name.
const JOINING: [&str; 6] = [
    "join(",
    "joinpath(",
    "resolve(",
    "catfile(",
    "Join(",
    "Combine(",
];

/// The same mentions, with each such call as one that stands for what it makes: what it is told
/// is only a part of the name. One that is told a directory makes it there.
pub(super) fn made(outline: &Outline<'_>, span: Span, all: Vec<Mention>) -> Vec<Mention> {
    let mut all = all;
    for call in calls(outline, span, MAKING) {
        let (from, to) = call.arguments;
        let told = &outline.bare[from..to];
        let is_elsewhere = told.contains("dir=") || told.contains("dir =");
        let is_prefix = call.name.starts_with("mkdtempS") || call.receiver_is(outline, "fs.");
        if is_elsewhere || (is_prefix && !told.contains("tmpdir")) {
            continue;
        }
        all.retain(|one| !one.is_within(&[(call.at, to)]));
        all.push(Mention {
            text: Text::fixed(MADE),
            pattern: None,
            is_read: false,
            is_vague: false,
            at: call.at,
            end: (to + 1).min(outline.code.len()),
        });
    }
    all.sort_by_key(|mention| mention.at);
    all
}

/// Whether what stands between two places joins a name to a directory that was made up, or to
/// the one where the program runs. Of others it is not known whether they are one directory or all in a tree.
pub(super) fn joins(code: &str, directory: &Mention, name: &Mention) -> bool {
    let is_here = directory.text == Text::fixed(HERE);
    let is_made = is_here || directory.text.known_start().starts_with(MADE);
    let is_absolute = name.text.known_start().starts_with('/');
    if !is_made || is_absolute {
        return false;
    }
    let before = code[..directory.at].trim_end();
    let before = before.strip_suffix("Path(").unwrap_or(before);
    let is_called = JOINING.iter().any(|call| before.ends_with(call));
    match code.get(directory.end..name.at).map(str::trim) {
        Some(",") => is_called,
        Some("/" | ") /" | ")/") => true,
        _ => false,
    }
}
