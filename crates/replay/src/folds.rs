//! How much of a good score is luck with the sessions at hand.
//!
//! Thresholds that were chosen on some sessions look better on these than on any
//! others. So the sessions are dealt into parts; for each part the thresholds are
//! chosen on all the others, and scored on it alone. What all parts come to
//! together is what may be expected elsewhere, and how far they lie apart is how
//! much to trust it.

use std::hash::{DefaultHasher, Hash, Hasher};

use fusebox_core::calls::CallPolicy;

use crate::knobs::{NoSuchNumber, Setting, with};
use crate::score::{Case, Found, Score, judge, score};
use crate::supervisor::Supervisor;

/// The share of solved sessions that may be harmed, in percent, by thresholds that
/// are chosen.
const TOLERATED: f64 = 1.0;

/// A part of the sessions, and what thresholds come to on it that were chosen on
/// the others.
#[derive(Clone, Debug)]
pub struct Fold {
    /// The thresholds that were chosen.
    pub settings: Vec<Setting>,
    /// Their warnings.
    pub warn: Score,
    /// Their trips.
    pub trip: Score,
}

/// What all parts come to.
#[derive(Clone, Debug)]
pub struct Folds {
    /// Each of them.
    pub parts: Vec<Fold>,
    /// The warnings of all, each part by its own thresholds.
    pub warn: Score,
    /// And the trips.
    pub trip: Score,
}

/// Deals the sessions into `parts`, and chooses for each of them out of `policies`
/// by what these come to on the others.
///
/// # Errors
///
/// If the policy lacks a number that is to be changed.
pub fn fold(
    cases: &[Case],
    base: &CallPolicy,
    policies: &[Vec<Setting>],
    parts: u32,
    supervisor: Option<&Supervisor>,
) -> Result<Folds, NoSuchNumber> {
    let mut tried: Vec<(&Vec<Setting>, Vec<Found>)> = Vec::new();
    for settings in policies {
        tried.push((settings, judge(cases, &with(base, settings)?)));
    }
    let part_of: Vec<u32> = cases.iter().map(|case| part_of(case, parts)).collect();
    let mut held_out = vec![Found::default(); cases.len()];
    let mut folds = Vec::new();
    for part in 0..parts {
        let elsewhere = |found: &[Found]| {
            let others = picked(cases, found, |at| part_of[at] != part);
            score(others, |found| found.trip, None)
        };
        let best = tried
            .iter()
            .max_by(|one, other| worth(&elsewhere(&one.1)).total_cmp(&worth(&elsewhere(&other.1))));
        let Some((settings, found)) = best else {
            continue;
        };
        let here = || picked(cases, found, |at| part_of[at] == part);
        folds.push(Fold {
            settings: settings.to_vec(),
            warn: score(here(), |found| found.warn, supervisor),
            trip: score(here(), |found| found.trip, supervisor),
        });
        for at in (0..cases.len()).filter(|at| part_of[*at] == part) {
            held_out[at] = found[at];
        }
    }
    let all = || picked(cases, &held_out, |_| true);
    Ok(Folds {
        parts: folds,
        warn: score(all(), |found| found.warn, supervisor),
        trip: score(all(), |found| found.trip, supervisor),
    })
}

/// What trips are worth: those that were right, as long as no more than a few were
/// wrong. Of policies that harm more, the one that harms least.
fn worth(trip: &Score) -> f64 {
    let harmed = trip.harmed().percent();
    if harmed <= TOLERATED {
        trip.caught().percent()
    } else {
        -harmed
    }
}

fn picked<'a>(
    cases: &'a [Case],
    found: &'a [Found],
    is_in: impl Fn(usize) -> bool,
) -> Vec<(&'a Case, Found)> {
    let all = cases.iter().zip(found.iter().copied()).enumerate();
    all.filter(|(at, _)| is_in(*at))
        .map(|(_, one)| one)
        .collect()
}

/// The part that a session is dealt into: always the same one.
fn part_of(case: &Case, parts: u32) -> u32 {
    let mut hasher = DefaultHasher::new();
    (&case.source, &case.session).hash(&mut hasher);
    u32::try_from(hasher.finish() % u64::from(parts.max(1))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::Group;
    use fusebox_core::calls::reading::{self, Outcome};
    use fusebox_core::calls::{Arguments, CallEvent};

    /// One call with the same answer, so many times.
    fn case(number: usize, group: Group, calls: u32) -> Case {
        let arguments = Arguments::read("{\"command\":\"make\"}");
        let events = (0..calls).flat_map(|call| {
            let id = call.to_string();
            let answered = reading::result(&id, Outcome::Ran, "no", 2);
            [
                CallEvent::Call(reading::call(&id, "Bash", &arguments)),
                CallEvent::Result(answered),
            ]
        });
        Case {
            source: "test".into(),
            session: number.to_string(),
            group,
            calls,
            last_edit: calls,
            events: events.collect(),
        }
    }

    /// Stuck sessions repeat a call eight times, solved ones five times: only a
    /// threshold between the two is right, and every part finds it on the others.
    #[test]
    fn thresholds_are_chosen_on_the_other_parts() {
        let mut cases: Vec<Case> = (0..60).map(|n| case(n, Group::Stuck, 8)).collect();
        cases.extend((60..120).map(|n| case(n, Group::Solved, 5)));
        let setting = |value| {
            let name = |rung: &str| Setting {
                name: format!("repeat.{rung}"),
                value,
            };
            vec![name("trip"), name("untouched")]
        };
        let policies = [setting(4), setting(7), setting(20)];
        let mut base = CallPolicy::native();
        for signal in ["nothing_new", "cycle"] {
            for rung in ["trip", "untouched"] {
                let off = format!("{signal}.{rung}=never").parse().unwrap();
                base = with(&base, &[off]).unwrap();
            }
        }
        let folds = fold(&cases, &base, &policies, 4, None).unwrap();
        assert_eq!(folds.parts.len(), 4);
        for part in &folds.parts {
            assert_eq!(part.settings, policies[1]);
        }
        assert_eq!((folds.trip.caught().hits, folds.trip.caught().of), (60, 60));
        assert_eq!((folds.trip.harmed().hits, folds.trip.harmful.of), (0, 60));
        let of: u32 = folds.parts.iter().map(|part| part.trip.caught().of).sum();
        assert_eq!(of, 60, "every session is scored once");
    }
}
