//! The parts of a parsed command, in the order in which a shell takes them.

use brush_parser::ast::{
    AndOr, AndOrList, CaseClauseCommand, Command, CompoundCommand, CompoundList, ExtendedTestExpr,
    ForClauseCommand, IfClauseCommand, Pipeline,
};

use super::redirect::Streams;
use super::{Engine, Status};
use crate::stop::Stop;
use crate::text::Text;

/// More turns of a loop than these are not followed one by one.
const MOST_TURNS: usize = 64;

impl Engine<'_> {
    pub(crate) fn list(&mut self, list: &CompoundList) -> Result<Status, Stop> {
        let mut status = Some(true);
        for item in &list.0 {
            status = self.and_or(&item.0)?;
            self.shell.settle();
        }
        Ok(status)
    }

    fn and_or(&mut self, list: &AndOrList) -> Result<Status, Stop> {
        let mut status = self.pipeline(&list.first)?;
        let mut skipped = Vec::new();
        for next in &list.additional {
            let (pipeline, wanted) = match next {
                AndOr::And(pipeline) => (pipeline, true),
                AndOr::Or(pipeline) => (pipeline, false),
            };
            match status {
                Some(known) if known != wanted => {}
                Some(_) => status = self.pipeline(pipeline)?,
                None => {
                    let before = self.shell.clone();
                    if !wanted {
                        self.shell.settle();
                    }
                    let then = self.pipeline(pipeline)?;
                    if wanted {
                        skipped.push(before);
                    } else {
                        let after = std::mem::replace(&mut self.shell, before.clone());
                        self.shell = after.or(before);
                    }
                    status = if then == Some(!wanted) && wanted {
                        then
                    } else {
                        None
                    };
                }
            }
        }
        // Where it stands after `cd x && …` is told by the `cd` itself.
        for before in skipped {
            self.shell.or_variables_of(before);
        }
        Ok(status)
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Result<Status, Stop> {
        let status = match pipeline.seq.as_slice() {
            [only] => self.command(only)?,
            stages => self.apart(|engine| {
                let input = engine.stdin.clone();
                let mut status = None;
                for (index, stage) in stages.iter().enumerate() {
                    if index + 1 == stages.len() {
                        status = engine.command(stage)?;
                    } else {
                        let (_, printed) = engine.capture(|engine| engine.command(stage))?;
                        engine.stdin = printed;
                    }
                }
                engine.stdin = input;
                Ok(status)
            })?,
        };
        Ok(if pipeline.bang {
            status.map(|known| !known)
        } else {
            status
        })
    }

    pub(super) fn command(&mut self, command: &Command) -> Result<Status, Stop> {
        self.spend()?;
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
                self.shell.functions.insert(name, function.body.clone());
                Ok(Some(true))
            }
            Command::ExtendedTest(test, _) => {
                self.extended_test(&test.expr)?;
                Ok(None)
            }
        }
    }

    fn extended_test(&mut self, test: &ExtendedTestExpr) -> Result<(), Stop> {
        match test {
            ExtendedTestExpr::And(a, b) | ExtendedTestExpr::Or(a, b) => {
                self.extended_test(a)?;
                self.extended_test(b)
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => {
                self.extended_test(inner)
            }
            ExtendedTestExpr::UnaryTest(_, word) => self.text(&word.value).map(drop),
            ExtendedTestExpr::BinaryTest(_, left, right) => {
                self.text(&left.value)?;
                self.text(&right.value).map(drop)
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
            CompoundCommand::WhileClause(clause) => self.again_and_again(|engine| {
                if engine.list(&clause.0)? != Some(false) {
                    engine.list(&clause.1.list)?;
                }
                Ok(())
            }),
            CompoundCommand::UntilClause(clause) => self.again_and_again(|engine| {
                if engine.list(&clause.0)? != Some(true) {
                    engine.list(&clause.1.list)?;
                }
                Ok(())
            }),
            CompoundCommand::ArithmeticForClause(clause) => {
                self.again_and_again(|engine| engine.list(&clause.body.list).map(drop))
            }
            CompoundCommand::Arithmetic(command) => {
                self.arithmetic(&command.expr)?;
                Ok(None)
            }
            CompoundCommand::Coprocess(coprocess) => {
                self.apart(|engine| engine.command(&coprocess.body))
            }
        }
    }

    /// Follows what may happen any number of times. A second turn starts from what the first
    /// one left behind, and is only of interest if that is something else.
    fn again_and_again(
        &mut self,
        mut turn: impl FnMut(&mut Self) -> Result<(), Stop>,
    ) -> Result<Status, Stop> {
        for _ in 0..2 {
            let before = self.shell.clone();
            turn(self)?;
            let after = std::mem::replace(&mut self.shell, before.clone());
            let is_same = after.stands_as(&before);
            self.shell = after.or(before);
            if is_same {
                break;
            }
        }
        Ok(None)
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
                Some(condition) => self.list(condition)?,
                None => Some(true),
            };
            if met == Some(false) {
                continue;
            }
            let before = self.shell.clone();
            self.list(body)?;
            ends.push(std::mem::replace(&mut self.shell, before));
            if met == Some(true) {
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
            self.shell = ends.fold(first, super::Shell::or);
        }
        Ok(None)
    }

    fn for_clause(&mut self, clause: &ForClauseCommand) -> Result<Status, Stop> {
        let mut values = Vec::new();
        match &clause.values {
            Some(words) => {
                for word in words {
                    for field in self.fields(&word.value)? {
                        values.extend(self.named_by(&field)?);
                    }
                }
            }
            None => values = self.shell.arguments.clone(),
        }
        if values.len() > MOST_TURNS {
            values = vec![
                values
                    .iter()
                    .fold(Text::default(), |either, value| either.or(value)),
            ];
        }
        for value in values {
            self.shell.set_text(&clause.variable_name, value);
            self.list(&clause.body.list)?;
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
            super::Place::Like(_) => field.clone(),
        };
        Ok(places.into_iter().map(text).collect())
    }

    fn case_clause(&mut self, clause: &CaseClauseCommand) -> Result<Status, Stop> {
        let value = self.text(&clause.value.value)?.known();
        let before = self.shell.clone();
        let mut end = before.clone();
        for case in &clause.cases {
            let mut fits = false;
            for pattern in &case.patterns {
                let pattern = self.text(&pattern.value)?.known();
                fits |= match (&value, pattern) {
                    (Some(value), Some(pattern)) => crate::glob::matches(&pattern, value),
                    _ => true,
                };
            }
            if let (true, Some(list)) = (fits, &case.cmd) {
                self.shell = before.clone();
                self.list(list)?;
                end = end.or(self.shell.clone());
            }
        }
        self.shell = end;
        Ok(None)
    }
}
