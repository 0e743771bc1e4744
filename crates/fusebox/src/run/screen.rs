//! What a run shows: lines for people, one JSON object a line for programs.

use std::path::Path;

use fusebox_core::State;
use fusebox_view::answer::{calls, evidence};
use fusebox_view::phrase;
use serde::Serialize;

use super::ending::Ending;
use super::iteration::Came;
use crate::answer::Answer;
use crate::failure::Failure;
use crate::session::Outcome;
use crate::speech::Speech;

/// The run's voice, and what it has seen so far.
pub(crate) struct Screen {
    speech: Speech,
    iterations: u64,
    gained: u64,
    files: u64,
    duration_ms: u64,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event<'a> {
    Iteration {
        iteration: u64,
        files_changed: Option<u64>,
        lines_added: Option<u64>,
        lines_deleted: Option<u64>,
        duration_ms: u64,
        end: String,
        processes_killed: u32,
        answer: Box<Answer<'a>>,
    },
    Ended {
        reason: &'static str,
        exit_code: u8,
        iterations: u64,
        with_progress: u64,
        duration_ms: u64,
        answer: Option<Box<Answer<'a>>>,
        kept: Option<String>,
    },
}

impl Screen {
    pub(crate) fn new(speech: Speech) -> Self {
        Self {
            speech,
            iterations: 0,
            gained: 0,
            files: 0,
            duration_ms: 0,
        }
    }

    pub(super) fn is_json(&self) -> bool {
        self.speech.json
    }

    pub(super) fn say(&mut self, line: &str) {
        self.speech.say(line);
    }

    pub(super) fn complain(&mut self, failure: &Failure) {
        Speech::fail(failure);
    }

    /// The memory goes back to before this run.
    pub(super) fn resumed(&mut self, outcome: &Outcome) {
        let state = outcome.telling().label(outcome.decision.state);
        let reported = phrase::count(outcome.circuit.core.totals.reported, "iteration");
        self.speech
            .say(&format!("going on from {state}, {reported} so far"));
    }

    pub(super) fn granted(&mut self, asked: &Outcome) {
        asked.notes.iter().for_each(|note| self.speech.say(note));
        let iteration = asked.decision.grant.map_or(0, |grant| grant.0);
        let state = asked.telling().label(asked.decision.state);
        self.speech.say(&format!(
            "iteration {iteration} · {state} · {}",
            calls(&asked.decision.calls)
        ));
    }

    pub(super) fn reported(&mut self, came: &Came) {
        let duration_ms = u64::try_from(came.report.duration.as_millis()).unwrap_or(u64::MAX);
        let files = came
            .changes
            .as_ref()
            .map(|changes| changes.meaningful as u64);
        self.iterations += 1;
        self.gained += u64::from(files.is_some_and(|count| count > 0));
        self.files += files.unwrap_or(0);
        self.duration_ms += duration_ms;
        let decision = &came.outcome.decision;
        if self.speech.json {
            self.speech.json(&Event::Iteration {
                iteration: came.iteration,
                files_changed: files,
                lines_added: came.changes.as_ref().map(|changes| changes.added_lines),
                lines_deleted: came.changes.as_ref().map(|changes| changes.deleted_lines),
                duration_ms,
                end: format!("{:?}", came.report.end),
                processes_killed: came.report.killed,
                answer: Box::new(Answer::of(&came.outcome)),
            });
        }
        self.speech.say(&format!(
            "iteration {} · {}",
            came.iteration,
            summary(came, duration_ms)
        ));
        if decision.state == State::Watching {
            let reason = fusebox_view::escape::line(&decision.reason, 120);
            self.speech.say(&format!(
                "{} · {reason}",
                came.outcome.telling().label(decision.state)
            ));
        }
    }

    pub(super) fn waiting(&mut self, outcome: &Outcome) {
        let telling = outcome.telling();
        self.speech.say(&format!(
            "waiting · {}",
            telling.headline(&outcome.decision)
        ));
        telling
            .way_out(&outcome.decision)
            .iter()
            .for_each(|line| self.speech.add(line));
    }

    pub(super) fn opened(&mut self, outcome: &Outcome) {
        let telling = outcome.telling();
        self.speech.say(&telling.headline(&outcome.decision));
        self.proof(outcome);
    }

