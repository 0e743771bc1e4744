//! Errors that are alike without being the same.
//!
//! A second opinion beside the [`Signature`](super::Signature): it names the
//! shape that several errors share, and decides nothing. It follows the idea of
//! log templates: texts with the same number of words, most of them equal, are
//! one text with gaps. What may become a gap is narrow, because the word that
//! differs is often the whole point: only names can differ, never plain words,
//! never codes, and never the word a text begins with, which is its type.

use super::normalise;

/// What stands for a name that differs.
const GAP: &str = "<*>";

/// The shape that several errors share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    words: Vec<String>,
    gaps: bool,
}

impl Template {
    /// The shape of one error, from its summary.
    #[must_use]
    pub fn of(summary: &str) -> Self {
        Self {
            words: normalise(summary).split(' ').map(str::to_owned).collect(),
            gaps: false,
        }
    }

    /// The shape of both, if they are alike.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Option<Self> {
        let first = self.words.first() == other.words.first();
        if !first || self.words.len() != other.words.len() {
            return None;
        }
        let mut equal = 0;
        let mut words = Vec::with_capacity(self.words.len());
        for (one, two) in self.words.iter().zip(&other.words) {
            if one == two {
                equal += 1;
                words.push(one.clone());
            } else if is_name(one) && is_name(two) {
                words.push(GAP.to_owned());
            } else {
                return None;
            }
        }
        let gaps = self.gaps || equal < words.len();
        // At least six words in ten.
        (equal * 10 >= words.len() * 6).then_some(Self { words, gaps })
    }

    /// Whether members of the group differ.
    #[must_use]
    pub fn has_gaps(&self) -> bool {
        self.gaps
    }

    /// The shape as one line, with `<*>` where members differ.
    #[must_use]
    pub fn text(&self) -> String {
        self.words.join(" ")
    }
}

/// Whether a word names a thing rather than saying something about it: it is in
/// quotes, is put together from several parts, or has capitals inside. A digit
/// that was not masked belongs to a code, and so does a word all in capitals.
fn is_name(word: &str) -> bool {
    if word == GAP {
        return true;
    }
    let bare = word.trim_matches(|c: char| c.is_ascii_punctuation() && !matches!(c, '<' | '>'));
    let code = word.bytes().any(|b| b.is_ascii_digit())
        || (bare.len() > 1 && bare.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'));
    let quoted = word.contains(['\'', '"', '`']);
    let joined = bare.contains(['_', '.', '/', ':', '\\', '-']);
    let humped = bare.chars().skip(1).any(char::is_uppercase);
    !code && !bare.is_empty() && (quoted || joined || humped)
}
