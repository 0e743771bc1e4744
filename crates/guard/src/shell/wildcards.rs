//! Names that stand for several: braces, groups, and wildcards matched against the files.

use std::path::{Path, PathBuf};

use brush_parser::ParserOptions;
use brush_parser::word::{self, BraceExpressionMember, BraceExpressionOrText};

use crate::glob;
use crate::paths::Resolver;
use crate::tree::Tree;

/// More words than these from one brace expression are not written out.
const MOST_WORDS: usize = 1_024;

/// More files than these are not matched by one wildcard.
const MOST_MATCHES: usize = 4_096;

/// What a word with braces in it stands for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Braces {
    /// These words.
    Words(Vec<String>),
    /// More words than are written out: each with something between these two.
    Many { before: String, after: String },
}

pub(super) fn braces(word: &str) -> Braces {
    let plain = || Braces::Words(vec![word.to_owned()]);
    if !word.contains('{') {
        return plain();
    }
    let Ok(Some(parts)) = word::parse_brace_expansions(word, &ParserOptions::default()) else {
        return plain();
    };
    match sequence(&parts, padding(word)) {
        Some(words) => Braces::Words(words),
        None => Braces::Many {
            before: around(parts.iter()),
            after: around(parts.iter().rev()),
        },
    }
}

/// The text at one end of a brace expression.
fn around<'a>(mut parts: impl Iterator<Item = &'a BraceExpressionOrText>) -> String {
    match parts.next() {
        Some(BraceExpressionOrText::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

/// How wide numbers are made: `{01..10}` has a zero before the first nine of them. The parser
/// does not tell, so any number with a zero before it makes all of them that wide.
fn padding(word: &str) -> usize {
    let numbers = word.split(|c: char| !c.is_ascii_digit());
    let padded = numbers.filter(|number| number.len() > 1 && number.starts_with('0'));
    let widest = word
        .split(|c: char| !c.is_ascii_digit())
        .map(str::len)
        .max();
    padded.map(str::len).max().and(widest).unwrap_or(0)
}

/// The words that these parts make one after the other; `None` if there are too many.
fn sequence(parts: &[BraceExpressionOrText], padding: usize) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    for part in parts {
        let choices: Vec<String> = match part {
            BraceExpressionOrText::Text(text) => vec![text.clone()],
            BraceExpressionOrText::Expr(members) => {
                let mut choices = Vec::new();
                for member in members {
                    choices.extend(choices_of(member, padding)?);
                    if choices.len() > MOST_WORDS {
                        return None;
                    }
                }
                choices
            }
        };
        if words.len() * choices.len() > MOST_WORDS {
            return None;
        }
        let longer = words
            .iter()
            .flat_map(|word| choices.iter().map(move |choice| format!("{word}{choice}")));
        words = longer.collect();
    }
    Some(words)
}

fn choices_of(member: &BraceExpressionMember, padding: usize) -> Option<Vec<String>> {
    let is_short = |last: i128| last < MOST_WORDS as i128;
    match member {
        BraceExpressionMember::Child(parts) => sequence(parts, padding),
        BraceExpressionMember::NumberSequence { start, end, .. } => {
            let (first, last) = (*start.min(end), *start.max(end));
            let numbers = || first..=last;
            let plain = numbers().map(|n| n.to_string());
            let padded = numbers()
                .filter(|_| padding > 0)
                .map(|n| format!("{n:0padding$}"));
            is_short(i128::from(last) - i128::from(first)).then(|| plain.chain(padded).collect())
        }
        BraceExpressionMember::CharSequence { start, end, .. } => {
            let (first, last) = (*start.min(end), *start.max(end));
            let letters = (first..=last).map(String::from);
            is_short(i128::from(u32::from(last)) - i128::from(u32::from(first)))
                .then(|| letters.collect())
        }
    }
}

/// How a shell was told to match.
#[derive(Clone, Copy, Default)]
pub(super) struct Manner {
    /// Names with a dot at their start as well.
    pub(super) from_dots: bool,
    pub(super) any_case: bool,
    /// Two stars match any number of directories.
    pub(super) any_depth: bool,
}

impl Manner {
    /// As much as a shell can be told to match.
    pub(super) const MOST: Self = Self {
        from_dots: true,
        any_case: true,
        any_depth: true,
    };

    fn matches(self, wildcard: &str, name: &str) -> bool {
        // A dot at the start is only matched by a dot.
        let is_hidden = name.starts_with('.') && !wildcard.starts_with(['.', '\\']);
        if is_hidden && !self.from_dots {
            return false;
        }
        if self.any_case {
            return glob::matches(&wildcard.to_lowercase(), &name.to_lowercase());
        }
        glob::matches(wildcard, name)
    }
}

/// The existing paths that a wildcard matches, from a directory.
pub(super) fn matching(
    tree: &dyn Tree,
    resolver: &Resolver<'_>,
    base: &Path,
    wildcard: &str,
    manner: Manner,
) -> Vec<PathBuf> {
    let start = if wildcard.starts_with('/') {
        PathBuf::from("/")
    } else {
        base.to_owned()
    };
    let mut reached = vec![start.clone()];
    for name in wildcard.split('/').filter(|name| !name.is_empty()) {
        let mut next = Vec::new();
        for directory in reached {
            if !glob::is_pattern(name) {
                let path = directory.join(name.replace('\\', ""));
                let is_given = directory == start;
                // A link that was made on the way is only known by where it leads.
                let ends = [resolver.up_to_link(&path), resolver.beyond_links(&path)];
                if is_given || ends.iter().any(|end| tree.kind(end).is_some()) {
                    next.push(path);
                }
                continue;
            }
            let real = resolver.beyond_links(&directory);
            for entry in tree.list(&real) {
                let entry = entry.to_string_lossy();
                if manner.matches(name, &entry) {
                    next.push(directory.join(entry.as_ref()));
                }
            }
        }
        next.truncate(MOST_MATCHES);
        reached = next;
    }
    reached
}

/// Whether a path, seen from a directory, is among what a wildcard with `**` in it matches.
pub(super) fn reaches(base: &Path, wildcard: &str, path: &Path, manner: Manner) -> bool {
    let start = if wildcard.starts_with('/') {
        Path::new("/")
    } else {
        base
    };
    let Ok(below) = path.strip_prefix(start) else {
        return false;
    };
    let below: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
    let below: Vec<&str> = below.iter().map(AsRef::as_ref).collect();
    let names = wildcard.split('/');
    let names: Vec<&str> = names.filter(|name| !matches!(*name, "" | ".")).collect();
    fits(&names, &below, manner)
}

fn fits(wildcards: &[&str], names: &[&str], manner: Manner) -> bool {
    match (wildcards.split_first(), names.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), first) => {
            let skips = first.is_some_and(|(name, others)| {
                manner.matches("*", name) && fits(wildcards, others, manner)
            });
            skips || fits(rest, names, manner)
        }
        (Some((wildcard, rest)), Some((name, others))) => {
            manner.matches(wildcard, name) && fits(rest, others, manner)
        }
        _ => false,
    }
}

/// Whether there are groups such as `!(a|b)`, which some shells match when told to.
pub(super) fn has_groups(text: &str) -> bool {
    ["?(", "*(", "+(", "@(", "!("]
        .iter()
        .any(|open| text.contains(open))
}

/// Each group as a star: it matches more, and never less.
pub(super) fn without_groups(text: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0_usize;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('?' | '*' | '+' | '@' | '!', Some('(')) => {
                depth += 1;
                rest.next();
                plain.push('*');
            }
            (')', _) if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            _ => plain.push(c),
        }
    }
    plain
}
