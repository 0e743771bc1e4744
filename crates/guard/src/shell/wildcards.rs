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

/// The words that a brace expression stands for.
pub(super) fn braces(word: &str) -> Vec<String> {
    if !word.contains('{') {
        return vec![word.to_owned()];
    }
    match word::parse_brace_expansions(word, &ParserOptions::default()) {
        Ok(Some(parts)) => brace_sequence(&parts),
        _ => vec![word.to_owned()],
    }
}

fn brace_sequence(parts: &[BraceExpressionOrText]) -> Vec<String> {
    let mut words = vec![String::new()];
    for part in parts {
        let choices: Vec<String> = match part {
            BraceExpressionOrText::Text(text) => vec![text.clone()],
            BraceExpressionOrText::Expr(members) => members.iter().flat_map(brace_member).collect(),
        };
        let longer = words
            .iter()
            .flat_map(|word| choices.iter().map(move |choice| format!("{word}{choice}")));
        words = longer.take(MOST_WORDS).collect();
    }
    words
}

fn brace_member(member: &BraceExpressionMember) -> Vec<String> {
    match member {
        BraceExpressionMember::Child(parts) => brace_sequence(parts),
        BraceExpressionMember::NumberSequence { start, end, .. } => {
            let range = *start.min(end)..=*start.max(end);
            range.take(MOST_WORDS).map(|n| n.to_string()).collect()
        }
        BraceExpressionMember::CharSequence { start, end, .. } => {
            let range = *start.min(end)..=*start.max(end);
            range.take(MOST_WORDS).map(String::from).collect()
        }
    }
}

/// The existing paths that a wildcard matches, from a directory.
pub(super) fn matching(
    tree: &dyn Tree,
    resolver: &Resolver<'_>,
    base: &Path,
    wildcard: &str,
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
                if is_given || tree.kind(&resolver.up_to_link(&path)).is_some() {
                    next.push(path);
                }
                continue;
            }
            let real = resolver.beyond_links(&directory);
            for entry in tree.list(&real) {
                let entry = entry.to_string_lossy();
                // A dot at the start is only matched by a dot.
                if entry.starts_with('.') && !name.starts_with('.') && !name.starts_with("\\.") {
                    continue;
                }
                if name == "**" || glob::matches(name, &entry) {
                    next.push(directory.join(entry.as_ref()));
                }
            }
        }
        next.truncate(MOST_MATCHES);
        reached = next;
    }
    reached
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
