//! Trouble outside the agent: how long to wait for it to pass, and when to give
//! up. It is no stagnation, and waiting for it blindly is no plan either.

use std::time::Duration;

use fusebox_agents::EndClass;
use fusebox_core::Observation;
use fusebox_core::observation::Environment;

/// The first wait after overload or a broken network, doubling up to the last.
const FIRST: Duration = Duration::from_secs(5);
const LAST: Duration = Duration::from_secs(300);
/// Iterations in a row lost to overload or network before the run gives up.
const PATIENCE: u32 = 6;
/// The wait for a usage limit that did not say when it ends, doubling up to an
/// hour: it is asked again rather than believed.
const UNSAID: Duration = Duration::from_secs(15 * 60);
const LONGEST_UNSAID: Duration = Duration::from_secs(3_600);
/// The wait for a usage limit that should be over already, doubling as well.
const SHORTEST: Duration = Duration::from_secs(60);
/// Added to what a vendor says: clocks differ, and everybody comes at the hour.
const MARGIN_MS: i64 = 60_000;

/// Iterations in a row that were lost to trouble outside.
#[derive(Debug, Default)]
pub(super) struct Troubles {
    in_a_row: u32,
}

/// What to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// There is no trouble.
    None,
    /// Wait this long and try again.
    BackOff(Duration),
    /// The gate is shut until the trouble is over, and says so.
    Gate,
    /// Nothing that we can wait for helps.
    GiveUp,
}

/// What is known of the trouble besides its kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    pub(super) class: EndClass,
    /// How long the service asked to wait.
    pub(super) retry_after: Option<Duration>,
    /// It is our own limit on calls, which the gate knows by itself.
    pub(super) own_limit: bool,
    pub(super) now_ms: i64,
}

impl Told {
    /// A wait that is longer than any of ours is a window that is used up, whatever it
    /// is called.
    fn is_for_long(&self) -> bool {
        self.class != EndClass::RateLimited || self.retry_after.is_some_and(|wait| wait > LAST)
    }

    fn after(&self, wait: Duration) -> i64 {
        let wait = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
        self.now_ms.saturating_add(wait)
    }
}

impl Troubles {
    /// Completes the facts of an iteration and says what follows for the loop.
    pub(super) fn meet(&mut self, facts: &mut Observation, told: Told) -> Remedy {
        let Some(kind) = facts.environment else {
            self.in_a_row = 0;
            facts.retry_at_ms = None;
            return Remedy::None;
        };
        self.in_a_row = self.in_a_row.saturating_add(1);
        match kind {
            _ if told.own_limit => {
                facts.retry_at_ms = None;
                Remedy::Gate
            }
            Environment::Auth | Environment::Disk => Remedy::GiveUp,
            Environment::Limit if told.is_for_long() => {
                facts.retry_is_guess = facts.retry_at_ms.is_none() && told.retry_after.is_none();
                facts.retry_at_ms = Some(self.limit_ends(facts.retry_at_ms, told));
                Remedy::Gate
            }
            Environment::Limit | Environment::Overload | Environment::Network => {
                facts.retry_at_ms = None;
                if self.in_a_row >= PATIENCE {
                    return Remedy::GiveUp;
                }
                let own = self.doubled(FIRST, LAST);
                let asked = told.retry_after.unwrap_or(own);
                Remedy::BackOff(asked.clamp(own, LAST))
            }
        }
    }

    /// When a limit is asked again: when it is said to end, and never at once. A reset
    /// that is over and a limit that still holds would otherwise go round and round.
    fn limit_ends(&self, said: Option<i64>, told: Told) -> i64 {
        let unsaid = self.doubled(UNSAID, LONGEST_UNSAID);
        let told_at = match said {
            Some(at) => at.saturating_add(MARGIN_MS),
            None => told.after(told.retry_after.unwrap_or(unsaid)),
        };
        told_at.max(told.after(self.doubled(SHORTEST, LONGEST_UNSAID)))
    }

    fn doubled(&self, first: Duration, last: Duration) -> Duration {
        let times = 1_u32 << self.in_a_row.saturating_sub(1).min(16);
        first.saturating_mul(times).min(last)
    }
}

