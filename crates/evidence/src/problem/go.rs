//! The go compiler: errors below the name of the package, `# package`.

use super::{Problem, Stage};
use crate::plain_text::location;

pub(super) fn find(text: &str, add: &mut dyn FnMut(Problem)) {
    let mut in_package = false;
    for line in text.lines() {
        if line.starts_with("# ") {
            in_package = true;
            continue;
        }
        let error = line
            .split_once(": ")
            .and_then(|(place, message)| Some((location(place)?, message)))
            .filter(|((file, _), _)| file.ends_with(".go"));
        match error {
            Some((place, message)) if in_package => {
                add(Problem::new(Stage::Building, None, message, Some(place)));
            }
            // A message may go on, indented.
            _ => in_package &= line.starts_with('\t'),
        }
    }
}
