//! Iterations in a row that ran into the same error.
//!
//! An iteration can fail in several ways at once, and their order is an
//! accident. So each error has a streak of its own, and the signal reads the
//! longest: a new error beside the old one does not hide it.
//!
//! Two errors may have one cause and different names in them. That is no reason
//! to stop, but worth a line: the evidence names the shape that errors of other
//! iterations share with the repeated one.

use super::{ErrorStreaks, found};
use crate::circuit::{Row, RowError};
use crate::decision::Evidence;
use crate::signature::{Signature, Template};

pub(super) fn evidence(streaks: &ErrorStreaks, streak: u32, rows: &[Row]) -> Vec<Evidence> {
    let leading = streaks.leading();
    let Some(signature) = leading else {
        return Vec::new();
    };
    let seen: Vec<Evidence> =
        rows.iter()
            .filter_map(|row| {
                let error = row.errors.iter().find(|error| {
                    error.signature == signature || error.message == Some(signature)
                })?;
                Some(found(row, error.told()))
            })
            .collect();
    let mut shown = seen[seen.len().saturating_sub(streak as usize)..].to_vec();
    shown.extend(group_of(signature, rows));
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
            shapes.push((error.signature, Template::of(&error.told())));
        }
    }
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{ErrorIdentity, StreakRule};
    use crate::signals::streaks::tests::with;
    use crate::signature::identified;

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
            let errors = identified(&facts, ErrorIdentity::Normalised);
            streaks = streaks.after(&facts, &errors, StreakRule::Unbroken);
            let signature =
                Signature::of(&facts.errors.seen().unwrap()[0], ErrorIdentity::Normalised);
            rows.push(Row {
                errors: vec![RowError {
                    signature: signature.unwrap(),
                    shown: text.clone(),
                    place: None,
                    test: None,
                    message: None,
                }],
                ..Row::blank(n)
            });
        }
        let longest = streaks.longest(StreakRule::Unbroken);
        let shown = evidence(&streaks, longest, &rows);
        assert_eq!(
            shown[2],
            found(
                &rows[3],
                "alike in 3 iterations: cannot find value <*> in this scope"
            )
        );
        assert_eq!(
            evidence(&streaks, longest, &rows[2..]).len(),
            2,
            "nothing differs"
        );
    }
}
