//! What a run shows: lines for people, one JSON object a line for programs.

use std::io::Write as _;
use std::path::Path;

use fusebox_core::State;
use fusebox_core::decision::Transition;
use fusebox_core::policy::HaltMode;
use fusebox_view::answer::{calls, evidence};
use fusebox_view::phrase;
use serde::Serialize;

use super::end_data::EndData;
use super::ending::Ending;
use super::iteration::Came;
use super::iteration_line;
use super::live::Spent;
use super::stage::Stage;
use super::sums::Sums;
use crate::answer::Answer;
use crate::failure::Failure;
use crate::session::Outcome;
use crate::speech::Speech;

/// The run's voice, and what it has seen so far.
pub(crate) struct Screen {
    speech: Speech,
    stage: Stage,
    sums: Sums,
    /// What each line says first.
    name: &'static str,
    /// Whether calls were scarce when last one was taken.
    scarce: bool,
    /// Whether the run goes on with what the last one was doing.
    resumes: bool,
    /// Whether completion was claimed and nothing could show it.
    pub(super) claimed_in_vain: bool,
    /// The task of a list that was given up when the run was.
    pub(super) given_up: Option<String>,
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
        end: EndData,
        /// How the agent's run ended, and what it said about it.
        class: &'static str,
        said: &'a str,
        tokens: Option<u64>,
        cost_micro_usd: Option<u64>,
        processes_killed: u32,
        answer: Box<Answer<'a>>,
    },
    Ended {
        reason: &'static str,
        exit_code: u8,
        iterations: u64,
        with_progress: u64,
        files_changed: u64,
        duration_ms: u64,
        tokens: Option<u64>,
        cost_micro_usd: Option<u64>,
        answer: Option<Box<Answer<'a>>>,
        kept: Option<String>,
    },
}

/// What the tools of another system look for, under the name they know.
#[derive(Serialize)]
struct Foreign<'a> {
    event: &'static str,
    iteration: u64,
    reason: &'a str,
}

impl Screen {
    pub(crate) fn new(speech: Speech, stage: Stage) -> Self {
        Self {
            speech,
            stage,
            sums: Sums::default(),
            name: "fusebox",
            scarce: false,
            resumes: false,
            claimed_in_vain: false,
            given_up: None,
        }
    }

    pub(super) fn is_json(&self) -> bool {
        self.speech.json
    }

    /// A line for a person, above the lines that stay.
    pub(super) fn say(&self, line: &str) {
        self.tell(&format!("{}: {line}\n", self.name));
    }

    /// A further line of the same remark.
    pub(super) fn add(&self, line: &str) {
        self.tell(&format!("  {line}\n"));
    }

    fn tell(&self, text: &str) {
        match self.stage.writer() {
            Some(mut writer) => {
                let plain = anstream::AutoStream::choice(&std::io::stderr())
                    == anstream::ColorChoice::Never;
                let bytes = if plain {
                    anstream::adapter::strip_str(text).to_string().into_bytes()
                } else {
                    text.as_bytes().to_vec()
                };
                let _ = writer.write_all(&bytes);
            }
            None => self.speech.talk(text),
        }
    }

    /// What a run has come to so far.
    pub(super) fn sums(&self) -> &Sums {
        &self.sums
    }

    /// Says in each line that nothing is denied.
    pub(super) fn only_observes(&mut self) {
        self.name = "fusebox (observe only)";
    }

    /// The terminal that is written to.
    pub(super) fn stage(&self) -> &Stage {
        &self.stage
    }

    /// What the run has used up so far.
    pub(super) fn spent(&self) -> Spent {
        self.sums.spent()
    }

    pub(super) fn complain(&mut self, failure: &Failure) {
        self.stage.clear();
        Speech::fail(failure);
    }

    /// This run is to go on with what the last one was doing.
    pub(super) fn takes_up_the_last(&mut self) {
        self.resumes = true;
    }

    /// The memory goes back to before this run.
    pub(super) fn resumed(&mut self, outcome: &Outcome) {
        let state = outcome.telling().label(outcome.decision.state);
        let reported = phrase::count(outcome.circuit.core.totals.reported, "iteration");
        self.say(&match self.resumes {
            true => format!("resuming: the breaker is {state} after {reported}"),
            false => format!("{reported} so far; the breaker is {state}"),
        });
    }

