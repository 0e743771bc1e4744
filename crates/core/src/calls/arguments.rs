//! The arguments of a tool call, whatever their JSON looks like.
//!
//! Two calls are the same call when their arguments mean the same: the order of
//! keys and the spelling of a string do not count, the order of a list and the
//! type of a value do. Beside that identity, the few arguments that all agents
//! have are kept by what they mean.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::digest::{Digest, Mixer};
use crate::text::clip;

/// The longest piece of an argument that is looked into, in bytes.
const LOOKED_AT: usize = 2048;
/// How deep arguments may be nested; what lies deeper is all the same.
const DEPTH: u8 = 32;

/// What is known of the arguments of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// What all of them together are.
    pub(super) digest: Digest,
    /// The file or directory.
    pub(super) path: Option<String>,
    /// The command of a shell, or of an editor that has several.
    pub(super) command: Option<String>,
    /// The text that an edit takes away.
    pub(super) old: Option<Digest>,
    /// The text that an edit puts in its place.
    pub(super) new: Option<Digest>,
    /// The first line that is asked for.
    pub(super) from: Option<u64>,
    /// The last line, or how many.
    pub(super) span: Option<u64>,
}

/// What a known argument means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Path,
    Command,
    Old,
    New,
    From,
    Span,
    Range,
}

/// The names under which agents pass what all of them pass.
const NAMES: [(&str, Meaning); 21] = [
    ("path", Meaning::Path),
    ("file_path", Meaning::Path),
    ("filePath", Meaning::Path),
    ("notebook_path", Meaning::Path),
    ("absolute_path", Meaning::Path),
    ("filename", Meaning::Path),
    ("command", Meaning::Command),
    ("cmd", Meaning::Command),
    ("old_str", Meaning::Old),
    ("old_string", Meaning::Old),
    ("oldString", Meaning::Old),
    ("new_str", Meaning::New),
    ("new_string", Meaning::New),
    ("newString", Meaning::New),
    ("file_text", Meaning::New),
    ("content", Meaning::New),
    ("input", Meaning::New),
    ("patch", Meaning::New),
    ("offset", Meaning::From),
    ("limit", Meaning::Span),
    ("view_range", Meaning::Range),
];

impl Arguments {
    /// Reads arguments from the JSON that an agent wrote. What is no JSON, or
    /// was cut off, is identified by its bytes, and what could be read before
    /// the cut is kept.
    #[must_use]
    pub fn read(json: &str) -> Self {
        let mut found = Self::default();
        let mut parser = serde_json::Deserializer::from_str(json);
        let whole = TopLevel(&mut found).deserialize(&mut parser);
        if whole.and_then(|()| parser.end()).is_err() {
            found.digest = Digest::of(json.as_bytes());
        }
        found
    }

    fn keep(&mut self, meaning: Meaning, value: &Value) {
        let text = || value.text.clone();
        match meaning {
            Meaning::Path => self.path = text().or_else(|| self.path.take()),
            Meaning::Command => self.command = text().or_else(|| self.command.take()),
            Meaning::Old => self.old = Some(value.digest),
            Meaning::New => self.new = Some(value.digest),
            Meaning::From => self.from = value.numbers[0],
            Meaning::Span => self.span = value.numbers[0],
            Meaning::Range => [self.from, self.span] = value.numbers,
        }
    }
}

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut found = Self::default();
        TopLevel(&mut found).deserialize(from)?;
        Ok(found)
    }
}

/// Fills in arguments as they pass by, so that what precedes an error is kept.
struct TopLevel<'a>(&'a mut Arguments);

impl<'de> DeserializeSeed<'de> for TopLevel<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        let value = from.deserialize_any(Reading {
            depth: 0,
            keeps_text: false,
            top: Some(&mut *self.0),
        })?;
        self.0.digest = value.digest;
        Ok(())
    }
}

/// One value: its identity, and what it says if it says something short.
#[derive(Clone, Debug, Default)]
struct Value {
    digest: Digest,
    text: Option<String>,
    numbers: [Option<u64>; 2],
}

impl Value {
    fn scalar(tag: u8, bytes: &[u8]) -> Self {
        let mut mixer = Mixer::default();
        mixer.word(tag.into());
        mixer.bytes(bytes);
        Self {
            digest: mixer.digest(),
            ..Self::default()
        }
    }
}

/// Reads one value; the outermost one tells what it finds in itself.
struct Reading<'a> {
    depth: u8,
    /// What a text says is wanted, and not just which it is.
    keeps_text: bool,
    top: Option<&'a mut Arguments>,
}

