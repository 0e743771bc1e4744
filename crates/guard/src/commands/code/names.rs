//! Which paths a statement mentions: those it spells out, and those its variables hold.

use std::collections::BTreeMap;

use super::calls::READING;
use super::given::Given;
use crate::commands::literals::Literal;
use crate::text::Text;

/// Words before a name that is given a value.
const DECLARING: [&str; 6] = ["const", "let", "var", "my", "our", "local"];

/// What is asked of a file, and of a variable that holds its name, without changing it.
const ASKING: [&str; 6] = [".read", ".exists", ".is_file", ".is_dir", ".name", ".stat"];

/// More values than these are not held by one variable.
const MOST_VALUES: usize = 64;

/// A string or a variable where it is mentioned.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    pub(super) text: Text,
    /// Whether it only stands where something is read.
    pub(super) is_read: bool,
    at: usize,
    end: usize,
}

/// What the variables of a program hold.
pub(super) struct Names<'g> {
    given: &'g Given,
    held: BTreeMap<String, Vec<Text>>,
}

impl<'g> Names<'g> {
    pub(super) fn new(given: &'g Given) -> Self {
        Self {
            given,
            held: BTreeMap::new(),
        }
    }

    /// All that is mentioned between two places, in its order.
    pub(super) fn mentioned(
        &self,
        code: &str,
        (start, end): (usize, usize),
        own: &[&Literal],
    ) -> Vec<Mention> {
        let mut all: Vec<Mention> = Vec::new();
        for literal in own {
            let Some(text) = self.given.spelled(code, literal) else {
                continue;
            };
            let filled = text.known().map(|text| Text::fixed(self.filled(&text)));
            all.push(Mention {
                text: filled.unwrap_or(text),
                is_read: is_read(code, literal.start, literal.end),
                at: literal.start,
                end: literal.end,
            });
        }
        for (from, name) in identifiers(code, start, end, own) {
            let held = self.held.get(name).map_or(&[][..], Vec::as_slice);
            let given = self.given.behind(code, from, name);
            for text in held.iter().chain(&given) {
                all.push(Mention {
                    text: text.clone(),
                    is_read: is_read(code, from, from + name.len()),
                    at: from,
                    end: from + name.len(),
                });
            }
        }
        all.sort_by_key(|mention| mention.at);
        put_together(code, (start, end), &all)
    }

    /// A string with the variables in it replaced, where one of them is known.
    fn filled(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        if !text.contains('{') {
            return filled;
        }
        for (name, held) in &self.held {
            if let [only] = held.as_slice()
                && let Some(value) = only.known()
                && filled.contains(name.as_str())
            {
                for form in [
                    format!("${{{name}}}"),
                    format!("#{{{name}}}"),
                    format!("{{{name}}}"),
                ] {
                    filled = filled.replace(&form, &value);
                }
            }
        }
        filled
    }

    /// Remembers what a statement gives its variables: `a = 'b'`, `for a in 'b'`, `'b' as a`.
    pub(super) fn learn(
        &mut self,
        code: &str,
        (start, end): (usize, usize),
        own: &[&Literal],
        mentioned: &[Mention],
    ) {
        let names: Vec<(usize, &str)> = identifiers(code, start, end, own).collect();
        for (index, (at, name)) in names.iter().enumerate() {
            let after = code[at + name.len()..end].trim_start();
            let is_given = after.starts_with('=') && !after.starts_with("==");
            let next = names.get(index + 1).map(|(_, next)| *next);
            let before = index.checked_sub(1).map(|before| names[before].1);
            let before_that = index.checked_sub(2).map(|before| names[before].1);
            let is_taken_in_turn = matches!(before, Some("for" | "foreach"))
                || before.is_some_and(|before| DECLARING.contains(&before))
                    && matches!(before_that, Some("for" | "foreach"));
            let is_taken_in_turn = is_taken_in_turn && !DECLARING.contains(name);
            let is_called = before == Some("as");
            let is_set = is_given || is_called || (is_taken_in_turn && next.is_some());
            if !is_set || reads_contents(&code[*at..end]) {
                continue;
            }
            let values: Vec<Text> = mentioned
                .iter()
                .filter(|mention| !mention.is_read && (mention.at > *at || is_called))
                .map(|mention| mention.text.clone())
                .take(MOST_VALUES)
                .collect();
            if !values.is_empty() {
                self.held.insert((*name).to_owned(), values);
            }
        }
    }
}

