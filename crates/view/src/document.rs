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
    /// A table with a heading.
    Table {
        /// The names of the columns.
        head: Vec<&'static str>,
        /// The rows.
        rows: Vec<Vec<Text>>,
    },
    /// Output, word for word.
    Verbatim(String),
    /// A picture.
    Chart(Chart),
}

/// A line of text, each piece with its author.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Ours(String),
    Theirs(String),
    Link { text: String, to: String },
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
        Self(vec![Piece::Link { text, to }])
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
