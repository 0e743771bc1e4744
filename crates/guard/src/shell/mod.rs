//! Following a command without running it.
//!
//! The [`Engine`] walks a parsed command as a shell would: it keeps the directory, the
//! variables, the functions and what flows through pipes, each as far as it can be known.
//! Branches that may or may not be taken are both taken. What a program would do to files
//! is asked of [`crate::commands`]; the answers are collected as effects.

mod builtins;
mod emptiness;
mod escapes;
mod expand;
mod file_tests;
mod lists;
mod parameter;
mod redirect;
mod simple;
mod slices;
mod state;
mod walk;
mod wildcards;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use brush_parser::{Parser, ParserOptions};

pub(crate) use builtins::joined;
pub(crate) use escapes::{ansi_c, echo_escapes, printf_escapes};
pub(crate) use state::{Shell, Variable};

use crate::effect::{Action, Effect, Pattern, Target};
use crate::paths::Resolver;
use crate::prescan;
use crate::protected::Protected;
use crate::stop::{Budget, Limits, Stop};
use crate::text::{Data, Part, Text};
use crate::tree::{Kind, Tree};
use wildcards::Manner;

/// More effects than these are not told one by one.
const MOST_EFFECTS: usize = 2_000;

/// Whether a command succeeds, if that can be told.
pub(crate) type Status = Option<bool>;

