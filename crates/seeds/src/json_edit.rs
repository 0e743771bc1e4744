//! Changing values in a JSON text and nothing else: whatever stands around them,
//! keys that nobody knows, their order, spaces and line endings, stays byte for
//! byte as it was.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::json::{Object, Wrong, span};

/// The text with the value at `path` replaced or added. `value` is JSON; where
/// it means what is there already, nothing is changed.
pub(crate) fn set(text: &str, path: &[&str], value: &str) -> Result<String, Wrong> {
    let Some((name, inner)) = path.split_first() else {
        return Ok(endings(text, value));
    };
    let Object(entries) = Object::parse(text)?;
    let Some((_, old)) = entries.iter().find(|(known, _)| known == name) else {
        return Ok(added(text, &entries, name, &nested(inner, value)));
    };
    let new = if inner.is_empty() {
        if same(old.get(), value) {
            return Ok(text.to_owned());
        }
        endings(text, value)
    } else if old.get().starts_with('{') {
        set(old.get(), inner, value)?
    } else {
        nested(inner, value)
    };
    Ok(spliced(text, old, &new))
}

/// A list with one more element at its end, and without its first ones where it
/// would become longer than `most`.
pub(crate) fn push(list: &str, element: &str, most: usize) -> Option<String> {
    let elements: Vec<&RawValue> = serde_json::from_str(list).ok()?;
    let (Some(first), Some(last)) = (elements.first(), elements.last()) else {
        return Some(format!("[\n    {element}\n  ]"));
    };
    let kept = elements.len().saturating_sub(most.saturating_sub(1));
    let head = &list[..span(list, first).start];
    let between = head.trim_start_matches('[');
    let rest = match elements.get(kept) {
        Some(from) => &list[span(list, from).start..span(list, last).end],
        None => return Some(format!("[\n    {element}\n  ]")),
    };
    let tail = &list[span(list, last).end..];
    Some(format!("{head}{rest},{between}{element}{tail}"))
}

fn spliced(text: &str, old: &RawValue, new: &str) -> String {
    let at = span(text, old);
    format!("{}{new}{}", &text[..at.start], &text[at.end..])
}

/// The text with an entry at the end of its object, set like those before it.
fn added(text: &str, entries: &[(String, &RawValue)], name: &str, value: &str) -> String {
    let entry = format!("{}: {value}", Value::from(name));
    let (Some(open), Some(close)) = (text.find('{'), text.rfind('}')) else {
        return text.to_owned();
    };
    let Some((_, last)) = entries.last() else {
        let entry = endings(text, &format!(" {entry} "));
        return format!("{}{entry}{}", &text[..=open], &text[close..]);
    };
    let key = text[open..].find('"').map_or(open + 1, |at| open + at);
    let before = &text[open + 1..key];
    let end = span(text, last).end;
    let entry = endings(text, &entry);
    format!("{},{before}{entry}{}", &text[..end], &text[end..])
}

fn nested(path: &[&str], value: &str) -> String {
    path.iter().rev().fold(value.to_owned(), |value, name| {
        format!("{{ {}: {value} }}", Value::from(*name))
    })
}

/// The value with the line endings of the text that it becomes part of.
fn endings(text: &str, value: &str) -> String {
    if text.contains("\r\n") {
        value.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        value.to_owned()
    }
}

fn same(one: &str, other: &str) -> bool {
    let read = |text| serde_json::from_str::<Value>(text).ok();
    read(one).is_some_and(|one| Some(one) == read(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_change_and_all_else_stays() {
        let text = "{\r\n\t\"mine\" : 1,\r\n\t\"b\":  {\"x\":2 , \"theirs\":[ ]}\r\n}\r\n";
        for (path, value, expected) in [
            (&["mine"][..], "3", text.replace(": 1", ": 3")),
            (&["mine"], "1", text.to_owned()),
            (&["b", "x"], "7", text.replace("\"x\":2", "\"x\":7")),
            (
                &["b", "y"],
                "true",
                text.replace("[ ]}", "[ ],\"y\": true}"),
            ),
            (
                &["c"],
                "{\n}",
                text.replace("[ ]}\r\n", "[ ]},\r\n\t\"c\": {\r\n}\r\n"),
            ),
            (&["mine", "z"], "0", text.replace(": 1", ": { \"z\": 0 }")),
        ] {
            assert_eq!(set(text, path, value).unwrap(), expected, "{path:?}");
        }
        assert_eq!(set("{}", &["a"], "1").unwrap(), "{ \"a\": 1 }");
        assert!(set("{\"a\": 1", &["a"], "2").is_err(), "half a text");
    }

    #[test]
    fn a_list_grows_at_its_end_and_forgets_its_beginning() {
        assert_eq!(push("[]", "1", 3).unwrap(), "[\n    1\n  ]");
        assert_eq!(push("[ 1,  2]", "3", 3).unwrap(), "[ 1,  2, 3]");
        assert_eq!(push("[ 1,  2]", "3", 2).unwrap(), "[ 2, 3]");
        assert_eq!(push("[1, 2, 3, 4]", "5", 2).unwrap(), "[4,5]");
        assert_eq!(push("[1]", "5", 1).unwrap(), "[\n    5\n  ]");
        assert_eq!(push("{}", "1", 3), None);
    }
}
