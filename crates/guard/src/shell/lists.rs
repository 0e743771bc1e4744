//! Commands one after another, joined by `;`, `&`, `&&` and `||`.

use brush_parser::ast::{AndOr, AndOrList, Command, CompoundList, Pipeline, SeparatorOperator};

use super::emptiness::Emptiness;
use super::{Engine, Shell, Status};
use crate::stop::Stop;

impl Engine<'_> {
    pub(crate) fn list(&mut self, list: &CompoundList) -> Result<Status, Stop> {
        let mut status = Some(true);
        for item in &list.0 {
            status = match item.1 {
                SeparatorOperator::Sequence => self.and_or(&item.0)?,
                // In the background is in a shell of its own.
                SeparatorOperator::Async => {
                    self.apart(|engine| engine.and_or(&item.0))?;
                    Some(true)
                }
            };
            // Behind a `cd` that failed nothing goes on where failures end the shell.
            let ends = self.shell.ends_on_failure && !self.shell.is_asked;
            if ends && item.0.additional.is_empty() {
                self.shell.went();
            }
            self.shell.settle();
        }
        Ok(status)
    }

    /// Follows what is asked whether it succeeds, where a failure ends nothing.
    pub(super) fn asked<T>(
        &mut self,
        follow: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let before = std::mem::replace(&mut self.shell.is_asked, true);
        let result = follow(self);
        self.shell.is_asked = before;
        result
    }

    /// One of several commands that are joined: a failure of the last alone ends the shell.
    fn joined_pipeline(&mut self, list: &AndOrList, number: usize) -> Result<Status, Stop> {
        let pipeline = match number.checked_sub(1).map(|index| &list.additional[index]) {
            None => &list.first,
            Some(AndOr::And(pipeline) | AndOr::Or(pipeline)) => pipeline,
        };
        if number < list.additional.len() {
            return self.asked(|engine| engine.pipeline(pipeline));
        }
        self.pipeline(pipeline)
    }

    /// Follows commands joined by `&&` and `||`. The ways on which an `&&` was not passed are
    /// kept apart until an `||` or the end, where what comes next happens on them too.
    fn and_or(&mut self, list: &AndOrList) -> Result<Status, Stop> {
        let mut status = self.joined_pipeline(list, 0)?;
        let mut last = Some(&list.first);
        let mut skipped = Vec::new();
        for (index, next) in list.additional.iter().enumerate() {
            match (next, status) {
                (AndOr::And(_), Some(false)) => {}
                (AndOr::And(pipeline), Some(true)) => {
                    status = self.joined_pipeline(list, index + 1)?;
                    last = Some(pipeline);
                }
                (AndOr::And(pipeline), None) => {
                    let failed = self.behind(last.and_then(Emptiness::of), false);
                    let (passed, failed) = self.ways_behind(last, failed)?;
                    let Some(passed) = passed else {
                        self.shell = failed.unwrap_or_else(|| self.shell.clone());
                        status = Some(false);
                        continue;
                    };
                    self.shell = passed;
                    let is_set_up = last.is_some_and(is_set_up);
                    skipped.extend(failed.map(|failed| (failed, is_set_up)));
                    let then = self.joined_pipeline(list, index + 1)?;
                    status = then.filter(|succeeds| !succeeds);
                    last = Some(pipeline);
                }
                (AndOr::Or(_), Some(true)) => {}
                (AndOr::Or(_), _) => {
                    let succeeded = match status {
                        Some(false) => None,
                        _ => {
                            let failed = Some(self.shell.clone());
                            let (_, failed) = self.ways_behind(last, failed)?;
                            let passed = self.behind(last.and_then(Emptiness::of), true);
                            let passed = match passed {
                                Some(passed) => self.passed(last, passed)?,
                                None => None,
                            };
                            // Where it cannot fail, only those get here that were skipped.
                            match (failed, &passed) {
                                (Some(failed), _) => self.shell = failed,
                                (None, Some(_)) if skipped.is_empty() => {
                                    status = Some(true);
                                    continue;
                                }
                                _ => {}
                            }
                            passed
                        }
                    };
                    self.join(&mut skipped);
                    self.shell.settle();
                    let then = self.joined_pipeline(list, index + 1)?;
                    status = match succeeded {
                        Some(mut succeeded) if self.shell.has_ended => {
                            succeeded.went();
                            self.shell = succeeded;
                            Some(true)
                        }
                        Some(succeeded) => {
                            let failed = std::mem::replace(&mut self.shell, succeeded);
                            self.shell = failed.or(self.shell.clone());
                            None
                        }
                        None => then,
                    };
                    // It may have passed without the last one.
                    last = None;
                }
            }
        }
        let passes_all = skipped.is_empty();
        self.join(&mut skipped);
        Ok(status.filter(|succeeds| passes_all || !succeeds))
    }

    /// The shells behind a test of a value: where it has passed, and where it has not.
    fn ways_behind(
        &mut self,
        test: Option<&Pipeline>,
        failed: Option<Shell>,
    ) -> Result<(Option<Shell>, Option<Shell>), Stop> {
        let passed = self.passed(test, self.shell.clone())?;
        let failed = match (test, failed) {
            (Some(test), Some(failed)) => self.narrowed(failed, test, false)?,
            (_, failed) => failed,
        };
        Ok((passed, failed))
    }

    fn passed(&mut self, test: Option<&Pipeline>, shell: Shell) -> Result<Option<Shell>, Stop> {
        match test {
            Some(test) => self.narrowed(shell, test, true),
            None => Ok(Some(shell)),
        }
    }

    /// The shell behind a condition that has passed or not, as far as that tells something.
    pub(super) fn behind(&self, test: Option<Emptiness>, passed: bool) -> Option<Shell> {
        let here = self.shell.clone();
        match test {
            Some(test) => test.behind(here, passed),
            None => Some(here),
        }
    }

    /// The ways that were kept apart come together again.
    fn join(&mut self, skipped: &mut Vec<(Shell, bool)>) {
        for (before, was_set_up) in skipped.drain(..) {
            if was_set_up && !self.shell.has_ended {
                // Nobody goes on where `mkdir -p x && cd x` has failed.
                self.shell.or_variables_of(before);
            } else {
                let here = self.shell.clone();
                self.shell = here.or(before);
            }
        }
    }
}

/// Commands that only prepare for what comes behind `&&`.
fn is_set_up(pipeline: &Pipeline) -> bool {
    match pipeline.seq.as_slice() {
        [Command::Simple(simple)] => simple.word_or_name.as_ref().is_some_and(|name| {
            matches!(name.value.as_str(), "mkdir" | "echo" | "printf" | "touch")
        }),
        _ => false,
    }
}
