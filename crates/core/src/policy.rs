//! Thresholds and release rules, as numbers and closed enums.
//!
//! A policy holds no expressions and no names of workflows: whatever differs
//! between two ways of working is a different value in the same fields.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 60 * MINUTE_MS;

/// The smallest and the largest value a threshold may have.
pub const THRESHOLD_RANGE: std::ops::RangeInclusive<u32> = 1..=99;
/// The most calls that a rolling window may be asked to hold.
pub const MOST_CALLS: u32 = 4096;

/// The identifier of the written rule a decision was made by.
pub type RuleId = Cow<'static, str>;

/// Everything a decision depends on besides the facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// What the states are called.
    pub labels: Labels,
    /// Iterations in a row without progress.
    pub no_progress: Threshold,
    /// Iterations in a row with the same error.
    pub repeated_error: Threshold,
    /// How an opened breaker may be closed again.
    pub recovery: Recovery,
    /// How long one iteration may take; a probe that takes longer has failed.
    pub iteration_limit_ms: u64,
    /// How many iterations may start in a rolling window.
    pub calls: CallLimit,
}

/// The words that stand for the states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels {
    /// Normal operation.
    pub closed: &'static str,
    /// The warning before a trip.
    pub watching: &'static str,
    /// Halted.
    pub open: &'static str,
    /// The single trial after a cooldown.
    pub probing: &'static str,
}

/// When a counted signal warns and when it trips.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// The count from which it warns, if it ever does.
    pub warn_at: Option<u32>,
    /// The count from which it trips.
    pub trip_at: u32,
    /// The written rule behind the number.
    pub rule: RuleId,
}

/// How an opened breaker may be closed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recovery {
    /// The wait before the first probe.
    pub cooldown_ms: u64,
    /// The longest wait that doubling may lead to.
    pub longest_ms: u64,
    /// After this many failed probes only a person may release.
    pub probes: u32,
}

/// A limit on the number of calls in any rolling window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
}

impl Recovery {
    /// The wait after `failed` probes have failed: doubled for each of them.
    #[must_use]
    pub fn cooldown_after(&self, failed: u32) -> u64 {
        let factor = 1_u64.checked_shl(failed).unwrap_or(u64::MAX);
        self.cooldown_ms.saturating_mul(factor).min(self.longest_ms)
    }
}

impl Policy {
    /// The default way of working.
    #[must_use]
    pub fn native() -> Self {
        Self {
            labels: Labels {
                closed: "CLOSED",
                watching: "WATCHING",
                open: "OPEN",
                probing: "PROBING",
            },
            no_progress: Threshold {
                warn_at: Some(2),
                trip_at: 3,
                rule: "004.15".into(),
            },
            repeated_error: Threshold {
                warn_at: Some(3),
                trip_at: 5,
                rule: "004.17".into(),
            },
            recovery: Recovery {
                cooldown_ms: 30 * MINUTE_MS,
                longest_ms: 24 * HOUR_MS,
                probes: 3,
            },
            iteration_limit_ms: 30 * MINUTE_MS,
            calls: CallLimit {
                limit: 100,
                window_ms: HOUR_MS,
                warn_percent: 80,
            },
        }
    }

    /// Trips after `count` iterations without progress, and warns one earlier.
    ///
    /// # Errors
    /// [`OutOfRange`] unless `count` is within [`THRESHOLD_RANGE`].
    pub fn with_stagnation_threshold(mut self, count: u32) -> Result<Self, OutOfRange> {
        if !THRESHOLD_RANGE.contains(&count) {
            return Err(OutOfRange);
        }
        self.no_progress.trip_at = count;
        self.no_progress.warn_at = (count > 1).then_some(count - 1);
        Ok(self)
    }

    /// A short fingerprint, equal for equal policies of one engine revision.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let digest = Sha256::digest(format!("{self:?}"));
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        u64::from_be_bytes(first)
    }
}

/// A threshold lies outside [`THRESHOLD_RANGE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn req_004_036_the_cooldown_starts_at_thirty_minutes_and_doubles_up_to_its_cap() {
        let recovery = Policy::native().recovery;
        assert_eq!(recovery.cooldown_after(0), 30 * MINUTE_MS);
        assert_eq!(recovery.cooldown_after(1), HOUR_MS);
        assert_eq!(recovery.cooldown_after(5), 16 * HOUR_MS);
        assert_eq!(recovery.cooldown_after(6), 24 * HOUR_MS);
        assert_eq!(recovery.cooldown_after(u32::MAX), 24 * HOUR_MS);
    }

    #[test]
    fn thresholds_outside_one_to_ninety_nine_are_refused() {
        for (count, warn) in [(1, None), (2, Some(1)), (99, Some(98))] {
            let policy = Policy::native().with_stagnation_threshold(count).unwrap();
            assert_eq!(
                (policy.no_progress.trip_at, policy.no_progress.warn_at),
                (count, warn)
            );
        }
        for count in [0, 100, u32::MAX] {
            assert_eq!(
                Policy::native().with_stagnation_threshold(count),
                Err(OutOfRange)
            );
        }
    }

    #[test]
    fn the_fingerprint_tells_policies_apart() {
        let native = Policy::native();
        assert_eq!(native.fingerprint(), Policy::native().fingerprint());
        let stricter = Policy::native().with_stagnation_threshold(2).unwrap();
        assert_ne!(native.fingerprint(), stricter.fingerprint());
    }
}
