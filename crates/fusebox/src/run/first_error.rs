//! The first line of an output that names an error, and where that error is.
//!
//! The line alone is what errors are told apart by in some ways of working. The
//! place is for the person who reads of it: interpreters print it in the line
//! itself, in the trace that follows, or, as Python does, just above.

use std::borrow::Cow;

use fusebox_core::observation::ErrorReport;
use fusebox_notify::redact;

/// Longer lines are not searched.
const SEARCHED: usize = 8 * 1024;
/// How many lines away from the error its place is looked for.
const NEAR: usize = 8;
/// What the line of an error contains.
const MARKS: [&str; 4] = ["Error:", "Exception:", "Failed:", "FAIL:"];

/// A search that takes an output line by line.
#[derive(Debug, Default)]
pub(super) struct FirstError {
    message: Option<String>,
    place: Option<Place>,
    /// Lines since the place, or, once there is one, since the error.
    apart: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    file: String,
    line: u32,
}

impl FirstError {
    /// What standard error says counts, else what standard output says: whichever of the two
    /// was read first would be chance, and the same error another one every other time.
    pub(super) fn of([out, err]: [Self; 2]) -> Self {
        if err.message.is_some() { err } else { out }
    }

    /// Takes a whole text: what stands near a line there says nothing of another.
    pub(super) fn read(&mut self, text: &str) {
        if self.message.is_some() {
            return;
        }
        self.place = None;
        text.lines().for_each(|line| self.line(line.as_bytes()));
    }

    pub(super) fn line(&mut self, bytes: &[u8]) {
        let settled = self.message.is_some() && (self.place.is_some() || self.apart >= NEAR);
        if settled || bytes.len() > SEARCHED {
            return;
        }
        self.apart += 1;
        let line = String::from_utf8_lossy(bytes);
        let here = place(&line);
        let marked = MARKS.iter().any(|mark| line.contains(mark));
        if self.message.is_none() && marked {
            let above = self.place.take().filter(|_| self.apart <= NEAR);
            self.place = here.or(above);
            self.message = Some(Cow::into_owned(line));
            self.apart = 0;
        } else if here.is_some() {
            self.place = here;
            self.apart = 0;
        }
    }

    /// What was found, if anything was.
    pub(super) fn report(&self) -> Option<ErrorReport> {
        Some(ErrorReport {
            kind: None,
            message: redact(self.message.as_ref()?).into_owned(),
            file: self.place.as_ref().map(|place| place.file.clone()),
            line: self.place.as_ref().map(|place| place.line),
            ..ErrorReport::default()
        })
    }
}

/// The first `src/auth.js:42` of a line, or `File "auth.py", line 42`.
fn place(line: &str) -> Option<Place> {
    if let Some((_, rest)) = line.split_once("File \"") {
        let (file, rest) = rest.split_once("\", line ")?;
        return of(file, rest);
    }
    let words = line.split(|c: char| c.is_whitespace() || "()[]'\"`".contains(c));
    words
        .filter_map(|word| word.split_once(':'))
        .find_map(|(file, rest)| of(file, rest))
}

/// A file with an ending, and a number that the rest begins with.
fn of(file: &str, rest: &str) -> Option<Place> {
    let (stem, ending) = file.rsplit_once('.')?;
    let named = !stem.is_empty()
        && !ending.is_empty()
        && ending.chars().all(|c| c.is_ascii_alphanumeric())
        && ending.starts_with(|c: char| c.is_ascii_alphabetic());
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    let line = digits.parse().ok().filter(|_| named)?;
    Some(Place {
        file: file.to_owned(),
        line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(String, Option<String>)> {
        let mut search = FirstError::default();
        search.read(text);
        let report = search.report()?;
        Some((report.message.clone(), report.place()))
    }

    #[test]
    fn req_000_028_and_091_to_092_the_first_error_and_its_place() {
        for (text, message, place) in [
            ("ok\nError: boom\nError: bang", "Error: boom", None),
            (
                "TypeError: x\n    at login (src/auth.js:42:13)\n    at src/main.js:7",
                "TypeError: x",
                Some("src/auth.js:42"),
            ),
            (
                "  File \"/w/auth.py\", line 42, in login\n    boom()\nTypeError: x",
                "TypeError: x",
                Some("/w/auth.py:42"),
            ),
            (
                "src/auth.rs:42:5: Error: x",
                "src/auth.rs:42:5: Error: x",
                Some("src/auth.rs:42"),
            ),
            (
                "Error: x in `src/a.ts:9`.",
                "Error: x in `src/a.ts:9`.",
                Some("src/a.ts:9"),
            ),
            // Numbers after a colon are no lines, and addresses no files.
            (
                "Error: at 12:30, see http://a.b:80",
                "Error: at 12:30, see http://a.b:80",
                None,
            ),
            (
                "Error: localhost:8080 refused",
                "Error: localhost:8080 refused",
                None,
            ),
        ] {
            let expected = (message.to_owned(), place.map(str::to_owned));
            assert_eq!(found(text), Some(expected), "{text}");
        }
        assert_eq!(found("all is well in src/a.ts:9"), None);
    }

    #[test]
    fn req_000_092_standard_error_comes_before_standard_output() {
        let search = |text: &str| {
            let mut search = FirstError::default();
            search.read(text);
            search
        };
        for (out, err, message) in [
            ("Error: out", "Error: err", Some("Error: err")),
            ("Error: out", "all is well", Some("Error: out")),
            ("fine", "Error: err", Some("Error: err")),
            ("fine", "all is well", None),
        ] {
            let report = FirstError::of([search(out), search(err)]).report();
            assert_eq!(report.as_ref().map(|found| found.message.as_str()), message);
        }
    }

    #[test]
    fn a_place_far_away_is_another_story() {
        let far = "quiet\n".repeat(NEAR);
        for text in [
            format!("src/a.ts:9\n{far}Error: x"),
            format!("Error: x\n{far}src/a.ts:9"),
        ] {
            assert_eq!(found(&text), Some(("Error: x".into(), None)), "{text}");
        }
    }
}
