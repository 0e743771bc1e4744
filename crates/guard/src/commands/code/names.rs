//! Which paths a statement mentions: those it spells out, and those its variables hold.

use super::deeds::opened_to_read;
use super::given::{Given, HERE, is_input};
use super::giving::{DECLARING, is_first, is_given, is_given_a_kind};
use super::mentions::{Mention, Room, is_read, longest, put_together};
use super::outline::{Outline, Span};
use super::values::{Held, MOST_VALUES, Narrowings, Value};
use super::{asked, formats, holes, joins, listings, pairs, temporary};
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::Text;

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

/// What the variables of a program hold.
pub(super) struct Names<'g> {
    given: &'g Given,
    held: Held,
    /// What is left for more.
    room: Room,
    narrowed: Narrowings,
}

impl<'g> Names<'g> {
    pub(super) fn new(given: &'g Given) -> Self {
        Self {
            given,
            held: Held::new(),
            room: Room::new(),
            narrowed: Narrowings::default(),
        }
    }

    /// All that a statement mentions, in its order, when its variables have their values.
    pub(super) fn follow(
        &mut self,
        engine: &mut Engine<'_>,
        outline: &Outline<'_>,
        span: Span,
    ) -> Result<Vec<Mention>, Stop> {
        self.narrowed.end(&mut self.held, span.0);
        let mentioned = self.mentioned(engine, outline, span)?;
        if self.learn(engine, outline, span, &mentioned)? {
            return self.mentioned(engine, outline, span);
        }
        Ok(mentioned)
    }

    /// Takes the variables for what a condition says that the statement begins with. Answers where
    /// what it holds for begins.
    pub(super) fn ask(&mut self, outline: &Outline<'_>, span: Span) -> Option<usize> {
        let mut behind = None;
        for asked in asked::asked(outline, span) {
            if let Some(held) = self.held.get_mut(&asked.name) {
                behind = Some(asked.within.0);
                self.narrowed.begin(held, asked);
            }
        }
        behind
    }

    fn mentioned(
        &self,
        engine: &mut Engine<'_>,
        outline: &Outline<'_>,
        span: Span,
    ) -> Result<Vec<Mention>, Stop> {
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
        let mut room = Room::new();
        for literal in outline.within(span) {
            let Some(text) = self.given.spelled(code, literal) else {
                continue;
            };
            let filled = match text.known() {
                Some(text) => holes::filled(engine, text, self.only_ones(), longest(code))?,
                None => text,
            };
            room.take(engine, &filled)?;
            all.push(mention(filled, None, (literal.start, literal.end)));
        }
        for (from, name) in identifiers(outline, span) {
            let place = (from, from + name.len());
            let held = self.held.get(name).map_or(&[][..], Vec::as_slice);
            for value in held {
                room.take(engine, &value.text)?;
                all.push(mention(value.text.clone(), value.pattern.clone(), place));
            }
            for text in self.given.behind(code, from, name) {
                room.take(engine, &text)?;
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
        let all = joins::joined(engine, outline, span, all)?;
        put_together(engine, code, span, &all)
    }

    fn learn_pairs(
        &mut self,
        engine: &mut Engine<'_>,
        pairs: &[(&str, Span)],
        mentioned: &[Mention],
    ) -> Result<(), Stop> {
        for (name, value) in pairs {
            let meant = mentioned.iter().filter(|one| !one.is_read && !one.is_vague);
            let own = meant
                .filter(|one| one.is_within(&[*value]))
                .take(MOST_VALUES);
            let values: Vec<Value> = own.map(Value::of).collect();
            if !values.is_empty() {
                self.make_room(engine, &values)?;
                self.held.insert((*name).to_owned(), values);
            }
        }
        Ok(())
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

    /// The variables that hold one thing.
    fn only_ones(&self) -> impl Iterator<Item = (&str, &Text)> {
        self.held.iter().filter_map(|(name, held)| match &held[..] {
            [only] => Some((&name[..], &only.text)),
            _ => None,
        })
    }

    fn is_held(&self, name: &str) -> bool {
        self.held.contains_key(name)
    }

    /// Remembers what a statement gives its variables: `a = 'b'`, `for a in 'b'`, `'b' as a`.
    /// Answers whether it has done so for names that stand before their values are known.
    fn learn(
        &mut self,
        engine: &mut Engine<'_>,
        outline: &Outline<'_>,
        span: Span,
        mentioned: &[Mention],
    ) -> Result<bool, Stop> {
        if let Some(pairs) = pairs::of(outline, span) {
            self.learn_pairs(engine, &pairs, mentioned)?;
            return Ok(false);
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
            let is_taken_in_turn = is_taken_in_turn || is_one_of_several(&bare[span.0..*at]);
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
                self.make_room(engine, &values)?;
                again |= is_taken_in_turn || is_handed;
                let held = self.held.entry((*name).to_owned()).or_default();
                if !is_added {
                    held.clear();
                }
                held.extend(values);
                held.truncate(MOST_VALUES);
            }
        }
        Ok(again)
    }

    fn make_room(&mut self, engine: &mut Engine<'_>, values: &[Value]) -> Result<(), Stop> {
        let mut values = values.iter();
        values.try_for_each(|value| self.room.take(engine, &value.text))
    }
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

/// Whether a name is not the first of those that are taken in turn together: `for a, b in c`.
fn is_one_of_several(before: &str) -> bool {
    let Some((outer, names)) = before.rsplit_once("for ") else {
        return false;
    };
    let is_name = |name: &str| {
        let name = name.trim().trim_start_matches('(');
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let is_word = outer.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let names = names.trim_end().strip_suffix(',');
    !is_word && names.is_some_and(|names| names.split(',').all(is_name))
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
