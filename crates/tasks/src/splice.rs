//! Changing one value of a JSON text and nothing else.
//!
//! People keep their task lists in git and read the differences. A list that was
//! parsed and printed again is a difference in every line, and a key that we do not
//! know must not get lost. So a text is cut where the value stands, and everything
//! around it stays byte for byte.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// An object: names and untouched values in the order of the text.
pub(crate) struct Object<'a> {
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Object<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    pub(crate) fn of(raw: &'a RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok()
    }

    /// The value of a key; of a double, the last one counts, as in every parser.
    pub(crate) fn raw(&self, key: &str) -> Option<&'a RawValue> {
        let mut fields = self.fields.iter().rev();
        fields.find(|(name, _)| name == key).map(|field| field.1)
    }

    fn get<T: Deserialize<'a>>(&self, key: &str) -> Option<T> {
        serde_json::from_str(self.raw(key)?.get()).ok()
    }

    /// A text, or a number as text: ids are written both ways.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        match self.raw(key)?.get() {
            quoted if quoted.starts_with('"') => self.get(key),
            number if number.starts_with(|c: char| c.is_ascii_digit()) => Some(number.to_owned()),
            _ => None,
        }
    }

    /// The first of several keys that holds a text.
    pub(crate) fn first_text(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| self.text(key))
    }

    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        self.get(key)
    }

    pub(crate) fn number(&self, key: &str) -> Option<i64> {
        self.get(key)
    }

    /// A list of texts or numbers; one text alone is a list of one.
    pub(crate) fn texts(&self, key: &str) -> Vec<String> {
        let Some(items) = self.get::<Vec<&RawValue>>(key) else {
            return self
                .text(key)
                .filter(|text| !text.is_empty())
                .into_iter()
                .collect();
        };
        let text = |raw: &&RawValue| match raw.get() {
            quoted if quoted.starts_with('"') => serde_json::from_str(quoted).ok(),
            other => Some(other.to_owned()),
        };
        items.iter().filter_map(text).collect()
    }

    /// A list of objects, each with its text.
    pub(crate) fn objects(&self, key: &str) -> Option<Vec<&'a RawValue>> {
        self.get(key)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut fields = Vec::with_capacity(map.size_hint().unwrap_or(12));
                while let Some((Name(name), value)) = map.next_entry()? {
                    fields.push((name, value));
                }
                Ok(Object { fields })
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// A key, borrowed from the text where it holds no escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Word;
        impl<'de> Visitor<'de> for Word {
            type Value = Name<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, word: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(word)))
            }

            fn visit_str<E>(self, word: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(word.to_owned())))
            }
        }
        deserializer.deserialize_str(Word)
    }
}

/// The bytes of `text` that a part of it takes up.
pub(crate) fn span(text: &str, part: &RawValue) -> Range<usize> {
    let start = part.get().as_ptr().addr() - text.as_ptr().addr();
    start..start + part.get().len()
}

/// The bytes to put in place of others.
#[derive(Debug)]
pub(crate) struct Cut {
    pub(crate) at: Range<usize>,
    pub(crate) with: String,
}

/// The text after all `cuts`, which do not overlap.
pub(crate) fn splice(text: &str, mut cuts: Vec<Cut>) -> String {
    // Equal places keep the order they were asked for in.
    cuts.sort_by_key(|cut| cut.at.start);
    let mut spliced = text.to_owned();
    for cut in cuts.iter().rev() {
        spliced.replace_range(cut.at.clone(), &cut.with);
    }
    spliced
}

/// The cut that makes `key` hold `value` in an object of `text`, which is JSON
/// already. A new key goes last, laid out like the one before it.
pub(crate) fn set(text: &str, object: &RawValue, key: &str, value: &str) -> Option<Cut> {
    let fields = Object::of(object)?;
    if let Some(held) = fields.raw(key) {
        return Some(Cut {
            at: span(text, held),
            with: value.to_owned(),
        });
    }
    let Some((_, last)) = fields.fields.last() else {
        let inside = span(text, object).start + 1;
        return Some(Cut {
            at: inside..inside,
            with: format!("\"{key}\": {value}"),
        });
    };
    let last = span(text, last);
    let (before, between) = layout(text, last.start)?;
    Some(Cut {
        at: last.end..last.end,
        with: format!(",{before}\"{key}\"{between}{value}"),
    })
}

/// What stands before the key of the value at `value`, and between the two.
fn layout(text: &str, value: usize) -> Option<(&str, &str)> {
    let key_end = text[..value]
        .rfind(':')
        .map(|colon| text[..colon].trim_end().len())?;
    let mut open = key_end.checked_sub(1)?;
    loop {
        open = text[..open].rfind('"')?;
        let slashes = text[..open]
            .bytes()
            .rev()
            .take_while(|byte| *byte == b'\\')
            .count();
        if slashes % 2 == 0 {
            break;
        }
    }
    let blank = text[..open].trim_end().len();
    Some((&text[blank..open], &text[key_end..value]))
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_in(text: &str, key: &str, value: &str) -> String {
        let object: &RawValue = serde_json::from_str(text).unwrap();
        splice(text, vec![set(text, object, key, value).unwrap()])
    }

    #[test]
    fn one_value_changes_and_every_other_byte_stays() {
        for (text, key, value, expected) in [
            (
                r#"{"a" : 1 ,"b":[ 2 ]}"#,
                "a",
                "9",
                r#"{"a" : 9 ,"b":[ 2 ]}"#,
            ),
            (
                "{\n\t\"a\": 1\n}",
                "b",
                "\"x\"",
                "{\n\t\"a\": 1,\n\t\"b\": \"x\"\n}",
            ),
            (r#"{"a":1}"#, "b", "2", r#"{"a":1,"b":2}"#),
            (r#"{"q\"x\\": 1}"#, "b", "2", r#"{"q\"x\\": 1,"b": 2}"#),
            ("{}", "b", "true", r#"{"b": true}"#),
            (r#"{"a": 1, "a": 2}"#, "a", "3", r#"{"a": 1, "a": 3}"#),
            (
                "{\r\n  \"a\": \"ü:\"\r\n}",
                "b",
                "1",
                "{\r\n  \"a\": \"ü:\",\r\n  \"b\": 1\r\n}",
            ),
        ] {
            assert_eq!(set_in(text, key, value), expected, "{text}");
        }
    }

    #[test]
    fn ids_and_lists_are_read_however_they_are_written() {
        let text = r#"{"id": 7, "deps": [1, "b"], "one": "c", "none": null}"#;
        let object = Object::parse(text).unwrap();
        assert_eq!(object.text("id").as_deref(), Some("7"));
        assert_eq!(object.texts("deps"), ["1", "b"]);
        assert_eq!(object.texts("one"), ["c"]);
        assert!(object.texts("none").is_empty());
    }
}
