//! What a makefile says: rules, definitions, and what `$(…)` in them stands for.

use std::collections::BTreeMap;

/// What variables are defined as.
pub(super) type Definitions = BTreeMap<String, String>;

/// What is defined before a makefile is read.
#[derive(Default)]
pub(super) struct Before {
    /// In the environment, where a makefile may define it anew.
    pub(super) found: Definitions,
    /// By whoever calls, against whom a makefile says nothing.
    pub(super) decided: Definitions,
}

impl Before {
    /// `make -e`: the environment counts as well, but for the command line.
    pub(super) fn found_decides(&mut self) {
        let given = std::mem::replace(&mut self.decided, self.found.clone());
        self.decided.extend(given);
    }

    fn definitions(&self) -> Definitions {
        let mut all = Definitions::from([("RM".to_owned(), "rm -f".to_owned())]);
        all.extend(self.found.clone());
        // These make sets itself.
        all.insert("MAKE".to_owned(), "make".to_owned());
        all.insert("CURDIR".to_owned(), "$$PWD".to_owned());
        all.extend(self.decided.clone());
        all
    }
}

/// A longer value is not known.
const LONGEST_VALUE: usize = 16 * 1024;

/// Definitions that name each other are followed so far.
const DEEPEST: usize = 12;

/// So many variables are looked up for one line; what names itself twice would take for ever.
const MOST_LOOKUPS: usize = 256;

/// So many are looked up to find out what the rules are about.
const MOST_LOOKUPS_TO_READ: usize = 2_048;

/// Stands for what is not understood; no file is called so.
const UNKNOWN: &str = "unknown-to-the-guard";

/// Targets, what they need, and how they are made.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) targets: Vec<String>,
    needs: Vec<String>,
    pub(super) recipe: Vec<String>,
}

impl Rule {
    /// Whether it may be what is made when nothing is asked for.
    pub(super) fn is_ordinary(&self) -> bool {
        let first = self.targets.first();
        first.is_some_and(|first| !first.starts_with('.') && !first.contains('%'))
    }

    pub(super) fn makes(&self, target: &str) -> bool {
        self.targets.iter().any(|own| stem(own, target).is_some())
    }

    /// What it needs for this target.
    pub(super) fn needs(&self, target: &str) -> Vec<String> {
        let stem = self.targets.iter().find_map(|own| stem(own, target));
        let stem = stem.unwrap_or_default();
        let needs = self.needs.iter();
        needs.map(|need| need.replacen('%', stem, 1)).collect()
    }
}

/// What `%` in a pattern stands for, if the text fits it.
fn stem<'t>(pattern: &str, text: &'t str) -> Option<&'t str> {
    match pattern.split_once('%') {
        Some((start, end)) => text.strip_prefix(start)?.strip_suffix(end),
        None => (pattern == text).then_some(""),
    }
}

/// Reads a makefile. Both ways of a condition are taken.
pub(super) fn read(text: &str, before: &Before) -> (Vec<Rule>, Definitions) {
    let mut rules: Vec<Rule> = Vec::new();
    let mut left = MOST_LOOKUPS_TO_READ;
    let mut definitions = before.definitions();
    let joined = text.replace("\\\r\n", "\\\n").replace("\\\n\t", "\\\n ");
    let joined = joined.replace("\\\n", " ");
    for line in joined.lines() {
        if let Some(recipe) = line.strip_prefix('\t') {
            if let Some(rule) = rules.last_mut() {
                rule.recipe.push(recipe.trim().to_owned());
            }
            continue;
        }
        let line = line.split(" #").next().unwrap_or_default().trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if define(line, &before.decided, &mut definitions) {
            continue;
        }
        if let Some(at) = outside(line, ':') {
            let (targets, rest) = line.split_at(at);
            let rest = rest.trim_start_matches(':');
            let (needs, recipe) = match outside(rest, ';') {
                Some(at) => (&rest[..at], Some(rest[at + 1..].trim().to_owned())),
                None => (rest, None),
            };
            let mut words = |text: &str| {
                let mut reader = Reader {
                    definitions: &definitions,
                    made: None,
                    left,
                };
                let text = reader.expand(text, 0);
                left = reader.left;
                text.split_whitespace().map(str::to_owned).collect()
            };
            rules.push(Rule {
                targets: words(targets),
                needs: words(needs),
                recipe: recipe.into_iter().collect(),
            });
        }
    }
    (rules, definitions)
}

