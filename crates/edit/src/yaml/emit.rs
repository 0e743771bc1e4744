//! Values written as YAML.

use std::fmt::Write as _;

use fusebox_core::is_hostile;

use super::Broken;
use super::tree::{Kind, Node};

/// A value to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A word, a number or a moment, which needs no quotes.
    Plain(String),
    /// Any text; it is put in quotes.
    Text(String),
    /// Names with values.
    Map(Vec<(String, Self)>),
    /// One value after another.
    List(Vec<Self>),
}

impl Value {
    /// What `node` says, to be written elsewhere.
    pub(super) fn of(node: &Node<'_>) -> Result<Self, Broken> {
        Ok(match &node.kind {
            _ if node.is_null() => Self::Null,
            Kind::Scalar { text, plain: true } => Self::Plain(text.clone().into_owned()),
            Kind::Scalar { text, plain: false } => Self::Text(text.clone().into_owned()),
            Kind::Map(entries) => {
                let pair = |entry: &super::Entry<'_>| {
                    Ok((entry.key.clone().into_owned(), Self::of(&entry.value)?))
                };
                Self::Map(entries.iter().map(pair).collect::<Result<_, Broken>>()?)
            }
            Kind::List(items) => Self::List(items.iter().map(Self::of).collect::<Result<_, _>>()?),
            Kind::Alias | Kind::Passed => {
                return Err(Broken::new(
                    node.line,
                    "what refers to another part cannot be moved",
                ));
            }
        })
    }

    /// Whether `node` says the same.
    pub(super) fn is_said_by(&self, node: &Node<'_>) -> bool {
        match (self, &node.kind) {
            (Self::Null, _) => node.is_null(),
            (Self::Plain(own) | Self::Text(own), Kind::Scalar { text, .. }) => own == text,
            (Self::Map(own), Kind::Map(entries)) => {
                let said = |(key, value): &(String, Self)| {
                    node.get(key).is_some_and(|node| value.is_said_by(node))
                };
                own.len() == entries.len() && own.iter().all(said)
            }
            (Self::List(own), Kind::List(items)) => {
                let mut pairs = own.iter().zip(items);
                own.len() == items.len() && pairs.all(|(value, node)| value.is_said_by(node))
            }
            _ => false,
        }
    }

    /// Puts `value` at `path` within it, making maps on the way.
    pub(super) fn put(&mut self, path: &[&str], value: Self) {
        let Some((first, rest)) = path.split_first() else {
            *self = value;
            return;
        };
        if !matches!(self, Self::Map(_)) {
            *self = Self::Map(Vec::new());
        }
        if let Self::Map(entries) = self {
            if !entries.iter().any(|(key, _)| key == first) {
                entries.push(((*first).to_owned(), Self::Null));
            }
            if let Some((_, place)) = entries.iter_mut().find(|(key, _)| key == first) {
                place.put(rest, value);
            }
        }
    }

    /// What follows the colon of a name that stands at column `indent`: a word on
    /// the same line, or lines below it. No line break at the end.
    pub(super) fn after_colon(&self, indent: usize, newline: &str) -> String {
        match self {
            Self::Map(entries) if !entries.is_empty() => {
                format!("{newline}{}", self.lines(indent + 2, newline))
            }
            Self::List(items) if !items.is_empty() => {
                format!("{newline}{}", self.lines(indent + 2, newline))
            }
            single => format!(" {}", single.inline()),
        }
    }

    /// It on lines of its own at column `indent`, without a break at the end.
    pub(super) fn lines(&self, indent: usize, newline: &str) -> String {
        let margin = " ".repeat(indent);
        let lines: Vec<String> = match self {
            Self::Map(entries) => entries
                .iter()
                .map(|(name, value)| {
                    format!(
                        "{margin}{}:{}",
                        key(name),
                        value.after_colon(indent, newline)
                    )
                })
                .collect(),
            Self::List(items) => items
                .iter()
                .map(|item| item.item(indent, newline))
                .collect(),
            single => vec![format!("{margin}{}", single.inline())],
        };
        lines.join(newline)
    }

    /// It as an item of a list whose dashes stand at column `indent`.
    pub(super) fn item(&self, indent: usize, newline: &str) -> String {
        let lines = self.lines(indent + 2, newline);
        format!("{}- {}", " ".repeat(indent), lines.trim_start_matches(' '))
    }

    fn inline(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Plain(text) => text.clone(),
            Self::Text(text) => quoted(text),
            Self::Map(_) => "{}".to_owned(),
            Self::List(_) => "[]".to_owned(),
        }
    }
}

fn key(name: &str) -> String {
    let simple = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    let starts = name
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    if starts && name.bytes().all(simple) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// A text in quotes, on one line, whatever is in it.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Controls, line breaks of other alphabets, and what turns or hides what a reader sees.
            c if is_hostile(c) => {
                let _ = match u32::from(c) {
                    code @ ..=0xffff => write!(out, "\\u{code:04X}"),
                    code => write!(out, "\\U{code:08X}"),
                };
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
