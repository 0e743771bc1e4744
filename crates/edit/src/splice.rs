//! Strict JSON, changed where a value stands.
//!
//! People keep such files in git and read the differences. A file that was parsed and printed
//! again is a difference in every line, and a key that nobody here knows must not get lost. So
//! an object is a list of names with the untouched text of their values, each piece knows which
//! bytes it takes up, and a change is a [`Cut`] at those bytes.
//!
//! For settings with comments and trailing commas there is [`json`](crate::json).

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use fusebox_core::quiet_json;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json::BYTE_ORDER_MARK;

/// A text without the mark of the order of its bytes, which some editors put before the first
/// character and no parser of JSON takes. What is left is a piece of the same text, so that
/// whatever is found in it is found in the whole.
#[must_use]
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// An object: names and untouched values in the order of the text, doubles included.
#[derive(Debug)]
pub struct Object<'a> {
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Object<'a> {
    /// Reads a whole text. The error is about its syntax, or says that it holds something else
    /// than an object.
    pub fn parse(text: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(without_mark(text))
    }

    /// Reads a piece of a text; `None` if it is something else than an object.
    #[must_use]
    pub fn of(raw: &'a RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok()
    }

    /// Names and values in the order of the text, doubles included.
    #[must_use]
    pub fn fields(&self) -> &[(Cow<'a, str>, &'a RawValue)] {
        &self.fields
    }

    /// The value of a key; of a double, the last one counts, as in every parser.
    #[must_use]
    pub fn raw(&self, key: &str) -> Option<&'a RawValue> {
        let mut fields = self.fields.iter().rev();
        fields.find(|(name, _)| name == key).map(|field| field.1)
    }

    /// The value of a key, if it is one of these.
    #[must_use]
    pub fn get<T: Deserialize<'a>>(&self, key: &str) -> Option<T> {
        serde_json::from_str(self.raw(key)?.get()).ok()
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
                let mut fields = Vec::with_capacity(12);
                while let Some((Name(name), value)) = map.next_entry()? {
                    fields.push((name, value));
                }
                Ok(Object { fields })
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// What stands in the list that a key of an object holds. A list of tasks is most of its file,
/// and [`Object::parse`] would go over all of it once before anybody asks for it.
#[must_use]
pub fn list_of<'a>(text: &'a str, key: &str) -> Option<Vec<&'a RawValue>> {
    let mut reader = serde_json::Deserializer::from_str(without_mark(text));
    let list = ListOf(key).deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    list
}

struct ListOf<'k>(&'k str);

