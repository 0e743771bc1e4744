//! `-o json` prints one object over many lines: on standard output after a
//! success, on standard error after a failure.

/// The longest document that is collected, in bytes.
const DOCUMENT_BYTES: usize = 1024 * 1024;

/// Collects the lines between `{` and `}`.
#[derive(Debug, Default)]
pub(super) struct DocumentLines {
    text: Option<String>,
}

/// What a line is to a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// No part of one.
    Other,
    /// A part, and more is to come.
    Inside,
    /// The last part of this document.
    Whole(String),
}

impl DocumentLines {
    pub(super) fn push(&mut self, line: &str) -> Part {
        let line = line.trim_end();
        if line == "{" || line == "[ERROR] {" {
            self.text = Some("{".to_owned());
            return Part::Inside;
        }
        let Some(mut text) = self.text.take() else {
            return Part::Other;
        };
        if text.len() + line.len() > DOCUMENT_BYTES {
            return Part::Other;
        }
        text.push_str(line);
        if line == "}" {
            return Part::Whole(text);
        }
        self.text = Some(text);
        Part::Inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_between_braces_are_one_document() {
        let mut lines = DocumentLines::default();
        let parts =
            ["noise", "[ERROR] {", "  \"a\": {", "  }", "}", "noise"].map(|line| lines.push(line));
        assert_eq!(parts[0], Part::Other);
        assert_eq!(parts[3], Part::Inside);
        assert_eq!(parts[4], Part::Whole("{  \"a\": {  }}".to_owned()));
        assert_eq!(parts[5], Part::Other);
    }

    #[test]
    fn a_document_without_end_is_given_up() {
        let mut lines = DocumentLines::default();
        lines.push("{");
        let line = "x".repeat(1000);
        let given_up = (0..2000).any(|_| lines.push(&line) == Part::Other);
        assert!(given_up && lines.text.is_none());
    }
}
