//! Reading JSON that others change without notice.
//!
//! Agents rename, retype and add fields from one release to the next. A strict
//! reader would lose a whole line, perhaps the one with the bill, because of a
//! field it does not even need. So a field that is not as expected is absent,
//! and its neighbours are read all the same, in one pass over the line.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess,
    SeqAccess, Visitor,
};

/// Reads a value, or nothing.
#[must_use]
pub fn parse<'de, T: Deserialize<'de>>(json: &'de str) -> Option<T> {
    serde_json::from_str(json).ok()
}

/// A string of the line, borrowed where it holds no escapes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text<'a>(Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(text.into())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(text.to_owned().into())
    }
}

/// A value that is of the expected type, or is passed over. What may be in a
/// list or a map is always wrapped so, because an error in the middle of one
/// could not be passed over.
#[derive(Debug)]
pub struct Maybe<T>(pub Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        lenient(deserializer).map(Self)
    }
}

/// Reads one field by itself: `None` when it is missing, null or of another
/// type. For `#[serde(default, deserialize_with = "lenient")]`.
pub fn lenient<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_any(LenientVisitor(PhantomData))
}

/// Offers whatever comes to `T` and takes a refusal for an absence.
struct LenientVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> LenientVisitor<T> {
    fn offer<E: Error>(value: impl IntoDeserializer<'de, E>) -> Result<Option<T>, E> {
        Ok(T::deserialize(value.into_deserializer()).ok())
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for LenientVisitor<T> {
    type Value = Option<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("anything")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Option<T>, E> {
        Self::offer(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Option<T>, E> {
        Self::offer(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Option<T>, E> {
        Self::offer(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Option<T>, E> {
        Self::offer(value)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Option<T>, E> {
        Ok(T::deserialize(IntoDeserializer::<E>::into_deserializer(text)).ok())
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Option<T>, E> {
        Ok(T::deserialize(BorrowedStrDeserializer::<E>::new(text)).ok())
    }

    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Option<T>, A::Error> {
        let mut list = Offered::new(list);
        let value = match T::deserialize(SeqAccessDeserializer::new(&mut list)) {
            Err(broken) if list.begun => return Err(broken),
            value => value.ok(),
        };
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(value)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Option<T>, A::Error> {
        let mut map = Offered::new(map);
        let value = match T::deserialize(MapAccessDeserializer::new(&mut map)) {
            Err(broken) if map.begun => return Err(broken),
            value => value.ok(),
        };
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(value)
    }
}

/// A list or a map that knows whether reading it was begun. One that is
/// refused unread is of the wrong type and can be passed over; one that fails
/// on the way is broken, and with it the whole line: whatever follows could be
/// taken for something it is not.
struct Offered<A> {
    access: A,
    begun: bool,
}

impl<A> Offered<A> {
    fn new(access: A) -> Self {
        Self {
            access,
            begun: false,
        }
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Offered<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.begun = true;
        self.access.next_element_seed(seed)
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Offered<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.begun = true;
        self.access.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.access.next_value_seed(seed)
    }
}

/// Declares a struct that reads a JSON object, each field leniently. Fields
/// after `raw` are kept as they are written.
#[doc(hidden)]
#[macro_export]
macro_rules! lenient_object {
    (
        @[$vis:vis] $(#[$meta:meta])*
        $name:ident<'a> { $($(#[$attr:meta])* $field:ident: $type:ty,)* }
        $(raw { $($(#[$raw_attr:meta])* $raw:ident,)* })?
    ) => {
        #[derive(Debug, serde::Deserialize)]
        $(#[$meta])*
        #[serde(bound(deserialize = "'de: 'a"))]
        $vis struct $name<'a> {
            $($(#[$attr])*
            #[serde(default, deserialize_with = "fusebox_agents::json::lenient")]
            $vis $field: Option<$type>,)*
            $($($(#[$raw_attr])*
            #[serde(default, borrow)]
            $vis $raw: Option<&'a serde_json::value::RawValue>,)*)?
        }
    };
    (
        @[$vis:vis] $(#[$meta:meta])*
        $name:ident { $($(#[$attr:meta])* $field:ident: $type:ty,)* }
    ) => {
        #[derive(Debug, serde::Deserialize)]
        $(#[$meta])*
        $vis struct $name {
            $($(#[$attr])*
            #[serde(default, deserialize_with = "fusebox_agents::json::lenient")]
            $vis $field: Option<$type>,)*
        }
    };
    ($(#[$meta:meta])* pub $($rest:tt)*) => {
        $crate::lenient_object! { @[pub] $(#[$meta])* $($rest)* }
    };
    ($(#[$meta:meta])* $name:ident $($rest:tt)*) => {
        $crate::lenient_object! { @[pub(super)] $(#[$meta])* $name $($rest)* }
    };
}
pub use lenient_object;

/// The line with a replacement character for each half of a surrogate pair
/// that stands alone, which agents write when they cut text and no parser
/// takes; `None` if there is none.
#[must_use]
pub fn mended(json: &str) -> Option<String> {
    let mut mended = String::new();
    let mut rest = json;
    let mut done = 0;
    while let Some(at) = rest.find('\\') {
        let escape = &rest[at..];
        let length = match (surrogate(escape), escape.get(6..).and_then(surrogate)) {
            (Some(High), Some(Low)) => 12,
            (None, _) => 1 + escape[1..].chars().next().map_or(0, char::len_utf8),
            (Some(_), _) => {
                let start = json.len() - escape.len();
                mended.push_str(&json[done..start]);
                mended.push_str("\\ufffd");
                done = start + 6;
                6
            }
        };
        rest = &escape[length..];
    }
    (done > 0).then(|| mended + &json[done..])
}

use Surrogate::{High, Low};

enum Surrogate {
    High,
    Low,
}

fn surrogate(escape: &str) -> Option<Surrogate> {
    let digits = escape.strip_prefix("\\u")?.get(..4)?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(High),
        0xdc00..=0xdfff => Some(Low),
        _ => None,
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
