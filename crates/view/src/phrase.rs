//! Numbers as people say them.

use jiff::Timestamp;

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A duration in its two largest units: `1 h 5 min`, `12 s`, `0.4 s`.
#[must_use]
pub fn duration(ms: u64) -> String {
    let pair = |large: u64, small: u64, names: [&str; 2]| {
        let (whole, rest) = (ms / large, ms % large / small);
        match rest {
            0 => format!("{whole} {}", names[0]),
            _ => format!("{whole} {} {rest} {}", names[0], names[1]),
        }
    };
    match ms {
        DAY.. => pair(DAY, HOUR, ["d", "h"]),
        HOUR.. => pair(HOUR, MINUTE, ["h", "min"]),
        MINUTE.. => pair(MINUTE, SECOND, ["min", "s"]),
        10_000.. => format!("{} s", ms / SECOND),
        _ => format!("{}.{} s", ms / SECOND, ms % SECOND / 100),
    }
}

/// A wall-clock time in UTC, to the second. Times no calendar has are shown as
/// the number they are.
#[must_use]
pub fn time(ms: i64) -> String {
    Timestamp::from_millisecond(ms).map_or_else(
        |_| format!("{ms} ms"),
        |time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    )
}

/// How long it is from `now` until `then`: `in 29 min`, or `now`.
#[must_use]
pub fn until(then_ms: i64, now_ms: i64) -> String {
    match u64::try_from(then_ms.saturating_sub(now_ms)) {
        Ok(wait) if wait > 0 => format!("in {}", duration(wait)),
        _ => "now".into(),
    }
}

/// A count with its noun, in the right number.
#[must_use]
pub fn count(n: u64, noun: &str) -> String {
    let plural = match (n, noun.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{n} {noun}{plural}")
}

/// A number of bytes as people say it. A kilobyte has 1024 of them.
#[must_use]
pub fn bytes(bytes: u64) -> String {
    let units = [("GB", 1_u64 << 30), ("MB", 1 << 20), ("KB", 1 << 10)];
    match units.iter().find(|(_, unit)| bytes >= *unit) {
        // Tenths, rounded down: what was freed is never more than what is said.
        Some((name, unit)) => {
            let tenths = u128::from(bytes) * 10 / u128::from(*unit);
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
        None => count(bytes, "byte"),
    }
}

/// Millionths of a dollar as dollars, to the nearest cent. What cost less than one is not
/// said to have cost nothing.
#[must_use]
pub fn dollars(micro: u64) -> String {
    const CENT: u64 = 10_000;
    match micro {
        1..CENT => "<$0.01".to_owned(),
        _ => {
            let cents = micro / CENT + u64::from(micro % CENT >= CENT / 2);
            format!("${}.{:02}", cents / 100, cents % 100)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_people_say_them() {
        for (size, said) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (1536, "1.5 KB"),
            ((8 << 20) - 1, "7.9 MB"),
            (3 << 30, "3.0 GB"),
            (u64::MAX, "17179869183.9 GB"),
        ] {
            assert_eq!(bytes(size), said);
        }
    }

    #[test]
    fn amounts_are_rounded_and_little_is_not_nothing() {
        for (micro, said) in [
            (0, "$0.00"),
            (1, "<$0.01"),
            (9_999, "<$0.01"),
            (10_000, "$0.01"),
            (735_000, "$0.74"),
            (734_999, "$0.73"),
            (12_000_000, "$12.00"),
        ] {
            assert_eq!(dollars(micro), said);
        }
    }

    #[test]
    fn durations_read_as_people_say_them() {
        for (ms, said) in [
            (0, "0.0 s"),
            (450, "0.4 s"),
            (9_999, "9.9 s"),
            (12_000, "12 s"),
            (60_000, "1 min"),
            (1_799_000, "29 min 59 s"),
            (3_900_000, "1 h 5 min"),
            (90_000_000, "1 d 1 h"),
        ] {
            assert_eq!(duration(ms), said);
        }
    }

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!(count(1, "process"), "1 process");
        assert_eq!(count(0, "process"), "0 processes");
        assert_eq!(count(2, "file"), "2 files");
    }

    #[test]
    fn times_are_utc_and_total() {
        assert_eq!(time(0), "1970-01-01T00:00:00Z");
        assert_eq!(time(i64::MAX), format!("{} ms", i64::MAX));
        assert_eq!(until(61_000, 1_000), "in 1 min");
        assert_eq!(until(i64::MIN, i64::MAX), "now");
    }
}
