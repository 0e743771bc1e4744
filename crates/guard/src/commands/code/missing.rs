//! What code does only where a file is missing: nothing, where the file is certain to be there.

use super::mentions::Mention;
use super::outline::{Outline, Span};
use crate::shell::{Asked, Engine};
use crate::stop::Stop;

/// Calls that ask whether something is there.
const ASKING: [(&str, Asked); 7] = [
    ("exists", Asked::Exists),
    ("existsSync", Asked::Exists),
    ("lexists", Asked::Exists),
    ("isfile", Asked::IsFile),
    ("is_file", Asked::IsFile),
    ("isdir", Asked::IsDirectory),
    ("is_dir", Asked::IsDirectory),
];

/// `if not exists(…)` and all that stands under it.
struct Condition {
    asked: Asked,
    /// Where it stands what is asked about.
    about: Span,
    /// Up to where nothing happens unless that is missing.
    until: usize,
}

/// Up to where nothing happens from the middle of a statement on, because it begins with the
/// question whether something is missing that is certain to be there.
pub(super) fn nothing_until(
    engine: &mut Engine<'_>,
    outline: &Outline<'_>,
    span: Span,
    mentioned: &[Mention],
) -> Result<Option<usize>, Stop> {
    let Some(condition) = condition(outline, span) else {
        return Ok(None);
    };
    let (from, to) = condition.about;
    let mut asked = mentioned
        .iter()
        .filter(|one| from <= one.at && one.at < to)
        .peekable();
    if asked.peek().is_none() {
        return Ok(None);
    }
    for one in asked {
        let is_there = one.pattern.is_none() && engine.is_certain(condition.asked, &one.text)?;
        if !is_there {
            return Ok(None);
        }
    }
    Ok(Some(condition.until))
}

fn condition(outline: &Outline<'_>, (start, end): Span) -> Option<Condition> {
    let bare = &outline.bare;
    let text = bare.get(start..end)?;
    let begins = start + text.len() - text.trim_start().len();
    let rest = bare[begins..end].strip_prefix("if")?;
    let (question, behind, is_block) = match rest.trim_start().strip_prefix('(') {
        Some(_) => {
            let open = begins + bare[begins..end].find('(')?;
            let close = outline.partner(open)?;
            let inner = bare.get(open + 1..close)?.trim_start();
            let question = inner.strip_prefix('!')?;
            ((close - question.len(), close), close + 1, false)
        }
        None => {
            let question = rest.trim_start().strip_prefix("not ")?;
            let from = end - question.len();
            let colon = outline.up_to((from, end), b":");
            bare[colon..]
                .starts_with(':')
                .then_some(((from, colon), colon + 1, true))?
        }
    };
    let asked = asked(outline, question)?;
    let until = match is_block {
        true => end_of_block(bare, begins, behind),
        false => end_of_statement(outline, behind),
    };
    Some(Condition {
        asked,
        about: question,
        until,
    })
}

/// What is asked, if the question is one call and nothing else.
fn asked(outline: &Outline<'_>, (from, to): Span) -> Option<Asked> {
    let text = outline.bare.get(from..to)?.trim_end();
    let last = from + text.len().checked_sub(1)?;
    let open = outline.partner(last).filter(|open| *open >= from)?;
    let called = &outline.bare[from..open];
    let is_plain = |c: char| c.is_alphanumeric() || "_. '\"()".contains(c);
    let name = called.rsplit('.').next()?.trim();
    let own = ASKING.iter().find(|(own, _)| *own == name);
    own.filter(|_| called.chars().all(is_plain))
        .map(|(_, asked)| *asked)
}

/// Where the lines end that stand further in than one that ends with a colon.
pub(super) fn end_of_block(bare: &str, begins: usize, behind: usize) -> usize {
    let line_end = |at: usize| {
        bare[at..]
            .find('\n')
            .map_or(bare.len(), |length| at + length)
    };
    let mut until = line_end(behind);
    if !bare[behind..until].trim().is_empty() {
        return until;
    }
    let line_start = bare[..begins].rfind('\n').map_or(0, |at| at + 1);
    let depth = begins - line_start;
    while until < bare.len() {
        let next = line_end(until + 1);
        let line = &bare[until + 1..next];
        let own = line.len() - line.trim_start().len();
        if !line.trim().is_empty() && own <= depth {
            break;
        }
        until = next;
    }
    until
}

/// Where the statement or the block ends that comes next.
pub(super) fn end_of_statement(outline: &Outline<'_>, behind: usize) -> usize {
    let rest = &outline.bare[behind..];
    let next = behind + rest.len() - rest.trim_start().len();
    match outline
        .partner(next)
        .filter(|_| outline.bare[next..].starts_with('{'))
    {
        Some(close) => close,
        None => outline.up_to((next, outline.bare.len()), b";\n"),
    }
}
