//! Since when has nothing happened?
//!
//! Silence alone is not idleness: a build may say nothing for minutes, and a
//! download even without using the processor. So the tree's processor time and
//! what it writes count as well, but not what a hung runtime does for ever: a
//! few ticks for its timers, eight bytes to wake a thread, a spinner on a
//! screen that nobody sees, a sign of life in a log. To end a living agent
//! loses work, while a hung one is still ended by the overall limit; hence the
//! marks are low.

use std::time::{Duration, Instant};

use crate::census::Census;
use crate::process::Written;

/// Activity is at least this share of one processor: one part in twenty-five. A client that
/// waits for a model that never answers uses one in fifty where processors are slow.
const BUSY_SHARE: u32 = 25;

/// Or this much written into files between two looks: a page of a transcript
/// is, a line that says "still here" is not.
const FILE_BYTES: u64 = 512;

/// Or this much written to anything per second. Files in memory and on some
/// network disks are not accounted as storage, and what moves this much data
/// is no timer.
const BULK_PER_SECOND: u64 = 1024;

/// Ten looks per limit are enough, within these bounds.
const SHORTEST_LOOK: Duration = Duration::from_millis(100);
const LONGEST_LOOK: Duration = Duration::from_secs(30);

/// Watches for the idle limit.
pub(crate) struct Idleness {
    /// None means that nobody wants to know.
    limit: Option<Duration>,
    last_activity: Instant,
    last_output: Instant,
    last_look: Instant,
    cpu: Duration,
    written: Written,
}

impl Idleness {
    pub(crate) fn new(limit: Option<Duration>, now: Instant) -> Self {
        Self {
            limit,
            last_activity: now,
            last_output: now,
            last_look: now,
            cpu: Duration::ZERO,
            written: Written::default(),
        }
    }

    pub(crate) fn output_seen(&mut self, now: Instant) {
        self.last_output = now;
        self.last_activity = now;
    }

    /// Standing idle up to `until` is not held against the step.
    pub(crate) fn excuse(&mut self, until: Instant) {
        self.last_activity = self.last_activity.max(until);
    }

    /// Forgets a time, up to `now`, in which the whole step stood still. What
    /// was seen when it was over already is not moved into the future.
    pub(crate) fn postpone(&mut self, by: Duration, now: Instant) {
        for moment in [
            &mut self.last_activity,
            &mut self.last_output,
            &mut self.last_look,
        ] {
            *moment = (*moment + by).min(now);
        }
    }

    pub(crate) fn quiet(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.last_output)
    }

    /// The tree's processor time when it was last looked at.
    pub(crate) fn cpu(&self) -> Duration {
        self.cpu
    }

    /// When [`Idleness::look`] should be called next.
    pub(crate) fn next_look(&self) -> Option<Instant> {
        self.last_look.checked_add(look_interval(self.limit?))
    }

    pub(crate) fn is_exceeded(&self, now: Instant) -> bool {
        let idle = now.saturating_duration_since(self.last_activity);
        self.limit.is_some_and(|limit| idle >= limit)
    }

    /// Takes note of what the tree has done since the last look, if it is time
    /// to: what counts as activity must not depend on who else looks how often.
    pub(crate) fn look(&mut self, now: Instant, census: &Census) {
        if self.next_look().is_none_or(|next| now < next) {
            return;
        }
        let since = now.saturating_duration_since(self.last_look);
        let used = census.cpu.saturating_sub(self.cpu);
        let busy = !used.is_zero() && used >= since / BUSY_SHARE;
        let written = census.written.unwrap_or(self.written);
        if busy || is_work(self.written, written, since) {
            self.last_activity = self.last_activity.max(now);
        }
        self.cpu = census.cpu;
        self.written = written;
        self.last_look = now;
    }
}

