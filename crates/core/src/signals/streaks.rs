//! How often in a row each error was met.

use serde::{Deserialize, Serialize};

use super::gains::{Gain, Marks};
use crate::observation::Observation;
use crate::policy::StreakRule;
use crate::signature::{Identified, Signature, of_message};

/// How many different errors are followed at once.
const FOLLOWED: usize = 16;

/// The errors of the last iteration, each with the number of iterations in a
/// row that had it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ErrorStreaks(Vec<Streak>);

/// The iterations in a row that had one error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Kept", into = "Kept")]
struct Streak {
    signature: Signature,
    /// Since something was gained.
    idle: u32,
    /// Since something was repaired, or since it came up.
    met: u32,
    /// Since it came up.
    present: u32,
    /// The best that was measured meanwhile.
    marks: Marks,
}

/// A streak as it is kept: in as few numbers as say all of it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Kept {
    Plain(Signature, u32),
    Marked(Signature, u32, u32, Marks),
    Mended(Signature, u32, u32, Marks, u32),
}

impl From<Kept> for Streak {
    fn from(kept: Kept) -> Self {
        match kept {
            Kept::Plain(signature, idle) => Self::of(signature, idle),
            Kept::Marked(signature, idle, met, marks) => Self {
                signature,
                idle,
                met,
                present: met,
                marks,
            },
            Kept::Mended(signature, idle, met, marks, present) => Self {
                signature,
                idle,
                met,
                present,
                marks,
            },
        }
    }
}

impl From<Streak> for Kept {
    fn from(streak: Streak) -> Self {
        let Streak {
            signature,
            idle,
            met,
            present,
            marks,
        } = streak;
        if met != present {
            Self::Mended(signature, idle, met, marks, present)
        } else if met == idle && marks.is_blank() {
            Self::Plain(signature, idle)
        } else {
            Self::Marked(signature, idle, met, marks)
        }
    }
}

impl Streak {
    fn of(signature: Signature, iterations: u32) -> Self {
        Self {
            signature,
            idle: iterations,
            met: iterations,
            present: iterations,
            marks: Marks::default(),
        }
    }

    /// The streak after one more iteration with the error, which measured `now`. Where the error
    /// `differs` from what it was, something may have been gained that nobody can measure.
    fn after(self, now: &Marks, differs: bool) -> Self {
        let gain = self.marks.gain(now);
        let gain = gain.or(differs.then_some(Gain::Growth));
        let more = |count: u32| count.saturating_add(1);
        Self {
            // What gained something begins a streak anew, as its first iteration.
            idle: gain.map_or(more(self.idle), |_| 1),
            met: match gain {
                Some(Gain::Repair) => 1,
                Some(Gain::Growth) | None => more(self.met),
            },
            present: more(self.present),
            marks: self.marks.and(now),
            ..self
        }
    }

    /// What counts of it.
    fn length(&self, rule: StreakRule) -> u32 {
        match rule {
            StreakRule::Unbroken => self.idle,
            StreakRule::SinceGain { excused, mended } => {
                let growing = self.met.saturating_sub(excused);
                let mending = self.present.saturating_sub(mended);
                self.idle.max(growing).max(mending)
            }
        }
    }
}

impl ErrorStreaks {
    /// The streaks after one more iteration.
    ///
    /// An error that is absent from a known list of errors ends its streak.
    /// Where nothing is known of errors, or outside trouble drowned the
    /// iteration, the streaks stay as they were.
    #[must_use]
    pub(crate) fn after(
        &self,
        facts: &Observation,
        errors: &Identified<'_>,
        rule: StreakRule,
    ) -> Self {
        let Some(errors) = errors else {
            return self.clone();
        };
        if facts.environment.is_some() {
            return self.clone();
        }
        let now = match rule {
            StreakRule::Unbroken => Marks::default(),
            StreakRule::SinceGain { .. } => Marks::of(facts),
        };
        let mut next: Vec<Streak> = Vec::new();
        let mut follow = |signature, differs| {
            if !next.iter().any(|known| known.signature == signature) {
                let before = self.streak(signature).copied();
                let before = before.unwrap_or(Streak::of(signature, 0));
                next.push(before.after(&now, differs));
            }
        };
        for (signature, error) in errors.iter().copied() {
            follow(signature, false);
            let message = of_message(error).filter(|_| rule != StreakRule::Unbroken);
            if let Some(message) = message {
                follow(message, !self.holds(signature));
            }
        }
        Self(next).longest_first(rule)
    }

    /// The streaks with one that is at least so long.
    pub(crate) fn raise(&mut self, signature: Signature, streak: u32, rule: StreakRule) {
        let known = self.streak(signature);
        let streak = streak.max(known.map_or(0, |streak| streak.length(rule)));
        self.0.retain(|known| known.signature != signature);
        self.0.push(Streak::of(signature, streak));
        *self = std::mem::take(self).longest_first(rule);
    }

    /// The longest streaks are the ones worth following.
    fn longest_first(mut self, rule: StreakRule) -> Self {
        let rank = |streak: &Streak| (streak.length(rule), streak.met, streak.present);
        self.0.sort_by_key(|streak| std::cmp::Reverse(rank(streak)));
        self.0.truncate(FOLLOWED);
        self
    }

    /// Whether the last iteration that is known to have had errors or none had this one.
    pub(crate) fn holds(&self, signature: Signature) -> bool {
        self.streak(signature).is_some()
    }

    fn streak(&self, signature: Signature) -> Option<&Streak> {
        self.0.iter().find(|known| known.signature == signature)
    }

