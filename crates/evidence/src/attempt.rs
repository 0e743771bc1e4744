//! What an agent says it tried, in the log that it keeps of its attempts.
//!
//! ```text
//! ### Attempt 2: Rewrite the serializer
//! - Strategy: …
//! ```
//!
//! It is a claim. What it is good for is to be compared with those of other iterations: whoever
//! comes back to the same two or three approaches goes in circles.

use crate::claims::is_placeholder;
use crate::markdown::{Fences, Line};
use crate::plain_text::{NAME_BYTES, clean, clip};

/// The name of the last attempt that a text has a heading for. What stands between code fences
/// is a quotation, most often of the template.
pub(crate) fn last(text: &[u8]) -> Option<String> {
    let text = clean(text);
    let mut fences = Fences::default();
    let spoken = text
        .lines()
        .filter(|line| !matches!(fences.take(line), Line::Fence | Line::Quoted));
    spoken
        .filter_map(name)
        .last()
        .map(|name| clip(name, NAME_BYTES))
}

fn name(line: &str) -> Option<&str> {
    let heading = line.trim().strip_prefix('#')?.trim_start_matches('#');
    let (word, rest) = heading.trim_start().split_once(' ')?;
    let (number, name) = rest.split_once(':')?;
    let is_attempt = heading.starts_with(' ') && word.eq_ignore_ascii_case("attempt");
    let is_numbered = number.trim().parse::<u32>().is_ok();
    let name = name.trim().trim_matches('*').trim();
    (is_attempt && is_numbered && !name.is_empty() && !is_placeholder(name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn req_004_025_the_last_attempt_that_has_a_heading_is_what_was_tried() {
        for (text, tried) in [
            ("### Attempt 1: Patch the parser", Some("Patch the parser")),
            (
                "## Attempt 1: patch\nit failed\n## attempt 12: **Rewrite: all of it**\nso",
                Some("Rewrite: all of it"),
            ),
            ("### Attempt N: [name]", None),
            ("### Attempt 3: [name]", None),
            ("### Attempt 3:", None),
            ("Attempt 3: no heading", None),
            ("#Attempt 3: no heading either", None),
            ("### Attempts 3: another word", None),
            ("```\n### Attempt 1: quoted\n```", None),
            (
                "### Attempt 1: said\n```\n### Attempt 2: quoted\n```",
                Some("said"),
            ),
            ("", None),
        ] {
            assert_eq!(last(text.as_bytes()).as_deref(), tried, "{text}");
        }
    }
}