/// Whether what was written from one look to the next is more than signs of
/// life. Where both counts grew, the smaller one is nearer to the truth: one
/// byte into a file is a whole page to the disk, and a wake-up is not bound for
/// the disk at all.
fn is_work(before: Written, now: Written, since: Duration) -> bool {
    let by_calls = now.by_calls.saturating_sub(before.by_calls);
    let to_storage = now.to_storage.saturating_sub(before.to_storage);
    let bulk = u128::from(BULK_PER_SECOND) * since.as_millis() / 1000;
    by_calls.min(to_storage) >= FILE_BYTES || u128::from(by_calls) >= bulk.max(1)
}

fn look_interval(limit: Duration) -> Duration {
    (limit / 10).clamp(SHORTEST_LOOK, LONGEST_LOOK)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    /// Ten looks, one second apart, each showing this much more.
    fn idle_after_ten_seconds(cpu: Duration, by_calls: u64, to_storage: u64) -> bool {
        let start = Instant::now();
        let mut idleness = Idleness::new(Some(seconds(5)), start);
        for second in 1..=10 {
            let times = u64::from(second);
            let census = Census {
                cpu: cpu * second,
                written: Some(Written {
                    by_calls: by_calls * times,
                    to_storage: to_storage * times,
                }),
                processes: 1,
                agents: 0,
            };
            idleness.look(start + seconds(times), &census);
        }
        idleness.is_exceeded(start + seconds(10))
    }

    #[test]
    fn only_real_work_counts_as_activity() {
        let page = 4096;
        for (milliseconds, by_calls, to_storage, idle, what) in [
            (0, 0, 0, true, "nothing"),
            (10, 0, 0, true, "timers"),
            (25, 0, 0, true, "the timers of a client on a slow machine"),
            (40, 0, 0, false, "a twenty-fifth of a processor"),
            (900, 0, 0, false, "a busy processor"),
            (0, 1, page, true, "a byte to a log"),
            (0, 60, page, true, "a sign of life in a log"),
            (0, 480, 0, true, "wake-ups and a spinner"),
            (0, 700, page, false, "a page of a transcript"),
            (0, page, page, false, "a slow download"),
            (0, page, 0, false, "a download into memory"),
            (0, 0, page, true, "pages without a write"),
        ] {
            let used = Duration::from_millis(milliseconds);
            assert_eq!(
                idle_after_ten_seconds(used, by_calls, to_storage),
                idle,
                "{what}"
            );
        }
    }

    #[test]
    fn where_writes_cannot_be_seen_the_rest_still_counts() {
        for (milliseconds, idle) in [(0, true), (900, false)] {
            let start = Instant::now();
            let mut idleness = Idleness::new(Some(seconds(5)), start);
            let census = Census {
                cpu: Duration::from_millis(milliseconds),
                written: None,
                processes: 1,
                agents: 0,
            };
            idleness.look(start + seconds(5), &census);
            assert_eq!(idleness.is_exceeded(start + seconds(5)), idle);
        }
    }

    #[test]
    fn output_excuses_and_standing_still_start_the_limit_later() {
        let start = Instant::now();
        let mut idleness = Idleness::new(Some(seconds(60)), start);
        idleness.output_seen(start + seconds(50));
        assert!(!idleness.is_exceeded(start + seconds(100)));
        assert!(idleness.is_exceeded(start + seconds(110)));
        assert_eq!(idleness.quiet(start + seconds(110)), seconds(60));
        idleness.excuse(start + seconds(100));
        idleness.excuse(start + seconds(20));
        assert!(!idleness.is_exceeded(start + seconds(159)));
        assert!(idleness.is_exceeded(start + seconds(160)));
        idleness.postpone(seconds(1000), start + seconds(1159));
        assert!(!idleness.is_exceeded(start + seconds(1159)));
        assert!(idleness.is_exceeded(start + seconds(1160)));
    }

    #[test]
    fn what_was_seen_after_standing_still_is_not_moved_into_the_future() {
        let start = Instant::now();
        let mut idleness = Idleness::new(Some(seconds(60)), start);
        idleness.output_seen(start + seconds(1000));
        idleness.postpone(seconds(1000), start + seconds(1000));
        assert!(idleness.is_exceeded(start + seconds(1060)));
    }
}