    /// The error with the longest streak.
    #[must_use]
    pub fn leading(&self) -> Option<Signature> {
        self.0.first().map(|streak| streak.signature)
    }

    /// The longest streak, as it counts under `rule`.
    #[must_use]
    pub fn longest(&self, rule: StreakRule) -> u32 {
        self.0.first().map_or(0, |streak| streak.length(rule))
    }

    /// Whether there is no error to follow.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::fact::Fact;
    use crate::observation::{Environment, ErrorReport, TestCounts};
    use crate::policy::ErrorIdentity;
    use crate::signature::identified;

    /// An iteration that met errors with these messages.
    pub(in crate::signals) fn with(messages: &[&str]) -> Observation {
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

    fn counted(passed: u32, failed: u32) -> Observation {
        let tests = TestCounts {
            passed,
            failed,
            skipped: 0,
        };
        Observation {
            tests: Fact::Measured(tests),
            ..with(&["x"])
        }
    }

    fn after(ticks: impl IntoIterator<Item = Observation>, rule: StreakRule) -> ErrorStreaks {
        let none = ErrorStreaks::default();
        ticks.into_iter().fold(none, |streaks, tick| {
            streaks.after(&tick, &identified(&tick, ErrorIdentity::Normalised), rule)
        })
    }

    const SINCE_GAIN: StreakRule = StreakRule::SinceGain {
        excused: 10,
        mended: 50,
    };

    fn longest_after(ticks: impl IntoIterator<Item = Observation>) -> u32 {
        after(ticks, SINCE_GAIN).longest(SINCE_GAIN)
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
            assert_eq!(longest_after(ticks.clone()), expected, "{ticks:?}");
        }
    }

    #[test]
    fn a_flood_of_errors_does_not_push_out_the_old_one() {
        let names: Vec<String> = (0..99_u8).map(|n| "e".repeat(usize::from(n) + 1)).collect();
        let mut flood: Vec<&str> = names.iter().map(String::as_str).collect();
        flood.push("the old one");
        assert_eq!(longest_after([with(&["the old one"]), with(&flood)]), 2);
    }

    #[test]
    fn a_repair_begins_the_streak_anew_as_often_as_there_is_one_and_only_where_the_rule_says_so() {
        let repairs = || (0..40).map(|n| counted(n, 50 - n));
        assert_eq!(longest_after(repairs()), 1);
        let unbroken = StreakRule::Unbroken;
        assert_eq!(after(repairs(), unbroken).longest(unbroken), 40);
        let stuck = || (0..4).map(|_| counted(39, 11));
        assert_eq!(longest_after(repairs().chain(stuck())), 5);
        // Two steps back and two ahead again are no gain.
        let to_and_fro = (0..8).map(|n| counted(39 + n % 3, 11 - n % 3));
        assert_eq!(longest_after(repairs().chain(to_and_fro)), 6);
    }

    #[test]
    fn a_passing_test_that_goes_takes_nothing_from_the_repairs_after_it() {
        let repairs = |gone: u32| (0..30).map(move |n| counted(60 + n - gone.min(n), 40 - n));
        for gone in [0, 1, 2] {
            assert!(longest_after(repairs(gone)) <= 1 + gone, "{gone} gone");
        }
    }

    #[test]
    fn tests_that_are_added_put_the_streak_of_a_failing_one_off_but_not_for_ever() {
        let grown = |count| longest_after((0..count).map(|n| counted(3 * n, 1)));
        for (iterations, streak) in [(1, 1), (5, 1), (11, 1), (12, 2), (14, 4), (15, 5), (20, 10)] {
            assert_eq!(grown(iterations), streak, "after {iterations}");
        }
        // Adding one now and then makes no more of it.
        let now_and_then = |count| longest_after((0..count).map(|n| counted(n / 4, 1)));
        assert_eq!(now_and_then(15), 5);
    }

    #[test]
    fn repairs_put_it_off_but_an_error_that_stays_is_not_there_for_ever() {
        let repairs = |count| (0..count).map(|n| counted(n, 500 - n));
        for (iterations, streak) in [(50, 1), (51, 1), (52, 2), (55, 5), (60, 10)] {
            assert_eq!(longest_after(repairs(iterations)), streak, "{iterations}");
        }
        // Once it is gone it begins anew.
        let gone = [with(&[])];
        assert_eq!(longest_after(repairs(49).chain(gone).chain(repairs(40))), 1);
    }

    #[test]
    fn streaks_are_read_as_they_were_kept_before_there_were_marks() {
        let kept = "[[77,4],[5,1]]";
        let mut streaks: ErrorStreaks = serde_json::from_str(kept).unwrap();
        assert_eq!(
            (streaks.longest(SINCE_GAIN), streaks.leading()),
            (4, Some(Signature(77)))
        );
        assert_eq!(serde_json::to_string(&streaks).unwrap(), kept);
        streaks.raise(Signature(5), 9, SINCE_GAIN);
        assert_eq!(serde_json::to_string(&streaks).unwrap(), "[[5,9],[77,4]]");
        let marked = after([counted(1, 2), counted(2, 2)], SINCE_GAIN);
        let text = serde_json::to_string(&marked).unwrap();
        assert!(
            text.ends_with(r#",1,2,{"failed":2,"passed":2,"run":4}]]"#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<ErrorStreaks>(&text).unwrap(), marked);
        let mended = after([counted(1, 2), counted(2, 1), counted(2, 1)], SINCE_GAIN);
        let text = serde_json::to_string(&mended).unwrap();
        assert!(
            text.ends_with(r#",2,2,{"failed":1,"passed":2,"run":3},3]]"#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<ErrorStreaks>(&text).unwrap(), mended);
    }
}
