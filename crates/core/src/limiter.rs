//! The rolling limiter: at most N calls in any window, under any clock.
//!
//! Ages are measured by the uptime, never by the wall clock. After a reboot the
//! only thing certain about an earlier call is that it happened before the
//! machine came up, so all of them count until the uptime alone is as long as the
//! window. That can make a loop wait longer than it needed to; it can never let
//! one call too many through.
//!
//! ```
//! use fusebox_core::Moment;
//! use fusebox_core::limiter::Window;
//! use fusebox_core::Policy;
//!
//! let rule = Policy::native().calls;
//! let mut window = Window::default();
//! let now = Moment::default();
//! window.grant(rule.limit, &rule, &now);
//! assert_eq!(window.left(&rule, &now).left, 0);
//!
//! // Setting the wall clock forward frees nothing; an hour of uptime does.
//! let tomorrow = Moment { wall_ms: 86_400_000, ..now };
//! assert_eq!(window.left(&rule, &tomorrow).left, 0);
//! let later = Moment { boot_ms: rule.window_ms, ..now };
//! assert_eq!(window.left(&rule, &later).left, rule.limit);
//! ```

use serde::{Deserialize, Serialize};

use crate::clock::{BootId, Moment};
use crate::policy::CallLimit;

/// The calls that may still matter.
///
/// Bounded: a window never holds more than the limit it was granted under.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    boot: BootId,
    /// Calls made before this boot of the machine.
    earlier: u32,
    /// Uptimes of the calls made since, oldest first.
    since_boot: Vec<u64>,
}

/// How many calls are used and left, and when the next one frees up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallsLeft {
    /// The most calls in one window.
    pub limit: u32,
    /// The length of the window.
    pub window_ms: u64,
    /// Calls in the window that ends now.
    pub used: u32,
    /// Calls that may still be made now.
    pub left: u32,
    /// Whether the warning share is reached.
    pub near: bool,
    /// How long until one more call becomes free; 0 when one is free now.
    pub next_in_ms: u64,
}

impl Window {
    /// How many calls are used and left at `now`.
    #[must_use]
    pub fn left(&self, rule: &CallLimit, now: &Moment) -> CallsLeft {
        let used = self.used(rule, now);
        let left = rule.limit.saturating_sub(used);
        CallsLeft {
            limit: rule.limit,
            window_ms: rule.window_ms,
            used,
            left,
            near: rule.is_near(used),
            next_in_ms: self.wait_for(1, rule, now).unwrap_or(rule.window_ms),
        }
    }

    /// How long to wait until `calls` more may be made: 0 for now, `None` for
    /// never, because the limit itself is smaller.
    #[must_use]
    pub fn wait_for(&self, calls: u32, rule: &CallLimit, now: &Moment) -> Option<u64> {
        if calls > rule.limit {
            return None;
        }
        let free = rule.limit.saturating_sub(self.used(rule, now));
        if free >= calls {
            return Some(0);
        }
        let ages: Vec<u64> = self.live_ages(rule, now).collect();
        // Enough of the oldest calls must leave the window.
        let leaving = ages.len() - (rule.limit - calls) as usize;
        Some(rule.window_ms - ages[leaving - 1])
    }

    /// How long to wait until the warning share is no longer reached.
    #[must_use]
    pub fn wait_until_calm(&self, rule: &CallLimit, now: &Moment) -> u64 {
        self.wait_for(rule.limit - rule.calm(), rule, now)
            .unwrap_or(rule.window_ms)
    }

    /// Remembers that `calls` were granted at `now` under `rule`.
    pub fn grant(&mut self, calls: u32, rule: &CallLimit, now: &Moment) {
        self.forget_old(rule, now);
        let stamp = self.stamp(now);
        self.since_boot
            .extend(std::iter::repeat_n(stamp, calls as usize));
    }

    /// Counts the calls of another window as well, for a limit that both are held
    /// to.
    ///
    /// What comes of it is for deciding, not for keeping: each window remembers
    /// its own calls alone.
    pub fn join(&mut self, other: &Self, rule: &CallLimit, now: &Moment) {
        self.forget_old(rule, now);
        let mut other = other.clone();
        other.forget_old(rule, now);
        self.earlier = self.earlier.saturating_add(other.earlier);
        self.since_boot.append(&mut other.since_boot);
        self.since_boot.sort_unstable();
    }

