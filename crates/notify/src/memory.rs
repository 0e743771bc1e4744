//! What has been said lately: nobody is told the same twice, nor too much.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::notice::Notice;
use crate::pace::Pace;

/// The most notices remembered; far more than a minute's burst.
const REMEMBERED: usize = 128;

/// The notices of late, and the times at which some were sent.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    told: VecDeque<(Instant, Notice)>,
    sent: VecDeque<Instant>,
}

impl Memory {
    /// Whether this is old news; if not, it is from now on.
    pub(crate) fn knows(&mut self, notice: &Notice, now: Instant, pace: &Pace) -> bool {
        while let Some((when, _)) = self.told.front()
            && (now.duration_since(*when) >= pace.quiet_for || self.told.len() >= REMEMBERED)
        {
            self.told.pop_front();
        }
        let known = self.told.iter().any(|(_, told)| notice.repeats(told));
        if !known {
            self.told.push_back((now, notice.clone()));
        }
        known
    }

    /// How long the next notice has to wait for the burst before it to age.
    pub(crate) fn wait(&mut self, now: Instant, pace: &Pace) -> Duration {
        while let Some(sent) = self.sent.front()
            && now.duration_since(*sent) >= pace.window
        {
            self.sent.pop_front();
        }
        match self.sent.front() {
            Some(first) if self.sent.len() >= pace.burst => {
                pace.window.saturating_sub(now.duration_since(*first))
            }
            _ => Duration::ZERO,
        }
    }

    pub(crate) fn sent(&mut self, now: Instant) {
        self.sent.push_back(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::Kind;

    const PACE: Pace = Pace {
        queue: 1,
        burst: 2,
        window: Duration::from_secs(60),
        quiet_for: Duration::from_secs(600),
        attempt: Duration::ZERO,
        first_pause: Duration::ZERO,
        longest_pause: Duration::ZERO,
        give_up_after: Duration::ZERO,
    };

    #[test]
    fn the_same_news_is_told_once_in_a_while() {
        let start = Instant::now();
        let mut memory = Memory::default();
        let mut knows = |title: &str, iteration, after: u64| {
            let mut notice = Notice::new(Kind::Warned, title, i64::try_from(after).unwrap());
            notice.iteration = Some(iteration);
            memory.knows(&notice, start + Duration::from_secs(after), &PACE)
        };
        assert!(!knows("a", 1, 0));
        assert!(knows("a", 2, 599));
        assert!(!knows("b", 2, 599));
        assert!(!knows("a", 3, 600));
    }

    #[test]
    fn a_burst_has_to_age() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut memory = Memory::default();
        memory.sent(at(0));
        assert_eq!(memory.wait(at(1), &PACE), Duration::ZERO);
        memory.sent(at(10));
        assert_eq!(memory.wait(at(20), &PACE), Duration::from_secs(40));
        assert_eq!(memory.wait(at(60), &PACE), Duration::ZERO);
    }
}
