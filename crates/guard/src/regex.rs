//! Regular expressions as `grep` and `find` take them, of the simple kind: letters, classes,
//! repetition, groups, alternatives and anchors. They are written anew for the library that
//! matches them. Whatever is more is not understood, and then nothing is said about a match.

use regex_lite::RegexBuilder;

/// How an expression is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// `\(a\|b\)`, where `+` and `?` are repetition only behind a backslash.
    Basic,
    /// `(a|b)`.
    Extended,
    /// As `find` takes them: groups as in the basic ones, repetition as in the extended.
    Emacs,
}

/// A longer expression, or a longer line, is not looked at.
const LONGEST: usize = 1_024;

/// An expression that is understood.
#[derive(Clone, Debug)]
pub(crate) struct Regex {
    anywhere: regex_lite::Regex,
    whole: regex_lite::Regex,
    any_case: bool,
}

impl Regex {
    pub(crate) fn new(pattern: &str, syntax: Syntax, any_case: bool) -> Option<Self> {
        if pattern.len() > LONGEST {
            return None;
        }
        let written = Translation::of(pattern, syntax)?;
        let built = |text: &str| {
            let mut builder = RegexBuilder::new(text);
            builder
                .case_insensitive(any_case)
                .dot_matches_new_line(true);
            builder.build().ok()
        };
        Some(Self {
            whole: built(&format!("^(?:{written})$"))?,
            anywhere: built(&written)?,
            any_case,
        })
    }

    /// Whether some part of a line matches; nothing if that is too much to say.
    pub(crate) fn finds(&self, line: &str) -> Option<bool> {
        self.can_judge(line).then(|| self.anywhere.is_match(line))
    }

    /// Whether the whole of a text matches.
    pub(crate) fn matches(&self, text: &str) -> Option<bool> {
        self.can_judge(text).then(|| self.whole.is_match(text))
    }

    /// The library knows upper and lower case of plain letters alone.
    fn can_judge(&self, text: &str) -> bool {
        text.len() <= LONGEST && (!self.any_case || text.is_ascii())
    }
}

/// An expression while it is written anew.
struct Translation {
    rest: Vec<char>,
    at: usize,
    syntax: Syntax,
    written: String,
    /// Nothing stands before this place in its alternative.
    begins: bool,
    /// What stands before this place can be repeated.
    repeatable: bool,
}

impl Translation {
    fn of(pattern: &str, syntax: Syntax) -> Option<String> {
        let mut translation = Self {
            rest: pattern.chars().collect(),
            at: 0,
            syntax,
            written: String::new(),
            begins: true,
            repeatable: false,
        };
        while let Some(c) = translation.next() {
            translation.take(c)?;
        }
        Some(translation.written)
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.get(self.at).copied();
        self.at += 1;
        c
    }

    fn take(&mut self, c: char) -> Option<()> {
        let groups_are_plain = self.syntax == Syntax::Extended;
        let repeats_are_plain = self.syntax != Syntax::Basic;
        match c {
            '\\' => match self.next()? {
                c @ ('(' | ')' | '|') if !groups_are_plain => self.group(c),
                c @ ('+' | '?') if !repeats_are_plain => return self.repeat(c),
                c if c.is_alphanumeric() || "<>`'{}".contains(c) => return None,
                c => self.letter(c),
            },
            '(' | ')' | '|' if groups_are_plain => self.group(c),
            '{' if groups_are_plain => return None,
            '*' => return self.repeat(c),
            '+' | '?' if repeats_are_plain => return self.repeat(c),
            '.' => self.atom("."),
            '^' if self.begins => self.anchor(c),
            '$' if self.is_at_an_end() => self.anchor(c),
            '^' | '$' => return None,
            '[' => return self.class(),
            c => self.letter(c),
        }
        Some(())
    }

    fn letter(&mut self, c: char) {
        self.atom(&regex_lite::escape(c.encode_utf8(&mut [0; 4])));
    }

    fn atom(&mut self, written: &str) {
        self.written.push_str(written);
        (self.begins, self.repeatable) = (false, true);
    }

    fn anchor(&mut self, c: char) {
        self.written.push(c);
        (self.begins, self.repeatable) = (false, false);
    }

    fn group(&mut self, c: char) {
        self.written.push(c);
        self.written.push_str(if c == '(' { "?:" } else { "" });
        (self.begins, self.repeatable) = (c != ')', c == ')');
    }

    /// A star that repeats nothing is a star to some, and a second one says something else to
    /// the library.
    fn repeat(&mut self, c: char) -> Option<()> {
        self.written.push(c);
        std::mem::replace(&mut self.repeatable, false).then_some(())
    }

    /// Whether an alternative or a group ends here.
    fn is_at_an_end(&self) -> bool {
        match (self.syntax, &self.rest[self.at..]) {
            (_, []) => true,
            (Syntax::Extended, [first, ..]) => matches!(first, ')' | '|'),
            (_, ['\\', second, ..]) => matches!(second, ')' | '|'),
            _ => false,
        }
    }

    fn class(&mut self) -> Option<()> {
        let negated = self.rest.get(self.at) == Some(&'^');
        self.at += usize::from(negated);
        let mut written = String::from(if negated { "[^" } else { "[" });
        let first = self.at;
        loop {
            let c = self.next()?;
            let range = (self.rest.get(self.at), self.rest.get(self.at + 1));
            match (c, range) {
                (']', _) if self.at > first + 1 => break,
                // Named classes, and those that depend on the language.
                ('[', (Some(':' | '.' | '='), _)) => return None,
                (low, (Some('-'), Some(high))) if *high != ']' => {
                    written += &format!("{}-{}", within_class(low), within_class(*high));
                    self.at += 2;
                }
                (c, _) => written += &within_class(c),
            }
        }
        self.atom(&(written + "]"));
        Some(())
    }
}

