//! What `sed` makes of a text, for the scripts that are plain: substitutions, and lines that are
//! deleted or put in.

use regex_lite::{Captures, Regex, RegexBuilder};

use super::{UNKNOWN, delimited, line, part};

/// A longer text is not edited.
const LONGEST_TEXT: usize = 64 * 1024;

/// Which lines a command is about.
enum Address {
    All,
    Number(usize),
    Last,
    Like(Regex),
}

enum Deed {
    Substitute(Regex, String, bool),
    Delete,
    Before(String),
    After(String),
    Instead(String),
}

/// The text as these scripts leave it; nothing if one of them is not understood.
pub(super) fn edited(text: &str, scripts: &[String], extended: bool) -> Option<String> {
    if text.len() > LONGEST_TEXT {
        return None;
    }
    let mut edits = Vec::new();
    for script in scripts {
        edits.extend(parsed(script, extended)?);
    }
    let last = text.lines().count();
    let mut written = String::new();
    for (index, own) in text.lines().enumerate() {
        written.push_str(&of_line(own, index + 1, last, &edits));
    }
    Some(written)
}

/// What becomes of one line, with what is put around it.
fn of_line(own: &str, number: usize, last: usize, edits: &[(Address, Deed)]) -> String {
    let mut own = own.to_owned();
    let (mut before, mut after) = (String::new(), String::new());
    for (address, deed) in edits {
        let is_meant = match address {
            Address::All => true,
            Address::Number(wanted) => *wanted == number,
            Address::Last => number == last,
            Address::Like(pattern) => pattern.is_match(&own),
        };
        if !is_meant {
            continue;
        }
        match deed {
            Deed::Substitute(pattern, new, everywhere) => {
                let put = |found: &Captures<'_>| filled(new, found);
                let count = usize::from(!everywhere);
                own = pattern.replacen(&own, count, put).into_owned();
            }
            Deed::Before(text) => before.push_str(&format!("{text}\n")),
            Deed::After(text) => after.push_str(&format!("{text}\n")),
            Deed::Delete => return before + &after,
            Deed::Instead(text) => return format!("{before}{text}\n{after}"),
        }
    }
    format!("{before}{own}\n{after}")
}

/// The commands of a script, if all of them are of the plain kinds.
fn parsed(script: &str, extended: bool) -> Option<Vec<(Address, Deed)>> {
    let mut edits = Vec::new();
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';']);
        if rest.is_empty() {
            return (!script.contains(UNKNOWN)).then_some(edits);
        }
        let (address, behind) = address(rest, extended)?;
        let mut chars = behind.trim_start().chars();
        let verb = chars.next()?;
        let after = chars.as_str();
        let (deed, next) = match verb {
            's' => substitution(after, extended)?,
            'd' => (Deed::Delete, after),
            'a' | 'i' | 'c' => put_in(verb, after)?,
            _ => return None,
        };
        // What is put in goes to the end of its line; all else ends here.
        let is_end = matches!(verb, 'a' | 'i' | 'c')
            || next.trim_start_matches([' ', '\t']).is_empty()
            || next
                .trim_start_matches([' ', '\t'])
                .starts_with([';', '\n']);
        if !is_end {
            return None;
        }
        edits.push((address, deed));
        rest = next;
    }
}

fn address(text: &str, extended: bool) -> Option<(Address, &str)> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (address, rest) = if digits > 0 {
        (
            Address::Number(text[..digits].parse().ok()?),
            &text[digits..],
        )
    } else if let Some(rest) = text.strip_prefix('$') {
        (Address::Last, rest)
    } else if text.starts_with('/') {
        let (pattern, rest) = part(text, true)?;
        (Address::Like(regex(pattern, '/', extended, false)?), rest)
    } else {
        (Address::All, text)
    };
    Some((address, rest))
}

fn put_in(verb: char, after: &str) -> Option<(Deed, &str)> {
    let (text, rest) = line(after);
    let text = text.trim_start();
    // Text on lines of its own, and escapes in it, are left to others.
    if text.is_empty() || text.contains('\\') {
        return None;
    }
    let text = text.to_owned();
    let deed = match verb {
        'a' => Deed::After(text),
        'i' => Deed::Before(text),
        _ => Deed::Instead(text),
    };
    Some((deed, rest))
}

