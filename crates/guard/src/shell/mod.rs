//! Following a command without running it.
//!
//! The [`Engine`] walks a parsed command as a shell would: it keeps the directory, the
//! variables, the functions and what flows through pipes, each as far as it can be known.
//! Branches that may or may not be taken are both taken. What a program would do to files
//! is asked of [`crate::commands`]; the answers are collected as effects.

mod builtins;
mod directories;
mod emptiness;
mod endings;
mod escapes;
mod expand;
mod exports;
mod file_tests;
mod lists;
mod narrowing;
mod own_values;
mod parameter;
mod places;
mod redirect;
mod simple;
mod slices;
mod sources;
mod state;
mod turns;
mod walk;
mod wildcards;
mod within;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use brush_parser::{Parser, ParserOptions};

pub(crate) use builtins::{ends_on_failure, joined};
pub(crate) use escapes::{ansi_c, echo_escapes, printf_escapes};
pub(crate) use file_tests::Asked;
pub(crate) use state::{Shell, Variable};
pub(crate) use within::Within;

use crate::effect::{Action, Effect, Pattern, Target};
use crate::paths::Resolver;
use crate::prescan;
use crate::protected::Protected;
use crate::stop::{Budget, Limits, Stop};
use crate::text::{Data, Part, Text};
use crate::tree::{Kind, Tree};

/// More effects than these are not told one by one.
const MOST_EFFECTS: usize = 2_000;

/// Of more lines than these it is not asked what each would do alone.
const MOST_LINES: usize = 64;

/// Whether a command succeeds, if that can be told.
pub(crate) type Status = Option<bool>;

/// One analysis.
pub(crate) struct Engine<'a> {
    pub(crate) tree: &'a dyn Tree,
    pub(crate) protected: &'a Protected,
    limits: &'a Limits,
    budget: Budget,
    depth: usize,
    /// The loops around what is followed, the innermost last.
    turns: Vec<turns::Turn>,
    pub(crate) shell: Shell,
    pub(crate) stdin: Data,
    /// Which paths the input is about, where it is unknown and comes from a pipe.
    stdin_within: Option<Within>,
    pub(crate) out: Data,
    /// The same of the output.
    out_within: Option<Within>,
    /// How many are waiting for what is printed.
    captures: usize,
    pub(crate) effects: Vec<Effect>,
    /// Whether what is touched now is guessed from parts of names.
    guesses: bool,
    /// Whether a word of this command has a value that the command itself has not spelled out.
    borrows: bool,
    /// The command that is being looked at, for people.
    pub(crate) doing: String,
    everything: Option<Vec<PathBuf>>,
}

/// Where a word points.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// Here; whether a slash at the end asks for what a link leads to.
    At(PathBuf, bool),
    /// At anything that fits.
    Like(Pattern),
}

impl<'a> Engine<'a> {
    pub(crate) fn new(
        protected: &'a Protected,
        tree: &'a dyn Tree,
        directory: &Path,
        environment: &BTreeMap<String, String>,
        limits: &'a Limits,
    ) -> Self {
        Self {
            tree,
            protected,
            limits,
            budget: Budget::start(limits),
            depth: 0,
            turns: Vec::new(),
            shell: Shell::new(directory, environment),
            stdin: Data::empty(),
            stdin_within: None,
            out: Data::empty(),
            out_within: None,
            captures: 0,
            effects: Vec::new(),
            guesses: false,
            borrows: false,
            doing: String::new(),
            everything: None,
        }
    }

    pub(crate) fn spend(&mut self) -> Result<(), Stop> {
        self.budget.spend()
    }

    /// Follows shell text.
    pub(crate) fn source(&mut self, text: &str) -> Result<Status, Stop> {
        self.spend()?;
        prescan::check(text, self.limits)?;
        let reader = std::io::Cursor::new(text.as_bytes());
        let program = Parser::new(reader, &ParserOptions::default())
            .parse_program()
            .map_err(|error| Stop::NotShell(error.to_string()))?;
        // Code that was put together on the way may hold what only stands for something else.
        if self.depth > 0 {
            self.shell.own = None;
        }
        self.deeper(|engine| {
            let mut status = Some(true);
            for list in &program.complete_commands {
                status = engine.list(list)?;
            }
            engine.shell.settle();
            Ok(status)
        })
    }

    /// Follows shell text that may be unknown, which could then do anything.
    pub(crate) fn source_data(&mut self, code: &Data) -> Result<Status, Stop> {
        match code {
            Data::Known(text) => self.source(text),
            Data::Lines(text) => {
                let before = self.shell.clone();
                let status = self.source(text)?;
                // Those before a line may not be among them, and then change nothing for it.
                let after = std::mem::replace(&mut self.shell, before);
                for line in text.lines().skip(1).take(MOST_LINES) {
                    self.apart(|engine| engine.script(line))?;
                }
                self.shell = after;
                Ok(status)
            }
            Data::Unknown => {
                self.could_do_anything();
                Ok(None)
            }
        }
    }