fn within_class(c: char) -> String {
    match c.is_ascii_punctuation() {
        true => format!("\\{c}"),
        false => c.to_string(),
    }
}

/// A door for the fuzzer: an expression that is understood finds what it matches as a whole, and
/// one of letters finds these letters.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_expression(pattern: &str, line: &str) {
    let is_plain = pattern.chars().all(|c| c.is_ascii_alphanumeric());
    for syntax in [Syntax::Basic, Syntax::Extended, Syntax::Emacs] {
        for any_case in [false, true] {
            let Some(regex) = Regex::new(pattern, syntax, any_case) else {
                continue;
            };
            let (found, whole) = (regex.finds(line), regex.matches(line));
            assert_eq!(found.is_some(), whole.is_some());
            assert!(
                whole != Some(true) || found == Some(true),
                "{pattern:?} {line:?}"
            );
            if is_plain && !any_case && found.is_some() {
                assert_eq!(found, Some(line.contains(pattern)));
                assert_eq!(whole, Some(line == pattern));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_as_grep_finds_them() {
        use Syntax::{Basic, Emacs, Extended};
        for (pattern, syntax, line, expected) in [
            ("\\.log$", Basic, "app.log", Some(true)),
            ("\\.log$", Basic, "app.log.md", Some(false)),
            ("a.c", Basic, "xabcx", Some(true)),
            ("^specs", Basic, "specs/a", Some(true)),
            ("^specs", Basic, "x/specs", Some(false)),
            ("\\.(log|orig)$", Extended, "a.orig", Some(true)),
            ("\\.(log|orig)$", Extended, "a.origin", Some(false)),
            ("\\.\\(log\\|orig\\)$", Basic, "a.log", Some(true)),
            ("^(a|b)$|c", Extended, "xc", Some(true)),
            ("^(a|b)$|c", Extended, "ab", Some(false)),
            ("^a+b?$", Extended, "aaab", Some(true)),
            ("^a+b?$", Extended, "b", Some(false)),
            ("^a+$", Basic, "a+", Some(true)),
            ("^a\\+$", Basic, "aa", Some(true)),
            ("^(ab)*$", Extended, "ababab", Some(true)),
            ("^(ab)*$", Extended, "aba", Some(false)),
            ("^(a*)*$", Extended, "aaaa", Some(true)),
            ("[]x]", Basic, "]", Some(true)),
            ("[^a-z]", Basic, "abc", Some(false)),
            ("[a-]", Basic, "-", Some(true)),
            ("py[co]$", Emacs, "a.pyc", Some(true)),
            ("", Basic, "anything", Some(true)),
            ("a|b", Basic, "a|b", Some(true)),
            ("a|b", Basic, "a", Some(false)),
            ("a(b{c", Basic, "a(b{c", Some(true)),
            ("^a\\+$", Extended, "a+", Some(true)),
            ("^a\\+$", Extended, "aa", Some(false)),
            ("^\\(a\\)$", Extended, "(a)", Some(true)),
            ("^\\(a\\)$", Extended, "a", Some(false)),
            ("x\\(a$\\)", Basic, "xa", Some(true)),
            ("x\\(a$\\)", Basic, "xab", Some(false)),
            ("x[^b]", Basic, "xa", Some(true)),
            ("x[^b]", Basic, "x[", Some(true)),
            ("x[^b]", Basic, "xb", Some(false)),
            ("^ä", Basic, "äö", Some(true)),
            ("a$b", Basic, "a$b", None),
            ("a$\\+", Basic, "a", None),
            ("a$b", Extended, "a$b", None),
            ("\\(a\\)\\1", Basic, "aa", None),
            ("a{2}", Extended, "aa", None),
            ("\\bx", Extended, "x", None),
            ("[[:alpha:]]", Basic, "x", None),
            ("*a", Basic, "*a", None),
            ("a^b", Basic, "a^b", None),
            ("(a", Extended, "a", None),
            ("a)", Extended, "a", None),
            ("[a", Basic, "a", None),
            ("a\\", Basic, "a", None),
        ] {
            let regex = Regex::new(pattern, syntax, false);
            let found = regex.and_then(|regex| regex.finds(line));
            assert_eq!(found, expected, "{pattern} {line}");
        }
    }

    #[test]
    fn a_whole_text_matches_in_any_case_if_asked_for() {
        let regex = Regex::new(".*\\.\\(orig\\|rej\\)", Syntax::Emacs, true).expect("simple");
        assert_eq!(regex.matches("./A.ORIG"), Some(true));
        assert_eq!(regex.matches("./a.orig.md"), Some(false));
        assert_eq!(regex.finds("./a.orig.md"), Some(true));
        assert_eq!(regex.finds("./ä.orig"), None, "the library cannot tell");
    }

    #[test]
    fn repetition_within_repetition_costs_little() {
        let regex = Regex::new("^((a*)*)*b$", Syntax::Extended, false).expect("simple");
        assert_eq!(regex.finds(&"a".repeat(1_000)), Some(false));
        assert_eq!(regex.finds(&"a".repeat(2_000)), None);
    }
}
