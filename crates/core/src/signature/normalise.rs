//! Masking what changes between two occurrences of one error.
//!
//! Masking too little makes one failure look like many, and a loop goes on;
//! masking too much makes many look like one, and work that gets somewhere is
//! stopped. Where both are possible, this keeps: a name in quotes says what is
//! wrong, and a number after `code` or `status` says which error it is.

use super::data::{self, Data};

/// Words after which a value in quotes is what a test saw, not what is wrong.
const BEFORE_VALUES: [&str; 11] = [
    "expected", "received", "actual", "got", "want", "wanted", "left", "right", "equal", "equals",
    "be",
];
/// Words after which a number names the error.
const BEFORE_CODES: [&str; 6] = ["code", "status", "http", "errno", "signal", "sqlstate"];
/// Words after which a number is another one each time.
const BEFORE_CHANCE: [&str; 3] = ["line", "seed", "pid"];
/// Ports from here on are handed out by the kernel at random; those below are
/// chosen, and stand for a service.
const FIRST_RANDOM_PORT: u32 = 32_768;
/// Where temporary files live.
const TEMPORARY: [&str; 3] = ["/tmp/", "/var/tmp/", "/var/folders/"];

/// Masks what changes between two occurrences of one error.
///
/// Terminal colours go, runs of white space become one space, directories of
/// absolute paths go (the file's name stays unless it is a temporary one), times,
/// durations, identifiers and addresses become `<time>`, `<duration>`, `<id>` and
/// `<ip>`, compared values in quotes `<value>`, and other numbers `#`. Codes and
/// the ports of services are kept.
#[must_use]
pub fn normalise(message: &str) -> String {
    masked(message, false)
}

/// The same for a line of a program that nobody knows. What it counts and numbers may be all that
/// says how it went, so whole numbers stay, unless they are a place, behind a colon or `line`, or
/// chance: a seed, a process, or a thread, as in `thread 'main' (71) panicked`.
pub(super) fn normalise_line(line: &str) -> String {
    masked(line, true)
}

fn masked(message: &str, counts: bool) -> String {
    let plain = without_compared_values(&without_escapes(message));
    let mut out = String::with_capacity(plain.len());
    for word in plain.split_whitespace() {
        let word = without_directories(word);
        if word.is_empty() {
            continue;
        }
        let before = out.len();
        if before > 0 {
            out.push(' ');
        }
        let mut masking = Masking {
            out: &mut out,
            counts,
        };
        masking.word(&word);
        // A date and a time of day are one moment.
        if out[before..].starts_with(" <time>") && out[..before].ends_with("<time>") {
            out.replace_range(before..before + " <time>".len(), "");
        }
    }
    out
}

/// Drops terminal control sequences (`ESC [ … letter`).
fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
        } else if chars.as_str().starts_with('[') {
            // The sequence ends with its first letter.
            let _ = chars.find(char::is_ascii_alphabetic);
        }
    }
    out
}

/// Replaces values in single or double quotes that a test compared.
fn without_compared_values(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'']) {
        let (before, quoted) = rest.split_at(at);
        out.push_str(before);
        let quote = &quoted[..1];
        let end = quoted[1..]
            .find(quote)
            .filter(|end| !quoted[1..=*end].contains('\n'));
        match end {
            Some(end) if follows(&out, &BEFORE_VALUES) => {
                out.push_str("<value>");
                rest = &quoted[end + 2..];
            }
            _ => {
                out.push_str(quote);
                rest = &quoted[1..];
            }
        }
    }
    out + rest
}

/// Whether the last word of `text`, punctuation aside, is one of `words`.
fn follows(text: &str, words: &[&str]) -> bool {
    let end = text.trim_end_matches([' ', ':', '=', '(', '`', '\t', '\n']);
    if end.len() == text.len() {
        return false;
    }
    let start = end
        .rfind(|c: char| !c.is_ascii_alphabetic())
        .map_or(0, |at| {
            at + end[at..].chars().next().map_or(1, char::len_utf8)
        });
    words.contains(&end[start..].to_ascii_lowercase().as_str())
}

/// Keeps of an absolute path inside `word` what follows its last slash. A file
/// right in a directory for temporary files has a name that means nothing.
pub(super) fn without_directories(word: &str) -> String {
    let Some(start) = word.find('/') else {
        return word.to_owned();
    };
    let opens_path = word[..start]
        .chars()
        .all(|c| !c.is_alphanumeric() && c != '#' && c != '>');
    let path = &word[start..];
    let Some(last) = path.rfind('/').filter(|last| opens_path && *last > 0) else {
        return word.to_owned();
    };
    let name = &path[last + 1..];
    if TEMPORARY.contains(&&path[..=last]) {
        let end = name
            .find(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '_' | '-'))
            .unwrap_or(name.len());
        return format!("<tmp>{}", &name[end..]);
    }
    name.to_owned()
}

