//! Moments, as people and their tools write them.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// From here on a bare number counts milliseconds rather than seconds: the
/// seconds would lie in the year 5138.
const MILLISECONDS: i64 = 100_000_000_000;

/// A moment, in UTC and to the second.
#[must_use]
pub fn written(ms: i64) -> String {
    Timestamp::from_millisecond(ms)
        .unwrap_or(Timestamp::UNIX_EPOCH)
        .strftime("%Y-%m-%dT%H:%M:%SZ")
        .to_string()
}

/// The moment that `text` names, in milliseconds since 1970: with `Z`, with an
/// offset or with neither, which is taken for UTC; to the day, the minute, the
/// second or below; or as a number since 1970.
#[must_use]
pub fn read(text: &str) -> Option<i64> {
    let text = text.trim();
    let text = text.strip_suffix(" UTC").unwrap_or(text).trim_end();
    if let Ok(number) = text.parse::<i64>() {
        return Some(if number < MILLISECONDS {
            number.checked_mul(1_000)?
        } else {
            number
        });
    }
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_millisecond());
    }
    let plain = text.strip_suffix('Z').unwrap_or(text);
    let civil = plain.parse::<DateTime>().ok();
    let civil = civil.or_else(|| {
        Some(
            plain
                .parse::<Date>()
                .ok()?
                .to_datetime(jiff::civil::Time::midnight()),
        )
    })?;
    Some(
        civil
            .to_zoned(TimeZone::UTC)
            .ok()?
            .timestamp()
            .as_millisecond(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn req_002_011_and_d_049_moments_are_read_in_every_form_and_written_in_one() {
        for text in [
            "2025-01-18T14:32:00Z",
            "2025-01-18T15:32:00+01:00",
            "2025-01-18 09:32:00-05:00",
            "2025-01-18 14:32:00",
            "2025-01-18T14:32:00",
            "2025-01-18T14:32:00.000Z",
            "2025-01-18T14:32Z",
            "2025-01-18 14:32:00 UTC",
            "1737210720",
            "1737210720000",
        ] {
            let ms = read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(written(ms), "2025-01-18T14:32:00Z", "{text}");
        }
        assert_eq!(
            read("2025-01-18").map(written),
            Some("2025-01-18T00:00:00Z".into())
        );
        for text in [
            "",
            "yesterday",
            "2025-13-01",
            "14:32",
            "99999999999999999999",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
