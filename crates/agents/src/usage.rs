//! What a run used up, counted once.
//!
//! Newer agents report *running totals of the session*: the second of two
//! resumed runs repeats the tokens of the first. Adding the reports up counts
//! them twice, so every total is held against the highest one seen before, and
//! only the difference is spent.

use serde::{Deserialize, Serialize};

/// Tokens and money. `None` is unknown, which is not the same as nothing.
///
/// The classes do not overlap, except that `reasoning_tokens` are also part of
/// `output_tokens`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Input that came from no cache.
    pub input_tokens: Option<u64>,
    /// Input that was read from a cache.
    pub cache_read_tokens: Option<u64>,
    /// Input that was written to a cache.
    pub cache_write_tokens: Option<u64>,
    /// Output, with the thinking where the agent counts it.
    pub output_tokens: Option<u64>,
    /// The part of the output that was thinking.
    pub reasoning_tokens: Option<u64>,
    /// Millionths of a US dollar, as the agent estimates them.
    pub micro_usd: Option<u64>,
}

impl Usage {
    /// Whether nothing is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }

    /// All tokens together, if any class is known.
    #[must_use]
    pub fn tokens(&self) -> Option<u64> {
        [
            self.input_tokens,
            self.cache_read_tokens,
            self.cache_write_tokens,
            self.output_tokens,
        ]
        .into_iter()
        .flatten()
        .reduce(u64::saturating_add)
    }

    /// The sum, class by class; what is known of one side is known of the sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.combine(other, |mine, yours| match (mine, yours) {
            (Some(mine), Some(yours)) => Some(mine.saturating_add(yours)),
            (known, None) | (None, known) => known,
        })
    }

    /// What this total holds beyond an earlier one, or `None` if some class
    /// went down: then it is no continuation of that total.
    fn beyond(&self, earlier: &Self) -> Option<Self> {
        let mut went_down = false;
        let rest = self.combine(earlier, |now, before| {
            let now = now?;
            now.checked_sub(before.unwrap_or(0)).or_else(|| {
                went_down = true;
                None
            })
        });
        (!went_down).then_some(rest)
    }

    fn combine(
        &self,
        other: &Self,
        mut with: impl FnMut(Option<u64>, Option<u64>) -> Option<u64>,
    ) -> Self {
        Self {
            input_tokens: with(self.input_tokens, other.input_tokens),
            cache_read_tokens: with(self.cache_read_tokens, other.cache_read_tokens),
            cache_write_tokens: with(self.cache_write_tokens, other.cache_write_tokens),
            output_tokens: with(self.output_tokens, other.output_tokens),
            reasoning_tokens: with(self.reasoning_tokens, other.reasoning_tokens),
            micro_usd: with(self.micro_usd, other.micro_usd),
        }
    }
}

/// The highest totals an agent has reported of one session. Kept between runs
/// by whoever resumes the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// The session they belong to.
    pub session: String,
    /// As reported, the session from its beginning.
    pub usage: Usage,
}

/// How far back a reported total reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To the beginning of the session, over all runs that resumed it.
    Session,
    /// To the start of this process.
    Run,
}

/// Turns reports into what was newly spent.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    earlier: Option<Totals>,
    mark: Usage,
    spent: Usage,
}

impl Meter {
    pub(crate) fn after(earlier: Option<Totals>) -> Self {
        Self {
            earlier,
            ..Self::default()
        }
    }

    /// A total was reported; answers what is new in it.
    pub(crate) fn total(&mut self, total: Usage, reach: Reach, session: Option<&str>) -> Usage {
        let before = match reach {
            Reach::Session => self.session_mark(session),
            Reach::Run => self.mark,
        };
        // A counter that went down has begun anew, so all of it is new.
        let fresh = total.beyond(&before).unwrap_or(total);
        self.mark = total;
        self.spent = self.spent.plus(&fresh);
        fresh
    }

