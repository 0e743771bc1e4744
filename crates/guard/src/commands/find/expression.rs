//! The expression of `find`: tests and actions, joined by and, or and not.

use super::format::Format;
use super::size::Size;
use crate::regex::{Regex, Syntax};
use crate::text::Text;
use crate::tree::Kind;

/// A test or an action of the expression.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Test(Test),
    Not(Box<Term>),
    And(Vec<Term>),
    Or(Vec<Term>),
    Delete,
    /// A command, and whether it runs where the entry is.
    Execute(Vec<Text>, bool),
    Print(Format),
    Prune,
}

#[derive(Clone, Debug)]
pub(super) enum Test {
    Name(String, bool),
    Path(String, bool),
    /// The whole path, in each way in which the expression may be meant.
    Regex(Vec<Option<Regex>>),
    Kind(Kind),
    /// A file without anything in it, or a directory.
    Empty,
    Size(Size),
    False,
    /// Something about the file that is not looked at.
    Unsure,
}

/// Reads an expression: `or` of `and` of terms, with brackets and negation.
pub(super) struct Expression<'w> {
    words: &'w [Text],
    at: usize,
    /// Files that `-fprint` and its kin write, whatever is found.
    pub(super) files: Vec<Text>,
    pub(super) depth: (usize, usize),
    syntax: Option<&'static [Syntax]>,
}

/// How regular expressions may be meant unless it is said; systems differ in that.
const USUAL: &[Syntax] = &[Syntax::Emacs, Syntax::Basic];

/// How regular expressions of a named type are meant.
fn syntaxes(name: &str) -> Option<&'static [Syntax]> {
    match name {
        "posix-extended" | "posix-egrep" | "egrep" => Some(&[Syntax::Extended]),
        "posix-basic" | "sed" | "grep" | "ed" => Some(&[Syntax::Basic]),
        "emacs" | "findutils-default" => Some(&[Syntax::Emacs]),
        _ => None,
    }
}

impl<'w> Expression<'w> {
    pub(super) fn new(words: &'w [Text]) -> Self {
        Self {
            words,
            at: 0,
            files: Vec::new(),
            depth: (0, usize::MAX),
            syntax: Some(USUAL),
        }
    }

    fn peek(&self) -> Option<String> {
        self.words.get(self.at).map(Text::shown)
    }

    fn next(&mut self) -> Option<Text> {
        let word = self.words.get(self.at).cloned();
        self.at += 1;
        word
    }

    pub(super) fn or(&mut self) -> Term {
        let mut terms = vec![self.and()];
        while matches!(self.peek().as_deref(), Some("-o" | "-or" | ",")) {
            self.at += 1;
            terms.push(self.and());
        }
        Term::Or(terms)
    }

    fn and(&mut self) -> Term {
        let mut terms = Vec::new();
        while let Some(word) = self.peek() {
            match word.as_str() {
                "-o" | "-or" | "," | ")" => break,
                "-a" | "-and" => self.at += 1,
                _ => terms.push(self.term()),
            }
        }
        Term::And(terms)
    }

    fn term(&mut self) -> Term {
        let word = self.next().map(|word| word.shown()).unwrap_or_default();
        match word.as_str() {
            "(" => {
                let inner = self.or();
                self.at += 1;
                inner
            }
            "!" | "-not" => Term::Not(Box::new(self.term())),
            "-name" | "-lname" => self.name(false),
            "-iname" | "-ilname" => self.name(true),
            "-path" | "-wholename" => self.path(false),
            "-ipath" | "-iwholename" => self.path(true),
            "-regex" => self.regex(false),
            "-iregex" => self.regex(true),
            "-regextype" => {
                self.syntax = self.next().and_then(|word| syntaxes(&word.known()?));
                Term::And(Vec::new())
            }
            "-empty" => Term::Test(Test::Empty),
            "-type" | "-xtype" => {
                Term::Test(match self.next().map(|word| word.shown()).as_deref() {
                    Some("f") => Test::Kind(Kind::File),
                    Some("d") => Test::Kind(Kind::Directory),
                    Some("l") => Test::Kind(Kind::Link),
                    // Nobody keeps a plan in a pipe.
                    Some("s" | "p" | "b" | "c" | "D") => Test::False,
                    _ => Test::Unsure,
                })
            }
            "-size" => {
                let size = self.next().and_then(|word| Size::parse(&word.known()?));
                Term::Test(size.map_or(Test::Unsure, Test::Size))
            }
            "-false" => Term::Test(Test::False),
            "-delete" => Term::Delete,
            "-prune" => Term::Prune,
            "-print" => Term::Print(Format::Path('\n')),
            "-print0" => Term::Print(Format::Path('\0')),
            "-ls" => Term::Print(Format::Details),
            "-printf" => Term::Print(Format::Given(self.next().unwrap_or_default())),
            "-exec" | "-ok" => Term::Execute(self.command(), false),
            "-execdir" | "-okdir" => Term::Execute(self.command(), true),
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                let file = self.next();
                self.files.extend(file);
                if word == "-fprintf" {
                    self.at += 1;
                }
                Term::Print(Format::Path('\n'))
            }
            "-maxdepth" => {
                self.depth.1 = self.number().unwrap_or(usize::MAX);
                Term::And(Vec::new())
            }
            "-mindepth" => {
                self.depth.0 = self.number().unwrap_or(0);
                Term::And(Vec::new())
            }
            "-depth" | "-d" | "-mount" | "-xdev" | "-true" | "-follow" | "-noleaf"
            | "-daystart" => Term::And(Vec::new()),
            "-readable" | "-writable" | "-executable" | "-nouser" | "-nogroup" | "-quit" => {
                Term::Test(Test::Unsure)
            }
            // All other tests take one word: -mtime, -newer, -perm, -user, …
            _ => {
                self.at += 1;
                Term::Test(Test::Unsure)
            }
        }
    }

    fn name(&mut self, any_case: bool) -> Term {
        let pattern = self.next().and_then(|word| word.known());
        Term::Test(pattern.map_or(Test::Unsure, |pattern| Test::Name(pattern, any_case)))
    }

    fn path(&mut self, any_case: bool) -> Term {
        let pattern = self.next().and_then(|word| word.known());
        Term::Test(pattern.map_or(Test::Unsure, |pattern| Test::Path(pattern, any_case)))
    }

    fn regex(&mut self, any_case: bool) -> Term {
        let pattern = self.next().and_then(|word| word.known());
        let Some((pattern, syntaxes)) = pattern.zip(self.syntax) else {
            return Term::Test(Test::Unsure);
        };
        let ways = syntaxes.iter();
        let ways = ways.map(|syntax| Regex::new(&pattern, *syntax, any_case));
        Term::Test(Test::Regex(ways.collect()))
    }

    fn number(&mut self) -> Option<usize> {
        self.next()?.known()?.parse().ok()
    }

    fn command(&mut self) -> Vec<Text> {
        let rest = self.words.get(self.at..).unwrap_or_default();
        let ends = |word: &Text| matches!(word.known().as_deref(), Some(";" | "+"));
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        self.at += length + 1;
        rest[..length].to_vec()
    }
}