/// `NAME = value` in all its kinds; answers whether it was one.
fn define(line: &str, decided: &Definitions, definitions: &mut Definitions) -> bool {
    let Some(at) = outside(line, '=') else {
        return false;
    };
    let left = line[..at].trim_end();
    let name = left.trim_end_matches([':', '?', '+', '!']).trim();
    let name = name
        .trim_start_matches("export ")
        .trim_start_matches("override ");
    // `target: NAME = value` is for one target, and close enough for all.
    let name = name.rsplit(": ").next().unwrap_or(name).trim();
    if name.is_empty() || name.contains(char::is_whitespace) {
        return false;
    }
    if decided.contains_key(name) && !left.contains("override ") {
        return true;
    }
    let value = line[at + 1..].trim();
    let old = definitions.get(name).cloned();
    // One that is defined by itself on every line doubles on every line.
    let old = old.map(|old| match old.len() {
        ..=LONGEST_VALUE => old,
        _ => UNKNOWN.to_owned(),
    });
    let value = match (left.chars().next_back(), old) {
        (Some('?'), Some(old)) => old,
        (Some('+'), Some(old)) => format!("{old} {value}"),
        // Defined by itself, it is what it was before.
        (_, old) if value.contains(&format!("$({name})")) => {
            value.replace(&format!("$({name})"), &old.unwrap_or_default())
        }
        (_, _) => value.to_owned(),
    };
    definitions.insert(name.to_owned(), value);
    true
}

/// Where a character first stands outside of brackets.
fn outside(text: &str, wanted: char) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            c if c == wanted && depth == 0 => return Some(at),
            _ => {}
        }
        None
    })
}

/// The text with its variables and functions replaced by what they stand for.
pub(super) fn expanded(
    text: &str,
    definitions: &Definitions,
    made: Option<(&Rule, &str)>,
) -> String {
    let mut reader = Reader {
        definitions,
        made,
        left: MOST_LOOKUPS,
    };
    reader.expand(text, 0)
}

/// Who expands one line.
struct Reader<'d> {
    definitions: &'d Definitions,
    made: Option<(&'d Rule, &'d str)>,
    left: usize,
}

impl Reader<'_> {
    fn expand(&mut self, text: &str, depth: usize) -> String {
        let mut result = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            result.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let Some(first) = rest.chars().next() else {
                return result;
            };
            let (inner, after) = match first {
                '(' | '{' => match closing(rest) {
                    Some(end) => (&rest[1..end], &rest[end + 1..]),
                    None => return result,
                },
                _ => rest.split_at(first.len_utf8()),
            };
            rest = after;
            if first == '$' {
                result.push('$');
            } else if depth < DEEPEST && self.left > 0 {
                self.left -= 1;
                let value = self.value(inner, depth);
                result.push_str(&value);
            }
        }
        result.push_str(rest);
        result
    }

    fn value(&mut self, inner: &str, depth: usize) -> String {
        if let Some((rule, target)) = self.made {
            let needs = rule.needs(target);
            match inner {
                "@" => return target.to_owned(),
                "<" => return needs.first().cloned().unwrap_or_default(),
                "^" | "?" | "+" => return needs.join(" "),
                "*" => {
                    let stem = rule.targets.iter().find_map(|own| stem(own, target));
                    return stem.unwrap_or_default().to_owned();
                }
                _ => {}
            }
        }
        if let Some((name, arguments)) = inner.split_once(char::is_whitespace) {
            let arguments = self.expand(arguments, depth + 1);
            // The shell runs it where the recipe needs it.
            if name == "shell" {
                return format!("$({arguments})");
            }
            let arguments: Vec<String> = arguments.split(',').map(str::to_owned).collect();
            return function(name, &arguments).unwrap_or_else(|| UNKNOWN.to_owned());
        }
        if let Some((name, change)) = inner.split_once(':')
            && let Some((from, to)) = change.split_once('=')
        {
            let words = self.value(name, depth + 1);
            let (from, to) = if from.contains('%') {
                (from.to_owned(), to.to_owned())
            } else {
                (format!("%{from}"), format!("%{to}"))
            };
            return each(&words, |word| replaced(&from, &to, word));
        }
        match self.definitions.get(inner).cloned() {
            Some(text) if depth < DEEPEST => self.expand(&text, depth + 1),
            _ => String::new(),
        }
    }
}

fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        None
    })
}

/// What a function answers, if it is one of those that only work on names.
fn function(name: &str, arguments: &[String]) -> Option<String> {
    let last = arguments.last()?;
    Some(match (name, arguments) {
        ("wildcard" | "strip" | "sort" | "abspath" | "realpath", _) => last.trim().to_owned(),
        ("addprefix", [prefix, words]) => each(words, |word| format!("{}{word}", prefix.trim())),
        ("addsuffix", [suffix, words]) => each(words, |word| format!("{word}{}", suffix.trim())),
        ("patsubst", [from, to, words]) => {
            each(words, |word| replaced(from.trim(), to.trim(), word))
        }
        ("subst", [from, to, text]) if !from.is_empty() => text.replace(from.as_str(), to),
        ("notdir", _) => each(last, |word| {
            word.rsplit('/').next().unwrap_or_default().to_owned()
        }),
        ("basename", _) => each(last, |word| {
            word.rsplit_once('.')
                .map_or(word, |(name, _)| name)
                .to_owned()
        }),
        ("dir", _) => each(last, |word| match word.rsplit_once('/') {
            Some((directory, _)) => format!("{directory}/"),
            None => "./".to_owned(),
        }),
        ("filter", [patterns, words]) => chosen(patterns, words, true),
        ("filter-out", [patterns, words]) => chosen(patterns, words, false),
        _ => return None,
    })
}

fn each(words: &str, change: impl Fn(&str) -> String) -> String {
    let changed: Vec<String> = words.split_whitespace().map(change).collect();
    changed.join(" ")
}

fn replaced(from: &str, to: &str, word: &str) -> String {
    match stem(from, word) {
        Some(stem) => to.replacen('%', stem, 1),
        None => word.to_owned(),
    }
}

fn chosen(patterns: &str, words: &str, wanted: bool) -> String {
    let fits = |word: &&str| {
        let mut patterns = patterns.split_whitespace();
        patterns.any(|pattern| stem(pattern, word).is_some()) == wanted
    };
    let words: Vec<&str> = words.split_whitespace().filter(fits).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_functions_become_what_they_stand_for() {
        let (rules, definitions) = read(
            "OUT ?= build\nOUT ?= other\nSRC := a.c \\\n\tb.c\nOBJ = $(SRC:.c=.o)\n\
             all: $(OBJ) ; echo $@\n%.o: %.c\n\tcc $< -o $(OUT)/$@ # no comment\n",
            &Before::default(),
        );
        let told = |text: &str| expanded(text, &definitions, None);
        assert_eq!(told("rm $(OBJ)"), "rm a.o b.o");
        assert_eq!(
            told("$(addprefix $(OUT)/,$(notdir x/y z))"),
            "build/y build/z"
        );
        assert_eq!(told("$(patsubst %.c,d/%.d,$(SRC))"), "d/a.d d/b.d");
        assert_eq!(told("$(filter-out b%,$(SRC))$$x"), "a.c$x");
        assert_eq!(told("${UNSET}$(foreach a,b,c)"), UNKNOWN);
        assert_eq!(told("$(shell echo $(OUT))"), "$(echo build)");
        assert_eq!(rules[0].needs("all"), ["a.o", "b.o"]);
        assert_eq!(rules[0].recipe, ["echo $@"]);
        let pattern = &rules[1];
        assert_eq!((pattern.makes("a.o"), pattern.makes("a.c")), (true, false));
        let line = expanded(&pattern.recipe[0], &definitions, Some((pattern, "a.o")));
        assert_eq!(line, "cc a.c -o build/a.o # no comment");
    }

    #[test]
    fn what_names_itself_ends() {
        let (_, definitions) = read("A = $(B)\nB = $(A)\n", &Before::default());
        assert_eq!(expanded("x$(A)y", &definitions, None), "xy");
    }
}
