//! Lines of `key=value`: single values changed, and every other byte as it was.

use std::ops::Range;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: `{key}` is there twice")]
pub struct Double {
    /// The line of the second, counted from 1.
    pub line: usize,
    /// The name.
    pub key: String,
}

/// A text of such lines, up to where something else begins.
#[derive(Clone, Debug)]
pub struct Lines<'t> {
    text: &'t str,
    entries: Vec<Entry<'t>>,
    /// Where lines are added: behind the last one.
    end: usize,
    changes: Vec<(Range<usize>, String)>,
}

/// One such line.
#[derive(Clone, Debug)]
pub struct Entry<'t> {
    /// The name.
    pub key: &'t str,
    /// What follows the equals sign, without space around it.
    pub value: &'t str,
    /// The line, counted from 1.
    pub line: usize,
    span: Range<usize>,
}

impl<'t> Lines<'t> {
    /// Takes `text` apart, up to the first line that `ends` them. Comments, blank
    /// lines and whatever else stands between them is left alone.
    ///
    /// # Errors
    /// [`Double`] where a name is there twice: nobody knows which one counts.
    pub fn parse(text: &'t str, ends: impl Fn(&str) -> bool) -> Result<Self, Double> {
        let mut lines = Self {
            text,
            entries: Vec::new(),
            end: 0,
            changes: Vec::new(),
        };
        let mut start = 0;
        for (number, whole) in text.split_inclusive('\n').enumerate() {
            let line = whole.trim_end_matches(['\n', '\r']);
            if ends(line) {
                break;
            }
            if let Some(entry) = entry(line, start, number + 1) {
                if lines.get(entry.key).is_some() {
                    return Err(Double {
                        line: entry.line,
                        key: entry.key.to_owned(),
                    });
                }
                lines.entries.push(entry);
                lines.end = start + whole.len();
            }
            start += whole.len();
        }
        Ok(lines)
    }

    /// The line of a name.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Entry<'t>> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// Lets the line of `key` say `value`; where there is none, it is added
    /// behind the others.
    pub fn set(&mut self, key: &str, value: &str) {
        match self.get(key) {
            Some(entry) if entry.value == value => {}
            Some(entry) => {
                let span = entry.span.clone();
                self.changes.push((span, value.to_owned()));
            }
            None => {
                let newline = if self.text.contains("\r\n") {
                    "\r\n"
                } else {
                    "\n"
                };
                let joined = self.end == 0 || self.text[..self.end].ends_with('\n');
                let gap = if joined { "" } else { newline };
                let line = format!("{gap}{key}={value}{}", if joined { newline } else { "" });
                self.changes.push((self.end..self.end, line));
            }
        }
    }

    /// The text with all changes.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.changes.sort_by_key(|(span, _)| (span.start, span.end));
        let mut out = String::with_capacity(self.text.len() + 64);
        let mut from = 0;
        for (span, value) in &self.changes {
            out.push_str(&self.text[from..span.start]);
            out.push_str(value);
            from = span.end;
        }
        out.push_str(&self.text[from..]);
        out
    }
}

/// Reads one line. A name is a word; anything else is not such a line.
fn entry(line: &str, start: usize, number: usize) -> Option<Entry<'_>> {
    let (key, value) = line.split_once('=')?;
    let name = key.trim();
    let sound = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if !sound {
        return None;
    }
    let lead = value.len() - value.trim_start().len();
    let from = start + key.len() + 1 + lead;
    let value = value.trim();
    Some(Entry {
        key: name,
        value,
        line: number,
        span: from..from + value.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# head\nb=2\na = 1  \n\nnot a line\n## Session 1\na=7\n";

    fn parse(text: &str) -> Lines<'_> {
        Lines::parse(text, |line| line.starts_with("##")).unwrap()
    }

    #[test]
    fn single_values_change_and_nothing_else_does() {
        assert_eq!(parse(TEXT).finish(), TEXT);
        let mut lines = parse(TEXT);
        assert_eq!(lines.get("a").map(|e| (e.value, e.line)), Some(("1", 3)));
        lines.set("b", "2");
        lines.set("a", "12");
        lines.set("new", "x");
        lines.set("newer", "y");
        let expected = "# head\nb=2\na = 12  \nnew=x\nnewer=y\n\nnot a line\n## Session 1\na=7\n";
        assert_eq!(lines.finish(), expected);
    }

    #[test]
    fn what_is_added_keeps_the_ends_of_lines_as_they_are() {
        for (text, expected) in [
            ("", "k=v\n"),
            ("a=1", "a=1\nk=v"),
            ("a=1\r\nb=2\r\n", "a=1\r\nb=2\r\nk=v\r\n"),
            ("## Session 1\n", "k=v\n## Session 1\n"),
        ] {
            let mut lines = parse(text);
            lines.set("k", "v");
            assert_eq!(lines.finish(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_name_that_is_there_twice_is_refused() {
        let found = Lines::parse("a=1\nb=1\na=1\n", |_| false).unwrap_err();
        assert_eq!(found.to_string(), "line 3: `a` is there twice");
    }
}
