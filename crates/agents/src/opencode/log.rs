//! Requests that are tried again, which only the log tells of:
//!
//! ```text
//! timestamp=… level=ERROR … message="stream error" … small=false … error.error="AI_APICallError: Overloaded"
//! ```

use crate::class::EndClass;
use crate::phrases;

use super::texts::TEXTS;

/// The request of the session that failed and will be tried again, and in which
/// words, if that is what the line is about.
///
/// What is not tried again ends the run, and is an event then.
pub(super) fn retried(line: &str) -> Option<(EndClass, &str)> {
    // Titles are asked of a small model, and do without one.
    if !line.contains(r#" message="stream error" "#) || line.contains(" small=true ") {
        return None;
    }
    let (_, quoted) = line.split_once(r#" error.error=""#)?;
    let text = quoted.strip_suffix('"').unwrap_or(quoted);
    let class = phrases::of_error(TEXTS, text)?;
    matches!(
        class,
        EndClass::Overloaded | EndClass::RateLimited | EndClass::UsageLimit | EndClass::Network
    )
    .then_some((class, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_will_be_tried_again_is_told_from_what_will_not() {
        let table = [
            (
                r#"small=false agent=build mode=primary error.error="AI_APICallError: The server is overloaded.""#,
                Some(EndClass::Overloaded),
            ),
            (
                r#"small=false agent=build mode=primary error.error="AI_APICallError: Rate limit reached for requests""#,
                Some(EndClass::RateLimited),
            ),
            (
                r#"small=false agent=build mode=primary error.error="AI_APICallError: Incorrect API key provided.""#,
                None,
            ),
            (
                r#"small=true agent=title mode=primary error.error="AI_APICallError: The server is overloaded.""#,
                None,
            ),
            ("small=false agent=build mode=primary", None),
        ];
        for (rest, expected) in table {
            let line = format!(
                r#"timestamp=2026-11-16T02:58:55.000Z level=ERROR run=6663285e message="stream error" {rest}"#
            );
            assert_eq!(retried(&line).map(|(class, _)| class), expected, "{rest}");
        }
        assert_eq!(retried("The server is overloaded."), None);
    }
}