    fn used(&self, rule: &CallLimit, now: &Moment) -> u32 {
        count(self.live_ages(rule, now).count())
    }

    /// The proven ages of the calls that still count, oldest call first.
    fn live_ages(&self, rule: &CallLimit, now: &Moment) -> impl Iterator<Item = u64> {
        let stamp = self.stamp(now);
        let same_boot = self.boot == now.boot;
        let before_boot = std::iter::repeat_n(stamp, self.earlier as usize);
        let since = self.since_boot.iter().map(move |at| {
            if same_boot {
                stamp.saturating_sub(*at)
            } else {
                stamp
            }
        });
        let window_ms = rule.window_ms;
        before_boot.chain(since).filter(move |age| *age < window_ms)
    }

    /// Drops what is provably older than the window and, at the first call of a
    /// new boot, turns what is left into calls of an earlier one.
    fn forget_old(&mut self, rule: &CallLimit, now: &Moment) {
        let live = self.used(rule, now);
        if self.boot != now.boot {
            *self = Self {
                boot: now.boot,
                earlier: live,
                since_boot: Vec::new(),
            };
            return;
        }
        let stamp = self.stamp(now);
        if stamp >= rule.window_ms {
            self.earlier = 0;
        }
        self.since_boot
            .retain(|at| stamp.saturating_sub(*at) < rule.window_ms);
    }

