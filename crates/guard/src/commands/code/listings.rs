//! Listings of which only some are meant: `Path('a').rglob('*.o')`, `if f.endswith('.o')`.

use super::deeds::{Call, calls};
use super::mentions::Mention;
use super::outline::{Outline, Span};
use crate::effect::{Action, Target};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::Text;

/// What is asked of the end of a name.
const ENDING: &[&str] = &["endswith(", "endsWith(", "end_with?("];

/// Listings that do not go down.
const FLAT: &[&str] = &[
    "listdir",
    "readdirSync",
    "readdir",
    "scandir",
    "iterdir",
    "ReadDir",
    "read_dir",
    "listFiles",
];

/// Stands before the pattern of such a listing.
const ONLY_HERE: &str = "./";

/// Words that make a condition say something else.
const OTHERWISE: [&str; 7] = [" not ", "!", " or ", "||", " else ", "else:", "unless"];

/// The same mentions, with directories that are listed narrowed to what is meant there.
pub(super) fn narrowed(outline: &Outline<'_>, span: Span, all: Vec<Mention>) -> Vec<Mention> {
    if all.is_empty() {
        return all;
    }
    let mut all = all;
    for call in calls(outline, span, &["glob(", "rglob("]) {
        all = globbed(outline, &call, all);
    }
    let mut lists = calls(outline, span, &outline.tables.listing);
    // `os.walk` is `walk` too.
    lists.sort_by_key(|call| (call.arguments, call.at));
    lists.dedup_by_key(|call| call.arguments);
    if let [listing] = lists.as_slice()
        && let Some(asked) = asked(outline, (listing.arguments.1, span.1), &all)
    {
        let (from, to) = listing.arguments;
        let is_flat = FLAT.contains(&listing.name) && !outline.bare[from..to].contains("recursive");
        let prefix = if is_flat { ONLY_HERE } else { "" };
        let places = [
            listing.receiver,
            listing.arguments,
            (listing.at, listing.at + listing.name.len()),
        ];
        for base in all.iter_mut().filter(|one| one.is_within(&places)) {
            if base.pattern.as_deref().is_none_or(|pattern| pattern == "*") {
                base.pattern = Some(format!("{prefix}{asked}"));
            }
        }
    }
    all
}

/// `Path('a').glob('b')`: the pattern belongs to the directory.
fn globbed(outline: &Outline<'_>, call: &Call, all: Vec<Mention>) -> Vec<Mention> {
    let is_inside = |mention: &&Mention| mention.is_within(&[call.arguments]);
    let [pattern] = all.iter().filter(is_inside).collect::<Vec<_>>()[..] else {
        return all;
    };
    let (at, text) = (pattern.at, pattern.text.known());
    let Some(text) = text.filter(|text| !text.contains('/')) else {
        return all;
    };
    let receiver = &outline.bare[call.receiver.0..call.receiver.1];
    let is_here = receiver.ends_with("cwd().") || receiver.ends_with("Path().");
    let has_base = all.iter().any(|one| one.is_within(&[call.receiver]));
    if !is_here && !has_base {
        return all;
    }
    let mut narrowed = Vec::new();
    for mut mention in all {
        if mention.at == at && !is_here {
            continue;
        }
        if mention.at == at {
            mention.text = Text::fixed(".");
            mention.pattern = Some(text.clone());
        } else if mention.is_within(&[call.receiver]) {
            mention.pattern = Some(text.clone());
        }
        narrowed.push(mention);
    }
    narrowed
}

/// What the names in a listing must look like for something to be done, if that is all that
/// is asked, and asked before anything is done.
fn asked(outline: &Outline<'_>, behind: Span, all: &[Mention]) -> Option<String> {
    let asked = all.iter().filter(|mention| {
        let before = outline.bare[..mention.at].trim_end();
        let after = outline.bare[mention.end..].trim_start();
        let compared = before.trim_end_matches('=');
        let is_suffix =
            compared.len() + 2 <= before.len() && compared.trim_end().ends_with(".suffix");
        let is_asked = is_suffix
            || is_compared(outline, behind, compared, before)
            || ENDING.iter().any(|ending| before.ends_with(ending));
        is_asked && !after.starts_with(',') && mention.is_within(&[behind])
    });
    let [only] = asked.collect::<Vec<_>>()[..] else {
        return None;
    };
    let condition = &outline.bare[behind.0..only.at];
    let is_condition = condition.contains(" if ") || condition.contains("filter(");
    let is_body = condition.contains([':', '{', ';']);
    let rest = &outline.bare[behind.0..behind.1];
    let is_otherwise = OTHERWISE.iter().any(|word| rest.contains(word));
    let is_all = is_condition && !is_body && !is_otherwise;
    let before = outline.bare[..only.at].trim_end();
    let is_whole = is_compared(outline, behind, before.trim_end_matches('='), before);
    let text = only.text.known().filter(|_| is_all)?;
    Some(if is_whole { text } else { format!("*{text}") })
}

/// Whether what is compared here is each of what is taken in turn: `for a in b if a == 'c'`.
fn is_compared(outline: &Outline<'_>, behind: Span, compared: &str, before: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let compared_to = compared.trim_end();
    let name = &compared_to[compared_to.trim_end_matches(is_word).len()..];
    let is_equal = compared.len() + 2 <= before.len();
    let taken = format!("for {name} in ");
    is_equal && !name.is_empty() && outline.bare[behind.0..behind.1].contains(&taken)
}

/// Something is done to the files beneath a directory that look like this. Only what is
/// protected is looked for, since nothing else matters to the verdict.
pub(super) fn touch(
    engine: &mut Engine<'_>,
    action: Action,
    base: &Text,
    pattern: &str,
) -> Result<(), Stop> {
    for place in engine.places(&base.unquoted())? {
        let base = match place {
            Place::At(path, _) => engine.resolver().beyond_links(&path),
            Place::Like(like) => {
                engine.note(action, Target::Like(like));
                continue;
            }
        };
        for path in engine.everything() {
            let below = path.strip_prefix(&base).ok();
            let flat = pattern.strip_prefix(ONLY_HERE);
            let fits = below.is_some_and(|below| {
                let names = below.iter().map(|name| name.to_string_lossy());
                let mut names = names.take(if flat.is_some() { 1 } else { usize::MAX });
                names.any(|name| crate::glob::matches(flat.unwrap_or(pattern), &name))
            });
            if fits {
                engine.note(action, Target::Path(path));
            }
        }
    }
    Ok(())
}
