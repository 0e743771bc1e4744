//! Which paths a statement mentions: those it spells out, and those its variables hold.

use std::collections::BTreeMap;

use super::deeds::opened_to_read;
use super::given::{Given, HERE, is_input};
use super::giving::{DECLARING, is_first, is_given, is_given_a_kind};
use super::mentions::{Mention, is_read, put_together};
use super::outline::{Outline, Span};
use super::{formats, listings, pairs, temporary};
use crate::text::Text;

/// More values than these are not held by one variable.
const MOST_VALUES: usize = 64;

/// Words that name nothing, and modules that only lead to a call.
const NOT_NAMES: [&str; 61] = [
    "and",
    "or",
    "not",
    "if",
    "else",
    "unless",
    "for",
    "foreach",
    "in",
    "of",
    "die",
    "exit",
    "new",
    "await",
    "return",
    "const",
    "let",
    "var",
    "my",
    "our",
    "local",
    "True",
    "False",
    "None",
    "true",
    "false",
    "null",
    "undefined",
    "nil",
    "os",
    "path",
    "pathlib",
    "shutil",
    "fs",
    "fsp",
    "process",
    "sys",
    "env",
    "File",
    "Dir",
    "FileUtils",
    "Pathname",
    "Path",
    "glob",
    "filepath",
    "ioutil",
    "syscall",
    "unix",
    "exec",
    "ctx",
    "std",
    "Files",
    "Paths",
    "FileManager",
    "nullptr",
    "java",
    "kotlin",
    "System",
    "string",
    "byte",
    "range",
];

/// What puts one more thing into a list.
const ADDING: [&str; 4] = [".append(", ".push(", ".extend(", "+="];

/// Methods that take each of several things in turn.
const IN_TURN: [&str; 5] = ["forEach", "map", "filter", "flatMap", "some"];

/// A name, or those of all files beneath it that look like this.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) text: Text,
    pub(super) pattern: Option<String>,
}

impl Value {
    fn of(mention: &Mention) -> Self {
        Self {
            text: mention.text.clone(),
            pattern: mention.pattern.clone(),
        }
    }
}

/// What the variables of a program hold.
pub(super) struct Names<'g> {
    given: &'g Given,
    held: BTreeMap<String, Vec<Value>>,
}

impl<'g> Names<'g> {
    pub(super) fn new(given: &'g Given) -> Self {
        Self {
            given,
            held: BTreeMap::new(),
        }
    }

    /// All that a statement mentions, in its order, when its variables have their values.
    pub(super) fn follow(&mut self, outline: &Outline<'_>, span: Span) -> Vec<Mention> {
        let mentioned = self.mentioned(outline, span);
        if self.learn(outline, span, &mentioned) {
            return self.mentioned(outline, span);
        }
        mentioned
    }

    fn mentioned(&self, outline: &Outline<'_>, span: Span) -> Vec<Mention> {
        let code = outline.code;
        let opened = opened_to_read(outline, span);
        let is_opened = |at: usize| {
            let index = opened.partition_point(|(from, _)| *from <= at);
            index
                .checked_sub(1)
                .is_some_and(|index| at < opened[index].1)
        };
        let mention = |text: Text, pattern: Option<String>, (at, end): Span| Mention {
            text,
            pattern,
            is_read: is_opened(at) || is_read(code, at, end),
            is_vague: false,
            at,
            end,
        };
        let mut all: Vec<Mention> = Vec::new();
        for literal in outline.within(span) {
            let Some(text) = self.given.spelled(code, literal) else {
                continue;
            };
            let filled = text.known().map(|text| Text::fixed(self.filled(&text)));
            let place = (literal.start, literal.end);
            all.push(mention(filled.unwrap_or(text), None, place));
        }
        for (from, name) in identifiers(outline, span) {
            let place = (from, from + name.len());
            let held = self.held.get(name).map_or(&[][..], Vec::as_slice);
            for value in held {
                all.push(mention(value.text.clone(), value.pattern.clone(), place));
            }
            for text in self.given.behind(code, from, name) {
                let mut given = mention(text, None, place);
                // What comes in is read by its name, and what was read may be another.
                given.is_read &= is_opened(from) || !is_input(name);
                all.push(given);
            }
        }
        all.sort_by_key(|mention| mention.at);
        let all = temporary::made(outline, span, all);
        let all = formats::filled_in(outline, all);
        let all = listings::narrowed(outline, span, all);
        put_together(code, span, &all)
    }

