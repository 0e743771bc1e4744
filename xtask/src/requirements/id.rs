//! The id of a requirement, and the ids that a test's name carries.

use anyhow::{Context, Result, bail, ensure};
use std::fmt;
use std::str::FromStr;

/// A document and a number in it: `004.15`, `X.3`, and `D.71` for a ruling.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Id {
    document: String,
    number: u16,
}

impl fmt::Display for Id {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.document, self.number)
    }
}

impl FromStr for Id {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (document, number) = text
            .split_once('.')
            .with_context(|| format!("`{text}` is no id such as 004.15"))?;
        let number = number
            .parse()
            .with_context(|| format!("`{number}` in `{text}` is no number"))?;
        Ok(Self {
            document: document.to_owned(),
            number,
        })
    }
}

impl Id {
    /// The id that two parts of a name spell: `004` and `015`, `x` and `003`.
    ///
    /// Three digits each, so that names sort as their ids do and a slip of the
    /// pen is noticed instead of read as another id.
    fn spelled(document: &str, number: &str) -> Option<Self> {
        let digits = |text: &str| text.len() == 3 && text.bytes().all(|b| b.is_ascii_digit());
        let known = matches!(document, "d" | "x") || digits(document);
        (known && digits(number)).then(|| Self {
            document: document.to_uppercase(),
            number: number.parse().unwrap_or(0),
        })
    }

    /// All ids from this one to another of the same document.
    fn up_to(&self, last: &Self) -> Result<Vec<Self>> {
        ensure!(
            self.document == last.document && self.number < last.number,
            "{self} to {last} is no range"
        );
        let at = |number| Self {
            document: self.document.clone(),
            number,
        };
        Ok((self.number..=last.number).map(at).collect())
    }
}

/// The ids in the name of a test: one, several joined by `and`, ranges joined
/// by `to`, or both. After the first, the document may be left out where it is
/// the one before.
pub(crate) fn ids_in(name: &str) -> Result<Vec<Id>> {
    let parts: Vec<&str> = name.split('_').collect();
    let ["req", parts @ ..] = parts.as_slice() else {
        bail!("`{name}` does not begin with `req_`");
    };
    let mut ids: Vec<Id> = Vec::new();
    let (mut joint, mut parts) = ("and", parts);
    while let Some((id, rest)) = next_id(parts, ids.last()) {
        match (joint, ids.last()) {
            ("to", Some(first)) => {
                let range = first.up_to(&id).with_context(|| name.to_owned())?;
                ids.extend(range.into_iter().skip(1));
            }
            _ => ids.push(id),
        }
        let [next @ ("and" | "to"), rest @ ..] = rest else {
            break;
        };
        (joint, parts) = (next, rest);
    }
    ensure!(!ids.is_empty(), "`{name}` spells no id such as 004_015");
    Ok(ids)
}

/// The id that the parts of a name begin with, and the parts after it.
fn next_id<'a, 'b>(parts: &'a [&'b str], before: Option<&Id>) -> Option<(Id, &'a [&'b str])> {
    if let [document, number, rest @ ..] = parts
        && let Some(id) = Id::spelled(document, number)
    {
        return Some((id, rest));
    }
    let document = before?.document.to_lowercase();
    let (number, rest) = parts.split_first()?;
    Some((Id::spelled(&document, number)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_carry_ids_ranges_and_lists() {
        for (name, expected) in [
            ("req_004_015_three_idle", "004.15"),
            ("req_x_003_durable", "X.3"),
            ("req_004_050_and_d_071_to_072_kept", "004.50 D.71 D.72"),
            ("req_001_033_to_001_035_each", "001.33 001.34 001.35"),
            ("req_000_037_and_000_029_cub", "000.37 000.29"),
            (
                "req_001_012_to_001_014_and_x_006_and_then_some",
                "001.12 001.13 001.14 X.6",
            ),
            ("req_004_009_to_the_end", "004.9"),
            (
                "req_004_006_to_007_and_010_and_x_002_to_003_done",
                "004.6 004.7 004.10 X.2 X.3",
            ),
        ] {
            let ids: Vec<String> = ids_in(name).unwrap().iter().map(Id::to_string).collect();
            assert_eq!(ids.join(" "), expected, "{name}");
        }
    }

    #[test]
    fn slips_of_the_pen_are_noticed() {
        for name in [
            "req_three_idle",
            "req_004_15_three_idle",
            "req_04_015_three_idle",
            "req_y_003_durable",
            "req_001_035_to_001_033_backwards",
            "req_001_035_to_002_036_across",
            "req_001_035_to_033_backwards",
            "require_004_015",
        ] {
            assert!(ids_in(name).is_err(), "{name}");
        }
    }
}
