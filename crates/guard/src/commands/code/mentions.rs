//! Strings and variables where they stand in code.

use super::looks::READING;
use super::outline::Span;
use super::temporary;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::Text;

/// What is put together and longer than this, and than the whole program, is unknown.
const LONGEST: usize = 8 * 1024;

/// Names that are put together in more ways than these are known by their beginning alone.
const MOST_JOINED: usize = 512;

/// All that is mentioned at once, or held by variables, may take as much memory.
const MOST_BYTES: usize = 16 << 20;

/// How long a text may get in a program. No file has such a long name, but a program has long
/// texts that are none.
pub(super) fn longest(code: &str) -> usize {
    code.len().max(LONGEST)
}

/// The text, if it is not too long.
pub(super) fn bounded(text: Text, longest: usize) -> Text {
    if text.bytes() > longest {
        return Text::unknown();
    }
    text
}

/// What is left of the memory for what is mentioned: a few lines can multiply that, within a
/// single statement.
pub(super) struct Room(usize);

impl Room {
    pub(super) fn new() -> Self {
        Self(MOST_BYTES)
    }

    /// Makes room for one more.
    pub(super) fn take(&mut self, engine: &mut Engine<'_>, text: &Text) -> Result<(), Stop> {
        let bytes = size_of::<Mention>() + text.bytes();
        self.0 = self.0.checked_sub(bytes).ok_or(Stop::TooMuch)?;
        engine.spend()
    }
}

/// What is asked of a file, and of a variable that holds its name, without changing it.
const ASKING: [&str; 6] = [".read", ".exists", ".is_file", ".is_dir", ".name", ".stat"];

/// A string or a variable where it is mentioned.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    pub(super) text: Text,
    /// What the files beneath it look like that are meant, where not all are.
    pub(super) pattern: Option<String>,
    /// Whether it only stands where something is read.
    pub(super) is_read: bool,
    /// Whether too little is known of it to be taken for a name.
    pub(super) is_vague: bool,
    pub(super) at: usize,
    pub(super) end: usize,
}

impl Mention {
    pub(super) fn is_within(&self, spans: &[Span]) -> bool {
        spans
            .iter()
            .any(|(from, to)| *from <= self.at && self.at < *to)
    }
}

/// Those of some mentions, which are in their order, that stand between two places.
pub(super) fn between<'m>(mentions: &'m [&'m Mention], (from, to): Span) -> &'m [&'m Mention] {
    let start = mentions.partition_point(|one| one.at < from);
    let end = mentions.partition_point(|one| one.at < to);
    &mentions[start..end.max(start)]
}

/// The shortest string that tells something about a name of which the rest is unknown.
pub(super) const SHORTEST_PIECE: usize = 4;

/// What is added up is one name: `'a/' + b`. What is added to a string and is not known may
/// be anything.
pub(super) fn put_together(
    engine: &mut Engine<'_>,
    code: &str,
    (start, end): (usize, usize),
    all: &[Mention],
) -> Result<Vec<Mention>, Stop> {
    let adds = |between: &str| matches!(between.trim().trim_end_matches('$'), "+" | "." | "..");
    let mut whole: Vec<Mention> = Vec::new();
    let mut room = Room::new();
    let mut at = 0;
    while at < all.len() {
        // A variable may hold several, which stand at the same place.
        let same = all[at..].iter().take_while(|next| next.at == all[at].at);
        let same: Vec<&Mention> = same.collect();
        at += same.len();
        let last = whole.last().filter(|last| last.end <= same[0].at);
        let is_below = last.is_some_and(|last| temporary::joins(code, last, same[0]));
        let joined = last.filter(|last| is_below || adds(&code[last.end..same[0].at]));
        let Some(begins) = joined.map(|last| last.at) else {
            whole.extend(same.into_iter().cloned());
            continue;
        };
        let firsts = whole.split_off(whole.partition_point(|one| one.at < begins));
        let anything = Mention {
            text: Text::unknown(),
            ..same[same.len() - 1].clone()
        };
        let is_many = firsts.len() * same.len() > MOST_JOINED;
        let seconds = if is_many { vec![&anything] } else { same };
        for first in &firsts {
            for second in &seconds {
                room.take(engine, &first.text)?;
                let mut text = first.text.clone();
                if is_below {
                    text.append(&Text::fixed("/"));
                }
                text.append(&second.text);
                whole.push(Mention {
                    text: bounded(text, longest(code)),
                    pattern: None,
                    is_read: first.is_read && second.is_read,
                    is_vague: false,
                    at: first.at,
                    end: second.end,
                });
            }
        }
    }
    for mention in &mut whole {
        engine.spend()?;
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
    Ok(whole)
}

/// Whether a name only stands where something is read: `readFile('a')`, `Path('a').read_text()`.
pub(super) fn is_read(code: &str, start: usize, end: usize) -> bool {
    let before = code[..start].trim_end().trim_end_matches(['$', '@']);
    let after = code[end..].trim_start();
    let read_by_call = READING.iter().any(|call| before.ends_with(call));
    let asked = after.strip_prefix(')').unwrap_or(after);
    let asked = ASKING.iter().any(|asking| asked.starts_with(asking));
    read_by_call || asked
}