    /// The uptime at `now`, which never runs backwards within a boot.
    fn stamp(&self, now: &Moment) -> u64 {
        match self.since_boot.last() {
            Some(last) if self.boot == now.boot => now.boot_ms.max(*last),
            _ => now.boot_ms,
        }
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RULE: CallLimit = CallLimit {
        limit: 3,
        window_ms: 1_000,
        warn_percent: 80,
    };

    fn up(boot_ms: u64) -> Moment {
        Moment {
            wall_ms: 0,
            boot_ms,
            boot: BootId(1),
        }
    }

    #[test]
    fn a_call_is_remembered_for_as_long_as_it_counts_and_no_longer() {
        let mut window = Window::default();
        window.grant(1, &RULE, &up(5_000));
        window.grant(1, &RULE, &up(5_999));
        assert_eq!(window.since_boot, [5_000, 5_999]);
        window.grant(1, &RULE, &up(6_000));
        assert_eq!(window.since_boot, [5_999, 6_000]);
    }

    #[test]
    fn req_004_048_the_window_rolls_and_names_the_next_slot() {
        let mut window = Window::default();
        for at in [5_000, 5_100, 5_200] {
            assert_eq!(window.wait_for(1, &RULE, &up(at)), Some(0));
            window.grant(1, &RULE, &up(at));
        }
        assert_eq!(window.wait_for(1, &RULE, &up(5_300)), Some(700));
        assert_eq!(window.wait_for(2, &RULE, &up(5_300)), Some(800));
        assert_eq!(window.wait_for(3, &RULE, &up(5_300)), Some(900));
        assert_eq!(window.wait_for(4, &RULE, &up(5_300)), None);
        assert_eq!(window.wait_for(1, &RULE, &up(6_000)), Some(0));
        assert_eq!(window.left(&RULE, &up(6_000)).used, 2);
    }

    #[test]
    fn req_004_050_the_warning_comes_at_eighty_percent() {
        let rule = CallLimit {
            limit: 100,
            window_ms: 1_000,
            warn_percent: 80,
        };
        let mut window = Window::default();
        window.grant(79, &rule, &up(0));
        assert!(!window.left(&rule, &up(1)).near);
        window.grant(1, &rule, &up(1));
        assert!(window.left(&rule, &up(2)).near);
        let calm = window.wait_until_calm(&rule, &up(2));
        assert!(window.left(&rule, &up(2 + calm - 1)).near);
        assert!(!window.left(&rule, &up(2 + calm)).near);
    }

    /// What comes out of a file need not be sorted, whatever vouches for it.
    #[test]
    fn calls_from_the_future_count_as_calls_of_now() {
        let mut window: Window =
            serde_json::from_str(r#"{"boot":1,"earlier":0,"since_boot":[9000,1000]}"#).unwrap();
        assert_eq!(window.left(&RULE, &up(1_500)).used, 2);
        window.grant(1, &RULE, &up(1_500));
        assert_eq!(window.left(&RULE, &up(1_500)).used, 3);
    }

    #[test]
    fn an_uptime_that_runs_backwards_forgets_no_call() {
        let mut window = Window::default();
        window.grant(1, &RULE, &up(5_000));
        assert_eq!(window.left(&RULE, &up(4_000)).used, 1);
        window.grant(2, &RULE, &up(3_000));
        assert_eq!(window.wait_for(1, &RULE, &up(5_999)), Some(1));
    }

    #[test]
    fn calls_before_a_reboot_count_until_the_uptime_covers_the_window() {
        let mut window = Window::default();
        window.grant(3, &RULE, &up(9_000));
        let rebooted = |boot_ms| Moment {
            wall_ms: i64::MAX,
            boot_ms,
            boot: BootId(2),
        };
        assert_eq!(window.wait_for(1, &RULE, &rebooted(200)), Some(800));
        window.grant(0, &RULE, &rebooted(300));
        assert_eq!(window.left(&RULE, &rebooted(999)).used, 3);
        assert_eq!(window.left(&RULE, &rebooted(1_000)).used, 0);
    }

    #[test]
    fn windows_that_are_joined_count_together_across_a_reboot() {
        let mut ours = Window::default();
        ours.grant(1, &RULE, &up(500));
        let mut theirs = Window::default();
        theirs.grant(1, &RULE, &up(100));
        let mut both = ours.clone();
        both.join(&theirs, &RULE, &up(600));
        assert_eq!(both.left(&RULE, &up(600)).used, 2);
        assert_eq!(both.wait_for(2, &RULE, &up(600)), Some(500));
        both.grant(1, &RULE, &up(600));
        assert_eq!(both.left(&RULE, &up(600)).left, 0);

        // Theirs was last used before a reboot that ours has seen.
        let rebooted = Moment {
            boot: BootId(2),
            ..up(700)
        };
        let mut since = Window::default();
        since.grant(1, &RULE, &rebooted);
        since.join(&theirs, &RULE, &rebooted);
        assert_eq!(since.left(&RULE, &rebooted).used, 2);
        assert_eq!(
            since
                .left(
                    &RULE,
                    &Moment {
                        boot_ms: 1_000,
                        ..rebooted
                    }
                )
                .used,
            1
        );
    }

    /// What a test does to the machine between two calls.
    #[derive(Clone, Debug)]
    enum Step {
        Wait(u64),
        SetWallClock(i64),
        Reboot,
        Ask(u32),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0_u64..700).prop_map(Step::Wait),
            1 => any::<i64>().prop_map(Step::SetWallClock),
            1 => Just(Step::Reboot),
            6 => (1_u32..3).prop_map(Step::Ask),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn req_004_052_no_true_window_ever_holds_more_than_the_limit(steps in prop::collection::vec(step(), 1..120)) {
            let (mut truth, mut booted, mut boot, mut wall) = (0_u64, 0_u64, 1_u64, 0_i64);
            let mut window = Window::default();
            let mut granted: Vec<u64> = Vec::new();
            for step in steps {
                match step {
                    Step::Wait(ms) => truth += ms,
                    Step::SetWallClock(to) => wall = to,
                    Step::Reboot => { booted = truth; boot += 1; }
                    Step::Ask(calls) => {
                        let now = Moment { wall_ms: wall, boot_ms: truth - booted, boot: BootId(boot) };
                        if window.wait_for(calls, &RULE, &now) == Some(0) {
                            window.grant(calls, &RULE, &now);
                            granted.extend(std::iter::repeat_n(truth, calls as usize));
                        }
                        prop_assert!(window.since_boot.len() <= RULE.limit as usize);
                    }
                }
            }
            for (at, start) in granted.iter().enumerate() {
                let in_window = granted[at..].iter().filter(|t| **t - start < RULE.window_ms).count();
                prop_assert!(in_window <= RULE.limit as usize, "{granted:?}");
            }
        }

        #[test]
        fn a_refused_caller_who_waits_as_told_is_granted(first in 1_u32..4, gap in 0_u64..999) {
            let mut window = Window::default();
            window.grant(first, &RULE, &up(0));
            let wait = window.wait_for(2, &RULE, &up(gap)).unwrap();
            prop_assert_eq!(window.wait_for(2, &RULE, &up(gap + wait)), Some(0));
            prop_assert!(wait == 0 || window.wait_for(2, &RULE, &up(gap + wait - 1)) != Some(0));
        }
    }
}
