//! The outline of code, without parsing it: what its strings are, which brackets belong
//! together, and where statements and arguments end.

use std::collections::BTreeMap;

use super::calls::Tables;
use crate::commands::literals::{Literal, literals};

/// From here up to there.
pub(super) type Span = (usize, usize);

/// What is further away than this does not belong to a call.
const LONGEST_CALL: usize = 4_096;

/// So many brackets may be left open in between.
const MOST_LEFT_OPEN: usize = 8;

/// So many names may hang on one another: `a.b(c).d[e].f`.
const LONGEST_CHAIN: usize = 16;

/// Code and its outline.
pub(super) struct Outline<'c> {
    pub(super) code: &'c str,
    /// The code with what its strings say blanked, byte for byte, so that it is not taken
    /// for calls.
    pub(super) bare: String,
    pub(super) literals: Vec<Literal>,
    /// The calls that it may have in it.
    pub(super) tables: Tables,
    partners: BTreeMap<usize, usize>,
}

impl<'c> Outline<'c> {
    pub(super) fn new(code: &'c str) -> Self {
        let literals = literals(code);
        let bare = blanked(code, &literals);
        Self {
            code,
            tables: Tables::of(&bare),
            partners: partners(&bare),
            bare,
            literals,
        }
    }

    /// The strings between two places.
    pub(super) fn within(&self, (start, end): Span) -> &[Literal] {
        let from = self.literals.partition_point(|one| one.start < start);
        let to = self.literals.partition_point(|one| one.start < end);
        let own = &self.literals[from..to.max(from)];
        match own.split_last() {
            Some((last, others)) if last.end > end => others,
            _ => own,
        }
    }

    /// Statements end at a newline or a semicolon, but not in the middle of a list.
    pub(super) fn statements(&self) -> Vec<Span> {
        let mut cuts = Vec::new();
        let mut open: Vec<bool> = Vec::new();
        let mut start = 0;
        for (at, byte) in self.bare.bytes().enumerate() {
            match byte {
                b'(' | b'[' | b'{' if self.partners.contains_key(&at) => {
                    open.push(byte == b'{' && !self.is_list(at));
                }
                b')' | b']' | b'}' if self.partners.contains_key(&at) => {
                    open.pop();
                }
                b'\n' if self.goes_on(at) => {}
                b'\n' | b';' if open.last().is_none_or(|is_block| *is_block) => {
                    cuts.push((start, at));
                    start = at + 1;
                }
                _ => {}
            }
        }
        cuts.push((start, self.code.len()));
        cuts
    }

    /// Whether the next line hangs on this one: `a('b')`, and below it `.c('d')`.
    fn goes_on(&self, newline: usize) -> bool {
        let next = self.bare[newline..].trim_start();
        let method = next.strip_prefix("?.").or(next.strip_prefix('.'));
        method.is_some_and(|name| name.starts_with(char::is_alphabetic))
    }

    /// Whether a brace begins a list of things and not of statements. Go has the kind of the
    /// things right before it: `[]string{`.
    fn is_list(&self, brace: usize) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || "_.".contains(c);
        if self.bare[..brace].trim_end_matches(is_word).ends_with(']') {
            return true;
        }
        let before = self.bare[..brace].trim_end_matches([' ', '\t', '\n']);
        before.ends_with(['=', '(', '[', ',', ':', '?'])
    }

    /// The bracket that belongs to this one.
    pub(super) fn partner(&self, bracket: usize) -> Option<usize> {
        self.partners.get(&bracket).copied()
    }

    /// Up to where an expression goes on: a bracket that closes what is around it, or one of
    /// these marks outside of all brackets in it.
    pub(super) fn up_to(&self, (start, end): Span, marks: &[u8]) -> usize {
        let bytes = self.bare.as_bytes();
        let mut end = end.min(start + LONGEST_CALL).min(bytes.len());
        while !self.code.is_char_boundary(end) {
            end -= 1;
        }
        let mut at = start;
        while at < end {
            let byte = bytes[at];
            let inner = matches!(byte, b'(' | b'[' | b'{').then(|| self.partner(at));
            match inner.flatten() {
                Some(partner) => at = partner + 1,
                None if matches!(byte, b')' | b']' | b'}') || marks.contains(&byte) => return at,
                None => at += 1,
            }
        }
        end
    }

    /// The arguments of a call whose name ends here, in brackets or without.
    pub(super) fn arguments(&self, name_end: usize, end: usize) -> Span {
        let Some(rest) = self.bare.get(name_end..end) else {
            return (name_end, name_end);
        };
        let at = name_end + rest.len() - rest.trim_start_matches([' ', '\t']).len();
        match self.bare.as_bytes().get(at).filter(|_| at < end) {
            Some(b'(') => {
                let close = self.partner(at).filter(|close| *close <= end);
                (at + 1, close.unwrap_or(end))
            }
            None | Some(b'.' | b'=' | b')' | b']' | b'}' | b',' | b':') => (name_end, name_end),
            Some(_) => (at, self.up_to((at, end), b";")),
        }
    }

    /// The first of some arguments.
    pub(super) fn first(&self, arguments: Span) -> Span {
        (arguments.0, self.up_to(arguments, b","))
    }

    /// What a method is called on, up to the dot before its name: `Path('a').` of `unlink()`.
    pub(super) fn receiver(&self, name: usize, start: usize) -> Span {
        let mut from = name;
        for _ in 0..LONGEST_CHAIN {
            let Some(owner) = self.owner(from, start) else {
                break;
            };
            from = owner;
        }
        (from, name)
    }

    /// Where the thing begins on which what stands here hangs.
    fn owner(&self, at: usize, start: usize) -> Option<usize> {
        let before = self.bare.get(start..at)?;
        let dots = ["?.", "->", "::", "."];
        let before = dots.iter().find_map(|dot| before.strip_suffix(dot))?;
        let mut end = start + before.len();
        while before.ends_with([')', ']', '"', '\'', '`']) && end > start {
            let closes = self.bare.as_bytes()[end - 1];
            end = match closes {
                b')' | b']' => self.partner(end - 1).filter(|open| *open >= start)?,
                b'"' | b'\'' | b'`' => {
                    let index = self.literals.partition_point(|one| one.end < end);
                    // A quote that ends no string is one of its own.
                    let literal = self.literals.get(index).filter(|one| one.end == end)?;
                    literal.start
                }
                _ => break,
            };
        }
        let is_word = |c: char| c.is_alphanumeric() || "_$@".contains(c);
        let before = self.bare.get(start..end)?;
        Some(start + before.trim_end_matches(is_word).len())
    }
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

