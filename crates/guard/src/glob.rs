//! Wildcards as a shell understands them: `*`, `?`, `[…]` within a name, `**` between them.

/// Whether a name has wildcards at all.
pub(crate) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// What stands before, between and behind the wildcards of a name.
pub(crate) fn between_wildcards(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(name);
    std::iter::from_fn(move || {
        let text = rest?;
        // A bracket that closes alone is what is left of a class within a class.
        let at = text.find(['*', '?', '[', ']']).unwrap_or(text.len());
        let (known, wildcard) = text.split_at(at);
        rest = wildcard.get(wildcard_length(wildcard)..);
        Some(known)
    })
}

/// How long the wildcard is that a text begins with.
fn wildcard_length(text: &str) -> usize {
    // What comes first in a class does not close it.
    let first = match text.as_bytes() {
        [b'[', b'!' | b'^', ..] => 3,
        [b'[', ..] => 2,
        _ => return 1,
    };
    let mut behind = text.char_indices().skip(first);
    let close = behind.find(|(_, c)| *c == ']');
    close.map_or(1, |(at, _)| at + 1)
}

/// Whether a pattern matches a whole text. A backslash takes the next character as it is.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    if !pattern.contains(['*', '?', '[', '\\']) {
        return pattern == text;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    matches_chars(&pattern, &text)
}

