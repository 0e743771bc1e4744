//! Pipelines, branches and loops, in the order in which a shell takes them.

use std::path::Path;
use std::rc::Rc;

use brush_parser::ast::{Command, CompoundCommand, IfClauseCommand, Pipeline};

use super::emptiness::Emptiness;
use super::narrowing::only_of;
use super::redirect::Streams;
use super::{Engine, Shell, Status};
use crate::stop::Stop;
use crate::text::Text;

impl Engine<'_> {
    pub(super) fn pipeline(&mut self, pipeline: &Pipeline) -> Result<Status, Stop> {
        let status = match pipeline.seq.as_slice() {
            [only] if pipeline.bang => self.asked(|engine| engine.command(only))?,
            [only] => self.command(only)?,
            // Each stage is a shell of its own.
            stages => {
                let input = self.stdin.clone();
                let within = self.stdin_within.take();
                let mut status = None;
                for (index, stage) in stages.iter().enumerate() {
                    let run = |engine: &mut Self| engine.apart(|engine| engine.command(stage));
                    if index + 1 == stages.len() {
                        status = run(self)?;
                    } else {
                        (_, self.stdin, self.stdin_within) = self.capture_within(run)?;
                    }
                }
                self.stdin = input;
                self.stdin_within = within;
                status
            }
        };
        Ok(if pipeline.bang {
            status.map(|known| !known)
        } else {
            status
        })
    }

    pub(super) fn command(&mut self, command: &Command) -> Result<Status, Stop> {
        self.spend()?;
        if self.shell.has_ended {
            return Ok(None);
        }
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) => {
                let mut streams = Streams::default();
                for redirect in redirects.iter().flat_map(|list| &list.0) {
                    self.redirect(redirect, &mut streams)?;
                }
                self.with_streams(streams, |engine| engine.compound(compound))
            }
            Command::Function(function) => {
                let name = function.fname.value.clone();
                let body = Some(Rc::new(function.body.clone()));
                self.shell.remember_where_defined(&name);
                self.shell.functions.insert(name, vec![body]);
                Ok(Some(true))
            }
            Command::ExtendedTest(test, redirects) => {
                let mut streams = Streams::default();
                for redirect in redirects.iter().flat_map(|list| &list.0) {
                    self.redirect(redirect, &mut streams)?;
                }
                self.with_streams(streams, |engine| engine.extended_test(&test.expr))
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) -> Result<Status, Stop> {
        match compound {
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => self.apart(|engine| engine.list(&subshell.list)),
            CompoundCommand::IfClause(clause) => self.if_clause(clause),
            CompoundCommand::ForClause(clause) => self.for_clause(clause),
            CompoundCommand::CaseClause(clause) => self.case_clause(clause),
            CompoundCommand::WhileClause(clause) => {
                self.again_and_again(|engine| {
                    if engine.asked(|engine| engine.list(&clause.0))? != Some(false) {
                        engine.list(&clause.1.list)?;
                    }
                    Ok(())
                })?;
                self.shell.read_to_the_end();
                Ok(None)
            }
            CompoundCommand::UntilClause(clause) => self.again_and_again(|engine| {
                if engine.asked(|engine| engine.list(&clause.0))? != Some(true) {
                    engine.list(&clause.1.list)?;
                }
                Ok(())
            }),
            CompoundCommand::ArithmeticForClause(clause) => {
                self.again_and_again(|engine| engine.list(&clause.body.list).map(drop))
            }
            CompoundCommand::Arithmetic(command) => {
                self.arithmetic(&command.expr)?;
                let status = self.counted(&command.expr.value);
                // What is more than a comparison may also set something.
                if status.is_none() {
                    self.shell.own = None;
                }
                Ok(status)
            }
            CompoundCommand::Coprocess(coprocess) => {
                self.apart(|engine| engine.command(&coprocess.body))
            }
        }
    }

    fn if_clause(&mut self, clause: &IfClauseCommand) -> Result<Status, Stop> {
        let mut branches = vec![(Some(&clause.condition), &clause.then)];
        for other in clause.elses.iter().flatten() {
            branches.push((other.condition.as_ref(), &other.body));
        }
        let mut ends = Vec::new();
        let mut falls_through = true;
        for (condition, body) in branches {
            let met = match condition {
                Some(condition) => self.asked(|engine| engine.list(condition))?,
                None => Some(true),
            };
            if met == Some(false) {
                continue;
            }
            let before = self.behind(condition.and_then(Emptiness::of_list), false);
            let test = condition.and_then(only_of).filter(|_| met.is_none());
            let before = match (test, before) {
                (Some(test), Some(before)) => {
                    let failed = self.narrowed(before, test, false)?;
                    match self.narrowed(self.shell.clone(), test, true)? {
                        Some(passed) => self.shell = passed,
                        None => continue,
                    }
                    failed
                }
                (_, before) => before,
            };
            self.list(body)?;
            let certain = met == Some(true) || before.is_none();
            let before = before.unwrap_or_else(|| self.shell.clone());
            ends.push(std::mem::replace(&mut self.shell, before));
            if certain {
                falls_through = false;
                break;
            }
        }
        let skipped = self.shell.clone();
        let mut ends = ends.into_iter();
        let first = if falls_through {
            Some(skipped)
        } else {
            ends.next()
        };
        if let Some(first) = first {
            self.shell = ends.fold(first, Shell::or);
        }
        Ok(None)
    }

    /// The names that a wildcard becomes, as text.
    pub(crate) fn named_by(&mut self, field: &Text) -> Result<Vec<Text>, Stop> {
        if *field == field.quoted() || field.is_unknown() {
            return Ok(vec![field.clone()]);
        }
        let places = self.places(field)?;
        let text = |place| match place {
            super::Place::At(path, _) => Text::fixed(path.to_string_lossy().into_owned()),
            // Whoever quotes it later means the names, and not the wildcard.
            super::Place::Like(_) => field.with_wildcards_unknown(),
        };
        Ok(places.into_iter().map(text).collect())
    }

    /// The same, with paths as they are seen from here where that is one place.
    pub(crate) fn named_from_here(&mut self, field: &Text) -> Result<Vec<Text>, Stop> {
        let named = self.named_by(field)?;
        let [Some(here)] = self.shell.directories.as_slice() else {
            return Ok(named);
        };
        let is_absolute = field.known_start().starts_with('/');
        if is_absolute || *field == field.quoted() {
            return Ok(named);
        }
        let here = self.resolver().beyond_links(here);
        let short = |name: &Text| {
            let path = name.known()?;
            let below = Path::new(&path).strip_prefix(&here).ok()?;
            Some(Text::fixed(below.to_string_lossy().into_owned()))
        };
        let shortened = named.iter().map(|name| short(name).unwrap_or(name.clone()));
        Ok(shortened.collect())
    }

    /// Words with their wildcards replaced by what they match, as the shell hands them over.
    pub(crate) fn all_named(&mut self, words: &[Text]) -> Result<Vec<Text>, Stop> {
        let mut named = Vec::new();
        for word in words {
            named.extend(self.named_from_here(word)?);
        }
        Ok(named)
    }
}
