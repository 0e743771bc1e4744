//! `fusebox edit`: what a person changes about a workflow of sessions.
//!
//! A reset is a release, so it takes a person, what they have seen of the trouble,
//! and a reason. The state follows every change at once.

mod dialogue;

use std::path::Path;

use fusebox_core::circuit::Cause;
use fusebox_core::clip;
use fusebox_core::journal::Actor;
use fusebox_core::machine::{self, Step, Trip};
use fusebox_core::observation::NAME_BYTES;
use fusebox_core::policy::{Bound, Policy, ProgressRule, THRESHOLD_RANGE};
use fusebox_core::signals::Signal;
use fusebox_core::{Circuit, Moment};
use fusebox_seeds::bmad::{self, features::FeatureStatus, words};
use fusebox_seeds::seed;
use fusebox_view::escape;

use super::Context;
use crate::exit;
use crate::failure::Failure;
use crate::features;
use crate::projection::place;
use crate::session::{Outcome, Session};
use crate::text_file;
use dialogue::Dialogue;

pub(crate) fn run(context: &Context<'_>, answers: &[String]) -> Result<u8, Failure> {
    let session = context.session()?;
    let standing = session.look(machine::status).or_else(|failure| {
        session.correct_files();
        let standing = session.look(machine::status)?;
        context.speech.say(&failure.what);
        Ok::<_, Failure>(standing)
    })?;
    if standing.policy.progress != ProgressRule::Features {
        let what = format!("preset `{}` has no EDIT mode", standing.policy.preset);
        return Err(Failure::new(exit::REFUSED, what)
            .hint("`--preset bmad` has; elsewhere `fusebox reset` releases and the configuration sets thresholds"));
    }
    let mut editing = Editing {
        context,
        session: &session,
        dialogue: Dialogue::open(&session, answers)?,
    };
    editing.menu()?;
    let outcome = session.look(machine::status)?;
    context.speech.say(&standing_line(&outcome));
    Ok(exit::GO)
}

struct Editing<'a> {
    context: &'a Context<'a>,
    session: &'a Session,
    dialogue: Dialogue,
}