    /// Follows a word that is a command line for a shell. Other programs than shells are
    /// given these, so that what cannot be parsed is left alone. It could do anything if the
    /// program that it begins with is not known; what is not known behind that is a word.
    pub(crate) fn code(&mut self, word: &Text) -> Result<Status, Stop> {
        if word.known().is_none() && word.known_start().trim().is_empty() {
            return self.source_data(&Data::Unknown);
        }
        let pieces = word.parts().iter().map(|part| match part {
            Part::Fixed(piece) | Part::Glob(piece) => piece.as_str(),
            Part::OneOf(_) | Part::Unknown => "${unknown_word}",
        });
        let code: String = pieces.collect();
        self.script(&code)
    }

    /// Follows shell text in a shell of its own, whose directory and variables end with it.
    pub(crate) fn apart<T>(
        &mut self,
        follow: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let before = self.shell.clone();
        self.shell.traps.clear();
        let result = follow(self).and_then(|result| self.end().map(|()| result));
        let after = std::mem::replace(&mut self.shell, before);
        self.shell.keep_files_of(after);
        result
    }

    /// What it prints, instead of printing it.
    pub(crate) fn capture(
        &mut self,
        follow: impl FnOnce(&mut Self) -> Result<Status, Stop>,
    ) -> Result<(Status, Data), Stop> {
        self.capture_within(follow)
            .map(|(status, printed, _)| (status, printed))
    }

    /// What it prints, and which paths that is about.
    fn capture_within(
        &mut self,
        follow: impl FnOnce(&mut Self) -> Result<Status, Stop>,
    ) -> Result<(Status, Data, Option<Within>), Stop> {
        let before = std::mem::replace(&mut self.out, Data::empty());
        let before_within = self.out_within.take();
        self.captures += 1;
        let status = follow(self);
        self.captures -= 1;
        let within = std::mem::replace(&mut self.out_within, before_within);
        let printed = std::mem::replace(&mut self.out, before);
        Ok((status?, printed, within))
    }

    pub(crate) fn deeper<T>(
        &mut self,
        follow: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        if self.depth >= self.limits.within {
            return Err(Stop::TooDeep);
        }
        self.depth += 1;
        let result = follow(self);
        self.depth -= 1;
        result
    }

    /// Whether what is printed goes to another command, a variable or a file.
    pub(crate) fn is_captured(&self) -> bool {
        self.captures > 0
    }

    pub(crate) fn print(&mut self, data: &Data) {
        self.out_within = None;
        self.out.add(data);
    }

    /// Everything that exists and is protected, which is all that a search needs to look at.
    pub(crate) fn everything(&mut self) -> Vec<PathBuf> {
        let (protected, tree) = (self.protected, self.tree);
        self.everything
            .get_or_insert_with(|| protected.everything(tree))
            .clone()
    }

    pub(crate) fn resolver(&self) -> Resolver<'_> {
        Resolver {
            tree: self.tree,
            root: self.protected.root(),
            shell: &self.shell,
        }
    }

    pub(crate) fn is_directory(&self, path: &Path) -> bool {
        let real = self.resolver().beyond_links(path);
        self.tree.kind(&real) == Some(Kind::Directory) || self.shell.made.contains(&real)
    }

    pub(crate) fn could_do_anything(&mut self) {
        self.note(Action::Unknown, Target::Like(Pattern::anything()));
    }

    /// Follows something whose names are guessed.
    pub(crate) fn guessing<T>(&mut self, follow: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.guesses, true);
        let result = follow(self);
        self.guesses = before;
        result
    }

    pub(crate) fn note(&mut self, action: Action, target: Target) {
        self.shell.about.retain(|path, _| !target.reaches(path));
        if self.effects.len() < MOST_EFFECTS {
            self.effects.push(Effect {
                action,
                target,
                by: self.doing.clone(),
                is_guess: self.guesses,
            });
        } else if let Some(last) = self.effects.last_mut() {
            last.action = Action::Unknown;
            last.target = Target::Like(Pattern::anything());
        }
    }

    /// Something is done to the files that a word names.
    pub(crate) fn touch(&mut self, action: Action, word: &Text) -> Result<(), Stop> {
        for place in self.places(word)? {
            let target = match place {
                Place::At(path, _) => Target::Path(self.resolver().beyond_links(&path)),
                Place::Like(pattern) => Target::Like(pattern),
            };
            self.note(action, target);
        }
        Ok(())
    }

    /// Names are taken away: a link goes itself, and what it leads to stays.
    pub(crate) fn take_away(
        &mut self,
        action: Action,
        word: &Text,
        with_all_beneath: bool,
    ) -> Result<(), Stop> {
        for place in self.places(word)? {
            let target = match place {
                Place::At(path, slash) => {
                    let resolver = self.resolver();
                    let path = if slash {
                        resolver.beyond_links(&path)
                    } else {
                        resolver.up_to_link(&path)
                    };
                    // Who goes there afterwards does not arrive.
                    self.shell.made.retain(|made| !made.starts_with(&path));
                    if with_all_beneath {
                        Target::Tree(path)
                    } else {
                        Target::Path(path)
                    }
                }
                Place::Like(pattern) => Target::Like(pattern),
            };
            self.note(action, target);
        }
        Ok(())
    }
}
