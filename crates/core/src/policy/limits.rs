//! Limits in time: how many calls, how long a wait.

use serde::{Deserialize, Serialize};

/// The most calls that a rolling window may be asked to hold.
pub const MOST_CALLS: u32 = 4096;

/// How long to wait before a probe, and how often to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Recovery {
    /// The wait before the first probe.
    pub cooldown_ms: u64,
    /// The longest wait that doubling may lead to.
    pub longest_ms: Option<u64>,
    /// After this many failed probes only a person may release; `None` is never.
    pub probes: Option<u32>,
    /// Iterations after a recovery in which a relapse goes straight to a person.
    pub watched: u32,
}

impl Recovery {
    /// The wait after `failed` probes have failed: doubled for each of them.
    #[must_use]
    pub fn cooldown_after(&self, failed: u32) -> u64 {
        let factor = 1_u64.checked_shl(failed).unwrap_or(u64::MAX);
        let wait = self.cooldown_ms.saturating_mul(factor);
        self.longest_ms.map_or(wait, |longest| wait.min(longest))
    }
}

/// A limit on the number of calls in any rolling window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CallLimit {
    /// The most calls in one window.
    pub limit: u32,
    /// The length of the window.
    pub window_ms: u64,
    /// The share of the limit, in percent, from which a warning is given.
    pub warn_percent: u32,
}

impl CallLimit {
    /// Whether `used` calls are enough for the warning.
    #[must_use]
    pub fn is_near(&self, used: u32) -> bool {
        u64::from(used) * 100 >= u64::from(self.limit) * u64::from(self.warn_percent)
    }

    /// The most calls that may be used without the warning.
    #[must_use]
    pub fn calm(&self) -> u32 {
        let near = (u64::from(self.limit) * u64::from(self.warn_percent)).div_ceil(100);
        u32::try_from(near.saturating_sub(1))
            .unwrap_or(u32::MAX)
            .min(self.limit)
    }
}

/// A limit on an amount in any rolling window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WindowLimit {
    /// The most in one window.
    pub limit: u64,
    /// The length of the window, which should be longer than an iteration.
    pub window_ms: u64,
    /// What an iteration is expected to use at most. It must be left before one
    /// is granted, and counts until the iteration has told what it used.
    pub reserve: u64,
    /// The share of the limit, in percent, from which a warning is given; 0 is
    /// never.
    #[serde(default)]
    pub warn_percent: u32,
}

impl WindowLimit {
    /// What is put aside for one iteration: something, and never more than the
    /// limit could ever allow.
    #[must_use]
    pub fn share(&self) -> u64 {
        self.reserve.min(self.limit).max(1)
    }

    /// Whether `used` is so much that the rest is kept for the work under way.
    #[must_use]
    pub fn is_near(&self, used: u64) -> bool {
        self.warn_percent > 0 && used > self.calm()
    }

    /// The most that may be used before that.
    #[must_use]
    pub fn calm(&self) -> u64 {
        let near = (u128::from(self.limit) * u128::from(self.warn_percent)).div_ceil(100);
        u64::try_from(near.saturating_sub(1))
            .unwrap_or(u64::MAX)
            .min(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Policy, Preset};

    #[test]
    fn req_004_050_and_d_071_one_more_than_calm_is_near() {
        for limit in 1..=250_u32 {
            let rule = CallLimit {
                limit,
                window_ms: 1,
                warn_percent: 80,
            };
            let calm = rule.calm();
            assert!(!rule.is_near(calm) && rule.is_near(calm + 1), "{limit}");
            let rule = WindowLimit {
                limit: limit.into(),
                window_ms: 1,
                reserve: 1,
                warn_percent: 80,
            };
            let calm = u64::from(calm);
            assert_eq!(rule.calm(), calm, "one rule for all limits");
            assert!(!rule.is_near(calm) && rule.is_near(calm + 1));
        }
        let lenient = CallLimit {
            limit: 10,
            window_ms: 1,
            warn_percent: 200,
        };
        assert_eq!(lenient.calm(), 10, "no more than there are");
    }

    #[test]
    fn req_004_036_the_cooldown_starts_at_thirty_minutes_and_doubles() {
        const MINUTE: u64 = 60_000;
        for (preset, waits) in [
            (Preset::Native, [30, 60, 960, 1440, 1440]),
            (Preset::Superkit, [30, 60, 960, 1920, 3840]),
        ] {
            let recovery = Policy::of(preset).recovery;
            let got = [0, 1, 5, 6, 7].map(|failed| recovery.cooldown_after(failed) / MINUTE);
            assert_eq!(got, waits);
        }
        assert_eq!(
            Policy::of(Preset::Superkit)
                .recovery
                .cooldown_after(u32::MAX),
            u64::MAX
        );
    }
}