/// One analysis.
pub(crate) struct Engine<'a> {
    pub(crate) tree: &'a dyn Tree,
    pub(crate) protected: &'a Protected,
    limits: &'a Limits,
    budget: Budget,
    depth: usize,
    pub(crate) shell: Shell,
    pub(crate) stdin: Data,
    /// Which paths the input is about, where it is unknown and comes from a pipe.
    stdin_within: Option<Vec<Text>>,
    pub(crate) out: Data,
    /// The same of the output.
    out_within: Option<Vec<Text>>,
    pub(crate) effects: Vec<Effect>,
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
            shell: Shell::new(directory, environment),
            stdin: Data::empty(),
            stdin_within: None,
            out: Data::empty(),
            out_within: None,
            effects: Vec::new(),
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
            Data::Known(text) | Data::Lines(text) => self.source(text),
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
        let result = follow(self);
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
    ) -> Result<(Status, Data, Option<Vec<Text>>), Stop> {
        let before = std::mem::replace(&mut self.out, Data::empty());
        let before_within = self.out_within.take();
        let status = follow(self);
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

    /// Which paths the input is about, if that is all that is known of it.
    pub(crate) fn input_within(&self) -> Option<Vec<Text>> {
        let is_unknown = self.stdin == Data::Unknown;
        self.stdin_within.clone().filter(|_| is_unknown)
    }

    pub(crate) fn print(&mut self, data: &Data) {
        self.out_within = None;
        self.out.add(data);
    }

    /// Something unknown is printed that is about certain paths, such as a patch.
    pub(crate) fn print_within(&mut self, paths: Vec<Text>) {
        let is_all = self.out == Data::empty();
        self.print(&Data::Unknown);
        self.out_within = is_all.then_some(paths);
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
            made_links: &self.shell.links,
            mounts: &self.shell.mounts,
            here: self.shell.directories.first().and_then(Option::as_deref),
        }
    }

    pub(crate) fn is_directory(&self, path: &Path) -> bool {
        let real = self.resolver().beyond_links(path);
        self.tree.kind(&real) == Some(Kind::Directory) || self.shell.made.contains(&real)
    }

    pub(crate) fn could_do_anything(&mut self) {
        self.note(Action::Unknown, Target::Like(Pattern::anything()));
    }

    pub(crate) fn note(&mut self, action: Action, target: Target) {
        if self.effects.len() < MOST_EFFECTS {
            let by = self.doing.clone();
            self.effects.push(Effect { action, target, by });
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

    /// The paths that a word names, with its wildcards matched against the files.
    pub(crate) fn places(&mut self, word: &Text) -> Result<Vec<Place>, Stop> {
        let mut places = Vec::new();
        for text in word.alternatives() {
            for directory in self.shell.directories.clone() {
                self.spend()?;
                places.extend(self.places_from(&text, directory.as_deref()));
            }
        }
        Ok(places)
    }

    /// The files that a wildcard matches. One that seems to match nothing in a protected
    /// directory is matched again as a shell would that was told to match more, since
    /// whether it was is not always seen.
    fn matched_by(&self, wildcard: &str, base: &Path) -> Vec<PathBuf> {
        let switched_on = &self.shell.switched_on;
        let manner = Manner {
            from_dots: switched_on.contains("dotglob"),
            any_case: switched_on.contains("nocaseglob"),
            any_depth: switched_on.contains("globstar"),
        };
        let found = self.matched_in(manner, wildcard, base);
        let literal = self.resolver().up_to_link(&base.join(wildcard));
        if !found.is_empty() || self.protected.rule_of(&literal).is_none() {
            return found;
        }
        self.matched_in(Manner::MOST, wildcard, base)
    }

    /// What is protected and matched by a wildcard that a program matches itself, with braces
    /// and through any number of directories.
    pub(crate) fn protected_matching(&self, wildcard: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for directory in self.shell.directories.iter().flatten() {
            let base = self.resolver().beyond_links(directory);
            for wildcard in wildcards::braces(wildcard) {
                found.extend(self.matched_in(Manner::MOST, &wildcard, &base));
            }
        }
        found
    }

    /// Through any number of directories only what is protected is looked for, since nothing
    /// else matters to the verdict.
    fn matched_in(&self, manner: Manner, wildcard: &str, base: &Path) -> Vec<PathBuf> {
        if !wildcard.contains("**") || !manner.any_depth {
            return wildcards::matching(self.tree, &self.resolver(), base, wildcard, manner);
        }
        let mut found = Vec::new();
        for path in self.protected.everything(self.tree) {
            let above = path.ancestors().map(Path::to_owned);
            found.extend(above.take_while(|above| above.starts_with(base)));
        }
        found.sort();
        found.dedup();
        found.retain(|path| wildcards::reaches(base, wildcard, path, manner));
        found
    }

    fn places_from(&self, text: &Text, directory: Option<&Path>) -> Vec<Place> {
        // A shell remembers by which links it came; files are found from where it really is.
        let directory = directory.map(|directory| self.resolver().beyond_links(directory));
        let directory = directory.as_deref();
        let absolute = text.known_start().starts_with('/');
        if text.is_unknown() || (directory.is_none() && !absolute) {
            return vec![Place::Like(pattern(text, directory))];
        }
        let base = directory.unwrap_or(Path::new("/"));
        let has_wildcards = text
            .parts()
            .iter()
            .any(|part| matches!(part, Part::Glob(_)));
        let name = text.known().unwrap_or_default();
        if name.is_empty() {
            return Vec::new();
        }
        let slash = name.ends_with('/') || name.ends_with("/.");
        if has_wildcards {
            let found = self.matched_by(&escaped(text), base);
            if !found.is_empty() {
                return found
                    .into_iter()
                    .map(|path| Place::At(path, slash))
                    .collect();
            }
        }
        vec![Place::At(base.join(name), slash)]
    }
}

/// The text as a wildcard, with what was quoted in it escaped.
fn escaped(text: &Text) -> String {
    let mut escaped = String::new();
    for part in text.parts() {
        match part {
            Part::Glob(piece) => escaped.push_str(piece),
            Part::Fixed(piece) => {
                for c in piece.chars() {
                    if "*?[\\".contains(c) {
                        escaped.push('\\');
                    }
                    escaped.push(c);
                }
            }
            Part::OneOf(_) | Part::Unknown => {}
        }
    }
    escaped
}

/// An absolute pattern for a word of which parts are unknown.
fn pattern(text: &Text, directory: Option<&Path>) -> Pattern {
    let mut pattern = Pattern::default();
    let start = text.known_start();
    let starts_unknown = matches!(text.parts().first(), Some(Part::Unknown));
    if !start.starts_with('/') && !starts_unknown {
        match directory {
            Some(directory) => pattern.push_known(&directory.to_string_lossy()),
            None => pattern.push_unknown(),
        }
        pattern.push_known("/");
    }
    for part in text.parts() {
        match part {
            Part::Fixed(piece) => pattern.push_known(piece.trim_start_matches("./")),
            Part::Glob(piece) => {
                for c in piece.chars() {
                    match c {
                        '*' | '?' | '[' | ']' => pattern.push_unknown(),
                        c => pattern.push_known(c.encode_utf8(&mut [0; 4])),
                    }
                }
            }
            Part::OneOf(_) | Part::Unknown => pattern.push_unknown(),
        }
    }
    pattern
}