    /// A difference was reported, perhaps beside the total it leads to.
    pub(crate) fn difference(
        &mut self,
        fresh: Usage,
        total: Option<Usage>,
        session: Option<&str>,
    ) -> Usage {
        self.mark = total.unwrap_or_else(|| self.session_mark(session).plus(&fresh));
        self.spent = self.spent.plus(&fresh);
        fresh
    }

    fn session_mark(&self, session: Option<&str>) -> Usage {
        match &self.earlier {
            Some(earlier) if self.mark.is_unknown() && session == Some(&earlier.session) => {
                earlier.usage
            }
            _ => self.mark,
        }
    }

    /// What this run has spent so far.
    pub(crate) fn spent(&self) -> Usage {
        self.spent
    }

    /// What the next run that resumes the session has to know.
    pub(crate) fn totals(&self, session: Option<&str>) -> Option<Totals> {
        let earlier = self
            .earlier
            .as_ref()
            .filter(|earlier| session.is_none_or(|session| session == earlier.session));
        match session {
            Some(session) if !self.mark.is_unknown() => Some(Totals {
                session: session.to_owned(),
                usage: self.mark,
            }),
            _ => earlier.cloned(),
        }
    }
}

/// Dollars as a float become millionths; what is no amount is unknown.
pub(crate) fn micro_usd(dollars: f64) -> Option<u64> {
    const MOST: f64 = 1e9;
    if !(0.0..=MOST).contains(&dollars) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 1e15 after the check above"
    )]
    let micro = (dollars * 1e6).round() as u64;
    Some(micro)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(count: u64) -> Usage {
        Usage {
            input_tokens: Some(count),
            ..Usage::default()
        }
    }

    fn mark(session: &str, count: u64) -> Option<Totals> {
        Some(Totals {
            session: session.to_owned(),
            usage: tokens(count),
        })
    }

    #[test]
    fn a_running_total_is_spent_once_over_resumed_runs() {
        let mut meter = Meter::after(mark("s", 2200));
        assert_eq!(
            meter.total(tokens(2300), Reach::Session, Some("s")),
            tokens(100)
        );
        assert_eq!(
            meter.total(tokens(2350), Reach::Session, Some("s")),
            tokens(50)
        );
        assert_eq!(meter.spent(), tokens(150));
        assert_eq!(meter.totals(Some("s")), mark("s", 2350));
    }

    #[test]
    fn what_is_no_continuation_counts_whole() {
        let table = [
            (
                mark("s", 2200),
                100,
                Reach::Session,
                "the counter went down",
            ),
            (mark("other", 50), 100, Reach::Session, "another session"),
            (mark("s", 50), 100, Reach::Run, "totals of one run only"),
            (None, 100, Reach::Session, "nothing known of earlier runs"),
        ];
        for (earlier, total, reach, why) in table {
            let mut meter = Meter::after(earlier);
            assert_eq!(
                meter.total(tokens(total), reach, Some("s")),
                tokens(100),
                "{why}"
            );
        }
    }

    #[test]
    fn a_run_that_reported_nothing_hands_the_old_mark_on() {
        assert_eq!(Meter::after(mark("s", 7)).totals(Some("s")), mark("s", 7));
        assert_eq!(Meter::after(mark("s", 7)).totals(Some("t")), None);
    }

    #[test]
    fn unknown_is_not_nothing() {
        assert_eq!(Usage::default().tokens(), None);
        assert_eq!(tokens(0).tokens(), Some(0));
        assert_eq!(tokens(1).plus(&Usage::default()), tokens(1));
    }

    #[test]
    fn money_is_exact_to_the_millionth() {
        let table = [
            (0.007_575, Some(7_575)),
            (0.000_600_000_000_000_000_1, Some(600)),
            (-1.0, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ];
        for (dollars, expected) in table {
            assert_eq!(micro_usd(dollars), expected, "{dollars}");
        }
    }
}
