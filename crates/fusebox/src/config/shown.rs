//! Values as they are shown: typed for programs, as in a file for people.

use std::fmt;

use serde::Serialize;

use super::cells::Cell;
use super::kind::Kind;

/// Millionths of a dollar in one.
const MICRO: f64 = 1_000_000.0;

/// A value in the types that a file has.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Shown {
    Switch(bool),
    Number(u64),
    /// An amount of US dollars.
    Money(f64),
    /// A word, a time such as `30m` or a size such as `64MB`.
    Text(String),
    List(Vec<String>),
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch(on) => write!(f, "{on}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Money(dollars) => write!(f, "{dollars}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(words) => write!(f, "{words:?}"),
        }
    }
}

impl Cell {
    /// The value with its type; `None` is no bound.
    pub(crate) fn shown(&self) -> Option<Shown> {
        let (kind, amount) = (self.key.kind(), self.amount?);
        Some(match kind {
            Kind::Switch => Shown::Switch(amount != 0),
            #[expect(
                clippy::cast_precision_loss,
                reason = "less than a millionth of a dollar"
            )]
            Kind::Money => Shown::Money(amount as f64 / MICRO),
            Kind::Time | Kind::Size { .. } | Kind::Action => {
                Shown::Text(kind.written(amount).trim_matches('"').to_owned())
            }
            _ => Shown::Number(amount),
        })
    }
}
