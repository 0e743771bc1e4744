//! One ignore file, parsed.

use super::glob::{Glob, bracket};

/// The patterns of one directory, strongest last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rules(Vec<Rule>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    includes: bool,
    directories_only: bool,
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Shape {
    /// A pattern without a slash: matches the name, however deep.
    Name(Glob),
    /// A pattern with a slash: matches the path from the file's own directory.
    Path(Vec<Segment>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    /// `**` between slashes: any number of components.
    Anywhere,
    One(Glob),
}

impl Rules {
    /// Adds the patterns of one file after those already there.
    pub(crate) fn add(&mut self, text: &[u8]) {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        self.0
            .extend(text.split(|byte| *byte == b'\n').filter_map(Rule::parse));
    }

    /// What these patterns say of `path`, which is relative to their directory:
    /// `Some(true)` to ignore it, `Some(false)` to include it, `None` if they do not care.
    pub(crate) fn verdict(&self, path: &[u8], is_directory: bool) -> Option<bool> {
        self.0
            .iter()
            .rev()
            .find(|rule| rule.matches(path, is_directory))
            .map(|rule| !rule.includes)
    }
}

impl Rule {
    fn parse(line: &[u8]) -> Option<Self> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.starts_with(b"#") {
            return None;
        }
        let line = trim_trailing_spaces(line);
        let (includes, line) = match line.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (directories_only, line) = match line.strip_suffix(b"/") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        if line.is_empty() {
            return None;
        }
        let shape = if line.contains(&b'/') {
            Shape::Path(segments(line.strip_prefix(b"/").unwrap_or(line)))
        } else {
            Shape::Name(Glob::compile(line))
        };
        Some(Self {
            includes,
            directories_only,
            shape,
        })
    }

    fn matches(&self, path: &[u8], is_directory: bool) -> bool {
        if self.directories_only && !is_directory {
            return false;
        }
        match &self.shape {
            Shape::Name(glob) => {
                let slash = path.iter().rposition(|byte| *byte == b'/');
                glob.matches(&path[slash.map_or(0, |slash| slash + 1)..])
            }
            Shape::Path(segments) => {
                let components: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
                matches_segments(segments, &components)
            }
        }
    }
}

/// Drops trailing spaces, except one that a backslash protects.
fn trim_trailing_spaces(line: &[u8]) -> &[u8] {
    let (mut at, mut kept) = (0, 0);
    while at < line.len() {
        let length = if line[at] == b'\\' { 2 } else { 1 };
        if line[at] != b' ' {
            kept = (at + length).min(line.len());
        }
        at += length;
    }
    &line[..kept]
}

/// Cuts a pattern at its slashes, but not at one inside a bracket.
fn segments(pattern: &[u8]) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut current = Vec::new();
    let mut at = 0;
    while at < pattern.len() {
        let length = match &pattern[at..] {
            [b'/', ..] | [b'\\', b'/', ..] => {
                segments.push(Segment::of(&current));
                current.clear();
                at += if pattern[at] == b'/' { 1 } else { 2 };
                continue;
            }
            [b'\\', _, ..] => 2,
            [b'[', rest @ ..] => bracket(rest).map_or(1, |(_, length)| length + 1),
            _ => 1,
        };
        current.extend_from_slice(&pattern[at..at + length]);
        at += length;
    }
    segments.push(Segment::of(&current));
    segments
}

impl Segment {
    fn of(text: &[u8]) -> Self {
        if text == b"**" {
            Self::Anywhere
        } else {
            Self::One(Glob::compile(text))
        }
    }
}

/// The same walk as for one component, a level up: `**` is the star, a component the byte.
fn matches_segments(segments: &[Segment], components: &[&[u8]]) -> bool {
    let (mut segment, mut at) = (0, 0);
    let mut last_anywhere: Option<(usize, usize)> = None;
    loop {
        match (segments.get(segment), components.get(at)) {
            (None, None) => return true,
            (Some(Segment::Anywhere), remaining) => {
                if segment + 1 == segments.len() {
                    // A trailing `**` means "everything inside": there must be something.
                    return remaining.is_some();
                }
                last_anywhere = Some((segment + 1, at));
                segment += 1;
                continue;
            }
            (Some(Segment::One(glob)), Some(component)) if glob.matches(component) => {
                segment += 1;
                at += 1;
                continue;
            }
            _ => {}
        }
        match last_anywhere {
            Some((after, taken)) if taken < components.len() => {
                last_anywhere = Some((after, taken + 1));
                segment = after;
                at = taken + 1;
            }
            _ => return false,
        }
    }
}

/// A door for the fuzzer: of any rules the last that fits counts, and a path that is spelled out
/// fits. `path` has no empty component, no line end and no NUL.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_rules(text: &[u8], path: &[u8]) {
    let mut rules = Rules::default();
    rules.add(text);
    let _ = rules.verdict(path, true);
    let spelled = path.iter().flat_map(|byte| match byte {
        b'/' => vec![b'/'],
        other => vec![b'\\', *other],
    });
    let spelled: Vec<u8> = std::iter::once(b'/').chain(spelled).collect();
    let within = [b"!", spelled.as_slice(), b"/"].concat();
    for (last, is_directory, expected) in [
        (b"*".as_slice(), false, Some(true)),
        (b"!*", false, Some(false)),
        (&spelled, false, Some(true)),
        (&within, true, Some(false)),
        (&within, false, rules.verdict(path, false)),
    ] {
        let mut more = rules.clone();
        more.add(last);
        assert_eq!(more.verdict(path, is_directory), expected, "{last:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The corners that generated trees seldom reach; the rest is held against git itself.
    #[test]
    fn rare_forms() {
        for (rule, path, is_directory, expected) in [
            ("a/**", "a", false, None),
            ("a/**", "a", true, None),
            ("a/**", "a/b/c", false, Some(true)),
            ("/**", "a", false, Some(true)),
            ("**/b", "b", false, Some(true)),
            ("a/**/b", "a/b", false, Some(true)),
            ("a/**/b/**/c", "a/x/b/y/b/c", false, Some(true)),
            ("a**/b", "ax/y/b", false, None),
            ("a//b", "a/b", false, None),
            ("a//", "a", true, None),
            ("/", "a", true, None),
            ("!", "a", false, None),
            ("!a/", "a", true, Some(false)),
            ("!a/", "a", false, None),
            ("x[/]y", "x/y", false, None),
            ("x[a/b]y", "xay", false, Some(true)),
            (r"a\/b", "a/b", false, Some(true)),
            ("\u{feff}a", "a", false, Some(true)),
            ("a\r\nb", "a", false, Some(true)),
            (r"a\  ", "a ", false, Some(true)),
            ("a\t", "a", false, None),
            ("a\n!a\na", "a", false, Some(true)),
        ] {
            let mut rules = Rules::default();
            rules.add(rule.as_bytes());
            let verdict = rules.verdict(path.as_bytes(), is_directory);
            assert_eq!(verdict, expected, "{rule:?} on {path:?}");
        }
    }
}
