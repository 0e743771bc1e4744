//! JSON whose parts know where they stand.
//!
//! A parsed tree has forgotten its lines, and a complaint without a line sends
//! people searching. Here an object is a list of names with the untouched text of
//! their values, and such a piece of the text tells its place by itself.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

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

/// An object: names and values in the order of the text, doubles included.
pub(crate) struct Object<'a>(pub(crate) Vec<(String, &'a RawValue)>);

impl<'a> Object<'a> {
    /// Reads a whole text. The error is about its syntax, or says that it holds
    /// something else than an object.
    pub(crate) fn parse(text: &'a str) -> Result<Self, Wrong> {
        serde_json::from_str(text).map_err(|error| wrong(text, &error))
    }
}

/// What a parser complains about, and where.
pub(crate) fn wrong(text: &str, error: &serde_json::Error) -> Wrong {
    let told = error.to_string();
    let what = told.split(" at line ").next().unwrap_or_default();
    let at = offset(text, error.line(), error.column());
    Placed {
        what: format!("this is not sound JSON: {what}"),
        span: at..at,
    }
}

/// The bytes of `text` that a part of it takes up.
pub(crate) fn span(text: &str, part: &RawValue) -> Range<usize> {
    let start = part.get().as_ptr().addr() - text.as_ptr().addr();
    start..start + part.get().len()
}

/// The byte at a line and a column, both counted from 1. The column counts bytes.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start: usize = lines.map(str::len).sum();
    (start + column.saturating_sub(1)).min(text.len())
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Object<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Object(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}