    fn learn_pairs(&mut self, pairs: &[(&str, Span)], mentioned: &[Mention]) {
        for (name, value) in pairs {
            let meant = mentioned.iter().filter(|one| !one.is_read && !one.is_vague);
            let own = meant
                .filter(|one| one.is_within(&[*value]))
                .take(MOST_VALUES);
            let values: Vec<Value> = own.map(Value::of).collect();
            if !values.is_empty() {
                self.held.insert((*name).to_owned(), values);
            }
        }
    }

    /// Whether every name between two places is one whose value is known.
    pub(super) fn knows_all(&self, outline: &Outline<'_>, spans: &[Span]) -> bool {
        spans.iter().all(|span| {
            identifiers(outline, *span).all(|(at, name)| self.knows(&outline.bare, at, name))
        })
    }

    fn knows(&self, bare: &str, at: usize, name: &str) -> bool {
        let before = &bare[..at];
        let after = &bare[at + name.len()..];
        let is_argument = after.trim_start().starts_with(['=', ':']) && !after.starts_with("==");
        let is_prefix = after.starts_with(['"', '\'']) && name.len() <= 2;
        name.starts_with(|c: char| c.is_ascii_digit())
            || before.ends_with('.')
            || after.starts_with(['(', '[']) && !self.is_held(name)
            || is_argument
            || is_prefix
            || NOT_NAMES.contains(&name)
            || self.is_held(name)
            || !self.given.behind(bare, at, name).is_empty()
    }

    fn is_held(&self, name: &str) -> bool {
        self.held.contains_key(name)
    }

    /// A string with the variables in it replaced, where one of them is known.
    fn filled(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        if !text.contains(['{', '$']) {
            return filled;
        }
        filled = with_constants(&filled);
        for (name, held) in &self.held {
            if let [only] = held.as_slice()
                && let Some(value) = only.text.known()
                && filled.contains(name.as_str())
            {
                for form in [
                    format!("${{{name}}}"),
                    format!("#{{{name}}}"),
                    format!("{{{name}}}"),
                ] {
                    filled = filled.replace(&form, &value);
                }
                filled = with_variable(&filled, name, &value);
            }
        }
        filled
    }

    /// Remembers what a statement gives its variables: `a = 'b'`, `for a in 'b'`, `'b' as a`.
    /// Answers whether it has done so for names that stand before their values are known.
    fn learn(&mut self, outline: &Outline<'_>, span: Span, mentioned: &[Mention]) -> bool {
        if let Some(pairs) = pairs::of(outline, span) {
            self.learn_pairs(&pairs, mentioned);
            return false;
        }
        let (bare, end) = (&outline.bare, span.1);
        let names: Vec<(usize, &str)> = identifiers(outline, span).collect();
        let mut again = false;
        for (index, (at, name)) in names.iter().enumerate() {
            let after = bare[at + name.len()..end].trim_start();
            let is_first = is_first(&bare[span.0..*at]);
            let is_given = is_given(after) || (is_first && is_given_a_kind(after));
            let before = index.checked_sub(1).map(|before| names[before].1);
            let before_that = index.checked_sub(2).map(|before| names[before].1);
            let is_taken_in_turn = matches!(before, Some("for" | "foreach"))
                || before.is_some_and(|before| DECLARING.contains(&before))
                    && matches!(before_that, Some("for" | "foreach"));
            let is_taken_in_turn =
                is_taken_in_turn && !DECLARING.contains(name) && index + 1 < names.len();
            let is_called = before == Some("as");
            let is_added = ADDING.iter().any(|adding| after.starts_with(adding));
            let is_handed = is_handed(&bare[span.0..*at], after);
            let from_to = if is_called || is_handed {
                (span.0, *at)
            } else if is_taken_in_turn {
                (*at, taken_from(outline, (at + name.len(), end)))
            } else if is_given || is_added {
                (*at, end)
            } else {
                continue;
            };
            if !is_taken_in_turn && !is_handed && reads_contents(&outline.code[*at..end]) {
                continue;
            }
            let meant = mentioned
                .iter()
                .filter(|mention| !mention.is_read && !mention.is_vague)
                .filter(|mention| mention.at != *at && mention.is_within(&[from_to]));
            let here = Text::fixed(HERE);
            let values: Vec<Value> = meant
                .map(|mention| Value {
                    // What is taken from a directory in turn is each in it.
                    text: match is_taken_in_turn && mention.text == here {
                        true => Text::fixed("."),
                        false => mention.text.clone(),
                    },
                    pattern: mention.pattern.clone(),
                })
                .take(MOST_VALUES)
                .collect();
            if !values.is_empty() {
                again |= is_taken_in_turn || is_handed;
                let held = self.held.entry((*name).to_owned()).or_default();
                if !is_added {
                    held.clear();
                }
                held.extend(values);
                held.truncate(MOST_VALUES);
            }
        }
        again
    }
}

