//! A moment as programs write it: seconds or milliseconds since 1970, as a number or as
//! digits in a string, or the date and time of ISO 8601 with its zone.

use std::fmt;

use jiff::Timestamp;
use serde::de::{Deserialize, Deserializer, Error, Visitor};

use crate::event::EpochMs;

/// Seconds stay below this for three thousand years, and milliseconds have been above
/// it since 1973.
const FIRST_MILLISECOND: i64 = 100_000_000_000;

/// A moment, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment(pub(crate) EpochMs);

impl Moment {
    pub(crate) fn of_number(number: i64) -> Option<Self> {
        let millis = if number < FIRST_MILLISECOND {
            number.checked_mul(1000)?
        } else {
            number
        };
        Some(Self(millis))
    }

    pub(crate) fn of_text(text: &str) -> Option<Self> {
        let text = text.trim();
        match text.parse() {
            Ok(number) => Self::of_number(number),
            Err(_) => Some(Self(text.parse::<Timestamp>().ok()?.as_millisecond())),
        }
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MomentVisitor)
    }
}

struct MomentVisitor;

impl MomentVisitor {
    fn found<E: Error>(moment: Option<Moment>) -> Result<Moment, E> {
        moment.ok_or_else(|| E::custom("no moment"))
    }
}

impl Visitor<'_> for MomentVisitor {
    type Value = Moment;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a moment")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Moment, E> {
        Self::found(Moment::of_number(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Moment, E> {
        Self::found(i64::try_from(number).ok().and_then(Moment::of_number))
    }

    #[expect(clippy::cast_possible_truncation, reason = "a cast saturates")]
    fn visit_f64<E: Error>(self, number: f64) -> Result<Moment, E> {
        let number = number.is_finite().then_some(number as i64);
        Self::found(number.and_then(Moment::of_number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Moment, E> {
        Self::found(Moment::of_text(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_in_every_spelling() {
        let moment = Some(1_794_782_215_000);
        let table = [
            ("1794782215", moment),
            ("1794782215000", moment),
            ("1794782215.0", moment),
            (r#""1794782215""#, moment),
            (r#""1794782215000""#, moment),
            (r#""2026-11-15T22:36:55Z""#, moment),
            (r#""2026-11-15T23:36:55+01:00""#, moment),
            (r#""soon""#, None),
            ("true", None),
            ("null", None),
            ("-9223372036854775808", None),
            ("1e300", Some(i64::MAX)),
        ];
        for (json, expected) in table {
            let found = crate::json::parse::<Moment>(json).map(|moment| moment.0);
            assert_eq!(found, expected, "{json}");
        }
    }
}
