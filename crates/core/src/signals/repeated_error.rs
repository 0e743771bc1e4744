//! Iterations in a row that ran into the same error.
//!
//! An iteration can fail in several ways at once, and their order is an
//! accident. So each error has a streak of its own, and the signal reads the
//! longest: a new error beside the old one does not hide it.
//!
//! Two errors may have one cause and different names in them. That is no reason
//! to stop, but worth a line: the evidence names the shape that errors of other
//! iterations share with the repeated one.

use serde::{Deserialize, Serialize};

use super::found;
use crate::circuit::{Row, RowError};
use crate::decision::Evidence;
use crate::observation::Observation;
use crate::signature::{Identified, Signature, Template};

/// How many different errors are followed at once.
const FOLLOWED: usize = 16;

/// The errors of the last iteration, each with the number of iterations in a
/// row that had it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ErrorStreaks(Vec<(Signature, u32)>);

impl ErrorStreaks {
    /// The streaks after one more iteration.
    ///
    /// An error that is absent from a known list of errors ends its streak.
    /// Where nothing is known of errors, or outside trouble drowned the
    /// iteration, the streaks stay as they were.
    #[must_use]
    pub(crate) fn after(&self, observation: &Observation, errors: &Identified<'_>) -> Self {
        let Some(errors) = errors else {
            return self.clone();
        };
        if observation.environment.is_some() {
            return self.clone();
        }
        let mut next: Vec<(Signature, u32)> = Vec::new();
        for (signature, _) in errors.iter().copied() {
            if !next.iter().any(|(known, _)| *known == signature) {
                next.push((signature, self.streak(signature).saturating_add(1)));
            }
        }
        // The longest streaks are the ones worth following.
        next.sort_by_key(|(_, streak)| std::cmp::Reverse(*streak));
        next.truncate(FOLLOWED);
        Self(next)
    }

    /// The streaks with one that is at least so long.
    pub(crate) fn raise(&mut self, signature: Signature, streak: u32) {
        let streak = streak.max(self.streak(signature));
        self.0.retain(|(known, _)| *known != signature);
        self.0.push((signature, streak));
        self.0.sort_by_key(|(_, streak)| std::cmp::Reverse(*streak));
        self.0.truncate(FOLLOWED);
    }

    /// Whether the last iteration that is known to have had errors or none had this one.
    pub(crate) fn holds(&self, signature: Signature) -> bool {
        self.streak(signature) > 0
    }

    fn streak(&self, signature: Signature) -> u32 {
        self.0
            .iter()
            .find(|(known, _)| *known == signature)
            .map_or(0, |(_, streak)| *streak)
    }

    /// The error with the longest streak.
    #[must_use]
    pub fn leading(&self) -> Option<Signature> {
        self.0.first().map(|(signature, _)| *signature)
    }

    /// The longest streak.
    #[must_use]
    pub fn longest(&self) -> u32 {
        self.0.first().map_or(0, |(_, streak)| *streak)
    }

