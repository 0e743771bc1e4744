//! The identity of all that a tool printed, where nobody knows what of it is the error.

use super::Signature;
use super::normalise::normalise_line;
use crate::observation::MESSAGE_BYTES;
use crate::text::clip;

/// Of an output as many lines are looked at, from both of its ends.
const LINES: usize = 4096;

/// All that a tool printed, by a hash: lines in any order, what varies in them masked, and their
/// numbers in a list left out. Marks such as `..F.` come in any order too, and count together. Where
/// somebody left something out, how much that was and the lines that were cut there are no part of it.
#[must_use]
pub fn output_id(printed: &str) -> u64 {
    let mut lines: Vec<&str> = printed.lines().collect();
    if let Some(gap) = lines.iter().position(|line| tells_of_a_gap(line)) {
        lines.drain(gap.saturating_sub(1)..lines.len().min(gap + 2));
    }
    let first = lines.len().min(LINES);
    let last = lines.len().saturating_sub(LINES).max(first);
    lines.drain(first..last);
    let (marks, lines): (Vec<&str>, Vec<&str>) = lines.into_iter().partition(|line| is_marks(line));
    let mut lines: Vec<String> = lines
        .into_iter()
        .map(|line| normalise_line(without_ordinal(clip(line, MESSAGE_BYTES))))
        .collect();
    let mut marks: Vec<char> = marks.iter().flat_map(|row| row.trim().chars()).collect();
    marks.sort_unstable();
    lines.push(marks.into_iter().collect());
    lines.sort_unstable();
    let lines: Vec<&str> = lines.iter().flat_map(|line| [line, "\n"]).collect();
    Signature::hash(&lines).0
}

/// Whether a line is a row of marks such as `..F.E`, one for each test in the order they ran.
fn is_marks(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && line.bytes().all(|it| b".FESsx*".contains(&it))
}

/// What stands behind a number in a list of failures, `  2) Error:`.
fn without_ordinal(line: &str) -> &str {
    let rest = line.trim_start();
    let text = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    match text.strip_prefix(") ") {
        Some(text) if text.len() + 2 < rest.len() => text,
        _ => line,
    }
}

/// `[123 bytes left out]`, as the one who kept the output writes it.
fn tells_of_a_gap(line: &str) -> bool {
    let number = line
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(" bytes left out]"));
    number.is_some_and(|number| number.parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_runner_draws_anew_each_time_is_no_part_of_it() {
        for (text, other) in [
            (
                "--seed 42\nF.ES\n 1) no:\na\n 2) bad:\nb",
                "--seed 7\n.S\nFE\n 1) bad:\nb\n 2) no:\na",
            ),
            ("Randomized with seed 159983", "Randomized with seed 569487"),
            (
                "thread 'main' (31360) panicked",
                "thread 'main' (31373) panicked",
            ),
            ("pid 11, pid=12 [pid: 13]", "pid 21, pid=22 [pid: 23]"),
        ] {
            assert_eq!(output_id(text), output_id(other), "{text}");
        }
        for (text, other) in [
            ("F.E.", "F.EE"),
            ("1) add", "1) sub"),
            ("1)", "2)"),
            ("a (3)", "a (4)"),
        ] {
            assert_ne!(output_id(text), output_id(other), "{text}");
        }
    }

    #[test]
    fn of_a_long_output_both_ends_are_looked_at() {
        let output = |first: &str, middle: &str, last: &str| {
            let some = "a line\n".repeat(9_000);
            output_id(&format!("{first}\n{some}{middle}\n{some}{last}\n"))
        };
        let one = output("a", "a", "a");
        assert_eq!(output("a", "b", "a"), one);
        assert_ne!(output("b", "a", "a"), one);
        assert_ne!(output("a", "a", "b"), one);
        // What was left out before it came here, and the lines that this cut, say nothing.
        let gap = |before: &str, bytes: u32, after: &str| {
            output_id(&format!(
                "one\n{before}\n[{bytes} bytes left out]\n{after}\ntwo\n"
            ))
        };
        assert_eq!(gap("FAIL a", 12, "ght"), gap("FAIL ab", 1345, "eight"));
        let line = |end: &str| output_id(&format!("{}{end}", "e ".repeat(4_000)));
        assert_eq!(line("a"), line("b"));
    }
}
