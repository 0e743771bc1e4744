//! Strings with variables in them: `"a/${b}"`, `f"a/{b}"`.

use super::mentions::bounded;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::Text;

/// A string with the variables in it replaced, of those that hold one thing and where that is
/// known.
pub(super) fn filled<'h>(
    engine: &mut Engine<'_>,
    text: String,
    held: impl Iterator<Item = (&'h str, &'h Text)>,
    longest: usize,
) -> Result<Text, Stop> {
    if !text.contains(['{', '$']) {
        return Ok(Text::fixed(text));
    }
    let mut filled = with_constants(&text);
    for (name, only) in held {
        engine.spend()?;
        if !filled.contains(name) {
            continue;
        }
        let Some(value) = only.known() else { continue };
        for form in [
            format!("${{{name}}}"),
            format!("#{{{name}}}"),
            format!("{{{name}}}"),
            format!("${name}"),
        ] {
            let holes = filled.matches(&form[..]).count();
            if filled.len() + holes * value.len() > 2 * longest {
                return Ok(Text::unknown());
            }
            filled = match form.ends_with('}') {
                true => filled.replace(&form, &value),
                false => with_variable(&filled, name, &value),
            };
        }
    }
    Ok(bounded(Text::fixed(filled), longest))
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