impl Editing<'_> {
    fn menu(&mut self) -> Result<(), Failure> {
        loop {
            let asked = "\nEDIT mode\n  [F] Features\n  [C] Circuit Breaker\n  [X] Exit\nChoice: ";
            match self.dialogue.key(asked) {
                Some('f') => self.features()?,
                Some('c') => self.breaker()?,
                Some('x') | None => return Ok(()),
                Some(_) => self.dialogue.show("F, C or X, please.\n"),
            }
        }
    }

    fn breaker(&mut self) -> Result<(), Failure> {
        loop {
            let standing = self.session.look(machine::status)?;
            let asked = format!(
                "\n{}\n  [F] Reset consecutive_failures to 0\n  [A] Reset all (failures + status)\n  [T] Change Threshold\n  [S] Set status\n  [R] Read {}\n  [B] Back\nChoice: ",
                standing_line(&standing),
                bmad::REPORT
            );
            match self.dialogue.key(&asked) {
                Some('f') => self.reset(&standing, false)?,
                Some('a') => self.reset(&standing, true)?,
                Some('t') => self.threshold(&standing)?,
                Some('s') => self.status(&standing)?,
                Some('r') => self.report()?,
                Some('b') => return Ok(()),
                // Whoever exits has exited all menus.
                Some('x') | None => {
                    self.dialogue.close();
                    return Ok(());
                }
                Some(_) => self.dialogue.show("F, A, T, S, R or B, please.\n"),
            }
        }
    }

    /// Counts anew. The trouble is shown first, and a reason is asked for.
    fn reset(&mut self, standing: &Outcome, all: bool) -> Result<(), Failure> {
        self.dialogue
            .show(&list("When to use:", &words::RESET_WHEN));
        self.patterns(standing);
        let Some(reason) = self.reason("What was the root cause, and what was done about it? ")
        else {
            return Ok(());
        };
        let by = self.dialogue.person(self.session)?;
        self.apply(|circuit, policy, now| {
            if all {
                return machine::reset(circuit, policy, reason, by, now).map_err(Failure::from);
            }
            Ok(machine::forget_failures(circuit, policy, reason, by, now))
        })
    }

    /// Makes the status another one of those that there are.
    fn status(&mut self, standing: &Outcome) -> Result<(), Failure> {
        let labels = standing.policy.labels;
        let complete = labels.complete.unwrap_or_default();
        let asked = format!("Status, {}, {} or {complete}: ", labels.closed, labels.open);
        let Some(typed) = self.dialogue.line(&asked) else {
            return Ok(());
        };
        let typed = typed.trim().to_uppercase();
        if typed == labels.closed {
            return self.reset(standing, true);
        }
        if typed != labels.open && typed != complete {
            self.dialogue.show("There is no such status.\n");
            return Ok(());
        }
        if typed == complete && standing.circuit.core.phase.opening().is_some() {
            self.dialogue
                .show("Reset it first: what is open is not complete.\n");
            return Ok(());
        }
        let Some(reason) = self.reason("Why? ") else {
            return Ok(());
        };
        let by = self.dialogue.person(self.session)?;
        self.apply(|circuit, policy, now| {
            if typed == complete {
                return Ok(machine::complete(circuit, policy, now));
            }
            let cause = Cause::Asked;
            Ok(machine::trip(
                circuit,
                policy,
                Trip { reason, by, cause },
                now,
            ))
        })
    }

    /// What the last sessions failed with.
    fn patterns(&self, standing: &Outcome) {
        let rows = standing.circuit.rows.iter().rev().take(5);
        let errors: Vec<String> = rows
            .flat_map(|row| &row.errors)
            .map(|error| escape::line(&error.shown, 100))
            .collect();
        let lines: Vec<&str> = errors.iter().map(String::as_str).collect();
        self.dialogue
            .show(&list("What the last sessions ran into:", &lines));
        self.dialogue
            .show(&format!("[R] reads {} in full.\n", bmad::REPORT));
    }

    fn threshold(&mut self, standing: &Outcome) -> Result<(), Failure> {
        self.dialogue
            .show(&list("When to use:", &words::THRESHOLD_WHEN));
        let old = threshold(&standing.policy);
        let asked = format!("New threshold, 1-99 (3-10 recommended, now {old}): ");
        let Some(typed) = self.dialogue.line(&asked) else {
            return Ok(());
        };
        let Some(new) = typed
            .trim()
            .parse()
            .ok()
            .filter(|new| THRESHOLD_RANGE.contains(new))
        else {
            self.dialogue
                .show("A threshold is a whole number from 1 to 99; there is no off switch.\n");
            return Ok(());
        };
        if let Some(warning) = words::warning(new) {
            self.dialogue.show(&format!("Warning: {warning}\n"));
        }
        if new > old {
            self.dialogue.show(&format!("{}\n", words::CAUTION));
        }
        let Some(reason) = self.reason("Why? ") else {
            return Ok(());
        };
        let by = self.dialogue.person(self.session)?;
        let session = self.session;
        self.apply(|circuit, policy, now| {
            let mut edited = circuit.clone();
            edited.core.threshold = Some(new);
            let held = threshold(&session.policy(&edited)?);
            if held != new {
                let what = format!("the configuration holds the threshold at {held}");
                return Err(Failure::new(exit::REFUSED, what));
            }
            machine::set_threshold(circuit, policy, new, reason, by, now).map_err(|_| {
                Failure::new(exit::USAGE, "a threshold is a whole number from 1 to 99")
            })
        })
    }

    fn report(&self) -> Result<(), Failure> {
        let root = &self.session.located.root;
        let text = text_file::read_beneath(root, Path::new(bmad::REPORT), bmad::MOST_BYTES);
        match text {
            Ok(Some(text)) => {
                let lines = text.lines().map(|line| escape::line(line, 400) + "\n");
                self.dialogue.show(&lines.collect::<String>());
            }
            Ok(None) => self.dialogue.show("There is no report yet.\n"),
            Err(why) => self.dialogue.show(&format!("It cannot be read: {why}\n")),
        }
        Ok(())
    }

    /// Marks a feature as blocked.
    fn features(&mut self) -> Result<(), Failure> {
        let root = &self.session.located.root;
        let standing = self.session.look(machine::status)?;
        let Some(list) = features::read(root, &standing.policy)? else {
            self.dialogue
                .show(&format!("There is no {}.\n", bmad::FEATURES));
            return Ok(());
        };
        let open = list
            .features
            .iter()
            .filter(|one| !matches!(one.status, FeatureStatus::Pass | FeatureStatus::Blocked));
        let lines: Vec<String> = open
            .map(|one| {
                format!(
                    "{}  {}",
                    escape::line(&one.id, 40),
                    escape::line(&one.name, 80)
                )
            })
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        self.dialogue.show(&list_of_features(&lines));
        let Some(id) = self.dialogue.line("Feature to mark as blocked: ") else {
            return Ok(());
        };
        let id = id.trim().to_owned();
        if !list.features.iter().any(|one| one.id == id) {
            self.dialogue.show("There is no such feature.\n");
            return Ok(());
        }
        let Some(reason) = self.reason("Blocked by what? ") else {
            return Ok(());
        };
        let by = self.dialogue.person(self.session)?;
        block(self.session, &id, &reason, by)?;
        self.dialogue
            .show(&format!("{} is blocked.\n", escape::line(&id, 40)));
        Ok(())
    }

    /// A reason, without which nothing happens.
    fn reason(&mut self, asked: &str) -> Option<String> {
        let line = self.dialogue.line(asked)?;
        let reason = clip(line.trim(), NAME_BYTES).to_owned();
        if reason.is_empty() {
            self.dialogue.show("Without a reason nothing is changed.\n");
            return None;
        }
        Some(reason)
    }

    fn apply(
        &self,
        decide: impl FnOnce(&Circuit, &Policy, &Moment) -> Result<Step, Failure>,
    ) -> Result<(), Failure> {
        let outcome = self.session.try_apply(decide)?;
        outcome
            .notes
            .iter()
            .for_each(|note| self.context.speech.say(note));
        // The rules may be others now.
        let standing = self.session.look(machine::status)?;
        self.dialogue
            .show(&format!("{}\n", standing_line(&standing)));
        Ok(())
    }
}

