//! YAML: one section of a document changed, and every other byte as it was.
//!
//! A document is taken apart once to find the section; the section alone is then
//! edited, which stays quick however long the document has become. Within the
//! section too only what was asked about changes: comments, unknown names and
//! their order stay.

mod emit;
mod frame;
mod places;
mod read;
#[cfg(test)]
mod tests;
mod tree;

use std::ops::Range;

pub use emit::{Value, quoted};
pub use read::Wanted;
pub use tree::{Entry, Kind, Node};

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Broken {
    /// The line, counted from 1.
    pub line: usize,
    /// What.
    pub what: String,
}

impl Broken {
    fn new(line: usize, what: &str) -> Self {
        let what = what.to_owned();
        Self { line, what }
    }
}

/// A document that was taken apart.
#[derive(Clone, Debug)]
pub struct Document<'t> {
    text: &'t str,
    root: Node<'t>,
}

impl<'t> Document<'t> {
    /// Takes `text` apart.
    ///
    /// # Errors
    /// [`Broken`] if it is not sound, holds more than one document, names
    /// something twice, or is larger or deeper than is ever read.
    pub fn parse(text: &'t str) -> Result<Self, Broken> {
        Self::parse_parts(text, &|_| Wanted::Whole, &mut |_| Ok(()))
    }

    /// Takes `text` apart and keeps what is `wanted` of each section, by its name. The items
    /// of those whose items are wanted are handed to `item` as they are read.
    ///
    /// # Errors
    /// As for [`Document::parse`], and whatever `item` says of one.
    pub fn parse_parts(
        text: &'t str,
        wanted: &dyn Fn(&str) -> Wanted,
        item: &mut dyn FnMut(Node<'_>) -> Result<(), Broken>,
    ) -> Result<Self, Broken> {
        let root = read::read(text, wanted, item)?;
        Ok(Self { text, root })
    }

    /// All of it.
    #[must_use]
    pub fn root(&self) -> &Node<'t> {
        &self.root
    }

    /// The lines of the section `key`: its name and its value, without comments
    /// before and after it. `None` where there is none.
    #[must_use]
    pub fn section(&self, key: &str) -> Option<&'t str> {
        self.section_range(key).map(|range| &self.text[range])
    }

    fn section_range(&self, key: &str) -> Option<Range<usize>> {
        let entry = self.root.entry(key)?;
        let start = line_start(self.text, entry.start);
        Some(start..line_end(self.text, entry.value.end.max(entry.end)))
    }

    /// Where the section `key` stands, or would stand: behind all others.
    ///
    /// # Errors
    /// [`Broken`] where sections are not on lines of their own.
    pub fn place(&self, key: &str) -> Result<Place, Broken> {
        let sections = self.root.entries().is_some() || self.root.is_null();
        if self.root.flows || !sections {
            let what = "it is not written as one section below the other";
            return Err(Broken::new(self.root.line, what));
        }
        let end = document_end(self.text);
        let joined = end == 0 || self.text[..end].ends_with('\n');
        Ok(match self.section_range(key) {
            Some(range) => Place { range, gap: "" },
            None if joined => Place {
                range: end..end,
                gap: "",
            },
            None => Place {
                range: end..end,
                gap: newline(self.text),
            },
        })
    }
}

/// Where the document ends: at the line that says so, or with the text. Nothing but comments may
/// follow there.
fn document_end(text: &str) -> usize {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "..." {
            return start;
        }
        start += line.len();
    }
    start
}

/// Where a section stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    range: Range<usize>,
    /// What must come before it.
    gap: &'static str,
}

impl Place {
    /// The section, if it is there.
    #[must_use]
    pub fn section<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(self.range.clone())
            .filter(|section| !section.is_empty())
    }

    /// The text with another section in its place.
    #[must_use]
    pub fn fill(&self, text: &str, section: &str) -> String {
        let before = text.get(..self.range.start).unwrap_or(text);
        let after = text.get(self.range.end..).unwrap_or_default();
        [before, self.gap, section, after].concat()
    }
}

/// A text with `value` at `path`: names, and numbers for the items of lists. What
/// stood there is replaced; names that are missing are added at the end of where
/// they belong.
///
/// # Errors
/// [`Broken`] if the text is not sound, or not one of names and values, and where the value
/// could not be read afterwards: there are ways of writing YAML that are not followed here,
/// and what is replaced may be what another part refers to.
pub fn set(text: &str, path: &[&str], value: &Value) -> Result<String, Broken> {
    let written = with_value(text, path, value)?;
    let read = Document::parse(&written)?;
    let place = path.iter().try_fold(read.root(), |node, key| node.at(key));
    if place.is_some_and(|node| value.is_said_by(node)) {
        return Ok(written);
    }
    let what = format!("`{}` cannot be set as it is written here", path.join("."));
    Err(Broken { line: 1, what })
}

