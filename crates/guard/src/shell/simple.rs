//! Simple commands: assignments, words, redirections, and then a call.

use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem, FunctionBody,
    ProcessSubstitutionKind, SimpleCommand, SubshellCommand,
};

use super::redirect::Streams;
use super::wildcards::{Braces, braces};
use super::{Engine, Shell, Status, Variable};
use crate::commands;
use crate::stop::Stop;
use crate::text::{Data, Text};

/// So many words of a command may be there or not; of more, all are taken to be there.
const MOST_UNCERTAIN: usize = 2;

/// An element of an array behind so many others is put at the end.
const MOST_ELEMENTS: usize = 1_024;

/// A simple command with its words expanded.
#[derive(Default)]
struct Prepared {
    words: Vec<Text>,
    assigned: Vec<(String, Variable, bool)>,
    streams: Streams,
}

impl Engine<'_> {
    pub(super) fn simple(&mut self, simple: &SimpleCommand) -> Result<Status, Stop> {
        if let Some((name, meaning, command)) = self.alias_of(simple) {
            // An alias that is part of its own meaning is an ordinary name there.
            self.shell.aliases.remove(&name);
            let status = self.source(&command);
            self.shell.aliases.insert(name, meaning);
            return status;
        }
        let outer = std::mem::take(&mut self.borrows);
        let status = self.with_words(simple);
        self.borrows = outer;
        status
    }

    fn with_words(&mut self, simple: &SimpleCommand) -> Result<Status, Stop> {
        let mut prepared = Prepared::default();
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            self.prepare(item, &mut prepared, true)?;
        }
        if let Some(name) = &simple.word_or_name {
            prepared.words = self.fields(&name.value)?;
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.prepare(item, &mut prepared, false)?;
        }
        let Prepared {
            words,
            assigned,
            streams,
        } = prepared;
        let lasts =
            streams.may_fail && matches!(words.as_slice(), [only] if *only == Text::fixed("exec"));
        self.shell.may_not_print |= lasts;
        self.with_streams(streams, |engine| {
            if words.is_empty() {
                for (name, value, append) in assigned {
                    engine.assign(&name, value, append);
                }
                // It fails with the last substitution in it, or where it is read-only.
                return Ok(None);
            }
            let before: Vec<_> = assigned
                .iter()
                .map(|(name, ..)| (name.clone(), engine.shell.variables.get(name).cloned()))
                .collect();
            let mut only_here = Vec::new();
            for (name, value, append) in assigned {
                engine.assign(&name, value, append);
                if engine.shell.exported.insert(name.clone()) {
                    only_here.push(name);
                }
            }
            let status = engine.call_with_or_without(&words)?;
            for name in only_here {
                engine.shell.exported.remove(&name);
            }
            for (name, value) in before {
                engine.shell.disown(&name);
                match value {
                    Some(value) => engine.shell.variables.insert(name, value),
                    None => engine.shell.variables.remove(&name),
                };
            }
            Ok(status)
        })
    }

    /// The alias that a command begins with, what it means, and the command with that
    /// written out, in a shell that does so.
    fn alias_of(&self, simple: &SimpleCommand) -> Option<(String, String, String)> {
        if !self.shell.switched_on.contains("expand_aliases") {
            return None;
        }
        let name = &simple.word_or_name.as_ref()?.value;
        let meaning = self.shell.aliases.get(name)?;
        let rest = simple.suffix.as_ref().map(ToString::to_string);
        let command = format!("{meaning} {}", rest.unwrap_or_default());
        Some((name.clone(), meaning.clone(), command))
    }

    fn prepare(
        &mut self,
        item: &CommandPrefixOrSuffixItem,
        into: &mut Prepared,
        before_name: bool,
    ) -> Result<(), Stop> {
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => {
                self.redirect(redirect, &mut into.streams)?;
            }
            CommandPrefixOrSuffixItem::Word(word) => into.words.extend(self.fields(&word.value)?),
            CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) if before_name => {
                let (name, value) = self.assignment(assignment)?;
                into.assigned.push((name, value, assignment.append));
            }
            CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) => {
                // `dd of=x` only looks like an assignment, and its value is split. Of
                // `export a={b,c}` each word is one of its own.
                let declares = into.words.first().is_some_and(declares);
                if !declares || braces(&word.value) != Braces::Words(vec![word.value.clone()]) {
                    into.words.extend(self.fields(&word.value)?);
                    return Ok(());
                }
                match self.assignment(assignment)? {
                    (name, Variable::Scalar(value)) if !assignment.append => {
                        let mut word = Text::fixed(format!("{name}="));
                        word.append(&value.quoted());
                        into.words.push(word);
                    }
                    (name, value) => {
                        self.assign(&name, value, assignment.append);
                        into.words.push(Text::fixed(name));
                    }
                }
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(kind, subshell) => {
                let pipe = self.process_substitution(kind, subshell)?;
                into.words.push(pipe);
            }
        }
        Ok(())
    }

    /// Follows `<(…)` and `>(…)`; answers with the name of a file that holds what it prints.
    pub(crate) fn process_substitution(
        &mut self,
        kind: &ProcessSubstitutionKind,
        subshell: &SubshellCommand,
    ) -> Result<Text, Stop> {
        let input = match kind {
            ProcessSubstitutionKind::Read => self.stdin.clone(),
            ProcessSubstitutionKind::Write => Data::Unknown,
        };
        let before = std::mem::replace(&mut self.stdin, input);
        let within = self.stdin_within.take();
        let run = |engine: &mut Self| engine.apart(|engine| engine.list(&subshell.list));
        let (_, printed) = self.capture(run)?;
        self.stdin = before;
        self.stdin_within = within;
        self.shell.pipes += 1;
        let path = format!("/dev/pipe-{}", self.shell.pipes);
        self.shell.files.insert(path.clone().into(), printed);
        Ok(Text::fixed(path))
    }

    fn assignment(&mut self, assignment: &Assignment) -> Result<(String, Variable), Stop> {
        let mut at: Option<usize> = None;
        let name = match &assignment.name {
            AssignmentName::VariableName(name) => name,
            AssignmentName::ArrayElementName(name, index) => {
                at = self
                    .text(index)?
                    .known()
                    .and_then(|index| index.parse().ok());
                name
            }
        };
        let value = match &assignment.value {
            AssignmentValue::Scalar(word) => {
                let text = self.text(&word.value)?;
                match &assignment.name {
                    AssignmentName::ArrayElementName(..) => {
                        let mut items = match self.shell.get(name) {
                            Some(Variable::Array(items)) => items.clone(),
                            _ => Vec::new(),
                        };
                        match at.filter(|at| *at < MOST_ELEMENTS) {
                            Some(at) => {
                                items.resize(items.len().max(at + 1), Text::default());
                                items[at] = text;
                            }
                            None => items.push(text),
                        }
                        Variable::Array(items)
                    }
                    AssignmentName::VariableName(_) => Variable::Scalar(text),
                }
            }
            AssignmentValue::Array(items) => {
                let mut texts = Vec::new();
                for (_, item) in items {
                    for field in self.fields(&item.value)? {
                        texts.extend(self.named_from_here(&field)?);
                    }
                }
                Variable::Array(texts)
            }
        };
        Ok((name.clone(), value))
    }

    pub(crate) fn assign(&mut self, name: &str, value: Variable, append: bool) {
        let value = match (append, self.shell.get(name), value) {
            (true, Some(Variable::Scalar(old)), Variable::Scalar(new)) => {
                let mut both = old.clone();
                both.append(&new);
                Variable::Scalar(both)
            }
            (true, Some(Variable::Array(old)), Variable::Array(new)) => {
                Variable::Array(old.iter().cloned().chain(new).collect())
            }
            (_, _, value) => value,
        };
        let is_own = !self.borrows && (!append || self.shell.has_own(name));
        self.shell.set(name, value);
        if is_own {
            self.shell.own(name);
        }
        self.shell.export_if_all_are(name);
    }

    /// A word that may be nothing may not be there at all, and those behind it move up.
    fn call_with_or_without(&mut self, words: &[Text]) -> Result<Status, Stop> {
        let uncertain: Vec<usize> = (1..words.len())
            .filter(|at| words[*at].may_be_nothing())
            .take(MOST_UNCERTAIN)
            .collect();
        if uncertain.is_empty() {
            return self.call(words);
        }
        let subsets = 0..1_usize << uncertain.len();
        self.either(subsets, |engine, left_out| {
            let is_left_out = |at: usize| {
                let bit = uncertain.iter().position(|uncertain| *uncertain == at);
                bit.is_some_and(|bit| left_out >> bit & 1 == 1)
            };
            let words = words.iter().enumerate();
            let there = words.filter(|(at, _)| !is_left_out(*at));
            let there: Vec<Text> = there.map(|(_, word)| word.clone()).collect();
            engine.call(&there)
        })
    }

    /// Calls a function, a builtin or a program.
    pub(crate) fn call(&mut self, words: &[Text]) -> Result<Status, Stop> {
        self.spend()?;
        let Some((name, arguments)) = words.split_first() else {
            return Ok(None);
        };
        let bodies = name
            .known()
            .and_then(|name| self.shell.functions.get(&name).cloned());
        match bodies.as_deref() {
            None => self.call_program(name, arguments, words),
            Some([Some(body)]) => self.function(name, body, arguments),
            Some(several) => self.either(several.iter(), |engine, body| match body {
                Some(body) => engine.function(name, body, arguments),
                None => engine.call_program(name, arguments, words),
            }),
        }
    }

    /// Goes each of several ways from here; afterwards it may have been any of them.
    fn either<W>(
        &mut self,
        ways: impl Iterator<Item = W>,
        mut go: impl FnMut(&mut Self, W) -> Result<Status, Stop>,
    ) -> Result<Status, Stop> {
        let before = self.shell.clone();
        let mut ends: Option<Shell> = None;
        for way in ways {
            self.shell = before.clone();
            go(self, way)?;
            let end = self.shell.clone();
            ends = Some(match ends {
                Some(ends) => ends.or(end),
                None => end,
            });
        }
        self.shell = ends.unwrap_or(before);
        Ok(None)
    }

    /// Calls a builtin or a program.
    fn call_program(
        &mut self,
        name: &Text,
        arguments: &[Text],
        words: &[Text],
    ) -> Result<Status, Stop> {
        let before = std::mem::replace(&mut self.doing, shown(words));
        let status = self.deeper(|engine| match engine.builtin(name, arguments)? {
            Some(status) => Ok(status),
            None => commands::run(engine, name, arguments),
        });
        self.doing = before;
        status
    }

    fn function(
        &mut self,
        name: &Text,
        body: &FunctionBody,
        arguments: &[Text],
    ) -> Result<Status, Stop> {
        let arguments = self.all_named(arguments)?;
        let before = std::mem::replace(&mut self.shell.arguments, arguments);
        let body = Command::Compound(body.0.clone(), body.1.clone());
        let name = name.known().unwrap_or_default();
        let file = self.shell.defined_in.get(&name).cloned();
        let status = self.deeper(|engine| engine.in_file(file, |engine| engine.command(&body)));
        self.shell.arguments = before;
        status
    }
}

/// Whether a builtin takes assignments as its words.
fn declares(name: &Text) -> bool {
    matches!(
        name.known().as_deref(),
        Some("export" | "declare" | "typeset" | "local" | "readonly")
    )
}

/// A command for people, cut where it gets long.
fn shown(words: &[Text]) -> String {
    let words: Vec<String> = words.iter().map(Text::shown).collect();
    words.join(" ").chars().take(120).collect()
}
