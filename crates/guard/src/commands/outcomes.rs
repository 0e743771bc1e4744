//! Programs that are certain to succeed, so that what stands behind `||` is not reached.

use super::Options;
use crate::shell::{Asked, Engine, Status};
use crate::stop::Stop;
use crate::text::Text;

/// Whether a program succeeds, if that can be told.
pub(super) fn of(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<Status, Stop> {
    let succeeds = match name {
        "echo" => true,
        "printf" => words.first().is_some_and(takes_anything),
        "ls" => reads(engine, words, "alhdtrSF1", Asked::Exists)?,
        "cat" => reads(engine, words, "nbAEsTuv", Asked::Readable)?,
        "stat" => reads(engine, words, "L", Asked::Exists)?,
        _ => false,
    };
    Ok((succeeds && !engine.shell.may_not_print).then_some(true))
}

/// Whether a format has nothing in it that a word could be wrong for.
fn takes_anything(format: &Text) -> bool {
    let Some(format) = format.known() else {
        return false;
    };
    let plain = format.replace("%%", "").replace("%s", "");
    !plain.contains('%') && !plain.starts_with('-')
}

/// Whether everything that it is pointed at is certain to be there, and it is told nothing
/// that it may not know.
fn reads(
    engine: &mut Engine<'_>,
    words: &[Text],
    letters: &str,
    asked: Asked,
) -> Result<bool, Stop> {
    let options = Options::parse(words, &[]);
    let is_known = |word: &Text| {
        let start = word.known_start();
        let flags = start.strip_prefix('-').unwrap_or_default();
        flags.chars().all(|letter| letters.contains(letter))
    };
    if options.operands.is_empty() || !words.iter().all(is_known) {
        return Ok(false);
    }
    for operand in &options.operands {
        if !engine.is_certain(asked, operand)? {
            return Ok(false);
        }
    }
    Ok(true)
}
