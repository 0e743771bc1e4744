//! Times as people write them in flags, variables and files: `90s`, `30m`, `2h`.

use std::time::Duration;

/// Each unit with its seconds, the largest first.
const UNITS: [(&str, u64); 4] = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];

/// Reads a time between one second and a year.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || match is_bare(text) {
        true => format!("`{text}` has no unit: write {text}s, {text}m or {text}h"),
        false => format!("`{text}` is not a time such as 90s, 30m or 2h"),
    };
    let time = of_any_length(text).ok_or_else(wrong)?;
    match time.as_secs() {
        1..=31_536_000 => Ok(time),
        _ => Err(format!("`{text}` is not between one second and a year")),
    }
}

/// A number alone, which some take for seconds and others for minutes.
pub(crate) fn is_bare(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads a time of any length. One that no number holds is the longest there is.
pub(crate) fn of_any_length(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at(
        text.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len()),
    );
    let unit = match unit {
        "min" => "m",
        other => other,
    };
    let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let number = match number {
        "" => return None,
        // There is nothing in it but digits.
        digits => digits.parse().unwrap_or(u64::MAX),
    };
    Some(Duration::from_secs(number.saturating_mul(*factor)))
}

/// The shortest way to write a time that [`parse`] reads back as the same.
pub(crate) fn written(ms: u64) -> String {
    let seconds = ms / 1_000;
    let fits = |(_, factor): &&(&str, u64)| seconds.is_multiple_of(*factor);
    let (name, factor) = UNITS.iter().find(fits).unwrap_or(&UNITS[3]);
    format!("{}{name}", seconds / factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_bounded() {
        for (text, seconds) in [
            ("90s", 90),
            ("30m", 1_800),
            ("30min", 1_800),
            ("2h", 7_200),
            ("1d", 86_400),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)));
        }
        for text in [
            "",
            "s",
            "90",
            "0s",
            "-1s",
            "1w",
            "99999999999999999999h",
            "400d",
            "1.5h",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let told = parse("20").unwrap_err();
        assert_eq!(told, "`20` has no unit: write 20s, 20m or 20h");
    }

    #[test]
    fn what_is_written_is_read_back() {
        for text in ["90s", "30m", "2h", "1d", "25h"] {
            let read = parse(text).unwrap();
            assert_eq!(written(u64::try_from(read.as_millis()).unwrap()), text);
        }
    }
}