impl<'de> DeserializeSeed<'de> for ListOf<'_> {
    type Value = Option<Vec<&'de RawValue>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ListOf<'_> {
    type Value = Option<Vec<&'de RawValue>>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object with a list")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut list = None;
        while let Some(Name(name)) = map.next_key()? {
            if name == self.0 {
                list = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(list)
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
#[must_use]
pub fn span(text: &str, part: &RawValue) -> Range<usize> {
    let start = part.get().as_ptr().addr() - text.as_ptr().addr();
    start..start + part.get().len()
}

/// The bytes to put in place of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// What goes.
    pub at: Range<usize>,
    /// What comes instead.
    pub with: String,
}

/// The text after all `cuts`, which do not overlap.
#[must_use]
pub fn splice(text: &str, mut cuts: Vec<Cut>) -> String {
    // Equal places keep the order they were asked for in.
    cuts.sort_by_key(|cut| cut.at.start);
    let mut spliced = text.to_owned();
    for cut in cuts.iter().rev() {
        spliced.replace_range(cut.at.clone(), &cut.with);
    }
    spliced
}

/// The cut that makes `key` hold `value` in an object of `text`, which is JSON already. A new
/// key goes last, laid out like the one before it.
#[must_use]
pub fn put(text: &str, object: &RawValue, key: &str, value: &str) -> Option<Cut> {
    let fields = Object::of(object)?;
    if let Some(held) = fields.raw(key) {
        let with = endings(text, value).into_owned();
        let at = span(text, held);
        return Some(Cut { at, with });
    }
    let key = quoted(key);
    let (at, with) = match fields.fields.last() {
        None => {
            let whole = span(text, object);
            let inside = whole.start + 1..whole.end - 1;
            (inside, format!(" {key}: {value} "))
        }
        Some((_, last)) => {
            let last = span(text, last);
            let (before, between) = layout(text, last.start)?;
            let with = format!(",{before}{key}{between}{value}");
            (last.end..last.end, with)
        }
    };
    let with = endings(text, &with).into_owned();
    Some(Cut { at, with })
}

/// The text with the value at `path` replaced or added, and the objects on the way to it made
/// where they are missing. `value` is JSON; where it means what is there already, nothing is
/// changed.
pub fn set(text: &str, path: &[&str], value: &str) -> serde_json::Result<String> {
    Object::parse(text)?;
    let whole: &RawValue = serde_json::from_str(without_mark(text))?;
    let cut = cut_at(text, whole, path, value);
    Ok(splice(text, cut.into_iter().collect()))
}

fn cut_at(text: &str, object: &RawValue, path: &[&str], value: &str) -> Option<Cut> {
    let (name, inner) = path.split_first()?;
    match Object::of(object)?.raw(name) {
        Some(old) if inner.is_empty() && same(old.get(), value) => None,
        Some(old) if !inner.is_empty() && old.get().starts_with('{') => {
            cut_at(text, old, inner, value)
        }
        _ => put(text, object, name, &nested(inner, value)),
    }
}

/// A list with one more element at its end, and without its first ones where it would become
/// longer than `most`; `None` if it is no list.
#[must_use]
pub fn push(list: &str, element: &str, most: usize) -> Option<String> {
    let elements: Vec<&RawValue> = serde_json::from_str(list).ok()?;
    let alone = || Some(format!("[\n    {element}\n  ]"));
    let (Some(first), Some(last)) = (elements.first(), elements.last()) else {
        return alone();
    };
    let gone = elements.len().saturating_sub(most.saturating_sub(1));
    let Some(from) = elements.get(gone) else {
        return alone();
    };
    let head = &list[..span(list, first).start];
    let (_, between) = head.split_once('[')?;
    let rest = &list[span(list, from).start..span(list, last).end];
    let tail = &list[span(list, last).end..];
    Some(format!("{head}{rest},{between}{element}{tail}"))
}

/// A text as JSON, in which nothing acts on whoever looks at the file.
#[must_use]
pub fn quoted(text: &str) -> String {
    quiet_json(&Value::from(text).to_string()).into_owned()
}

/// What stands before the key of the value at `value`, and between the two.
fn layout(text: &str, value: usize) -> Option<(&str, &str)> {
    let colon = text[..value].rfind(':')?;
    let key_end = text[..colon].trim_end().len();
    let mut open = key_end.checked_sub(1)?;
    loop {
        open = text[..open].rfind('"')?;
        let before = text[..open].bytes().rev();
        let slashes = before.take_while(|byte| *byte == b'\\').count();
        if slashes % 2 == 0 {
            break;
        }
    }
    let blank = text[..open].trim_end().len();
    Some((&text[blank..open], &text[key_end..value]))
}

fn nested(path: &[&str], value: &str) -> String {
    let inside = |value: String, name: &&str| format!("{{ {}: {value} }}", quoted(name));
    path.iter().rev().fold(value.to_owned(), inside)
}

/// The value with the line endings of the text that it becomes part of.
fn endings<'a>(text: &str, value: &'a str) -> Cow<'a, str> {
    if value.contains('\n') && text.contains("\r\n") {
        Cow::Owned(value.replace("\r\n", "\n").replace('\n', "\r\n"))
    } else {
        Cow::Borrowed(value)
    }
}

fn same(one: &str, other: &str) -> bool {
    let read = |text| serde_json::from_str::<Value>(text).ok();
    read(one).is_some_and(|one| Some(one) == read(other))
}

#[cfg(test)]
#[path = "splice_tests.rs"]
mod tests;
