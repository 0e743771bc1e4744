//! Several names that are given a value each: `a, b = 'c', 'd'`.

use super::outline::{Outline, Span};

/// The names that a statement gives as many values, and where each of these stands.
pub(super) fn of<'o>(outline: &'o Outline<'_>, span: Span) -> Option<Vec<(&'o str, Span)>> {
    let bare = &outline.bare;
    let span = (behind_brace(outline, span)?, span.1);
    let sign = outline.up_to(span, b"=");
    let after = bare.get(sign + 1..span.1)?;
    if !bare[sign..].starts_with('=') || after.starts_with(['=', '>', '~']) {
        return None;
    }
    let names = bare.get(span.0..sign)?.trim_end_matches(':').trim();
    let declared = ["const", "let", "var", "my", "our", "local"];
    let names = declared
        .iter()
        .find_map(|word| names.strip_prefix(word))
        .unwrap_or(names);
    let names = names.trim().trim_matches(['(', ')', '[', ']']);
    let names: Vec<&str> = names
        .split(',')
        .map(|name| name.trim().trim_start_matches('$'))
        .collect();
    let is_name = |name: &&str| {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        !name.is_empty() && name.chars().all(is_letter)
    };
    let values = values(outline, (sign + 1, span.1));
    let is_even = names.len() > 1 && names.len() == values.len();
    (is_even && names.iter().all(is_name)).then(|| names.into_iter().zip(values).collect())
}

/// Where a statement begins that is on one line with the beginning of its block:
/// `func f() { a, b := …`.
fn behind_brace(outline: &Outline<'_>, (start, end): Span) -> Option<usize> {
    let braces = outline.bare.get(start..end)?.match_indices('{');
    let mut braces = braces.map(|(at, _)| start + at);
    let is_block = |at: &usize| outline.partner(*at).is_some_and(|close| close >= end);
    Some(braces.rfind(is_block).map_or(start, |at| at + 1))
}

/// What stands between commas, in brackets or without.
fn values(outline: &Outline<'_>, (start, end): Span) -> Vec<Span> {
    let text = &outline.bare[start..end];
    let from = start + text.len() - text.trim_start().len();
    let to = start + text.trim_end().len();
    let closes = outline
        .partner(from)
        .filter(|_| outline.bare[from..].starts_with(['(', '[']));
    let (mut at, to) = match closes {
        Some(close) if close + 1 == to => (from + 1, close),
        _ => (from, to),
    };
    let mut values = Vec::new();
    while at < to {
        let end = outline.up_to((at, to), b",");
        values.push((at, end));
        at = end + 1;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(code: &str) -> Option<Vec<(String, String)>> {
        let outline = Outline::new(code);
        let pairs = of(&outline, (0, code.len()))?.into_iter();
        let shown =
            |(name, (from, to)): (&str, Span)| (name.to_owned(), code[from..to].trim().to_owned());
        Some(pairs.map(shown).collect())
    }

    #[test]
    fn names_and_values_of_one_number_are_pairs() {
        let expected = |pairs: &[(&str, &str)]| {
            let owned = pairs
                .iter()
                .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
            Some(owned.collect::<Vec<_>>())
        };
        let two = expected(&[("a", "'x'"), ("b", "f('y', 1)")]);
        for code in [
            "a, b = 'x', f('y', 1)",
            "const [a, b] = ['x', f('y', 1)]",
            "my ($a, $b) = ('x', f('y', 1))",
            "a, b := 'x', f('y', 1)",
        ] {
            assert_eq!(pairs(code), two, "{code}");
        }
        let code = "f() { a, b := 'x', f('y', 1); c }";
        let outline = Outline::new(code);
        let end = code.find(';').expect("the end");
        assert_eq!(of(&outline, (0, end)).map(|pairs| pairs.len()), Some(2));
        for code in [
            "a = 'x', 'y'",
            "a, b = f()",
            "f(a, b)",
            "a, b == 1, 2",
            "a.c, b = 1, 2",
        ] {
            assert_eq!(pairs(code), None, "{code}");
        }
    }
}
