//! Strings with holes in them: `f'{a}.md'`, `'%s.md' % a`, `'{}.md'.format(a)`.

use super::mentions::{Mention, SHORTEST_PIECE, bounded, longest};
use super::outline::{Outline, Span};
use crate::text::{Part, Text};

/// What begins and ends a hole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `{a}`
    Braces,
    /// `${a}`
    Dollar,
    /// `#{a}`
    Hash,
    /// `%s`
    Percent,
}

/// The same mentions with the holes in strings filled with what is put there, which is then
/// no name by itself; where that is not known, they may be anything.
pub(super) fn filled_in(outline: &Outline<'_>, all: Vec<Mention>) -> Vec<Mention> {
    let mut filled: Vec<Mention> = Vec::new();
    let mut all = all.into_iter().peekable();
    while let Some(mut mention) = all.next() {
        let style = style(outline, &mention);
        let known = mention.text.known();
        let (Some(style), Some(text)) = (style, known) else {
            filled.push(mention);
            continue;
        };
        let pieces = pieces(&text, style);
        if pieces.len() < 2 {
            filled.push(mention);
            continue;
        }
        let mut values = Vec::new();
        if let Some((_, to)) = operands(outline, mention.end) {
            while let Some(operand) = all.next_if(|next| next.at < to) {
                values.push(operand.text);
            }
            mention.end = mention.end.max(to);
        }
        if let Some(text) = joined(&pieces, &values) {
            mention.is_vague = is_vague(&text);
            mention.text = bounded(text, longest(outline.code));
        }
        filled.push(mention);
    }
    filled
}

fn style(outline: &Outline<'_>, mention: &Mention) -> Option<Style> {
    let code = outline.code;
    let before = &code[..mention.at];
    let after = code[mention.end..].trim_start();
    let starts = code[mention.at..].chars().next()?;
    let prefix = before.trim_end_matches(['f', 'F', 'r', 'R']);
    let is_prefixed = before[prefix.len()..].contains(['f', 'F'])
        && !prefix.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    match starts {
        '`' => Some(Style::Dollar),
        '"' | '\'' if is_prefixed || after.starts_with(".format(") => Some(Style::Braces),
        '"' | '\'' if after.starts_with('%') && !after.starts_with("%=") => Some(Style::Percent),
        '"' => Some(Style::Hash),
        _ => None,
    }
}

/// What stands before, between and behind the holes.
fn pieces(text: &str, style: Style) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    loop {
        let hole = match style {
            Style::Braces => between(rest, "{"),
            Style::Dollar => between(rest, "${"),
            Style::Hash => between(rest, "#{"),
            Style::Percent => percent(rest),
        };
        let Some((from, to)) = hole else {
            pieces.push(rest);
            return pieces;
        };
        pieces.push(&rest[..from]);
        rest = &rest[to..];
    }
}

fn between(text: &str, open: &str) -> Option<Span> {
    let from = text.find(open)?;
    let to = from + text[from..].find('}')? + 1;
    Some((from, to))
}

fn percent(text: &str) -> Option<Span> {
    let from = text.find('%')?;
    let letter = text[from + 1..].find(|c: char| c.is_ascii_alphabetic())?;
    Some((from, from + 1 + letter + 1))
}

/// Where that stands which a string is filled with.
fn operands(outline: &Outline<'_>, end: usize) -> Option<Span> {
    let bare = &outline.bare;
    let rest = bare[end..].trim_start();
    let at = bare.len() - rest.len();
    if rest.starts_with(".format(") {
        let open = at + ".format".len();
        return Some((open, outline.partner(open)?));
    }
    let rest = rest.strip_prefix('%')?.trim_start();
    let at = bare.len() - rest.len();
    if rest.starts_with('(') {
        return Some((at, outline.partner(at)?));
    }
    Some((at, outline.up_to((at, bare.len()), b",;\n")))
}

/// The pieces with the values between them, or with anything where they are not as many.
/// Nothing where a directory is said first, for that stands for all in it.
fn joined(pieces: &[&str], values: &[Text]) -> Option<Text> {
    let is_known = values.len() == pieces.len() - 1;
    if !is_known && values.is_empty() && pieces[0].contains('/') {
        return None;
    }
    let mut text = Text::default();
    for (index, piece) in pieces.iter().enumerate() {
        if index > 0 && is_known {
            text.append(&values[index - 1]);
        } else if index > 0 {
            text.push(Part::Unknown);
        }
        if !piece.is_empty() {
            text.push(Part::Fixed((*piece).to_owned()));
        }
    }
    Some(text)
}

/// Whether nothing but the kind of a file is known of a name, or hardly more.
fn is_vague(text: &Text) -> bool {
    if !text.is_unknown() || !text.known_start().is_empty() {
        return false;
    }
    let fixed = text.parts().iter().filter_map(|part| match part {
        Part::Fixed(piece) => Some(piece.as_str()),
        _ => None,
    });
    let known: String = fixed.collect();
    let is_extension = known.rfind('.') == Some(0);
    is_extension || known.len() < SHORTEST_PIECE
}