fn substitution(after: &str, extended: bool) -> Option<(Deed, &str)> {
    let delimiter = after.chars().next()?;
    let (pattern, new, rest) = delimited(after, true)?;
    let flags = rest.len() - rest.trim_start_matches(['g', 'i', 'I']).len();
    let (flags, rest) = rest.split_at(flags);
    let any_case = flags.contains(['i', 'I']);
    let pattern = regex(pattern, delimiter, extended, any_case)?;
    let deed = Deed::Substitute(pattern, new.to_owned(), flags.contains('g'));
    Some((deed, rest))
}

/// A pattern of sed as others write it: of two ways to write a bracket, the one with a
/// backslash is the special one, unless it is extended.
fn regex(pattern: &str, delimiter: char, extended: bool, any_case: bool) -> Option<Regex> {
    // The last pattern again, or one that starts with what is not special there.
    if pattern.is_empty() || pattern.starts_with('*') || pattern.contains("[[") {
        return None;
    }
    let mut written = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                c if c == delimiter => {
                    written.push_str(&regex_lite::escape(c.encode_utf8(&mut [0; 4])));
                }
                c if "(){}|+?".contains(c) && !extended => written.push(c),
                c @ ('n' | 't' | 's' | 'S' | 'w' | 'W' | 'b') => written.extend(['\\', c]),
                c if c.is_alphanumeric() || "<>`'".contains(c) => return None,
                c => written.push_str(&regex_lite::escape(c.encode_utf8(&mut [0; 4]))),
            },
            c if "(){}|+?".contains(c) && !extended => written.extend(['\\', c]),
            c => written.push(c),
        }
    }
    let mut builder = RegexBuilder::new(&written);
    builder.case_insensitive(any_case).build().ok()
}

/// What is put in place of a match: `&` is all of it, `\1` a part.
fn filled(new: &str, found: &Captures<'_>) -> String {
    let group = |index: usize| found.get(index).map_or("", |part| part.as_str());
    let mut text = String::new();
    let mut chars = new.chars();
    while let Some(c) = chars.next() {
        match c {
            '&' => text.push_str(group(0)),
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(digit @ '0'..='9') => text.push_str(group(digit as usize - '0' as usize)),
                Some(other) => text.push(other),
                None => {}
            },
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(script: &str, extended: bool) -> Option<String> {
        edited("ab a\nc(d)\n", &[script.to_owned()], extended)
    }

    #[test]
    fn plain_scripts_give_what_sed_gives() {
        for (script, extended, expected) in [
            ("s/a/x/", false, "xb a\nc(d)\n"),
            ("s/a/x/g", false, "xb x\nc(d)\n"),
            ("s/A/x/gI", false, "xb x\nc(d)\n"),
            ("s,(d),&/,", false, "ab a\nc(d)/\n"),
            ("s/\\(a\\)b/\\1\\1/", false, "aa a\nc(d)\n"),
            ("s/(a)b/\\1\\n/", true, "a\n a\nc(d)\n"),
            ("s/a+/x/", true, "xb a\nc(d)\n"),
            ("s/a+/x/", false, "ab a\nc(d)\n"),
            ("s/c.d/x\\&y/;s/x/z/", false, "ab a\nz&y)\n"),
            ("1d", false, "c(d)\n"),
            ("$d", false, "ab a\n"),
            ("/c/d", false, "ab a\n"),
            ("/c/ s/d/e/", false, "ab a\nc(e)\n"),
            ("$a x y", false, "ab a\nc(d)\nx y\n"),
            ("1i x;y", false, "x;y\nab a\nc(d)\n"),
            ("2c x", false, "ab a\nx\n"),
            ("s/a/\\//", false, "/b a\nc(d)\n"),
        ] {
            assert_eq!(of(script, extended).as_deref(), Some(expected), "{script}");
        }
    }

    #[test]
    fn what_is_not_plain_is_not_guessed_at() {
        for script in [
            "y/a/b/",
            "p",
            "1,2d",
            "1!d",
            "s/a/b/2",
            "s/a/b/p",
            "s//b/",
            "s/*a/b/",
            "s/[[:digit:]]/b/",
            "s/\\<a/b/",
            "s/a\\1/b/",
            "a\\",
            "a x\\ny",
            "{d}",
            "d x",
            "s/a/b",
        ] {
            assert_eq!(of(script, false), None, "{script}");
        }
        let long = "a\n".repeat(LONGEST_TEXT);
        assert_eq!(edited(&long, &["1d".to_owned()], false), None);
    }
}
