//! JSON whose parts know where they stand.
//!
//! A parsed tree has forgotten its lines, and a complaint without a line sends
//! people searching. In [`fusebox_edit::splice`] a piece of a text tells its place
//! by itself; here that becomes something that can be said.

use std::ops::Range;

use fusebox_edit::splice;
use serde_json::error::Category;

pub(crate) use fusebox_edit::splice::{Object, push, span, without_mark};

/// Something found in a text, and the bytes it was found at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    /// What was found.
    pub what: T,
    /// The bytes that hold it.
    pub span: Range<usize>,
}

/// A sentence about what is wrong, and where.
pub type Wrong = Placed<String>;

/// Reads a whole text. The error is about its syntax, or says that it holds
/// something else than an object.
pub(crate) fn object(text: &str) -> Result<Object<'_>, Wrong> {
    Object::parse(text).map_err(|error| wrong(text, &error))
}

/// The text with the value at `path` replaced or added, all around it untouched.
pub(crate) fn set(text: &str, path: &[&str], value: &str) -> Result<String, Wrong> {
    splice::set(text, path, value).map_err(|error| wrong(text, &error))
}

/// What a parser complains about, and where.
pub(crate) fn wrong(text: &str, error: &serde_json::Error) -> Wrong {
    let told = error.to_string();
    let what = told.split(" at line ").next().unwrap_or_default();
    let at = offset(text, error.line(), error.column());
    let about = match error.classify() {
        Category::Data => "this is not what belongs there",
        Category::Io | Category::Syntax | Category::Eof => "this is not valid JSON",
    };
    Placed {
        what: format!("{about}: {what}"),
        span: at..at,
    }
}

/// The byte at a line and a column, both counted from 1. The column counts bytes.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start: usize = lines.map(str::len).sum();
    // The parser has not seen the mark before the first character.
    let mark = text.len() - without_mark(text).len();
    let start = if line <= 1 { mark } else { start };
    (start + column.saturating_sub(1)).min(text.len())
}
