//! What a careful supervisor would have done, session by session.

use std::collections::HashMap;

use serde::Deserialize;
use thiserror::Error;

use crate::share::Share;

/// So many calls before a supervisor's stop, a verdict still is the same one.
const BEFORE: u32 = 3;
/// And so many after it.
const AFTER: u32 = 6;

/// A line of the file, as far as it is read.
#[derive(Deserialize)]
struct Label {
    session: String,
    stop_at: Option<u32>,
}

/// What a supervisor would have done: the call after which a session should
/// have ended, or none.
#[derive(Clone, Debug, Default)]
pub struct Supervisor(HashMap<String, Option<u32>>);

/// A line that is no label.
#[derive(Debug, Error)]
#[error("line {line} is no label: {why}")]
pub struct NoLabel {
    line: usize,
    why: serde_json::Error,
}

/// How verdicts compare with the supervisor's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opinion {
    /// Of the sessions to stop: stopped at about the same time.
    pub caught: Share,
    /// Of the sessions to stop: stopped much sooner.
    pub early: Share,
    /// Of the sessions to stop: stopped much later.
    pub late: Share,
    /// Of the sessions to leave alone: stopped.
    pub wrong: Share,
}

impl Supervisor {
    /// Reads labels, one JSON object a line.
    ///
    /// # Errors
    ///
    /// If a line is no label: a score over half of the labels would be taken for
    /// one over all.
    pub fn parse(text: &str) -> Result<Self, NoLabel> {
        let mut labels = HashMap::new();
        for (at, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let label: Label =
                serde_json::from_str(line).map_err(|why| NoLabel { line: at + 1, why })?;
            labels.insert(label.session, label.stop_at);
        }
        Ok(Self(labels))
    }

    /// How many sessions were read.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.0.len()
    }

    /// Compares verdicts with what the supervisor would have done.
    pub fn compare<'a>(&self, verdicts: impl Iterator<Item = (&'a str, Option<u32>)>) -> Opinion {
        let mut opinion = Opinion::default();
        for (session, at) in verdicts {
            match self.0.get(session) {
                Some(Some(stop)) => opinion.should_stop(at, *stop),
                Some(None) => opinion.wrong.count(at.is_some()),
                None => {}
            }
        }
        opinion
    }
}

impl Opinion {
    fn should_stop(&mut self, at: Option<u32>, stop: u32) {
        let early = at.is_some_and(|at| at + BEFORE < stop);
        let late = at.is_some_and(|at| at > stop + AFTER);
        self.early.count(early);
        self.late.count(late);
        self.caught.count(at.is_some() && !early && !late);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_caught_early_late_or_wrong() {
        let labels = "{\"session\":\"a\",\"stop_at\":10,\"kind\":\"x\"}\n\n{\"session\":\"b\",\"stop_at\":null}\n";
        let supervisor = Supervisor::parse(labels).unwrap();
        for (session, at, [caught, early, late, wrong]) in [
            ("a", Some(6), [0, 1, 0, 0]),
            ("a", Some(7), [1, 0, 0, 0]),
            ("a", Some(16), [1, 0, 0, 0]),
            ("a", Some(17), [0, 0, 1, 0]),
            ("a", None, [0, 0, 0, 0]),
            ("b", Some(1), [0, 0, 0, 1]),
            ("b", None, [0, 0, 0, 0]),
            ("c", Some(1), [0, 0, 0, 0]),
        ] {
            let opinion = supervisor.compare([(session, at)].into_iter());
            let hits = [opinion.caught, opinion.early, opinion.late, opinion.wrong];
            assert_eq!(
                hits.map(|share| share.hits),
                [caught, early, late, wrong],
                "{session} {at:?}"
            );
        }
        assert!(Supervisor::parse("{\"stop_at\":1}").is_err());
    }
}
