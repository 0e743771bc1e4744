//! Time as a value.
//!
//! A wall clock can be set to anything by anyone; the kernel's boot-time clock
//! only moves forward, keeps counting through suspend, and starts again at each
//! boot. A [`Moment`] carries both, and the questions asked of two moments
//! each name the guarantee they need.

use serde::{Deserialize, Serialize};

/// The kernel's identifier of one boot of the machine.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct BootId(pub u64);

/// One point in time on both clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// Milliseconds since 1970 on the wall clock. For people, and for what must
    /// outlive a reboot.
    #[serde(rename = "wall")]
    pub wall_ms: i64,
    /// Milliseconds since the machine was booted, suspend included.
    #[serde(rename = "up")]
    pub boot_ms: u64,
    /// Which boot `boot_ms` counts from.
    pub boot: BootId,
}

impl Moment {
    /// The time that counts as waited since `earlier`.
    ///
    /// Within one boot both clocks must agree, so the shorter of the two counts:
    /// setting the wall clock forward does not end a wait. Across a reboot
    /// the wall clock is all there is, and the uptime is certain.
    #[must_use]
    pub fn waited_since(&self, earlier: &Self) -> u64 {
        let wall = u64::try_from(self.wall_ms.saturating_sub(earlier.wall_ms)).unwrap_or(0);
        if self.boot == earlier.boot {
            wall.min(self.boot_ms.saturating_sub(earlier.boot_ms))
        } else {
            wall.max(self.boot_ms)
        }
    }

    /// The wall-clock time that lies `ms` after this moment.
    #[must_use]
    pub fn wall_after(&self, ms: u64) -> i64 {
        self.wall_ms
            .saturating_add(i64::try_from(ms).unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(boot: u64, boot_ms: u64, wall_ms: i64) -> Moment {
        Moment {
            wall_ms,
            boot_ms,
            boot: BootId(boot),
        }
    }

    #[test]
    fn req_x_007_steps_of_the_wall_clock_do_not_shorten_a_wait() {
        let start = at(1, 1_000, 50_000);
        for (now, waited) in [
            (at(1, 1_500, 50_500), 500),
            (at(1, 1_500, 9_000_000), 500),
            (at(1, 1_500, 0), 0),
            (at(1, 1_500, i64::MIN), 0),
            (at(2, 200, 60_000), 10_000),
            (at(2, 200, 0), 200),
            (at(2, 200, i64::MAX), i64::MAX as u64 - 50_000),
        ] {
            assert_eq!(now.waited_since(&start), waited, "{now:?}");
        }
    }
}
