//! Times as session files spell them.

use fusebox_agents::EpochMs;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Reads a time; one without a zone is taken for UTC, because only differences
/// are ever looked at. What is no time is none.
pub(crate) fn parse(text: &str) -> Option<EpochMs> {
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
    fn times_with_and_without_a_zone_and_what_is_none() {
        for (text, expected) in [
            ("1970-01-01T00:00:01.500Z", Some(1500)),
            ("1970-01-01T01:00:00+01:00", Some(0)),
            ("1970-01-01T00:00:02.000001", Some(2000)),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }
}
