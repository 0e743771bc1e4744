//! Whether the coordinator's clock can be believed.
//!
//! It may stand still or run late: then a budget comes back later than it could. One
//! that jumps ahead frees everything at once. So a worker compares how far it moved
//! between two answers with its own boot-time clock, which nobody can set.

use crate::boot_clock::BootInstant;
use crate::error::FleetError;

/// How far clocks may drift apart between two answers.
const TOLERATED_US: i64 = 60_000_000;

/// The last answer whose time was believed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClockWatch {
    believed: Option<(i64, BootInstant)>,
}

impl ClockWatch {
    /// Whether an answer given at `at_us` may be believed `now`. One that is ahead is
    /// not, until our own clock has caught up.
    pub(super) fn look(&mut self, at_us: i64, now: BootInstant) -> Result<(), FleetError> {
        if let Some((then_us, then)) = self.believed {
            let passed = i64::try_from(now.since(then).as_micros()).unwrap_or(i64::MAX);
            let ahead = at_us.saturating_sub(then_us).saturating_sub(passed);
            if ahead > TOLERATED_US {
                return Err(FleetError::ClockJumped {
                    ahead_s: ahead.unsigned_abs() / 1_000_000,
                });
            }
        }
        self.believed = Some((at_us, now));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_that_jumps_ahead_is_not_believed_until_ours_has_caught_up() {
        let start = BootInstant::now();
        let mut watch = ClockWatch::default();
        watch.look(1_000_000_000, start).unwrap();
        let after = |seconds| start.after(Duration::from_secs(seconds));
        let hour = 3_600_000_000;
        assert!(watch.look(1_000_000_000 + hour, after(10)).is_err());
        assert!(watch.look(1_000_000_000 + hour, after(20)).is_err());
        watch.look(1_000_000_000 + hour, after(3_545)).unwrap();
        // Running late, or back, frees nothing early.
        watch.look(5, after(3_600)).unwrap();
    }
}
