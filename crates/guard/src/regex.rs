//! Regular expressions of the simple kind: letters, classes, repetition, groups, alternatives
//! and anchors. Whatever is more is not understood, and then nothing is said about a match.

/// How an expression is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// `\(a\|b\)`, where `+` and `?` are repetition only behind a backslash.
    Basic,
    /// `(a|b)`.
    Extended,
    /// As `find` takes them: groups as in the basic ones, repetition as in the extended.
    Emacs,
}

/// A longer expression, or a longer line, is not looked at.
const LONGEST: usize = 1_024;

#[derive(Clone, Debug)]
enum Node {
    Any,
    Letter(char),
    /// Characters and ranges of them; whether it is everything but these.
    Class(Vec<(char, char)>, bool),
    Start,
    End,
    Group(Vec<Vec<Node>>),
    /// How often at least, and whether more than once.
    Repeated(Box<Node>, bool, bool),
}

/// An expression that is understood.
#[derive(Clone, Debug)]
pub(crate) struct Regex {
    alternatives: Vec<Vec<Node>>,
    any_case: bool,
}

impl Regex {
    pub(crate) fn new(pattern: &str, syntax: Syntax, any_case: bool) -> Option<Self> {
        if pattern.len() > LONGEST {
            return None;
        }
        let folded = if any_case {
            pattern.to_lowercase()
        } else {
            pattern.to_owned()
        };
        let mut parser = Parser {
            rest: folded.chars().collect(),
            at: 0,
            syntax,
        };
        let alternatives = parser.alternatives(0)?;
        (parser.at == parser.rest.len()).then_some(Self {
            alternatives,
            any_case,
        })
    }

    /// Whether some part of a line matches; nothing if that is too much to say.
    pub(crate) fn finds(&self, line: &str) -> Option<bool> {
        let text = self.letters(line)?;
        let anywhere = vec![true; text.len() + 1];
        let ends = choose(&self.alternatives, &text, &anywhere);
        Some(ends.contains(&true))
    }

    /// Whether the whole of a text matches.
    pub(crate) fn matches(&self, text: &str) -> Option<bool> {
        let text = self.letters(text)?;
        let mut start = vec![false; text.len() + 1];
        start[0] = true;
        let ends = choose(&self.alternatives, &text, &start);
        Some(ends.last() == Some(&true))
    }

    fn letters(&self, text: &str) -> Option<Vec<char>> {
        if text.len() > LONGEST {
            return None;
        }
        Some(if self.any_case {
            text.to_lowercase().chars().collect()
        } else {
            text.chars().collect()
        })
    }
}

/// Where a match of one of these may end that begins at one of those: a mark for each place
/// between two characters.
fn choose(alternatives: &[Vec<Node>], text: &[char], from: &[bool]) -> Vec<bool> {
    let mut ends = vec![false; from.len()];
    for sequence in alternatives {
        let reached = sequence
            .iter()
            .fold(from.to_vec(), |at, node| node.step(text, &at));
        mark(&mut ends, &reached);
    }
    ends
}

/// Marks what is marked in the other as well.
fn mark(places: &mut [bool], more: &[bool]) {
    for (place, more) in places.iter_mut().zip(more) {
        *place |= more;
    }
}

impl Node {
    fn step(&self, text: &[char], from: &[bool]) -> Vec<bool> {
        let taken = |takes: &dyn Fn(char) -> bool| {
            let mut reached = vec![false; from.len()];
            for (at, c) in text.iter().enumerate() {
                reached[at + 1] = from[at] && takes(*c);
            }
            reached
        };
        let only = |place: usize| {
            let mut reached = vec![false; from.len()];
            reached[place] = from[place];
            reached
        };
        match self {
            Self::Any => taken(&|_| true),
            Self::Letter(own) => taken(&|c| c == *own),
            Self::Class(ranges, negated) => taken(&|c| {
                let within = ranges.iter().any(|(low, high)| (*low..=*high).contains(&c));
                within != *negated
            }),
            Self::Start => only(0),
            Self::End => only(text.len()),
            Self::Group(alternatives) => choose(alternatives, text, from),
            Self::Repeated(node, at_least_once, often) => {
                let mut reached = node.step(text, from);
                let mut latest = reached.clone();
                while *often && latest.contains(&true) {
                    latest = node.step(text, &latest);
                    for (latest, reached) in latest.iter_mut().zip(&reached) {
                        *latest &= !reached;
                    }
                    mark(&mut reached, &latest);
                }
                if !at_least_once {
                    mark(&mut reached, from);
                }
                reached
            }
        }
    }
}