    /// Whether there is no error to follow.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

pub(super) fn evidence(streaks: &ErrorStreaks, rows: &[Row]) -> Vec<Evidence> {
    let Some((signature, streak)) = streaks.0.first() else {
        return Vec::new();
    };
    let seen: Vec<Evidence> = rows
        .iter()
        .filter_map(|row| {
            let error = row
                .errors
                .iter()
                .find(|error| error.signature == *signature)?;
            Some(found(row, error.shown.clone()))
        })
        .collect();
    let mut shown = seen[seen.len().saturating_sub(*streak as usize)..].to_vec();
    shown.extend(group_of(*signature, rows));
    shown
}

/// The shape that the repeated error shares with others, if it does.
fn group_of(signature: Signature, rows: &[Row]) -> Option<Evidence> {
    let shapes = shapes(rows);
    let (_, repeated) = shapes.iter().find(|(known, _)| *known == signature)?;
    let mut template = repeated.clone();
    for (_, shape) in &shapes {
        if let Some(merged) = template.merged(shape) {
            template = merged;
        }
    }
    let alike = shapes
        .iter()
        .filter(|(_, shape)| template.merged(shape).is_some());
    let alike: Vec<Signature> = alike.map(|(signature, _)| *signature).collect();
    let fits = |error: &RowError| alike.contains(&error.signature);
    let members = rows.iter().filter(|row| row.errors.iter().any(fits));
    let members: Vec<&Row> = members.collect();
    let last = members.last().filter(|_| template.has_gaps())?;
    let shape = template.text();
    Some(found(
        last,
        format!("alike in {} iterations: {shape}", members.len()),
    ))
}

/// One template for each different error: those that are the same look the same.
fn shapes(rows: &[Row]) -> Vec<(Signature, Template)> {
    let mut shapes: Vec<(Signature, Template)> = Vec::new();
    for error in rows.iter().flat_map(|row| &row.errors) {
        if !shapes.iter().any(|(known, _)| *known == error.signature) {
            shapes.push((error.signature, Template::of(&error.shown)));
        }
    }
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Fact;
    use crate::observation::{Environment, ErrorReport};
    use crate::policy::ErrorIdentity;
    use crate::signature::identified;

    fn with(messages: &[&str]) -> Observation {
        let errors = messages
            .iter()
            .map(|message| ErrorReport {
                message: (*message).into(),
                ..ErrorReport::default()
            })
            .collect();
        Observation {
            errors: Fact::Measured(errors),
            ..Observation::default()
        }
    }

    fn longest_after(ticks: &[Observation]) -> u32 {
        let streaks = ticks.iter().fold(ErrorStreaks::default(), |streaks, tick| {
            streaks.after(tick, &identified(tick, ErrorIdentity::Normalised))
        });
        streaks.longest()
    }

    #[test]
    fn req_004_018_the_longest_streak_of_any_one_error_is_read() {
        let unknown = Observation::default;
        let outage = || Observation {
            environment: Some(Environment::Network),
            ..with(&["x"])
        };
        for (ticks, expected) in [
            (vec![with(&["x at 1"]), with(&["x at 2"])], 2),
            (vec![with(&["x"]), with(&["y"]), with(&["x"])], 1),
            (vec![with(&["x"]), with(&["y", "x"]), with(&["x", "z"])], 3),
            (vec![with(&["x"]), with(&[]), with(&["x"])], 1),
            (vec![with(&["x"]), unknown(), with(&["x"])], 2),
            (vec![with(&["x"]), outage(), with(&["x"])], 2),
            (vec![with(&["x", "x"])], 1),
        ] {
            assert_eq!(longest_after(&ticks), expected, "{ticks:?}");
        }
    }

    #[test]
    fn req_004_108_the_evidence_names_what_others_share_with_the_repeated_error() {
        let missing = |name| format!("cannot find value `{name}` in this scope");
        let texts = [
            "disk full".to_owned(),
            missing("first_one"),
            missing("second"),
            missing("second"),
        ];
        let mut streaks = ErrorStreaks::default();
        let mut rows = Vec::new();
        for (n, text) in (1..).zip(&texts) {
            let facts = with(&[text]);
            streaks = streaks.after(&facts, &identified(&facts, ErrorIdentity::Normalised));
            let signature =
                Signature::of(&facts.errors.seen().unwrap()[0], ErrorIdentity::Normalised);
            rows.push(Row {
                errors: vec![RowError {
                    signature: signature.unwrap(),
                    shown: text.clone(),
                    place: None,
                }],
                ..Row::blank(n)
            });
        }
        let shown = evidence(&streaks, &rows);
        assert_eq!(
            shown[2],
            found(
                &rows[3],
                "alike in 3 iterations: cannot find value <*> in this scope"
            )
        );
        assert_eq!(evidence(&streaks, &rows[2..]).len(), 2, "nothing differs");
    }

    #[test]
    fn a_flood_of_errors_does_not_push_out_the_old_one() {
        let names: Vec<String> = (0..99_u8).map(|n| "e".repeat(usize::from(n) + 1)).collect();
        let mut flood: Vec<&str> = names.iter().map(String::as_str).collect();
        flood.push("the old one");
        assert_eq!(longest_after(&[with(&["the old one"]), with(&flood)]), 2);
    }
}
