//! A page for people: written once, shown as Markdown or as HTML.
//!
//! A report is made of words of ours and of words of an agent, its tools and its
//! errors, and whoever reads it must not be led astray by the latter: not by a
//! heading, a link or an image that an error message contains, not by a script,
//! not by an escape sequence. So a [`Text`] says of each piece whose it is, and
//! the two renderers are the only places that turn text into markup. What is not
//! ours becomes a code span in Markdown, where nothing has a meaning, and plain
//! characters in HTML.

mod markdown;
mod page;
mod part;

use fusebox_core::State;

use crate::chart::Chart;

pub use page::STYLE;

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Its heading.
    pub title: Text,
    /// What stands below it, in order.
    pub blocks: Vec<Block>,
}

/// A part of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading.
    Heading(Text),
    /// A paragraph.
    Paragraph(Text),
    /// Names and their values.
    Facts(Vec<(&'static str, Text)>),
    /// One line for each.
    List(Vec<Text>),
    /// A few figures that are seen before anything is read.
    Tiles(Vec<(&'static str, Text)>),
    /// A table with a heading.
    Table {
        /// What it holds, for whoever hears it.
        name: &'static str,
        /// The names of the columns.
        head: Vec<&'static str>,
        /// The rows.
        rows: Vec<Vec<Text>>,
    },
    /// Counts, each against the threshold from which it speaks.
    Meters(Vec<Meter>),
    /// Output, word for word.
    Verbatim(String),
    /// A patch, word for word.
    Diff(String),
    /// A picture.
    Chart(Chart),
}

/// A count, and from which on it speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meter {
    /// What is counted.
    pub name: String,
    /// How many.
    pub value: u32,
    /// From how many on it speaks.
    pub threshold: u32,
    /// What it says, where it does.
    pub word: Option<&'static str>,
}

/// A line of text, each piece with its author.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Ours(String),
    Theirs(String),
    Link {
        text: String,
        to: String,
        /// Whose words they are.
        theirs: bool,
    },
    State(State, String),
    Curve(Vec<Option<i32>>),
    Time(i64),
    Unknown,
}

impl Text {
    /// Words of ours.
    #[must_use]
    pub fn ours(text: impl Into<String>) -> Self {
        Self(vec![Piece::Ours(text.into())])
    }

    /// Words of whoever: an agent, a tool, a person, a file name.
    #[must_use]
    pub fn theirs(text: impl Into<String>) -> Self {
        Self(vec![Piece::Theirs(text.into())])
    }

    /// Words of ours that lead somewhere on the same server. Only a page has
    /// somewhere to lead to; elsewhere they are words.
    #[must_use]
    pub fn link(text: impl Into<String>, to: impl Into<String>) -> Self {
        let (text, to) = (text.into(), to.into());
        Self(vec![Piece::Link {
            text,
            to,
            theirs: false,
        }])
    }

    /// The same with words of others. Where it leads is ours all the same.
    #[must_use]
    pub fn link_of_theirs(text: impl Into<String>, to: impl Into<String>) -> Self {
        let (text, to) = (text.into(), to.into());
        Self(vec![Piece::Link {
            text,
            to,
            theirs: true,
        }])
    }

    /// A state by its shape, its word and its colour.
    #[must_use]
    pub fn state(state: State, label: impl Into<String>) -> Self {
        Self(vec![Piece::State(state, label.into())])
    }

    /// Numbers as a small curve.
    #[must_use]
    pub fn curve(values: Vec<Option<i32>>) -> Self {
        Self(vec![Piece::Curve(values)])
    }

    /// A moment, in milliseconds since 1970.
    #[must_use]
    pub fn time(ms: i64) -> Self {
        Self(vec![Piece::Time(ms)])
    }

    /// What nobody knows.
    #[must_use]
    pub fn unknown() -> Self {
        Self(vec![Piece::Unknown])
    }

    /// The same and `other` behind it.
    #[must_use]
    pub fn then(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

#[cfg(test)]
mod tests;
