//! Calls that leave nothing of a file without removing it.
//!
//! Only what the call itself says is looked at: a new content that is blank, or an edit that
//! puts nothing where something was. What is in the file is not read.

use serde_json::{Map, Value};

use super::deeds::Touch;

/// Under these keys stands everything that a file will hold.
const WHOLE: [&str; 5] = ["content", "contents", "file_text", "fileText", "text"];
/// What an edit takes out, and what it puts there.
const EDITS: [(&str, &str); 4] = [
    ("old_string", "new_string"),
    ("oldString", "newString"),
    ("old_str", "new_str"),
    ("oldText", "newText"),
];
/// What an edit cannot be told to have left: the end of the last line.
const LINE_END: u64 = 2;

/// The touch of a call that takes everything out of a file with at most `most` bytes.
pub(super) fn touch(touch: Touch, most: Option<u64>) -> Touch {
    match (touch, most) {
        (Touch::Update, Some(most)) => Touch::Empty(most),
        (touch, _) => touch,
    }
}

/// How large a file may be for a call with these arguments to leave nothing of it; `None` if it
/// leaves something. `is_whole` says that a content is all that the file will hold.
pub(super) fn of(named: &Map<String, Value>, is_whole: bool) -> Option<u64> {
    let text = |key: &&str| named.get(*key)?.as_str();
    if let Some(content) = WHOLE.iter().find_map(text).filter(|_| is_whole) {
        return is_blank(content).then_some(u64::MAX);
    }
    let taken = match named.get("edits").and_then(Value::as_array) {
        Some(edits) => {
            let taken = edits.iter().map(|edit| taken_out(edit.as_object()?));
            taken.sum::<Option<u64>>()?
        }
        None => taken_out(named)?,
    };
    (taken > 0).then(|| taken.saturating_add(LINE_END))
}

/// How many bytes one edit takes out, if it puts nothing in their place.
fn taken_out(edit: &Map<String, Value>) -> Option<u64> {
    let text = |key: &str| edit.get(key)?.as_str();
    let pair = |(old, new): &(&str, &str)| Some((text(old)?, text(new)?));
    let (old, new) = EDITS.iter().find_map(pair)?;
    let taken = u64::try_from(old.len()).ok()?;
    is_blank(new).then_some(taken)
}

/// Whether nothing can be read in it: a newline is as empty as nothing.
fn is_blank(text: &str) -> bool {
    text.chars()
        .all(|letter| letter.is_whitespace() || letter == '\0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_leaves_nothing_is_told_by_what_the_call_says() {
        for (arguments, expected) in [
            (json!({"content": ""}), Some(u64::MAX)),
            (json!({"contents": " \n\t\0"}), Some(u64::MAX)),
            (json!({"file_text": "a"}), None),
            (json!({"old_string": "abc", "new_string": ""}), Some(5)),
            (json!({"oldString": "abc", "newString": "\n"}), Some(5)),
            (json!({"old_str": "abc", "new_str": "d"}), None),
            (json!({"old_string": "", "new_string": ""}), None),
            (json!({"new_string": ""}), None),
            (
                json!({"edits": [{"oldText": "ab", "newText": ""}, {"oldText": "c", "newText": ""}]}),
                Some(5),
            ),
            (
                json!({"edits": [{"oldText": "ab", "newText": ""}, {"oldText": "c", "newText": "d"}]}),
                None,
            ),
            (json!({"edits": []}), None),
            (json!({}), None),
        ] {
            let named = arguments.as_object().expect("an object");
            assert_eq!(of(named, true), expected, "{arguments}");
        }
        let part = json!({"content": ""});
        assert_eq!(of(part.as_object().expect("an object"), false), None);
    }
}
