//! The time, given by whoever has a clock.

use serde::{Deserialize, Serialize};

/// One moment on two clocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Now {
    /// The wall clock, in milliseconds.
    pub wall_ms: i64,
    /// Time since the machine was booted, in milliseconds.
    pub boot_ms: u64,
    /// Which boot that was.
    pub boot: String,
}

impl Now {
    /// How long ago `then` was. Within one boot the clock that nobody can set has a
    /// say as well, and the shorter time counts: a wall clock that jumps ahead must
    /// not make a claim old. One that is ahead on another machine makes no claim
    /// younger than new.
    #[must_use]
    pub fn since(&self, then: &Self) -> u64 {
        let wall = since_wall(self, then.wall_ms);
        if self.boot == then.boot && !self.boot.is_empty() {
            wall.min(self.boot_ms.saturating_sub(then.boot_ms))
        } else {
            wall
        }
    }
}

/// How long ago a moment was of which only the wall clock is known.
pub(crate) fn since_wall(now: &Now, wall_ms: i64) -> u64 {
    u64::try_from(now.wall_ms.saturating_sub(wall_ms)).unwrap_or(0)
}

/// Reads the times that task lists hold: with an offset, with a `Z`, or with
/// neither, which is taken for UTC.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Some(time.as_millisecond());
    }
    let civil: jiff::civil::DateTime = text.parse().ok()?;
    let zoned = civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(zoned.timestamp().as_millisecond())
}

/// Writes a time as task lists hold it, in UTC.
pub(crate) fn written(wall_ms: i64) -> String {
    let time = jiff::Timestamp::from_millisecond(wall_ms).unwrap_or_default();
    format!("{:.0}", time.round(jiff::Unit::Second).unwrap_or(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_lists_write_them_and_written_in_utc() {
        for text in [
            "2026-01-31T12:00:00Z",
            "2026-01-31T13:00:00+01:00",
            "2026-01-31T12:00:00.000Z",
            "2026-01-31 12:00:00",
        ] {
            assert_eq!(
                parse(text).map(written).as_deref(),
                Some("2026-01-31T12:00:00Z"),
                "{text}"
            );
        }
        assert_eq!(parse("yesterday"), None);
    }

    #[test]
    fn a_clock_that_jumps_makes_nothing_old_and_one_that_is_behind_nothing_negative() {
        let then = Now {
            wall_ms: 1_000,
            boot_ms: 500,
            boot: "a".into(),
        };
        let now = |wall_ms, boot_ms, boot: &str| Now {
            wall_ms,
            boot_ms,
            boot: boot.into(),
        };
        for (now, expected) in [
            (now(3_000, 2_500, "a"), 2_000),
            (now(9_000_000, 1_500, "a"), 1_000),
            (now(9_000, 10, "b"), 8_000),
            (now(0, 10, "b"), 0),
        ] {
            assert_eq!(now.since(&then), expected, "{now:?}");
        }
    }
}