impl Reading<'_> {
    fn below(&self, keeps_text: bool) -> Reading<'static> {
        Reading {
            depth: self.depth + 1,
            keeps_text,
            top: None,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Reading<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        if self.depth > DEPTH {
            de::IgnoredAny::deserialize(from)?;
            return Ok(Value::scalar(b'.', b""));
        }
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reading<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the arguments of a tool call")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::scalar(b'n', b""))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::scalar(b'b', &[value.into()]))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        let numbers = [Some(value), None];
        Ok(Value {
            numbers,
            ..Value::scalar(b'u', &value.to_le_bytes())
        })
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::scalar(b'i', &value.to_le_bytes()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::scalar(b'f', &value.to_bits().to_le_bytes()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        let text = self.keeps_text.then(|| clip(value, LOOKED_AT).to_owned());
        // Editors are handed line numbers as text, too.
        let numbers = [value.parse().ok(), None];
        Ok(Value {
            text,
            numbers,
            ..Value::scalar(b's', value.as_bytes())
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut value = Value::scalar(b'l', b"");
        let mut numbers = [None; 2];
        let mut at = 0;
        while let Some(item) = list.next_element_seed(self.below(self.keeps_text))? {
            value.digest = Digest::joined(&[value.digest, item.digest]);
            if let Some(place) = numbers.get_mut(at) {
                *place = item.numbers[0];
            }
            at += 1;
            // Of `bash -lc "make test"` the last word is the command.
            value.text = item.text;
        }
        Ok(Value { numbers, ..value })
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Value, A::Error> {
        let mut value = Value::scalar(b'm', b"");
        let is_top = self.top.is_some();
        while let Some(key) = map.next_key_seed(self.below(is_top))? {
            let name = key.text.unwrap_or_default();
            let known = NAMES.iter().find(|(known, _)| *known == name);
            let meaning = known.map(|(_, meaning)| *meaning);
            let keeps_text = matches!(meaning, Some(Meaning::Path | Meaning::Command));
            let item = map.next_value_seed(self.below(keeps_text))?;
            let field = Digest::joined(&[key.digest, item.digest]);
            value.digest = value.digest.beside(field);
            if let (Some(meaning), Some(top)) = (meaning, self.top.as_deref_mut()) {
                top.keep(meaning, &item);
            }
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_arguments_however_they_are_written() {
        for (a, b) in [
            (r#"{"a":1,"b":[1,2]}"#, r#" {"b": [1, 2], "a": 1} "#),
            (r#"{"a":"\u0041\n"}"#, "{\"a\":\"A\\n\"}"),
            (r#"{"x":{"a":1,"b":2}}"#, r#"{"x":{"b":2,"a":1}}"#),
        ] {
            assert_eq!(
                Arguments::read(a).digest,
                Arguments::read(b).digest,
                "{a} {b}"
            );
        }
    }

    #[test]
    fn different_arguments_are_told_apart() {
        let all = [
            "",
            "{}",
            "[]",
            "null",
            r#"{"a":1}"#,
            r#"{"a":"1"}"#,
            r#"{"a":true}"#,
            r#"{"a":1.0}"#,
            r#"{"a":-1}"#,
            r#"{"b":1}"#,
            r#"{"a":[1,2]}"#,
            r#"{"a":[2,1]}"#,
            r#"{"a":{"b":1}}"#,
            r#"{"__proto__":1}"#,
            r#"{"a":1,"b":2}"#,
            r#"{"a":2,"b":1}"#,
            "not json",
        ];
        let mut seen: Vec<_> = all
            .iter()
            .map(|text| Arguments::read(text).digest)
            .collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), all.len());
    }

    #[test]
    fn what_all_agents_pass_is_known_by_what_it_means() {
        let view = Arguments::read(r#"{"command":"view","path":"/w/a.py","view_range":[3,9]}"#);
        assert_eq!(view.path.as_deref(), Some("/w/a.py"));
        assert_eq!((view.from, view.span), (Some(3), Some(9)));
        let shell = Arguments::read(r#"{"command":["bash","-lc","make test"]}"#);
        assert_eq!(shell.command.as_deref(), Some("make test"));
        let read = Arguments::read(r#"{"file_path":"a","offset":"10","limit":5}"#);
        assert_eq!((read.from, read.span), (Some(10), Some(5)));
    }

    #[test]
    fn of_arguments_that_were_cut_off_the_beginning_is_read() {
        let cut = Arguments::read(r#"{"file_path":"a.rs","content":"fn ma"#);
        assert_eq!(cut.path.as_deref(), Some("a.rs"));
        assert_ne!(
            cut.digest,
            Arguments::read(r#"{"file_path":"a.rs","content":"fn mb"#).digest
        );
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        let deeper = format!("{}2{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(
            Arguments::read(&deep),
            Arguments::read(&deeper),
            "too deep to tell"
        );
    }
}
