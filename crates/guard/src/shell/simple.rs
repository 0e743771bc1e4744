//! Simple commands: assignments, words, redirections, and then a call.

use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem, FunctionBody,
    ProcessSubstitutionKind, SimpleCommand, SubshellCommand,
};

use super::redirect::Streams;
use super::{Engine, Status, Variable};
use crate::commands;
use crate::stop::Stop;
use crate::text::{Data, Text};

/// A simple command with its words expanded.
#[derive(Default)]
struct Prepared {
    words: Vec<Text>,
    assigned: Vec<(String, Variable, bool)>,
    streams: Streams,
}

impl Engine<'_> {
    pub(super) fn simple(&mut self, simple: &SimpleCommand) -> Result<Status, Stop> {
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
        self.with_streams(streams, |engine| {
            if words.is_empty() {
                for (name, value, append) in assigned {
                    engine.assign(&name, value, append);
                }
                return Ok(Some(true));
            }
            let before: Vec<_> = assigned
                .iter()
                .map(|(name, ..)| (name.clone(), engine.shell.variables.get(name).cloned()))
                .collect();
            for (name, value, append) in assigned {
                engine.assign(&name, value, append);
            }
            let status = engine.call(&words)?;
            for (name, value) in before {
                match value {
                    Some(value) => engine.shell.variables.insert(name, value),
                    None => engine.shell.variables.remove(&name),
                };
            }
            Ok(status)
        })
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
                // `export A=b`, and `dd of=x` which only looks like it.
                let (name, value) = self.assignment(assignment)?;
                if let Variable::Array(_) = value {
                    self.assign(&name, value, assignment.append);
                    into.words.push(Text::fixed(name));
                } else {
                    into.words.extend(self.fields(&word.value)?);
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
        let run = |engine: &mut Self| engine.apart(|engine| engine.list(&subshell.list));
        let (_, printed) = self.capture(run)?;
        self.stdin = before;
        self.shell.pipes += 1;
        let path = format!("/dev/pipe-{}", self.shell.pipes);
        self.shell.files.insert(path.clone().into(), printed);
        Ok(Text::fixed(path))
    }

    fn assignment(&mut self, assignment: &Assignment) -> Result<(String, Variable), Stop> {
        let name = match &assignment.name {
            AssignmentName::VariableName(name) => name,
            AssignmentName::ArrayElementName(name, index) => {
                self.text(index)?;
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
                        items.push(text);
                        Variable::Array(items)
                    }
                    AssignmentName::VariableName(_) => Variable::Scalar(text),
                }
            }
            AssignmentValue::Array(items) => {
                let mut texts = Vec::new();
                for (_, item) in items {
                    for field in self.fields(&item.value)? {
                        texts.extend(self.named_by(&field)?);
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
        self.shell.set(name, value);
    }

    /// Calls a function, a builtin or a program.
    pub(crate) fn call(&mut self, words: &[Text]) -> Result<Status, Stop> {
        self.spend()?;
        let Some((name, arguments)) = words.split_first() else {
            return Ok(Some(true));
        };
        if let Some(known) = name.known()
            && let Some(body) = self.shell.functions.get(&known).cloned()
        {
            return self.function(&body, arguments);
        }
        let before = std::mem::replace(&mut self.doing, shown(words));
        let status = self.deeper(|engine| match engine.builtin(name, arguments)? {
            Some(status) => Ok(status),
            None => commands::run(engine, name, arguments),
        });
        self.doing = before;
        status
    }

    fn function(&mut self, body: &FunctionBody, arguments: &[Text]) -> Result<Status, Stop> {
        let before = std::mem::replace(&mut self.shell.arguments, arguments.to_vec());
        let status = self
            .deeper(|engine| engine.command(&Command::Compound(body.0.clone(), body.1.clone())));
        self.shell.arguments = before;
        status
    }
}

/// A command for people, cut where it gets long.
fn shown(words: &[Text]) -> String {
    let words: Vec<String> = words.iter().map(Text::shown).collect();
    words.join(" ").chars().take(120).collect()
}
