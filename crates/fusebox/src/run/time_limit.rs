//! When the time for a run is over.
//!
//! A limit is a limit: whoever sets one for a night or a job of a build server reckons with it, and
//! an agent that is deaf to every request must not add its grace to it. So the end begins earlier
//! by the grace that the agent has, or by a part of the time where that is short, and when the time
//! is over, what is left is killed.

use std::time::{Duration, Instant};

/// The most of the time that goes into asking is one part in this many.
const PARTS: u32 = 10;

/// The limit of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeLimit {
    /// From then on nothing begins, and what is under way is asked to end.
    pub(super) ends: Instant,
    /// From then on nothing is waited for.
    pub(super) over: Instant,
}

impl TimeLimit {
    /// The limit of a run that begins `now`; nothing, if that is further away than any clock goes.
    pub(super) fn of(most: Duration, grace: Duration, now: Instant) -> Option<Self> {
        let over = now.checked_add(most)?;
        let ends = over.checked_sub(grace.min(most / PARTS))?;
        Some(Self { ends, over })
    }

    /// How long it is asked.
    pub(super) fn grace(self) -> Duration {
        self.over.saturating_duration_since(self.ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_begins_a_grace_earlier_and_a_tenth_of_a_short_time() {
        let (now, grace) = (Instant::now(), Duration::from_secs(10));
        for (seconds, earlier_ms) in [(8 * 3600, 10_000), (100, 10_000), (20, 2_000), (0, 0)] {
            let most = Duration::from_secs(seconds);
            let limit = TimeLimit::of(most, grace, now).expect("near enough");
            assert_eq!(limit.over, now + most);
            assert_eq!(limit.grace(), Duration::from_millis(earlier_ms));
        }
        assert_eq!(TimeLimit::of(Duration::MAX, grace, now), None);
    }
}