    pub(super) fn explained(&mut self, outcome: &Outcome) {
        let text = outcome.telling().explanation(&outcome.decision);
        text.lines().for_each(|line| self.speech.add(line));
    }

    fn proof(&mut self, outcome: &Outcome) {
        if let Some(opening) = outcome.circuit.core.phase.opening() {
            let mut text = String::new();
            evidence(&mut text, &opening.evidence);
            text.lines()
                .for_each(|line| self.speech.add(&format!("      {}", line.trim_start())));
        }
    }

    /// What was done, what it cost, why it ended, and what to do next. `kept` is
    /// where it can be looked at, if it will still be there.
    pub(crate) fn ended(&mut self, ending: &Ending, kept: Option<&Path>) {
        let kept = kept.map(|dir| dir.display().to_string());
        self.speech.say(&ending.headline());
        if let Some(outcome) = ending.outcome() {
            let reason = fusebox_view::escape::line(&outcome.decision.reason, 120);
            let rule = outcome.decision.rule.as_deref().unwrap_or("none");
            self.speech.add(&format!("why   {reason} (rule {rule})"));
            self.proof(outcome);
        }
        self.speech.add(&format!(
            "done  {} in {}, {} with progress, {} changed",
            phrase::count(self.iterations, "iteration"),
            phrase::duration(self.duration_ms),
            self.gained,
            phrase::count(self.files, "file")
        ));
        let calls = phrase::count(self.iterations, "call");
        self.speech.add(&format!(
            "cost  {calls}; a plain command does not tell its tokens and money"
        ));
        if let Some(outcome) = ending.outcome() {
            let way_out = outcome.telling().way_out(&outcome.decision);
            way_out
                .iter()
                .for_each(|line| self.speech.add(&format!("next  {line}")));
        }
        if let Some(kept) = &kept {
            let kept = fusebox_view::escape::line(kept, 1_000);
            self.speech.add(&format!("kept  {kept}"));
        }
        if self.speech.json {
            let answer = ending.outcome().map(Answer::of);
            self.speech.json(&Event::Ended {
                reason: ending.word(),
                exit_code: ending.code(),
                iterations: self.iterations,
                with_progress: self.gained,
                duration_ms: self.duration_ms,
                answer: answer.map(Box::new),
                kept,
            });
        }
    }
}

fn summary(came: &Came, duration_ms: u64) -> String {
    let mut parts = Vec::new();
    parts.push(match &came.changes {
        Some(changes) if changes.total == 0 => "nothing changed".into(),
        Some(changes) if changes.meaningful == 0 => {
            "only white space or permissions changed".into()
        }
        Some(changes) => format!(
            "{} changed (+{} −{})",
            phrase::count(changes.meaningful as u64, "file"),
            changes.added_lines,
            changes.deleted_lines
        ),
        None => "what changed is unknown".into(),
    });
    parts.push(ended(came));
    parts.push(phrase::duration(duration_ms));
    if came.report.killed > 0 {
        parts.push(format!(
            "{} had to be killed",
            phrase::count(u64::from(came.report.killed), "process")
        ));
    }
    parts.join(" · ")
}

fn ended(came: &Came) -> String {
    use fusebox_supervise::{Crowd, Limit, StepEnd};
    match came.report.end {
        StepEnd::Exited(code) => format!("exit code {code}"),
        StepEnd::Signaled(signal) => format!("ended by signal {signal}"),
        StepEnd::TimedOut(Limit::Overall) => "ended at its time limit".into(),
        StepEnd::TimedOut(Limit::Idle) => "ended for standing idle".into(),
        StepEnd::TooMany { of, count, cap } => match of {
            Crowd::Processes => format!("ended for its {count} processes ({cap} are allowed)"),
            Crowd::Agents => format!("ended for its {count} agents ({cap} are allowed)"),
        },
        StepEnd::Lingered => "ended some time after its result".into(),
        StepEnd::Stopped { .. } => "stopped as asked".into(),
        StepEnd::NotStarted(_) => "never started".into(),
        StepEnd::KeeperLost => "the keeper was killed".into(),
    }
}