/// A string with what it holds in quotes of its own written out: `{'a'}`.
fn with_constants(text: &str) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
        let inner = quote.and_then(|quote| after[1..].split_once(&format!("{quote}}}")[..]));
        match inner.filter(|(inner, _)| !inner.contains(['"', '\'', '{', '}'])) {
            Some((inner, behind)) => {
                written.push_str(before.strip_suffix(['$', '#']).unwrap_or(before));
                written.push_str(inner);
                rest = behind;
            }
            None => {
                written.push_str(before);
                written.push('{');
                rest = after;
            }
        }
    }
    written + rest
}

/// A string with `$name` replaced, but not the beginning of a longer name.
fn with_variable(text: &str, name: &str, value: &str) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        written.push_str(before);
        let behind = after.strip_prefix(name);
        let is_whole =
            |behind: &&str| !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        rest = match behind.filter(is_whole) {
            Some(behind) => {
                written.push_str(value);
                behind
            }
            None => {
                written.push('$');
                after
            }
        };
    }
    written + rest
}

/// Whether a name is that of what a block is handed: `each { |a| … }`, `forEach(a => …)`.
fn is_handed(before: &str, after: &str) -> bool {
    let before = before.trim_end();
    if before.ends_with('|') && after.starts_with('|') {
        return true;
    }
    let after = after.strip_prefix(')').unwrap_or(after).trim_start();
    let before = before.trim_end_matches('(');
    after.starts_with("=>") && IN_TURN.iter().any(|call| before.ends_with(call))
}

/// Up to where it is said from what a name is taken in turn: `for a in [b, c]: …`.
fn taken_from(outline: &Outline<'_>, (start, end): Span) -> usize {
    let to = outline.up_to((start, end), b":{;");
    let condition = outline.bare[start..to].find(" if ");
    condition.map_or(to, |condition| start + condition)
}

/// Whether what is read from a file is handed on, and not its name.
fn reads_contents(code: &str) -> bool {
    let calls = [
        ".read(",
        "read_text(",
        "read_bytes(",
        "readFile",
        "json.load",
        "readlines(",
    ];
    calls.iter().any(|call| code.contains(call))
}

/// The names in code, with where they stand, but not those in strings.
fn identifiers<'o>(
    outline: &'o Outline<'_>,
    (start, end): Span,
) -> impl Iterator<Item = (usize, &'o str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let code = outline.bare.get(start..end).unwrap_or_default();
    let mut at = 0;
    std::iter::from_fn(move || {
        let from = at + code[at..].find(is_word)?;
        let length = code[from..].find(|c| !is_word(c));
        at = length.map_or(code.len(), |length| from + length);
        Some((start + from, &code[from..at]))
    })
}
