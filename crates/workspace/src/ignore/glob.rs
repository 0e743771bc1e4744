//! Shell-style patterns over bytes, with git's reading of brackets and escapes.
//!
//! A pattern is compiled once into tokens. Matching keeps a single point to return to,
//! the last star, so its cost is at most the product of the two lengths: a hostile
//! pattern cannot make it explode.

/// A pattern for one path component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Glob {
    /// No wildcard at all.
    Literal(Vec<u8>),
    /// One leading star and no other wildcard: `*.rs`.
    Suffix(Vec<u8>),
    /// Everything else.
    Tokens(Vec<Token>),
    /// An unfinished bracket or escape, which matches nothing.
    Never,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Byte(u8),
    Any,
    Star,
    Set(ByteSet),
}

/// A set of byte values, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ByteSet([u64; 4]);

impl Glob {
    pub(super) fn compile(pattern: &[u8]) -> Self {
        let Some(tokens) = tokenize(pattern) else {
            return Self::Never;
        };
        let literal = |tokens: &[Token]| {
            let byte = |token: &Token| match token {
                Token::Byte(byte) => Some(*byte),
                Token::Any | Token::Star | Token::Set(_) => None,
            };
            tokens.iter().map(byte).collect::<Option<Vec<u8>>>()
        };
        if let Some(bytes) = literal(&tokens) {
            return Self::Literal(bytes);
        }
        match tokens.split_first() {
            Some((Token::Star, rest)) => literal(rest).map_or(Self::Tokens(tokens), Self::Suffix),
            _ => Self::Tokens(tokens),
        }
    }

    pub(super) fn matches(&self, text: &[u8]) -> bool {
        match self {
            Self::Literal(literal) => text == literal,
            Self::Suffix(suffix) => text.ends_with(suffix),
            Self::Tokens(tokens) => matches_tokens(tokens, text),
            Self::Never => false,
        }
    }
}

fn matches_tokens(tokens: &[Token], text: &[u8]) -> bool {
    let (mut token, mut at) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while at < text.len() || token < tokens.len() {
        let step = match (tokens.get(token), text.get(at)) {
            (Some(Token::Star), _) => {
                last_star = Some((token + 1, at));
                token += 1;
                continue;
            }
            (Some(Token::Any), Some(_)) => true,
            (Some(Token::Byte(wanted)), Some(found)) => wanted == found,
            (Some(Token::Set(set)), Some(found)) => set.contains(*found),
            _ => false,
        };
        if step {
            token += 1;
            at += 1;
            continue;
        }
        match last_star {
            Some((after_star, taken)) if taken < text.len() => {
                last_star = Some((after_star, taken + 1));
                token = after_star;
                at = taken + 1;
            }
            _ => return false,
        }
    }
    true
}

/// `None` if the pattern is malformed.
fn tokenize(pattern: &[u8]) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = pattern;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            // Inside one component, `**` says no more than `*`.
            b'*' if tokens.last() == Some(&Token::Star) => {}
            b'*' => tokens.push(Token::Star),
            b'?' => tokens.push(Token::Any),
            b'\\' => {
                let (escaped, after) = rest.split_first()?;
                tokens.push(Token::Byte(*escaped));
                rest = after;
            }
            b'[' => {
                let (set, length) = bracket(rest)?;
                tokens.push(Token::Set(set));
                rest = &rest[length..];
            }
            byte => tokens.push(Token::Byte(*byte)),
        }
    }
    Some(tokens)
}

/// Reads a bracket expression after its `[`; answers the set and the bytes consumed,
/// the closing `]` included.
///
/// The corner cases are git's: `]` in first place is a member, `[!` and `[^` negate,
/// a range needs a member before it, and a class such as `[:alpha:]` that is not closed
/// by `:]` reads as the members `[`, `:` and so on.
pub(super) fn bracket(text: &[u8]) -> Option<(ByteSet, usize)> {
    let negated = matches!(text.first(), Some(b'!' | b'^'));
    let mut at = usize::from(negated);
    let mut set = ByteSet([0; 4]);
    let mut previous: Option<u8> = None;
    let begin = at;
    loop {
        match *text.get(at)? {
            b']' if at > begin => break,
            b'\\' => {
                at += 1;
                let escaped = *text.get(at)?;
                set.insert(escaped);
                previous = Some(escaped);
            }
            b'-' if previous.is_some() && !matches!(text.get(at + 1), None | Some(b']')) => {
                at += 1;
                if text[at] == b'\\' {
                    at += 1;
                }
                let (low, high) = (previous.take()?, *text.get(at)?);
                (low..=high).for_each(|byte| set.insert(byte));
            }
            b'[' if text.get(at + 1) == Some(&b':') => {
                let name = &text[at + 2..];
                let close = name.iter().position(|byte| *byte == b']')?;
                if let Some(name) = name[..close].strip_suffix(b":") {
                    let class = class(name)?;
                    (0..=u8::MAX)
                        .filter(class)
                        .for_each(|byte| set.insert(byte));
                    previous = None;
                    at += 2 + close;
                } else {
                    set.insert(b'[');
                    previous = Some(b'[');
                }
            }
            byte => {
                set.insert(byte);
                previous = Some(byte);
            }
        }
        at += 1;
    }
    Some((if negated { set.negate() } else { set }, at + 1))
}

fn class(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| matches!(byte, b' '..=b'~'),
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |byte| matches!(byte, b' ' | b'\t'..=b'\r'),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

impl ByteSet {
    fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    fn contains(self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] & (1 << (byte & 63)) != 0
    }

    fn negate(self) -> Self {
        Self(self.0.map(|bits| !bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_match_as_in_git() {
        for (pattern, text, expected) in [
            ("foo", "foo", true),
            ("foo", "fooo", false),
            ("*.rs", "a.rs", true),
            ("*.rs", ".rs", true),
            ("*.rs", "a.rst", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b-", false),
            ("**", "anything", true),
            ("?", "", false),
            ("[]-]", "]", true),
            ("[]-]", "-", true),
            ("[!a-c]", "b", false),
            ("[^a-c]", "d", true),
            (r"[\]]", "]", true),
            (r"\*", "*", true),
            (r"\*", "x", false),
            ("[[:digit:]x]", "7", true),
            ("[[:digit:]x]", "x", true),
            ("[[:nonsense:]]", "n", false),
            ("[a-]", "-", true),
            ("[", "[", false),
            (r"a\", r"a\", false),
            ("[z-a]", "z", true),
            ("[z-a]", "m", false),
        ] {
            let matched = Glob::compile(pattern.as_bytes()).matches(text.as_bytes());
            assert_eq!(matched, expected, "{pattern:?} on {text:?}");
        }
    }

    #[test]
    fn hostile_patterns_take_no_longer_than_honest_ones() {
        let pattern = "*a".repeat(100) + "b";
        let text = "a".repeat(5000);
        assert!(!Glob::compile(pattern.as_bytes()).matches(text.as_bytes()));
    }
}
