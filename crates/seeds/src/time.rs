//! Moments as the tools of other systems write them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A moment, in UTC and to the second.
pub(crate) fn written(ms: i64) -> String {
    Timestamp::from_millisecond(ms)
        .unwrap_or(Timestamp::UNIX_EPOCH)
        .strftime("%Y-%m-%dT%H:%M:%SZ")
        .to_string()
}

/// A moment in any of the ways that people write one: with `Z`, with an offset,
/// or with neither, which is taken for UTC.
pub(crate) fn read(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_millisecond());
    }
    let civil: DateTime = text.parse().ok()?;
    let zoned = civil.to_zoned(TimeZone::UTC).ok()?;
    Some(zoned.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn req_d_049_moments_are_read_in_every_form_and_written_in_one() {
        for text in [
            "2026-01-13T11:00:00Z",
            "2026-01-13T12:00:00+01:00",
            "2026-01-13 11:00:00",
            "2026-01-13T11:00:00",
            " 2026-01-13T11:00:00.000Z ",
        ] {
            let ms = read(text).unwrap();
            assert_eq!(written(ms), "2026-01-13T11:00:00Z", "{text}");
        }
        for text in ["", "yesterday", "2026-13-01", "11:00"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
