//! Since when has nothing happened?
//!
//! Silence alone is not idleness: a build may say nothing for minutes. So the
//! processor time of the tree counts as well, but not the few ticks that the
//! timers of a hung runtime use up for ever.

use std::time::{Duration, Instant};

use crate::process::{Process, TICKS_PER_SECOND, Table};

/// Activity is at least this share of one processor: one part in fifty.
const BUSY_SHARE: u32 = 50;

/// Looking at the process table costs milliseconds; ten looks per limit are
/// enough, within these bounds.
const SHORTEST_LOOK: Duration = Duration::from_millis(100);
const LONGEST_LOOK: Duration = Duration::from_secs(30);

/// Watches for the idle limit.
pub(crate) struct Idleness {
    keeper: i32,
    /// None means that nobody wants to know, and nothing is measured.
    limit: Option<Duration>,
    last_activity: Instant,
    last_output: Instant,
    last_look: Instant,
    cpu: Duration,
}

impl Idleness {
    pub(crate) fn new(keeper: i32, limit: Option<Duration>, now: Instant) -> Self {
        Self {
            keeper,
            limit,
            last_activity: now,
            last_output: now,
            last_look: now,
            cpu: Duration::ZERO,
        }
    }

    pub(crate) fn output_seen(&mut self, now: Instant) {
        self.last_output = now;
        self.last_activity = now;
    }

    pub(crate) fn quiet(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.last_output)
    }

    /// The tree's processor time when it was last looked at.
    pub(crate) fn cpu(&self) -> Duration {
        self.cpu
    }

    /// When [`Idleness::is_exceeded`] should be asked next.
    pub(crate) fn next_look(&self) -> Option<Instant> {
        self.last_look.checked_add(look_interval(self.limit?))
    }

    /// Whether the limit is exceeded, looking at the process table if it is
    /// time to.
    pub(crate) fn is_exceeded(&mut self, now: Instant) -> bool {
        let Some(limit) = self.limit else {
            return false;
        };
        if self.next_look().is_some_and(|next| now >= next) {
            self.look(now, tree_cpu(self.keeper));
        }
        now.saturating_duration_since(self.last_activity) >= limit
    }

    /// `None` is a look that failed: it tells nothing either way.
    fn look(&mut self, now: Instant, cpu: Option<Duration>) {
        if let Some(cpu) = cpu {
            let used = cpu.saturating_sub(self.cpu);
            let since = now.saturating_duration_since(self.last_look);
            if !used.is_zero() && used >= since / BUSY_SHARE {
                self.last_activity = now;
            }
            self.cpu = cpu;
        }
        self.last_look = now;
    }
}

fn look_interval(limit: Duration) -> Duration {
    (limit / 10).clamp(SHORTEST_LOOK, LONGEST_LOOK)
}

/// All processor time spent below the keeper, by the living and by those it
/// has buried.
fn tree_cpu(keeper: i32) -> Option<Duration> {
    let table = Table::read().ok()?;
    let tree = table.closure(|process| process.parent == keeper);
    let ticks = |process: &Process| match process.id.pid {
        pid if pid == keeper => process.waited_ticks,
        pid if tree.contains(&pid) => process.own_ticks + process.waited_ticks,
        _ => 0,
    };
    let ticks: u64 = table.iter().map(ticks).sum();
    Some(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No process has this number, so real looks see no processor time.
    const NOBODY: i32 = i32::MAX;

    /// Ten looks, one second apart, each showing `per_second` more.
    fn idle_after_ten_seconds(limit: u64, per_second: Duration, visible: bool) -> bool {
        let start = Instant::now();
        let mut idleness = Idleness::new(NOBODY, Some(Duration::from_secs(limit)), start);
        for second in 1..=10_u32 {
            let now = start + Duration::from_secs(u64::from(second));
            idleness.look(now, visible.then_some(per_second * second));
        }
        let end = start + Duration::from_secs(10);
        end.saturating_duration_since(idleness.last_activity) >= Duration::from_secs(limit)
    }

    #[test]
    fn only_real_work_counts_as_activity() {
        for (milliseconds, visible, idle) in [
            (0, true, true),
            (10, true, true),
            (20, true, false),
            (900, true, false),
            (900, false, true),
        ] {
            let used = Duration::from_millis(milliseconds);
            assert_eq!(
                idle_after_ten_seconds(5, used, visible),
                idle,
                "{milliseconds} ms/s"
            );
        }
    }

    #[test]
    fn output_starts_the_limit_anew() {
        let start = Instant::now();
        let mut idleness = Idleness::new(NOBODY, Some(Duration::from_secs(60)), start);
        idleness.output_seen(start + Duration::from_secs(50));
        assert!(!idleness.is_exceeded(start + Duration::from_secs(100)));
        assert!(idleness.is_exceeded(start + Duration::from_secs(110)));
        assert_eq!(
            idleness.quiet(start + Duration::from_secs(110)),
            Duration::from_secs(60)
        );
    }
}