/// Where a star last stood, so that it can take one character more: linear but for that.
fn matches_chars(pattern: &[char], text: &[char]) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while read < text.len() {
        match step(pattern, at, text[read]) {
            Step::Star => {
                star = Some((at + 1, read));
                at += 1;
            }
            Step::Took(next) => {
                at = next;
                read += 1;
            }
            Step::Fails => match star {
                Some((after, from)) => {
                    star = Some((after, from + 1));
                    at = after;
                    read = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|rest| *rest == '*')
}

enum Step {
    Star,
    Took(usize),
    Fails,
}

fn step(pattern: &[char], at: usize, read: char) -> Step {
    match pattern.get(at) {
        Some('*') => Step::Star,
        Some('?') => Step::Took(at + 1),
        Some('[') => match class(&pattern[at..], read) {
            Some((true, length)) => Step::Took(at + length),
            Some((false, _)) => Step::Fails,
            None if read == '[' => Step::Took(at + 1),
            None => Step::Fails,
        },
        Some('\\') if pattern.get(at + 1) == Some(&read) => Step::Took(at + 2),
        Some(own) if *own == read && *own != '\\' => Step::Took(at + 1),
        _ => Step::Fails,
    }
}

/// Whether a class such as `[!a-z]` takes the character, and how long the class is.
fn class(pattern: &[char], read: char) -> Option<(bool, usize)> {
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let first = if negated { 2 } else { 1 };
    let mut at = first;
    let mut taken = false;
    while *pattern.get(at)? != ']' || at == first {
        let low = *pattern.get(at)?;
        if low == '[' && pattern.get(at + 1) == Some(&':') {
            let close = (at..pattern.len()).find(|end| pattern[*end] == ']')?;
            let name: String = pattern[at + 2..close].iter().collect();
            taken |= named_class(name.trim_end_matches(':'), read);
            at = close + 1;
        } else if pattern.get(at + 1) == Some(&'-')
            && pattern.get(at + 2).is_some_and(|c| *c != ']')
        {
            taken |= (low..=pattern[at + 2]).contains(&read);
            at += 3;
        } else {
            taken |= low == read;
            at += 1;
        }
    }
    Some((taken != negated, at + 1))
}

fn named_class(name: &str, read: char) -> bool {
    match name {
        "alpha" => read.is_alphabetic(),
        "digit" => read.is_ascii_digit(),
        "alnum" => read.is_alphanumeric(),
        "upper" => read.is_uppercase(),
        "lower" => read.is_lowercase(),
        "punct" => read.is_ascii_punctuation(),
        "space" => read.is_whitespace(),
        _ => true,
    }
}

/// Whether names, or the first of them, match a pattern of names.
///
/// As within a name, it is enough to know where `**` last stood: a pattern of the repository's
/// own must not take longer with each.
pub(crate) fn matches_prefix(pattern: &[String], names: &[String]) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut any: Option<(usize, usize)> = None;
    while let Some(part) = pattern.get(at) {
        if part == "**" {
            any = Some((at + 1, read));
            at += 1;
        } else if names.get(read).is_some_and(|name| matches(part, name)) {
            at += 1;
            read += 1;
        } else {
            match any {
                Some((after, from)) if from < names.len() => {
                    any = Some((after, from + 1));
                    at = after;
                    read = from + 1;
                }
                _ => return false,
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_wildcards_is_known() {
        let known = |name| between_wildcards(name).collect::<Vec<_>>();
        assert_eq!(known("a"), ["a"]);
        assert_eq!(known("a/*.md"), ["a/", ".md"]);
        assert_eq!(known("[ab]c?"), ["", "c", ""]);
        assert_eq!(known("[!]x]c"), ["", "c"]);
        assert_eq!(known("x[[:alpha:]]c"), ["x", "", "c"]);
        assert_eq!(known("a[b"), ["a", "b"]);
    }

    #[test]
    fn wildcards_match_as_in_a_shell() {
        for (pattern, text, expected) in [
            ("*.md", "a.md", true),
            ("*.md", "a.mdx", false),
            ("a*b*c", "aXbYbZc", true),
            (".[!.]*", ".claude", true),
            (".[!.]*", "..", false),
            ("[a-c]x", "bx", true),
            ("[^a-c]x", "bx", false),
            ("[]]", "]", true),
            ("[[:digit:]]", "7", true),
            ("[", "[", true),
            ("?", "", false),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("\\*b", "*b", true),
            ("\\", "\\", false),
            ("[a-c]", "c", true),
            ("[a-c]", "d", false),
            ("[a-]", "-", true),
            ("[a-]", "b", false),
            ("[!]a]", "]", false),
            ("[!]a]", "b", true),
            ("[]a]x", "ax", true),
            ("[x", "[x", true),
            ("[x", "x", false),
            ("[x", "ax", false),
            ("[b-d]*[!x]", "cax", false),
            ("[b-d]*[!x]", "caxy", true),
            ("[xa-cz]", "z", true),
            ("[x[:digit:]y]", "y", true),
            ("[x[:digit:]y]z", "5z", true),
            ("[[:digit:]]", "a", false),
            ("[[:alpha:]]", "a", true),
            ("[[:alpha:]]", "7", false),
            ("[[:alnum:]]", "7", true),
            ("[[:alnum:]]", "-", false),
            ("[[:upper:]]", "A", true),
            ("[[:upper:]]", "a", false),
            ("[[:lower:]]", "a", true),
            ("[[:lower:]]", "A", false),
            ("[[:punct:]]", "-", true),
            ("[[:punct:]]", "a", false),
            ("[[:space:]]", " ", true),
            ("[[:space:]]", "a", false),
            ("a**b", "ab", true),
            ("*a", "aa", true),
            ("*a?", "aab", true),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn names_match_from_the_first_and_stars_skip_any_number() {
        let names = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
        for (pattern, path, expected) in [
            ("a", "a/b", true),
            ("a/b", "a", false),
            ("a/b", "b/a", false),
            ("**/b", "b", true),
            ("**/b", "x/y/b/z", true),
            ("**/b", "x/y", false),
            ("a/**/b", "a/b", true),
            ("a/**/b", "x/a/b", false),
            ("**/a/**/b", "x/a/y/b", true),
            ("*/b", "a/b", true),
            ("*/b", "a/x/b", false),
            ("a/**", "a", true),
            ("**", "a", true),
            ("**/a/b", "a/a/b", true),
            ("**/a/**/a/c", "a/b/a/a/c", true),
            ("**/a/**/a/c", "a/b/a/b/c", false),
        ] {
            let found = matches_prefix(&names(pattern), &names(path));
            assert_eq!(found, expected, "{pattern} {path}");
        }
    }

    #[test]
    fn many_stars_cost_little() {
        assert!(!matches(&"*a".repeat(200), &"b".repeat(20_000)));
        let pattern: Vec<String> = ["**", "a"]
            .repeat(30)
            .into_iter()
            .map(str::to_owned)
            .collect();
        let names = vec!["b".to_owned(); 60];
        assert!(!matches_prefix(&pattern, &names));
        let names = vec!["a".to_owned(); 29];
        assert!(!matches_prefix(&pattern, &names));
    }
}
