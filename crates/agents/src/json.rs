//! Reading JSON that others change without notice.
//!
//! Agents rename, retype and add fields from one release to the next. A strict
//! reader would lose a whole line, perhaps the one with the bill, because of a
//! field it does not even need. So every field is read by itself: one that is
//! not as expected is absent, and its neighbours are read all the same.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde_json::value::RawValue;

/// A string of the line, borrowed where it holds no escapes. Half of a
/// surrogate pair, which agents write when they cut text, is replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text<'a>(Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // As bytes, because as a string half a surrogate pair is an error.
        deserializer.deserialize_bytes(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Text<'de>, E> {
        Ok(Text(String::from_utf8_lossy(bytes)))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(
            String::from_utf8_lossy(bytes).into_owned(),
        )))
    }
}

/// Reads one field by itself: `None` when it is missing, null or of another
/// type. For `#[serde(default, deserialize_with = "lenient")]`.
pub(crate) fn lenient<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let raw = <&'de RawValue>::deserialize(deserializer)?;
    Ok(parse(raw.get()))
}

/// Reads a whole value, or nothing.
pub(crate) fn parse<'de, T: Deserialize<'de>>(json: &'de str) -> Option<T> {
    serde_json::from_str(json).ok()
}

/// Declares a struct that reads a JSON object, each field leniently. Fields
/// after `raw` are kept as they are written, to be read when they are needed:
/// the large ones, which would otherwise be scanned twice.
macro_rules! lenient_object {
    (
        $(#[$meta:meta])* $name:ident<'a> { $($(#[$attr:meta])* $field:ident: $type:ty,)* }
        $(raw { $($(#[$raw_attr:meta])* $raw:ident,)* })?
    ) => {
        $(#[$meta])*
        #[derive(Debug, serde::Deserialize)]
        #[serde(bound(deserialize = "'de: 'a"))]
        pub(super) struct $name<'a> {
            $($(#[$attr])*
            #[serde(default, deserialize_with = "crate::json::lenient")]
            pub(super) $field: Option<$type>,)*
            $($($(#[$raw_attr])*
            #[serde(default, borrow)]
            pub(super) $raw: Option<&'a serde_json::value::RawValue>,)*)?
        }
    };
    ($(#[$meta:meta])* $name:ident { $($(#[$attr:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, serde::Deserialize)]
        pub(super) struct $name {
            $($(#[$attr])*
            #[serde(default, deserialize_with = "crate::json::lenient")]
            pub(super) $field: Option<$type>,)*
        }
    };
}
pub(crate) use lenient_object;

#[cfg(test)]
mod tests {
    use super::*;

    lenient_object! {
        Sample<'a> {
            name: Text<'a>,
        }
        raw {
            #[serde(rename = "rawPart")]
            raw,
        }
    }

    lenient_object! {
        Count {
            count: u64,
        }
    }

    #[test]
    fn a_field_of_another_type_does_not_spoil_its_neighbours() {
        let table = [
            (r#"{"name":"x","count":3}"#, Some("x"), Some(3)),
            (r#"{"name":7,"count":3}"#, None, Some(3)),
            (r#"{"name":"x","count":"many","new":[{}]}"#, Some("x"), None),
            (r#"{"name":null,"count":-1}"#, None, None),
        ];
        for (json, name, count) in table {
            let sample: Sample<'_> = parse(json).expect("an object");
            let counted: Count = parse(json).expect("an object");
            assert_eq!(
                (sample.name.as_deref(), counted.count),
                (name, count),
                "{json}"
            );
        }
    }

    #[test]
    fn half_a_surrogate_pair_is_replaced_and_a_whole_one_kept() {
        let sample: Sample<'_> = parse(r#"{"name":"a\ud83d|\ud83d\ude00"}"#).expect("an object");
        let name = sample.name.expect("a name");
        assert!(name.starts_with('a') && name.ends_with("|😀"), "{name:?}");
    }

    #[test]
    fn nesting_beyond_any_stack_is_carried_as_it_is() {
        let deep = format!(
            r#"{{"rawPart":{}{},"name":"n"}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        let sample: Sample<'_> = parse(&deep).expect("an object");
        assert_eq!(sample.name.as_deref(), Some("n"));
        assert_eq!(sample.raw.map(|raw| raw.get().len()), Some(200_000));
    }
}
