//! Values that need more than clap's own parsers.

use std::time::Duration;

use clap::builder::RangedU64ValueParser;
use fusebox_core::policy::THRESHOLD_RANGE;

/// A threshold within the range that every layer of configuration keeps to.
pub(super) fn threshold() -> RangedU64ValueParser<u32> {
    let range = u64::from(*THRESHOLD_RANGE.start())..=u64::from(*THRESHOLD_RANGE.end());
    RangedU64ValueParser::new().range(range)
}

/// A duration such as `90s`, `30m` or `2h`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a time such as 90s, 30m or 2h");
    let (number, unit) = text.split_at(
        text.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len()),
    );
    let factor = match unit {
        "s" | "" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    let seconds = number
        .parse::<u64>()
        .ok()
        .and_then(|n| n.checked_mul(factor))
        .ok_or_else(wrong)?;
    match seconds {
        1..=31_536_000 => Ok(Duration::from_secs(seconds)),
        _ => Err(format!("`{text}` is not between one second and a year")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_bounded() {
        for (text, seconds) in [
            ("90s", 90),
            ("90", 90),
            ("30m", 1_800),
            ("2h", 7_200),
            ("1d", 86_400),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)));
        }
        for text in [
            "",
            "s",
            "0s",
            "-1s",
            "1w",
            "99999999999999999999h",
            "400d",
            "1.5h",
        ] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
