//! What is counted of a session beside its verdicts.

use fusebox_agents::{EpochMs, Usage};
use fusebox_core::calls::{CallEvent, Status};

/// Counts of a session, up to some point or over all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Calls of tools.
    pub calls: u32,
    /// Their answers.
    pub answers: u32,
    /// Answers that were errors.
    pub failures: u32,
    /// Times that somebody wrote to the agent.
    pub prompts: u32,
    /// What was spent, as far as the session tells.
    pub spent: Usage,
    /// The last call that changed a file, where the format tells.
    pub last_edit: u32,
    /// How often the conversation went back to an earlier point.
    pub branches: u32,
    /// How often the clock went back.
    pub steps_back: u32,
    first: Option<EpochMs>,
    last: Option<EpochMs>,
    latest: Option<EpochMs>,
}

impl Tally {
    /// Milliseconds between the first time that was told and the latest.
    #[must_use]
    pub fn elapsed_ms(&self) -> Option<u64> {
        u64::try_from(self.latest?.saturating_sub(self.first?)).ok()
    }

    /// Clocks that go back are noted, and do not make a session shorter.
    pub(crate) fn at(&mut self, at: EpochMs) {
        self.first = self.first.or(Some(at));
        if self.last.is_some_and(|last| at < last) {
            self.steps_back += 1;
        }
        self.last = Some(at);
        self.latest = self.latest.max(Some(at));
    }

    pub(crate) fn event(&mut self, event: &CallEvent) {
        match event {
            CallEvent::Call(_) => self.calls = self.calls.saturating_add(1),
            CallEvent::Result(result) => {
                self.answers = self.answers.saturating_add(1);
                self.failures += u32::from(result.status == Status::Failed);
            }
            CallEvent::User { .. } => self.prompts = self.prompts.saturating_add(1),
            _ => {}
        }
    }

    /// What came after `earlier`, a tally of the same session.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Savings {
        let calls = self.calls.saturating_sub(earlier.calls);
        let tokens = difference(self.spent.tokens(), earlier.spent.tokens());
        Savings {
            calls,
            of_calls: self.calls,
            tokens,
            micro_usd: self.money_since(earlier, calls, tokens),
            ms: difference(self.elapsed_ms(), earlier.elapsed_ms()),
        }
    }

    /// Many agents tell what a session cost only at its end. Then the share of
    /// the tokens, or else of the calls, has to do.
    fn money_since(&self, earlier: &Self, calls: u32, tokens: Option<u64>) -> Option<u64> {
        let all = self.spent.micro_usd?;
        if let Some(before) = earlier.spent.micro_usd {
            return Some(all.saturating_sub(before));
        }
        let (part, whole) = match (tokens, self.spent.tokens()) {
            (Some(part), Some(whole)) if whole > part => (part, whole),
            _ => (calls.into(), self.calls.into()),
        };
        let share = u128::from(all) * u128::from(part) / u128::from(whole.max(1));
        u64::try_from(share).ok()
    }
}

/// Nothing told before counts as nothing spent before.
fn difference(now: Option<u64>, before: Option<u64>) -> Option<u64> {
    Some(now?.saturating_sub(before.unwrap_or(0)))
}

/// What would not have been spent, had a session ended at some point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Savings {
    /// Calls.
    pub calls: u32,
    /// Of how many.
    pub of_calls: u32,
    /// Tokens, where the session tells.
    pub tokens: Option<u64>,
    /// Millionths of a US dollar, where the session tells.
    pub micro_usd: Option<u64>,
    /// Milliseconds, where the session tells.
    pub ms: Option<u64>,
}

impl Savings {
    /// The sum of both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let add = |mine: Option<u64>, yours: Option<u64>| match (mine, yours) {
            (Some(mine), Some(yours)) => Some(mine.saturating_add(yours)),
            (known, None) | (None, known) => known,
        };
        Self {
            calls: self.calls.saturating_add(other.calls),
            of_calls: self.of_calls.saturating_add(other.of_calls),
            tokens: add(self.tokens, other.tokens),
            micro_usd: add(self.micro_usd, other.micro_usd),
            ms: add(self.ms, other.ms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(calls: u32, tokens: Option<u64>, micro_usd: Option<u64>, at: &[EpochMs]) -> Tally {
        let mut tally = Tally {
            calls,
            spent: Usage {
                input_tokens: tokens,
                micro_usd,
                ..Usage::default()
            },
            ..Tally::default()
        };
        at.iter().for_each(|at| tally.at(*at));
        tally
    }

    #[test]
    fn money_that_is_told_at_the_end_is_shared_out() {
        let end = tally(10, Some(1000), Some(500), &[]);
        for (earlier, micro_usd, why) in [
            (tally(4, Some(400), Some(100), &[]), 400, "told on the way"),
            (tally(4, Some(800), None, &[]), 100, "by tokens"),
            (tally(4, None, None, &[]), 300, "by calls"),
        ] {
            assert_eq!(end.since(&earlier).micro_usd, Some(micro_usd), "{why}");
        }
        let unknown = tally(10, None, None, &[]).since(&tally(4, None, None, &[]));
        assert_eq!(
            (unknown.calls, unknown.micro_usd, unknown.tokens),
            (6, None, None)
        );
    }

    #[test]
    fn a_clock_that_goes_back_makes_no_session_shorter() {
        let whole = tally(1, None, None, &[1000, 5000, 2000]);
        assert_eq!((whole.elapsed_ms(), whole.steps_back), (Some(4000), 1));
        assert_eq!(
            whole.since(&tally(1, None, None, &[1000, 4000])).ms,
            Some(1000)
        );
    }
}