/// More groups within each other are not understood.
const DEEPEST: usize = 8;

struct Parser {
    rest: Vec<char>,
    at: usize,
    syntax: Syntax,
}

/// What stands at a place, whichever way it is written.
enum Token {
    Open,
    Close,
    Or,
    /// `*`, `+` and `?`.
    Repeat(bool, bool),
    Node(Node),
}

impl Parser {
    fn alternatives(&mut self, depth: usize) -> Option<Vec<Vec<Node>>> {
        if depth > DEEPEST {
            return None;
        }
        let mut all = vec![Vec::new()];
        while self.at < self.rest.len() {
            let before = self.at;
            let is_first = all.last().is_some_and(Vec::is_empty);
            match self.token(is_first)? {
                Token::Or => all.push(Vec::new()),
                Token::Open => {
                    let inner = self.alternatives(depth + 1)?;
                    matches!(self.token(false)?, Token::Close).then_some(())?;
                    all.last_mut()?.push(Node::Group(inner));
                }
                Token::Close if depth > 0 => {
                    self.at = before;
                    return Some(all);
                }
                Token::Close => return None,
                Token::Repeat(at_least_once, often) => {
                    let node = all.last_mut()?.pop()?;
                    let node = Node::Repeated(Box::new(node), at_least_once, often);
                    all.last_mut()?.push(node);
                }
                Token::Node(node) => all.last_mut()?.push(node),
            }
        }
        (depth == 0).then_some(all)
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.get(self.at).copied();
        self.at += 1;
        c
    }

    fn token(&mut self, is_first: bool) -> Option<Token> {
        let groups_are_plain = self.syntax == Syntax::Extended;
        let repeats_are_plain = self.syntax != Syntax::Basic;
        let c = self.next()?;
        Some(match c {
            '\\' => match self.next()? {
                '(' if !groups_are_plain => Token::Open,
                ')' if !groups_are_plain => Token::Close,
                '|' if !groups_are_plain => Token::Or,
                '+' if !repeats_are_plain => Token::Repeat(true, true),
                '?' if !repeats_are_plain => Token::Repeat(false, false),
                c if c.is_alphanumeric() || matches!(c, '<' | '>' | '`' | '\'' | '{' | '}') => {
                    return None;
                }
                c => Token::Node(Node::Letter(c)),
            },
            '(' if groups_are_plain => Token::Open,
            ')' if groups_are_plain => Token::Close,
            '|' if groups_are_plain => Token::Or,
            '{' if groups_are_plain => return None,
            // A star that repeats nothing is a star, to some.
            '*' | '+' | '?' if is_first => return None,
            '*' => Token::Repeat(false, true),
            '+' if repeats_are_plain => Token::Repeat(true, true),
            '?' if repeats_are_plain => Token::Repeat(false, false),
            '.' => Token::Node(Node::Any),
            '^' if is_first => Token::Node(Node::Start),
            '$' if self.is_at_an_end() => Token::Node(Node::End),
            '^' | '$' => return None,
            '[' => Token::Node(self.class()?),
            c => Token::Node(Node::Letter(c)),
        })
    }

    /// Whether an alternative or a group ends here.
    fn is_at_an_end(&self) -> bool {
        match (self.syntax, &self.rest[self.at..]) {
            (_, []) => true,
            (Syntax::Extended, [first, ..]) => matches!(first, ')' | '|'),
            (_, ['\\', second, ..]) => matches!(second, ')' | '|'),
            _ => false,
        }
    }

