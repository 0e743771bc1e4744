//! `rustc`: the error, and on the next line an arrow to its place.

use super::{Problem, Stage};
use crate::plain_text::location;

/// An error without a place is cargo counting errors that were listed before, unless the
/// linker is to blame.
pub(super) fn find(text: &str, add: &mut dyn FnMut(Problem)) {
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(rest) = line.strip_prefix("error") else {
            continue;
        };
        let (code, message) = match rest.strip_prefix('[').and_then(|it| it.split_once("]: ")) {
            Some((code, message)) => (Some(code), message),
            None => match rest.strip_prefix(": ") {
                Some(message) => (None, message),
                None => continue,
            },
        };
        let place = lines
            .peek()
            .and_then(|next| next.trim_start().strip_prefix("--> "))
            .and_then(location);
        if place.is_some() || message.starts_with("linking with ") {
            add(Problem::new(Stage::Building, code, message, place));
        }
    }
}
