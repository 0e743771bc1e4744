//! A task as a JSON object, whoever wrote it.

use fusebox_edit::splice::Object;
use serde_json::value::RawValue;

/// What can be asked of a record, however a list spells it.
pub(crate) trait Record<'a> {
    /// A text, or a number as text: ids are written both ways.
    fn text(&self, key: &str) -> Option<String>;

    /// The first of several keys that holds a text.
    fn first_text(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| self.text(key))
    }

    /// A list of texts or numbers; one text alone is a list of one.
    fn texts(&self, key: &str) -> Vec<String>;

    /// A number.
    fn number(&self, key: &str) -> Option<i64>;

    /// A list of objects, each with its text.
    fn objects(&self, key: &str) -> Option<Vec<&'a RawValue>>;
}

impl<'a> Record<'a> for Object<'a> {
    fn text(&self, key: &str) -> Option<String> {
        match self.raw(key)?.get() {
            quoted if quoted.starts_with('"') => self.get(key),
            number if number.starts_with(|c: char| c.is_ascii_digit()) => Some(number.to_owned()),
            _ => None,
        }
    }

    fn texts(&self, key: &str) -> Vec<String> {
        let Some(items) = self.get::<Vec<&RawValue>>(key) else {
            let alone = self.text(key).filter(|text| !text.is_empty());
            return alone.into_iter().collect();
        };
        let text = |raw: &&RawValue| match raw.get() {
            quoted if quoted.starts_with('"') => serde_json::from_str(quoted).ok(),
            other => Some(other.to_owned()),
        };
        items.iter().filter_map(text).collect()
    }

    fn number(&self, key: &str) -> Option<i64> {
        self.get(key)
    }

    fn objects(&self, key: &str) -> Option<Vec<&'a RawValue>> {
        self.get(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