fn with_value(text: &str, path: &[&str], value: &Value) -> Result<String, Broken> {
    let document = Document::parse(text)?;
    let newline = newline(text);
    let mut node = &document.root;
    for (depth, key) in path.iter().enumerate() {
        let rest = &path[depth + 1..];
        if node.items().is_some() && !rest.is_empty() {
            let missing = || Broken::new(node.line, "there is no such item");
            node = node.at(key).ok_or_else(missing)?;
            continue;
        }
        let Some(entries) = block_entries(node) else {
            return replace_with_map(text, path, depth, node, value);
        };
        let Some(entry) = node.entry(key) else {
            let mut added = Value::Null;
            added.put(rest, value.clone());
            let indent = entries.first().map_or(0, |first| column(text, first.start));
            let line = Value::Map(vec![((*key).to_owned(), added)]).lines(indent, newline);
            return Ok(insert_line(text, node.end, &line));
        };
        if rest.is_empty() {
            let indent = column(text, entry.start);
            return Ok(replace_value(
                text,
                entry,
                &value.after_colon(indent, newline),
            ));
        }
        node = &entry.value;
    }
    Ok(value.lines(0, newline) + newline)
}

/// The lines of `value` as an item of a list whose dashes stand at `column`.
#[must_use]
pub fn item(value: &Value, column: usize) -> String {
    value.item(column, "\n") + "\n"
}

/// A text with `item` at the end of the list at `path`.
///
/// # Errors
/// As for [`set`].
pub fn push(text: &str, path: &[&str], item: &Value) -> Result<String, Broken> {
    let document = Document::parse(text)?;
    let list = path
        .iter()
        .try_fold(&document.root, |node, key| node.get(key));
    let items = list.and_then(Node::items).unwrap_or_default();
    if let (Some(list), Some(first)) = (list, items.first())
        && !list.flows
    {
        let line = item.item(dash_column(text, first.start), newline(text));
        let written = insert_line(text, list.end, &line);
        Document::parse(&written)?;
        return Ok(written);
    }
    let mut values: Vec<Value> = items.iter().map(Value::of).collect::<Result<_, _>>()?;
    values.push(item.clone());
    set(text, path, &Value::List(values))
}

/// The entries of a map that is written on lines of its own.
fn block_entries<'n, 't>(node: &'n Node<'t>) -> Option<&'n [Entry<'t>]> {
    node.entries()
        .filter(|entries| !node.flows && !entries.is_empty())
}

/// Rewrites what stands at the first `depth` names of `path` and cannot be added
/// to where it is: nothing at all, or names within braces.
fn replace_with_map(
    text: &str,
    path: &[&str],
    depth: usize,
    node: &Node<'_>,
    value: &Value,
) -> Result<String, Broken> {
    let mut whole = match node.kind {
        Kind::Map(_) => Value::of(node)?,
        _ if node.is_null() => Value::Map(Vec::new()),
        _ => return Err(Broken::new(node.line, "names and values are expected here")),
    };
    whole.put(&path[depth..], value.clone());
    if depth == 0 {
        return Ok(whole.lines(0, newline(text)) + newline(text));
    }
    with_value(text, &path[..depth], &whole)
}

/// Puts `written` behind the colon of an entry.
fn replace_value(text: &str, entry: &Entry<'_>, written: &str) -> String {
    let colon = entry.end + text[entry.end..].find(':').map_or(0, |at| at + 1);
    let end = entry.value.end.max(colon);
    [&text[..colon], written, &text[end..]].concat()
}

/// Adds a line below the one that holds the byte before `at`.
fn insert_line(text: &str, at: usize, line: &str) -> String {
    let newline = newline(text);
    let place = line_end(text, at);
    let gap = if place > 0 && !text[..place].ends_with('\n') {
        newline
    } else {
        ""
    };
    [&text[..place], gap, line, newline, &text[place..]].concat()
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}

/// Where the next line begins.
fn line_end(text: &str, at: usize) -> usize {
    text[at..]
        .find('\n')
        .map_or(text.len(), |next| at + next + 1)
}

fn column(text: &str, at: usize) -> usize {
    text[line_start(text, at)..at].chars().count()
}

/// The column of the dash before an item.
fn dash_column(text: &str, item: usize) -> usize {
    let before = &text[..item];
    let lines = before.lines().rev();
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let mut dashes = lines.filter(|line| line[indent(line)..].starts_with('-'));
    dashes.next().map_or(0, indent)
}