    pub(super) fn granted(&mut self, asked: &Outcome) {
        asked.notes.iter().for_each(|note| self.say(note));
        let iteration = asked.decision.grant.map_or(0, |grant| grant.0);
        let state = asked.telling().label(asked.decision.state);
        self.say(&format!(
            "iteration {iteration} · {state} · {}",
            calls(&asked.decision.calls)
        ));
        self.warn_of_scarce_calls(asked);
    }

    /// Says it when the calls become scarce, and not each time that they are.
    fn warn_of_scarce_calls(&mut self, asked: &Outcome) {
        let before = std::mem::replace(&mut self.scarce, asked.decision.calls.near);
        if self.scarce && !before {
            let percent = asked.policy.calls.warn_percent;
            self.say(&format!(
                "warning: {percent} % of the calls are used; no more probes until calls free up"
            ));
        }
    }

    pub(super) fn reported(&mut self, came: &Came) {
        let (duration_ms, files) = (came.duration_ms(), came.files_changed());
        self.sums.add(came);
        let usage = &came.facts.usage;
        let decision = &came.outcome.decision;
        if self.speech.json {
            self.speech.json(&Event::Iteration {
                iteration: came.iteration,
                files_changed: files,
                lines_added: came.changes.as_ref().map(|changes| changes.added_lines),
                lines_deleted: came.changes.as_ref().map(|changes| changes.deleted_lines),
                duration_ms,
                end: came.report.end.into(),
                class: came.end.class.name(),
                said: &came.end.detail,
                tokens: usage.tokens(),
                cost_micro_usd: usage.micro_usd,
                processes_killed: came.report.killed,
                answer: Box::new(Answer::of(&came.outcome)),
            });
        }
        self.say(&format!(
            "iteration {} · {}",
            came.iteration,
            iteration_line::of(came, duration_ms)
        ));
        came.without_result.iter().for_each(|line| self.say(line));
        self.refuted(came);
        self.unshowable(came);
        let said = &came.outcome;
        said.notes.iter().for_each(|note| self.say(note));
        said.said.log.iter().for_each(|line| self.say(line));
        self.status_block(said);
        let enters = |transition: &Transition| transition.to == State::Watching;
        // That it has just come to that is among the notes.
        if decision.state == State::Watching && !decision.transitions.iter().any(enters) {
            let reason = fusebox_view::escape::line(&decision.reason, 120);
            self.say(&format!(
                "{} · {reason}",
                came.outcome.telling().label(decision.state)
            ));
        }
    }

    pub(super) fn waiting(&mut self, outcome: &Outcome) {
        let telling = outcome.telling();
        let label = telling.label(outcome.decision.state);
        let reason = fusebox_view::escape::line(&outcome.decision.reason, 120);
        self.say(&format!("waiting · {label} · {reason}"));
        telling
            .way_out(&outcome.decision)
            .iter()
            .for_each(|line| self.add(line));
    }

    pub(super) fn opened(&mut self, outcome: &Outcome) {
        let telling = outcome.telling();
        self.say(&telling.headline(&outcome.decision));
        self.proof(outcome);
    }

    /// The block that another system gives out after each tick, where it asks at its end. Where it
    /// ends, the block goes with the end.
    fn status_block(&self, outcome: &Outcome) {
        let asks = outcome.policy.halt == HaltMode::Prompt && !self.speech.json;
        if let Some(block) = outcome.said.block.as_ref().filter(|_| asks) {
            self.stage.clear();
            self.speech.data(block);
        }
    }

    /// The question of another system's own, where nobody is there to be asked: whoever reads
    /// the log later is told what happened and what a person can do.
    pub(super) fn asked_nobody(&mut self, outcome: &Outcome, question: &str) {
        let speaks = outcome.said.menu.is_some() || outcome.policy.companion.is_some();
        if speaks && !self.speech.json {
            let question = question.trim_start_matches('\n');
            question
                .lines()
                .for_each(|line| self.tell(&format!("{line}\n")));
        }
    }

