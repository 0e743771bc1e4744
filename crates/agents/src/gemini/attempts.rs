//! Requests that are tried again, which only standard error tells of, and at
//! times over two lines:
//!
//! ```text
//! Attempt 1 failed: Resource has been exhausted (e.g. check quota).
//! Suggested retry after 2s.. Retrying after 5964ms...
//! ```

use crate::class::EndClass;
use crate::event::Retrying;
use crate::excerpt::detail;
use crate::phrases;
use crate::reset_time;

use super::texts::TEXTS;

/// Puts the lines of one attempt together.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    begun: Option<(u64, String)>,
}

impl Attempts {
    /// Takes a line; when it announces another attempt, answers with it and
    /// with what the agent said about the failure.
    pub(super) fn push(&mut self, line: &str) -> Option<(Retrying, String)> {
        if let Some(rest) = line.strip_prefix("Attempt ") {
            let (number, why) = rest.split_once(" failed")?;
            self.begun = Some((number.parse().ok()?, String::new()));
            return self.continued(why);
        }
        self.continued(line)
    }

    fn continued(&mut self, line: &str) -> Option<(Retrying, String)> {
        let (number, mut why) = self.begun.take()?;
        why.push_str(line);
        if line.contains("Max attempts reached") || why.len() > 2000 {
            return None;
        }
        let Some((reason, wait)) = why.split_once("Retrying ") else {
            why.push(' ');
            self.begun = Some((number, why));
            return None;
        };
        let class = phrases::of_error(TEXTS, reason);
        let retrying = Retrying {
            trouble: class.unwrap_or(EndClass::Unclear),
            attempt: Some(number.saturating_add(1)),
            of: None,
            delay: reset_time::duration_in_text(&format!("Retrying {wait}")),
        };
        Some((retrying, detail(reason.trim_start_matches([':', ' ']))))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_attempt_is_read_over_one_line_and_over_two() {
        let table: [(&[&str], EndClass, Option<u64>); 4] = [
            (
                &["Attempt 1 failed with status 503. Retrying with backoff... _ApiError: {}"],
                EndClass::Overloaded,
                None,
            ),
            (
                &[
                    "Attempt 1 failed: Resource has been exhausted (e.g. check quota).",
                    "Suggested retry after 2s.. Retrying after 5964ms...",
                ],
                EndClass::RateLimited,
                Some(5964),
            ),
            (
                &[
                    "Attempt 1 failed: Too many requests per minute.",
                    "Suggested retry after 1s.. Retrying after 5633ms...",
                ],
                EndClass::RateLimited,
                Some(5633),
            ),
            (
                &["Attempt 1 failed: Your quota will reset after 3h.. Retrying after 7200000ms..."],
                EndClass::UsageLimit,
                Some(7_200_000),
            ),
        ];
        for (lines, trouble, delay) in table {
            let mut attempts = Attempts::default();
            let found = lines.iter().find_map(|line| attempts.push(line));
            let (retrying, _) = found.expect("an attempt");
            assert_eq!(retrying.trouble, trouble, "{lines:?}");
            assert_eq!(retrying.attempt, Some(2), "{lines:?}");
            assert_eq!(
                retrying.delay,
                delay.map(Duration::from_millis),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn the_last_attempt_is_no_retry() {
        let mut attempts = Attempts::default();
        assert_eq!(
            attempts.push("Attempt 2 failed: Resource has been exhausted."),
            None
        );
        assert_eq!(
            attempts.push("Suggested retry after 2s.. Max attempts reached"),
            None
        );
        assert_eq!(attempts.push("Retrying after 1ms"), None);
    }
}
