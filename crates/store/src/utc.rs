//! A moment as people write it; nothing is decided by it.

use jiff::Timestamp;

/// To the second, as in `2026-11-18T02:49:32Z`. What is no time anybody could have meant is
/// told as the number that it is.
pub(crate) fn second(wall_ms: u64) -> String {
    let moment = i64::try_from(wall_ms).ok().map(Timestamp::from_millisecond);
    match moment {
        Some(Ok(moment)) => moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        _ => format!("{wall_ms} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::second;

    #[test]
    fn a_moment_is_told_as_a_date() {
        assert_eq!(second(0), "1970-01-01T00:00:00Z");
        assert_eq!(second(951_827_696_999), "2000-02-29T12:34:56Z");
        assert_eq!(second(u64::MAX), "18446744073709551615 ms");
    }
}