/// The shortest string that tells something about a name of which the rest is unknown.
const SHORTEST_PIECE: usize = 4;

/// What is added up is one name: `'a/' + b`. What is added to a string and is not known may
/// be anything.
fn put_together(code: &str, (start, end): (usize, usize), all: &[Mention]) -> Vec<Mention> {
    let adds = |between: &str| matches!(between.trim().trim_end_matches('$'), "+" | "." | "..");
    let mut whole: Vec<Mention> = Vec::new();
    let mut at = 0;
    while at < all.len() {
        // A variable may hold several, which stand at the same place.
        let same = all[at..].iter().take_while(|next| next.at == all[at].at);
        let same: Vec<&Mention> = same.collect();
        at += same.len();
        let last = whole.last().map(|last| (last.at, last.end));
        let joined = last.filter(|(_, ends)| code.get(*ends..same[0].at).is_some_and(adds));
        let Some((begins, _)) = joined else {
            whole.extend(same.into_iter().cloned());
            continue;
        };
        let firsts = whole.split_off(whole.partition_point(|one| one.at < begins));
        for first in &firsts {
            for second in &same {
                let mut text = first.text.clone();
                text.append(&second.text);
                whole.push(Mention {
                    text,
                    is_read: first.is_read && second.is_read,
                    at: first.at,
                    end: second.end,
                });
            }
        }
    }
    for mention in &mut whole {
        let known = mention.text.known().unwrap_or_default();
        if known.len() < SHORTEST_PIECE {
            continue;
        }
        let before = code[start..mention.at].trim_end().trim_end_matches('$');
        if before.ends_with('+') {
            let mut text = Text::unknown();
            text.append(&mention.text);
            mention.text = text;
        }
        let after = code[mention.end..end].trim_start();
        if after.starts_with('+') && !after.starts_with("++") {
            mention.text.append(&Text::unknown());
        }
    }
    whole
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
fn identifiers<'c>(
    code: &'c str,
    start: usize,
    end: usize,
    own: &[&Literal],
) -> impl Iterator<Item = (usize, &'c str)> {
    let mut strings: Vec<(usize, usize)> = own.iter().map(|own| (own.start, own.end)).collect();
    strings.reverse();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let statement = &code[start..end];
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let from = at + statement[at..].find(is_word)?;
            let place = start + from;
            while strings.last().is_some_and(|(_, ends)| *ends <= place) {
                strings.pop();
            }
            match strings.last() {
                Some((begins, ends)) if *begins <= place => {
                    at = (*ends).min(end) - start;
                }
                _ => {
                    let length = statement[from..].find(|c| !is_word(c));
                    at = length.map_or(statement.len(), |length| from + length);
                    return Some((place, &statement[from..at]));
                }
            }
        }
    })
}

/// Whether a name only stands where something is read: `open('a')`, `Path('a').read_text()`.
pub(super) fn is_read(code: &str, start: usize, end: usize) -> bool {
    let before = code[..start].trim_end().trim_end_matches(['$', '@']);
    let after = code[end..].trim_start();
    let read_by_call = READING.iter().any(|call| before.ends_with(call));
    let opened = before.ends_with("open(") && after.starts_with(')');
    let opened_to_read = before.ends_with("open(")
        && ["'r'", "\"r\"", "'rb'", "\"rb\""]
            .iter()
            .any(|mode| after.trim_start_matches([',', ' ']).starts_with(mode));
    let asked = after.strip_prefix(')').unwrap_or(after);
    let asked = ASKING.iter().any(|asking| asked.starts_with(asking));
    read_by_call || opened || opened_to_read || asked
}