    fn class(&mut self) -> Option<Node> {
        let negated = self.rest.get(self.at) == Some(&'^');
        self.at += usize::from(negated);
        let mut ranges = Vec::new();
        let first = self.at;
        loop {
            let low = self.next()?;
            match (low, self.rest.get(self.at), self.rest.get(self.at + 1)) {
                (']', ..) if self.at > first + 1 => return Some(Node::Class(ranges, negated)),
                // Named classes, and those that depend on the language.
                ('[', Some(':' | '.' | '='), _) => return None,
                (low, Some('-'), Some(high)) if *high != ']' => {
                    ranges.push((low, *high));
                    self.at += 2;
                }
                (low, ..) => ranges.push((low, low)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_as_grep_finds_them() {
        use Syntax::{Basic, Emacs, Extended};
        for (pattern, syntax, line, expected) in [
            ("\\.log$", Basic, "app.log", Some(true)),
            ("\\.log$", Basic, "app.log.md", Some(false)),
            ("a.c", Basic, "xabcx", Some(true)),
            ("^specs", Basic, "specs/a", Some(true)),
            ("^specs", Basic, "x/specs", Some(false)),
            ("\\.(log|orig)$", Extended, "a.orig", Some(true)),
            ("\\.(log|orig)$", Extended, "a.origin", Some(false)),
            ("\\.\\(log\\|orig\\)$", Basic, "a.log", Some(true)),
            ("^(a|b)$|c", Extended, "xc", Some(true)),
            ("^(a|b)$|c", Extended, "ab", Some(false)),
            ("^a+b?$", Extended, "aaab", Some(true)),
            ("^a+b?$", Extended, "b", Some(false)),
            ("^a+$", Basic, "a+", Some(true)),
            ("^a\\+$", Basic, "aa", Some(true)),
            ("^(ab)*$", Extended, "ababab", Some(true)),
            ("^(ab)*$", Extended, "aba", Some(false)),
            ("^(a*)*$", Extended, "aaaa", Some(true)),
            ("[]x]", Basic, "]", Some(true)),
            ("[^a-z]", Basic, "abc", Some(false)),
            ("[a-]", Basic, "-", Some(true)),
            ("py[co]$", Emacs, "a.pyc", Some(true)),
            ("", Basic, "anything", Some(true)),
            ("a|b", Basic, "a|b", Some(true)),
            ("a|b", Basic, "a", Some(false)),
            ("\\(a\\)\\1", Basic, "aa", None),
            ("a{2}", Extended, "aa", None),
            ("\\bx", Extended, "x", None),
            ("[[:alpha:]]", Basic, "x", None),
            ("*a", Basic, "*a", None),
            ("a^b", Basic, "a^b", None),
            ("(a", Extended, "a", None),
            ("a)", Extended, "a", None),
            ("[a", Basic, "a", None),
            ("a\\", Basic, "a", None),
        ] {
            let regex = Regex::new(pattern, syntax, false);
            let found = regex.and_then(|regex| regex.finds(line));
            assert_eq!(found, expected, "{pattern} {line}");
        }
    }

    #[test]
    fn a_whole_text_matches_in_any_case_if_asked_for() {
        let regex = Regex::new(".*\\.\\(orig\\|rej\\)", Syntax::Emacs, true).expect("simple");
        assert_eq!(regex.matches("./A.ORIG"), Some(true));
        assert_eq!(regex.matches("./a.orig.md"), Some(false));
        assert_eq!(regex.finds("./a.orig.md"), Some(true));
    }

    #[test]
    fn repetition_within_repetition_costs_little() {
        let regex = Regex::new("^((a*)*)*b$", Syntax::Extended, false).expect("simple");
        assert_eq!(regex.finds(&"a".repeat(1_000)), Some(false));
        assert_eq!(regex.finds(&"a".repeat(2_000)), None);
    }
}