/// Writes the feature as blocked, and notes who said so. The file may have changed
/// since it was shown, so it is read again under the lock.
fn block(session: &Session, id: &str, reason: &str, by: Actor) -> Result<(), Failure> {
    let root = session.located.root.clone();
    let path = Path::new(bmad::FEATURES);
    let failed = |why: String| Failure::new(exit::FEATURES, format!("{}: {why}", bmad::FEATURES));
    session.try_apply(|circuit, policy, now| {
        let text = text_file::read_beneath(&root, path, bmad::MOST_BYTES)
            .map_err(failed)?
            .unwrap_or_default();
        let list = features::read(&root, policy)?.unwrap_or_default();
        let blocked = list
            .block(&text, id, reason)
            .ok_or_else(|| failed(format!("{id} is gone")))?;
        place::replace(&root, path, blocked.as_bytes())
            .map_err(|error| failed(error.to_string()))?;
        Ok(machine::block_task(
            circuit,
            policy,
            id.to_owned(),
            reason.to_owned(),
            by,
            now,
        ))
    })?;
    Ok(())
}

/// At how many failed sessions the breaker triggers.
fn threshold(policy: &Policy) -> u32 {
    let rule = policy.rules.get(Signal::FailedSessions);
    rule.and_then(|rule| rule.trip).map_or(0, Bound::number)
}

/// How the breaker stands, in a line.
fn standing_line(outcome: &Outcome) -> String {
    let seed = seed(outcome.policy.preset);
    let state = outcome.circuit.state();
    let display = seed
        .and_then(|seed| seed.display(state))
        .unwrap_or_else(|| state.name());
    let threshold = threshold(&outcome.policy);
    let (what, whom) = words::guidance(threshold);
    format!(
        "Circuit Breaker: {display} · consecutive failures {} · threshold {threshold} ({what}; {whom})",
        outcome.circuit.core.counters.no_progress
    )
}

fn list(title: &str, lines: &[&str]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| format!("  - {line}\n")).collect();
    format!("{title}\n{lines}")
}

fn list_of_features(lines: &[&str]) -> String {
    match lines {
        [] => "No feature waits to be implemented.\n".to_owned(),
        lines => list("Features that wait to be implemented:", lines),
    }
}
