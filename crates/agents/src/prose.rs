//! Texts that are sometimes a string and sometimes a list of parts.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::json::{Maybe, Text, lenient_object};

lenient_object! {
    /// One part, of which only the text is read.
    Part<'a> {
        text: Text<'a>,
        content: Text<'a>,
    }
}

/// A string, a part, or a list of parts of which some are text.
#[derive(Debug, Default)]
pub struct Prose<'a>(Vec<Text<'a>>);

impl Prose<'_> {
    /// All of it, the parts on lines of their own.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match &self.0[..] {
            [] => Cow::Borrowed(""),
            [only] => Cow::Borrowed(only),
            parts => {
                let parts: Vec<&str> = parts.iter().map(|part| &**part).collect();
                Cow::Owned(parts.join("\n"))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Prose<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ProseVisitor)
    }
}

struct ProseVisitor;

impl<'de> Visitor<'de> for ProseVisitor {
    type Value = Prose<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string or a list of parts")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Prose(vec![Text::from(text)]))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Prose(vec![Text::from(text.to_owned())]))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let part = Part::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Prose(part.text.or(part.content).into_iter().collect()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut texts = Vec::new();
        while let Some(Maybe(part)) = list.next_element::<Maybe<Part<'_>>>()? {
            texts.extend(part.and_then(|part| part.text.or(part.content)));
        }
        Ok(Prose(texts))
    }
}