/// What keeps the loop waiting, in words.
pub(super) fn words(kind: Option<Environment>) -> &'static str {
    match kind {
        Some(Environment::Overload) => "the agent's service is overloaded",
        Some(Environment::Network) => "the agent's service is out of reach",
        Some(Environment::Limit) => "the agent's service asks for fewer requests",
        Some(Environment::Auth | Environment::Disk) | None => "there is trouble outside the agent",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost_to(kind: Environment) -> Observation {
        Observation {
            environment: Some(kind),
            ..Observation::default()
        }
    }

    fn told(class: EndClass) -> Told {
        Told {
            class,
            retry_after: None,
            own_limit: false,
            now_ms: 1_000,
        }
    }

    #[test]
    fn overload_is_waited_for_longer_and_longer_and_not_for_ever() {
        let mut troubles = Troubles::default();
        let seconds = |remedy| match remedy {
            Remedy::BackOff(wait) => wait.as_secs(),
            _ => 0,
        };
        let mut facts = lost_to(Environment::Overload);
        let waits: Vec<u64> = (0..6)
            .map(|_| seconds(troubles.meet(&mut facts, told(EndClass::Overloaded))))
            .collect();
        assert_eq!(waits, [5, 10, 20, 40, 80, 0]);
        assert_eq!(
            troubles.meet(&mut facts, told(EndClass::Overloaded)),
            Remedy::GiveUp
        );
        let mut fine = Observation::default();
        assert_eq!(
            troubles.meet(&mut fine, told(EndClass::Finished)),
            Remedy::None
        );
        assert_eq!(
            troubles.meet(&mut facts, told(EndClass::Network)),
            Remedy::BackOff(FIRST),
            "one sound iteration, and patience is back"
        );
    }

    #[test]
    fn a_usage_limit_shuts_the_gate_until_it_ends_or_a_quarter_of_an_hour() {
        let mut troubles = Troubles::default();
        let mut facts = lost_to(Environment::Limit);
        facts.retry_at_ms = Some(50_000);
        assert_eq!(
            troubles.meet(&mut facts, told(EndClass::UsageLimit)),
            Remedy::Gate
        );
        assert_eq!(facts.retry_at_ms, Some(110_000), "a minute of margin");
        assert!(!facts.retry_is_guess);

        for quarters in [2, 4, 4] {
            let mut facts = lost_to(Environment::Limit);
            troubles.meet(&mut facts, told(EndClass::UsageLimit));
            assert_eq!(facts.retry_at_ms, Some(1_000 + quarters * 15 * 60_000));
            assert!(facts.retry_is_guess);
        }
        let mut facts = lost_to(Environment::Limit);
        let own = Told {
            own_limit: true,
            ..told(EndClass::Stopped)
        };
        assert_eq!(troubles.meet(&mut facts, own), Remedy::Gate);
        assert_eq!(facts.retry_at_ms, None, "the limiter knows when");

        let asked = Told {
            retry_after: Some(Duration::from_secs(7)),
            ..told(EndClass::RateLimited)
        };
        assert!(matches!(
            Troubles::default().meet(&mut facts, asked),
            Remedy::BackOff(wait) if wait.as_secs() == 7
        ));
    }

    #[test]
    fn a_limit_that_should_be_over_is_asked_again_less_and_less_often() {
        let mut troubles = Troubles::default();
        let now_ms = 10_000_000;
        let limited = Told {
            now_ms,
            ..told(EndClass::UsageLimit)
        };
        let minutes: Vec<i64> = (0..8)
            .map(|_| {
                let mut facts = lost_to(Environment::Limit);
                facts.retry_at_ms = Some(now_ms - 7_200_000);
                assert_eq!(troubles.meet(&mut facts, limited), Remedy::Gate);
                (facts.retry_at_ms.unwrap_or_default() - now_ms) / 60_000
            })
            .collect();
        assert_eq!(minutes, [1, 2, 4, 8, 16, 32, 60, 60]);

        let at_once = Told {
            retry_after: Some(Duration::ZERO),
            ..limited
        };
        let mut facts = lost_to(Environment::Limit);
        Troubles::default().meet(&mut facts, at_once);
        assert_eq!(facts.retry_at_ms, Some(now_ms + 60_000));
    }

    #[test]
    fn a_wait_longer_than_ours_shuts_the_gate_whatever_it_is_called() {
        let table = [(300, None), (301, Some(302_000)), (7_200, Some(7_201_000))];
        for (seconds, retry_at_ms) in table {
            let mut facts = lost_to(Environment::Limit);
            let asked = Told {
                retry_after: Some(Duration::from_secs(seconds)),
                ..told(EndClass::RateLimited)
            };
            let remedy = Troubles::default().meet(&mut facts, asked);
            assert_eq!(facts.retry_at_ms, retry_at_ms, "{seconds}");
            assert_eq!(remedy == Remedy::Gate, retry_at_ms.is_some(), "{seconds}");
        }
    }

    #[test]
    fn what_only_a_person_can_mend_is_not_waited_for() {
        for kind in [Environment::Auth, Environment::Disk] {
            let remedy = Troubles::default().meet(&mut lost_to(kind), told(EndClass::Auth));
            assert_eq!(remedy, Remedy::GiveUp);
        }
    }
}
