//! Many commands with the verdicts that are expected of them, for measuring.

use std::fmt;
use std::path::Path;

use crate::guard::Guard;
use crate::verdict::Decision;

/// One line of a table: what is expected, the command, and notes that do not matter here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// `block`, `allow`, or anything else that has no expectation.
    pub expected: String,
    /// The command.
    pub command: String,
}

impl Case {
    /// Reads a line of fields with tabs between them; `\n`, `\t` and `\\` are escaped.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split('\t');
        let (expected, command) = (fields.next()?, fields.next()?);
        (!expected.is_empty()).then(|| Self {
            expected: expected.to_owned(),
            command: unescaped(command),
        })
    }
}

fn unescaped(field: &str) -> String {
    let mut text = String::new();
    let mut rest = field.chars();
    while let Some(c) = rest.next() {
        match (c, c == '\\') {
            (_, true) => match rest.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('\\') => text.push('\\'),
                Some(other) => text.extend(['\\', other]),
                None => text.push('\\'),
            },
            (c, false) => text.push(c),
        }
    }
    text
}

/// A command on one line, as [`Case::parse`] reads it.
#[must_use]
pub fn escaped(command: &str) -> String {
    let escapes = command.replace('\\', "\\\\");
    escapes.replace('\n', "\\n").replace('\t', "\\t")
}

/// How many of each expectation were met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Commands that should be and were denied, and how many there were.
    pub block: (usize, usize),
    /// Commands that should be and were allowed, and how many there were.
    pub allow: (usize, usize),
}

impl fmt::Display for Score {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { block, allow } = self;
        write!(
            formatter,
            "block {}/{} allow {}/{}",
            block.0, block.1, allow.0, allow.1
        )
    }
}

/// Judges every case and hands each over with its decision.
pub fn run(
    guard: &Guard,
    directory: &Path,
    table: &str,
    mut each: impl FnMut(&Case, Decision),
) -> Score {
    let mut score = Score::default();
    for case in table.lines().filter_map(Case::parse) {
        let decision = guard
            .judge_command(case.command.as_bytes(), directory)
            .decision;
        let (count, met) = match case.expected.as_str() {
            "block" => (Some(&mut score.block), decision == Decision::Deny),
            "allow" => (Some(&mut score.allow), decision == Decision::Allow),
            _ => (None, false),
        };
        if let Some(count) = count {
            count.1 += 1;
            count.0 += usize::from(met);
        }
        each(&case, decision);
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_with_their_escapes() {
        let case = Case::parse("block\ta\\n\\tb\\\\n\\x\tnote").unwrap();
        assert_eq!(
            (case.expected.as_str(), case.command.as_str()),
            ("block", "a\n\tb\\n\\x")
        );
        assert_eq!(escaped("a\n\tb\\"), "a\\n\\tb\\\\");
        assert_eq!(Case::parse("nothing"), None);
    }
}
