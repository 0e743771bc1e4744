//! `gcc` and `clang`: `file:line:column: error: message`, and what the linker misses.

use super::{Problem, Stage};
use crate::plain_text::location;

pub(super) fn find(text: &str, add: &mut dyn FnMut(Problem)) {
    for line in text.lines() {
        if let Some((place, message)) = [": error: ", ": fatal error: "]
            .iter()
            .find_map(|mark| line.split_once(mark))
            && let Some(place) = location(place)
        {
            add(Problem::new(Stage::Building, None, message, Some(place)));
        } else if let Some((_, symbol)) = line.split_once(": undefined reference to ") {
            let message = format!("undefined reference to {symbol}");
            add(Problem::new(Stage::Building, None, &message, None));
        }
    }
}
