//! Points in time as people and programs write them: RFC 3339, `2026-01-31T12:00:00Z`.

/// Reads one, in milliseconds since the epoch.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let time: jiff::Timestamp = text.trim().parse().ok()?;
    Some(time.as_millisecond())
}
