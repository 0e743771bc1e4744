//! Amounts as people and programs write them: money (`2.50`), sizes (`64MB`), and numbers with
//! a point, which are kept as whole numbers of smaller units so that they add up exactly.

/// Each unit with its bytes, the largest first. A kilobyte has 1024 bytes.
const UNITS: [(&str, u64); 5] = [
    ("TB", 1 << 40),
    ("GB", 1 << 30),
    ("MB", 1 << 20),
    ("KB", 1 << 10),
    ("B", 1),
];
/// The most money that anybody is taken to mean, in whole dollars.
const MOST_USD: u64 = 1_000_000;

/// Reads an amount of US dollars as millionths: more than nothing, exactly as it
/// is written.
pub(crate) fn micro_usd(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 6 {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let part: u64 = format!("{part:0<6}").parse().ok()?;
    let micro = whole.checked_mul(1_000_000)?.checked_add(part)?;
    (1..=MOST_USD * 1_000_000).contains(&micro).then_some(micro)
}

/// The shortest way to write an amount that [`micro_usd`] reads back as the same.
pub(crate) fn written_usd(micro: u64) -> String {
    let (whole, part) = (micro / 1_000_000, micro % 1_000_000);
    match part {
        0 => whole.to_string(),
        part => {
            let digits = format!("{part:06}");
            format!("{whole}.{}", digits.trim_end_matches('0'))
        }
    }
}

/// Reads a size.
pub(crate) fn bytes(text: &str) -> Option<u64> {
    let at = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let unit = match unit.trim_start() {
        "" => "B",
        unit => unit,
    };
    let (_, factor) = UNITS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

/// The shortest way to write a size that [`bytes`] reads back as the same.
pub(crate) fn written_bytes(bytes: u64) -> String {
    let fits = |(_, factor): &&(&str, u64)| bytes.is_multiple_of(*factor);
    let (name, factor) = UNITS.iter().find(fits).unwrap_or(&UNITS[4]);
    format!("{}{name}", bytes / factor)
}

/// A score as thousandths, which compare exactly.
pub(crate) fn thousandths(name: &str, value: f64) -> Result<u64, String> {
    scaled(name, value, 1e3)
}

/// Dollars as millionths, which add up exactly.
pub(crate) fn micro_dollars(name: &str, dollars: f64) -> Result<u64, String> {
    scaled(name, dollars, 1e6)
}

/// A number from outside as a whole number of smaller units.
fn scaled(name: &str, value: f64, factor: f64) -> Result<u64, String> {
    if (0.0..=1e9).contains(&value) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range was checked"
        )]
        let whole = (value * factor).round() as u64;
        Ok(whole)
    } else {
        Err(format!("`{name}`: {value} is not between 0 and a billion"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_read_exactly_and_written_back() {
        for (text, micro) in [
            ("5", Some(5_000_000)),
            ("2.50", Some(2_500_000)),
            ("0.000001", Some(1)),
            ("1000000", Some(1_000_000_000_000)),
            ("1000001", None),
            ("0", None),
            ("0.0000001", None),
            ("-1", None),
            ("1e3", None),
            (".5", None),
            ("5.", None),
            ("nan", None),
        ] {
            assert_eq!(micro_usd(text), micro, "{text}");
        }
        for text in ["5", "2.5", "0.000001"] {
            assert_eq!(written_usd(micro_usd(text).unwrap()), text);
        }
    }

    #[test]
    fn sizes_are_read_and_written_back() {
        for (text, size) in [
            ("64MB", Some(64 << 20)),
            ("64 mb", Some(64 << 20)),
            ("1GB", Some(1 << 30)),
            ("10", Some(10)),
            ("MB", None),
            ("1.5GB", None),
            ("99999999999TB", None),
            ("-1MB", None),
        ] {
            assert_eq!(bytes(text), size, "{text}");
        }
        for text in ["64MB", "1GB", "1023KB", "7B"] {
            assert_eq!(written_bytes(bytes(text).unwrap()), text);
        }
    }
}
