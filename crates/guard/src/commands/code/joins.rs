//! Paths that are joined: `os.path.join('a', f)` is in `a`, wherever `f` was found.

use super::deeds::calls;
use super::given::HERE;
use super::mentions::{Mention, between};
use super::outline::{Outline, Span};
use crate::commands::temporary::MADE;
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::Text;

/// What joins a directory and names below it.
const JOINING: &[&str] = &["path.join(", "filepath.Join(", "Path.Combine("];

/// The same mentions with those that are joined as one, where they are a directory and something
/// that was found in a listing, or two words.
pub(super) fn joined(
    engine: &mut Engine<'_>,
    outline: &Outline<'_>,
    span: Span,
    all: Vec<Mention>,
) -> Result<Vec<Mention>, Stop> {
    let mut all = all;
    for call in calls(outline, span, JOINING) {
        let (from, to) = call.arguments;
        let first = outline.first(call.arguments);
        let second = (first.1 + 1, outline.up_to((first.1 + 1, to), b","));
        if second.0 >= to || second.1 != to {
            continue;
        }
        let references: Vec<&Mention> = all.iter().collect();
        let directories = between(&references, (from, first.1));
        let names = between(&references, second);
        let Some(whole) = put_below(engine, outline, directories, names)? else {
            continue;
        };
        all.retain(|one| !one.is_within(&[(from, to)]));
        all.extend(whole);
        all.sort_by_key(|one| one.at);
    }
    Ok(all)
}

fn put_below(
    engine: &mut Engine<'_>,
    outline: &Outline<'_>,
    directories: &[&Mention],
    names: &[&Mention],
) -> Result<Option<Vec<Mention>>, Stop> {
    let is_plain = |one: &Mention| {
        let known = one.text.known();
        known.is_some_and(|text| {
            !text.is_empty() && text != HERE && !text.contains("..") && !text.contains(MADE)
        })
    };
    let are_plain = directories.iter().chain(names).all(|one| is_plain(one));
    if directories.is_empty() || names.is_empty() || !are_plain {
        return Ok(None);
    }
    let is_spelled = directories
        .iter()
        .all(|one| outline.code[one.at..].starts_with(['"', '\'']));
    let mut whole = Vec::new();
    for name in names {
        engine.spend()?;
        let known = name.text.known().unwrap_or_default();
        let is_listing = name.pattern.is_some() || is_directory(engine, &name.text)?;
        if known.starts_with('/') || !(is_listing || is_spelled) {
            return Ok(None);
        }
        for directory in directories {
            if directory.pattern.is_some() {
                return Ok(None);
            }
            let above = directory.text.known().unwrap_or_default();
            // A listing of the directory itself stands for all in it as it is.
            if above == known && name.pattern.is_none() {
                return Ok(None);
            }
            let text = match is_listing {
                true => directory.text.clone(),
                false => Text::fixed(format!("{}/{known}", above.trim_end_matches('/'))),
            };
            let any = || Some("*".to_owned());
            whole.push(Mention {
                text,
                pattern: name.pattern.clone().or_else(any).filter(|_| is_listing),
                is_read: name.is_read && directory.is_read,
                is_vague: false,
                at: directory.at,
                end: name.end,
            });
        }
    }
    Ok(Some(whole))
}

fn is_directory(engine: &mut Engine<'_>, text: &Text) -> Result<bool, Stop> {
    let places = engine.places(text)?;
    Ok(!places.is_empty()
        && places.iter().all(|place| match place {
            Place::At(path, _) => engine.is_directory(path),
            Place::Like(_) => false,
        }))
}