    pub(super) fn explained(&mut self, outcome: &Outcome) {
        let text = outcome.telling().explanation(&outcome.decision);
        text.lines().for_each(|line| self.add(line));
    }

    /// The opening in the words of a companion's log, where there is a companion.
    pub(super) fn log_opening(&self, outcome: &Outcome) {
        let Some(companion) = outcome.policy.companion else {
            return;
        };
        let event = companion.open_event;
        let reason = &outcome.decision.reason;
        if self.speech.json {
            let iteration = outcome.circuit.core.iterations;
            self.speech.json(&Foreign {
                event,
                iteration,
                reason,
            });
        }
        let reason = fusebox_view::escape::line(reason, 120);
        self.say(&format!("{event} reason={reason}"));
    }

    /// The step that opened the breaker did what the agent was asked for.
    pub(super) fn complete_but_open(&self, evidence: &str) {
        self.say(&format!(
            "the agent says that the work is complete, and {evidence}; the breaker is open all the same"
        ));
    }

    /// The breaker opened and the loop goes on: a warning in the log.
    pub(super) fn alert(&mut self, outcome: &Outcome) {
        let telling = outcome.telling();
        let label = telling.label(outcome.decision.state);
        let reason = fusebox_view::escape::line(&outcome.decision.reason, 120);
        self.say(&format!("warning: {label} · {reason} · going on, as asked"));
        self.proof(outcome);
    }

    /// The next model takes over.
    pub(super) fn escalated(&mut self, outcome: &Outcome, model: &str) {
        self.say(&outcome.telling().headline(&outcome.decision));
        self.proof(outcome);
        let model = fusebox_view::escape::line(model, 80);
        self.say(&format!("escalated · {model} gets one try"));
    }

    fn proof(&mut self, outcome: &Outcome) {
        if let Some(opening) = outcome.circuit.core.phase.opening() {
            let mut text = String::new();
            evidence(&mut text, &opening.evidence);
            text.lines()
                .for_each(|line| self.add(&format!("      {}", line.trim_start())));
        }
    }

    /// What was done, what it cost, why it ended, and what to do next. `kept` is
    /// where it can be looked at, if it will still be there.
    pub(crate) fn ended(&mut self, ending: &Ending, kept: Option<&Path>) {
        self.stage.clear();
        let kept = kept.map(|dir| dir.display().to_string());
        self.say(&ending.headline());
        if let Some(outcome) = ending.outcome() {
            let block = outcome.said.block.as_ref();
            if let Some(block) =
                block.filter(|_| outcome.policy.halt == HaltMode::Exit && !self.speech.json)
            {
                self.speech.data(block);
            }
            let reason = fusebox_view::escape::line(&outcome.decision.reason, 120);
            let rule = outcome.decision.rule.as_deref().unwrap_or("none");
            self.add(&format!("why   {reason} (rule {rule})"));
            self.proof(outcome);
        }
        self.add(&format!("done  {}", self.sums.done()));
        self.add(&format!("cost  {}", self.sums.cost()));
        if let Some(outcome) = ending.outcome() {
            let way_out = outcome.telling().way_out(&outcome.decision);
            way_out
                .iter()
                .for_each(|line| self.add(&format!("next  {line}")));
        }
        self.say_given_up(ending);
        if self.claimed_in_vain {
            self.add("next  `--test`, `--build`, `--require` or `--criteria` can show that the work is complete");
        }
        // What leaves nothing behind cannot be gone on with.
        if let Some(advice) = ending.advice().filter(|_| kept.is_some()) {
            self.add(&format!("next  {advice}"));
        }
        if let Some(kept) = &kept {
            let kept = fusebox_view::escape::line(kept, 1_000);
            self.add(&format!("kept  {kept}"));
        }
        if self.speech.json {
            let answer = ending.outcome().map(Answer::of);
            self.speech.json(&Event::Ended {
                reason: ending.word(),
                exit_code: ending.code(),
                iterations: self.sums.iterations,
                with_progress: self.sums.gained,
                files_changed: self.sums.files.count(),
                duration_ms: self.sums.duration_ms,
                tokens: self.sums.tokens,
                cost_micro_usd: self.sums.micro_usd,
                answer: answer.map(Box::new),
                kept,
            });
        }
    }
}
