//! The flags of `history`.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use fusebox_core::Event;
use fusebox_store::Query;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::values::words;

const TRIPPED: &str = "tripped";

/// `history`
#[derive(Debug, Args)]
pub(crate) struct History {
    /// How many lines to show, the latest ones [default: 20]
    #[arg(short = 'n', long = "last", value_name = "N")]
    pub(crate) last: Option<usize>,
    /// Only lines about this task
    #[arg(long, value_name = "NAME", value_parser = words)]
    pub(crate) task: Option<String>,
    /// Only lines of this kind; `tripped` is whatever opened the breaker, by itself or by request
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    pub(crate) kind: Option<HistoryKind>,
    /// Only lines whose task, reason or error contains this
    #[arg(long, value_name = "TEXT", value_parser = words)]
    pub(crate) search: Option<String>,
    /// Instead, show how work on each kind of task goes, the most troubled kind first
    #[arg(long, conflicts_with_all = ["last", "task", "kind", "search"])]
    pub(crate) patterns: bool,
    /// Instead, show triggers, failures, thresholds and time to resolution over the whole history
    #[arg(long, conflicts_with_all = ["task", "kind", "search"])]
    pub(crate) metrics: bool,
}

/// `diff`
#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The iteration; without it, the last one
    #[arg(value_name = "N")]
    pub(crate) iteration: Option<u64>,
}

/// A kind of lines in the history: the name of one that events have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HistoryKind(&'static str);

impl HistoryKind {
    /// The search for lines of this kind alone. A trip that nobody asked for is written
    /// down with what led to it, and counts as one nevertheless.
    pub(crate) fn narrow(self, query: Query) -> Query {
        Query {
            kind: Some(self.0.replace('_', " ")),
            or_opened: self.0 == TRIPPED,
            ..query
        }
    }
}

impl TryFrom<String> for HistoryKind {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let mut names = Event::NAMES.into_iter();
        let found = names.find(|known| *known == name);
        found
            .map(Self)
            .ok_or_else(|| format!("there is no kind `{name}`"))
    }
}

impl<'de> Deserialize<'de> for HistoryKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::try_from(name).map_err(D::Error::custom)
    }
}

fn kinds() -> impl TypedValueParser<Value = HistoryKind> {
    PossibleValuesParser::new(Event::NAMES).try_map(HistoryKind::try_from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::events;

    #[test]
    fn only_a_trip_is_more_than_its_word() {
        for name in Event::NAMES {
            let kind = HistoryKind::try_from(name.to_owned()).unwrap();
            let query = kind.narrow(Query::default());
            assert_eq!(events::name(&query.kind.unwrap()), name);
            assert_eq!(query.or_opened, name == "tripped");
        }
        assert!(HistoryKind::try_from("opened".to_owned()).is_err());
    }
}