struct Masking<'a> {
    out: &'a mut String,
    /// Whether whole numbers stay.
    counts: bool,
}

impl Masking<'_> {
    /// Appends `word` with everything that changes masked.
    fn word(&mut self, word: &str) {
        let mut rest = word;
        let mut previous = ' ';
        while let Some(first) = rest.chars().next() {
            let length = self.piece(rest, first, previous);
            let (done, after) = rest.split_at(length);
            previous = done.chars().next_back().unwrap_or(previous);
            rest = after;
        }
    }

    /// Appends what `rest` begins with, and says how long that was.
    fn piece(&mut self, rest: &str, first: char, previous: char) -> usize {
        let begins = !previous.is_alphanumeric() && previous != ':';
        if let Some(length) = begins.then(|| host(rest)).flatten() {
            let kept = rest.starts_with("localhost");
            self.out.push_str(if kept { "localhost" } else { "<ip>" });
            return length + self.port(&rest[length..]);
        }
        if !first.is_ascii_alphanumeric() {
            self.out.push(first);
            return first.len_utf8();
        }
        let may_be_data = begins || previous == ':';
        if let Some((kind, length)) = may_be_data.then(|| data::at(rest)).flatten() {
            let counted = kind == Data::Number && self.counts(&rest[..length], previous);
            if counted || (kind == Data::Number && self.names_the_error()) {
                self.out.push_str(&rest[..length]);
            } else {
                self.mask(kind);
            }
            return length;
        }
        let run = rest
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        if self.counts {
            self.out.push_str(&rest[..run]);
        } else {
            mask_digits(&rest[..run], self.out);
        }
        run
    }

    /// Whether a number is kept for what it counts.
    fn counts(&self, number: &str, previous: char) -> bool {
        let is_whole = number.len() < 8 && number.bytes().all(|b| b.is_ascii_digit());
        let is_thread = || self.out.ends_with("' (") && self.out.contains("thread '");
        let is_chance = || follows(self.out, &BEFORE_CHANCE) || is_thread();
        self.counts && is_whole && previous != ':' && !is_chance()
    }

    fn mask(&mut self, kind: Data) {
        self.out.push_str(match kind {
            Data::Time => "<time>",
            Data::Duration => "<duration>",
            Data::Id => "<id>",
            Data::Number => "#",
        });
    }

    /// Appends the port that `rest` begins with, and says how long that was.
    fn port(&mut self, rest: &str) -> usize {
        let colon = rest.strip_prefix(']').unwrap_or(rest);
        let Some(port) = colon.strip_prefix(':') else {
            return 0;
        };
        let digits = port.len() - port.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let Ok(number) = port[..digits].parse::<u32>() else {
            return 0;
        };
        let length = rest.len() - port.len() + digits;
        if number < FIRST_RANDOM_PORT {
            self.out.push_str(&rest[..length]);
        } else {
            self.out.push_str(&rest[..length - digits]);
            self.out.push('#');
        }
        length
    }

    /// Whether the number that comes next is a code. `os error 2` is one;
    /// `error: 2 tests failed` has a colon between.
    fn names_the_error(&self) -> bool {
        follows(self.out, &BEFORE_CODES)
            || (self.out.ends_with("error ") && follows(self.out, &["error"]))
    }
}

/// How long the address or name of a host is that `rest` begins with.
fn host(rest: &str) -> Option<usize> {
    for known in ["<ip>", "localhost"] {
        if rest.starts_with(known) && !continues(rest, known.len()) {
            return Some(known.len());
        }
    }
    data::address(rest)
}

/// Whether the word that ends at `end` goes on.
pub(super) fn continues(rest: &str, end: usize) -> bool {
    rest[end..]
        .chars()
        .next()
        .is_some_and(char::is_alphanumeric)
}

fn mask_digits(run: &str, out: &mut String) {
    // An error code such as `E0308` or `TS2322` names the error: keep it.
    let letters = run.bytes().take_while(u8::is_ascii_uppercase).count();
    let code = letters > 0
        && run.len() >= letters + 3
        && run[letters..].bytes().all(|b| b.is_ascii_digit());
    if code {
        out.push_str(run);
        return;
    }
    let mut in_number = false;
    for c in run.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !in_number {
            out.push('#');
        }
        in_number = c.is_ascii_digit();
    }
}