fn blanked(code: &str, literals: &[Literal]) -> String {
    let mut bytes = code.as_bytes().to_vec();
    for literal in literals {
        if is_quote(bytes[literal.start]) {
            blank_quoted(&mut bytes[literal.start..literal.end]);
        } else {
            bytes[literal.start..literal.end].fill(b' ');
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| code.to_owned())
}

/// Blanks what stands in quotes, and leaves the quotes and what stands between two of them.
fn blank_quoted(bytes: &mut [u8]) {
    let mut at = 0;
    while at < bytes.len() {
        let quote = bytes[at];
        if !is_quote(quote) {
            at += 1;
            continue;
        }
        let triple = [quote; 3];
        let is_triple = bytes[at..].starts_with(&triple) && quote != b'`';
        let close = if is_triple { &triple[..] } else { &triple[..1] };
        let from = at + close.len();
        let mut end = from;
        while end < bytes.len() && !bytes[end..].starts_with(close) {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let end = end.min(bytes.len());
        bytes[from.min(end)..end].fill(b' ');
        at = end + close.len();
    }
}

/// The brackets that belong together. One that nothing closes is none.
fn partners(bare: &str) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    let mut open: Vec<(usize, u8)> = Vec::new();
    for (at, byte) in bare.bytes().enumerate() {
        let opens = match byte {
            b'(' | b'[' | b'{' => {
                open.push((at, byte));
                continue;
            }
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            _ => continue,
        };
        let near = open.len().saturating_sub(MOST_LEFT_OPEN);
        if let Some(index) = open[near..].iter().rposition(|(_, own)| *own == opens) {
            open.truncate(near + index + 1);
            if let Some((begin, _)) = open.pop() {
                found.insert(begin, at);
                found.insert(at, begin);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(code: &str) -> Vec<&str> {
        let outline = Outline::new(code);
        let spans = outline.statements().into_iter();
        spans.map(|(start, end)| &code[start..end]).collect()
    }

    #[test]
    fn a_list_is_no_end_of_a_statement_and_a_block_is() {
        assert_eq!(statements("a = [\n'b',\n]\nc"), ["a = [\n'b',\n]", "c"]);
        assert_eq!(statements("f(() => { a; b })"), ["f(() => { a", " b })"]);
        assert_eq!(statements("for (;;) x = {\na: 1\n}").len(), 1);
        assert_eq!(statements("a ) (\nb"), ["a ) (", "b"]);
        assert_eq!(statements("a := []b.c{\n'd',\n}\ne").len(), 2);
        assert_eq!(statements("a() []b {\nc\n}").len(), 3);
        assert_eq!(statements("a('b')\n  .c('d')\n?.e()\nf").len(), 2);
        assert_eq!(statements("a\n.5\n...b").len(), 3);
        assert_eq!(statements("p = Path('a') / 'b'\nc").len(), 2);
    }

    #[test]
    fn a_call_that_is_too_long_ends_between_two_letters() {
        let code = format!("a{}", "é".repeat(LONGEST_CALL));
        let outline = Outline::new(&code);
        assert_eq!(outline.up_to((0, code.len()), b","), LONGEST_CALL - 1);
        assert_eq!(outline.up_to((1, code.len()), b","), LONGEST_CALL + 1);
    }

    #[test]
    fn a_call_has_what_it_is_called_on_and_what_it_is_given() {
        let code = "x = Path('a', b)[0].c('d').unlink(e, f(g)); h";
        let outline = Outline::new(code);
        let name = code.find("unlink").expect("the name");
        let (from, to) = outline.receiver(name, 0);
        assert_eq!(&code[from..to], "Path('a', b)[0].c('d').");
        let (from, to) = outline.arguments(name + 6, code.len());
        assert_eq!(&code[from..to], "e, f(g)");
        let (from, to) = outline.first((from, to));
        assert_eq!(&code[from..to], "e");
        let code = "unlink $a, $b }";
        let (from, to) = Outline::new(code).arguments(6, code.len());
        assert_eq!(&code[from..to], "$a, $b ");
        let code = "x'.unlink(y)\n'\"a\"";
        let name = code.find("unlink").expect("the name");
        assert_eq!(Outline::new(code).receiver(name, 0).1, name);
    }
}
