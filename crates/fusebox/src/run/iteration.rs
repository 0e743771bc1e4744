//! One iteration: the command runs, and what came of it is reported.

use std::path::Path;

use fusebox_agents::{EndClass, Reading, RunEnd};
use fusebox_core::Observation;
use fusebox_core::circuit::{Phase, Row, State};
use fusebox_core::fact::Fact;
use fusebox_core::machine::{self, Claim};
use fusebox_core::observation::{Environment, Shift};
use fusebox_core::policy::{ErrorIdentity, TickUnit};
use fusebox_core::signals::Progress;
use fusebox_guard::keep::{KeepError, Report};
use fusebox_supervise::{StepEnd, StepReport};
use fusebox_view::phrase;
use fusebox_workspace::{Changes, SnapshotId, Unmeasured};

use super::account::Ran;
use super::artifacts::IterationFiles;
use super::ending::Ending;
use super::facts::facts;
use super::fleet::Membership;
use super::launch::requests_left;
use super::listener::{Cut, Heard, Listener, Manner};
use super::live::Live;
use super::phases;
use super::plan::{Plan, Work};
use super::proof::Proof;
use super::purse::Purse;
use super::requests::Request;
use super::result;
use super::screen::Screen;
use super::setup::Ready;
use super::step_end::{betrayal, cut_short, ending, exit_of, told};
use super::trouble::Remedy;
use crate::exit;
use crate::failure::Failure;
use crate::features;
use crate::kept::of_loss;
use crate::session::Outcome;

/// Less room than this on a disk is none.
const ROOM: u64 = 4 << 20;

/// What came of an iteration.
pub(crate) struct Came {
    /// The iteration's number.
    pub(crate) iteration: u64,
    /// What the engine says now.
    pub(crate) outcome: Outcome,
    /// What changed, if that is known.
    pub(crate) changes: Option<Changes>,
    /// How the command ran.
    pub(crate) report: StepReport,
    /// What was reported to the engine.
    pub(crate) facts: Observation,
    /// How the agent's run ended, in its own words.
    pub(crate) end: RunEnd,
    /// Tool calls that were carried out, if anybody told.
    pub(super) tool_calls: Option<u64>,
    /// Whether it gained something, as the engine judged it.
    pub(super) gained: bool,
    /// What a person is told of a result that could not be read.
    pub(super) without_result: Option<String>,
    /// What became of the repositories, in words: commits, switches, stashes.
    pub(super) moves: Vec<String>,
    /// Whether the evidence speaks for what the agent did, and nothing against it.
    pub(super) shown: bool,
    /// Whether completion was claimed and nobody named anything that could show it.
    pub(super) unshowable: bool,
    /// What is to be done about trouble outside.
    pub(super) remedy: Remedy,
    /// Why it was ended before its time, if it was.
    pub(super) cut: Option<Cut>,
    /// What another terminal asked for meanwhile.
    pub(super) asked: Option<Request>,
    /// Why the loop must end, whatever the engine says.
    pub(crate) ending: Option<Ending>,
}

impl Came {
    /// How many files changed in a way that means something, if that is known.
    pub(super) fn files_changed(&self) -> Option<u64> {
        let changes = self.changes.as_ref()?;
        Some(changes.meaningful as u64)
    }

    pub(super) fn duration_ms(&self) -> u64 {
        u64::try_from(self.report.duration.as_millis()).unwrap_or(u64::MAX)
    }
}

/// The work tree around the command, as far as it could be measured.
struct Measured<'a> {
    before: Option<&'a SnapshotId>,
    after: Option<SnapshotId>,
    changes: Option<Changes>,
}

impl Ready<'_> {
    pub(crate) fn iterate(
        &mut self,
        plan: &Plan,
        asked: &Outcome,
        before: Option<&SnapshotId>,
        screen: &mut Screen,
    ) -> Result<Came, Failure> {
        let iteration = asked.decision.grant.map_or(0, |grant| grant.0);
        let files = self.artifacts.iteration(iteration);
        let features = features::read(&self.session.located.root, &asked.policy)?;
        self.hand_over();
        let (report, heard) = self.carry_out(plan, asked, files.as_ref(), screen)?;
        // What it lost is put back before anything is measured: that is not its work.
        let mut lost = self.look_after(screen);
        let measured = self.measure_after(before, screen);
        let changes = measured.changes.as_ref();
        let structured = plan.work.is_structured();
        let mut facts = facts(&report, &heard, changes, asked.policy.errors, structured);
        let root = &self.session.located.root;
        let features_after = features::read(root, &asked.policy);
        facts.tree = Fact::measured(measured.after.as_ref().map(ToString::to_string));
        facts.shift = self.shift(asked, &measured);
        facts.task = plan.task.as_ref().map(|task| task.id.clone());
        self.overstated = None;
        // A command that fails because the agent never worked proves nothing.
        let conclusive = facts.environment.is_none()
            && !matches!(report.end, StepEnd::Stopped { .. } | StepEnd::NotStarted(_));
        let proof = if conclusive {
            let mut proof = self.prove(plan, &heard, screen)?;
            self.overstated = proof.hold_against(changes);
            if let Some(claimed) = self.overstated {
                let files = phrase::count(claimed, "file");
                screen.say(&format!(
                    "the agent says that it is done and that {files} changed, but nothing did: that shows nothing"
                ));
            }
            proof.tell(&mut facts, changes, asked.policy.errors);
            if let Some(by_commands) = proof.lost.take() {
                lost = lost.and_then(|before| Ok(before.and(by_commands?)));
            }
            proof
        } else {
            Proof::inconclusive(&plan.evidence)
        };
        self.belief
            .tell(features.as_ref(), &features_after, &proof, &mut facts);
        self.belief.contradicted = conclusive.then_some(proof.contradicted);
        self.tell_of_progress(asked, &proof, changes, &mut facts);
        self.tell_of_task(asked, &proof, &mut facts);
        let remedy = self
            .troubles
            .meet(&mut facts, told(&heard, self.session.stamp_ms()));
        let found = lost.as_ref().map(|report| report.lost.as_slice());
        self.lost = found.unwrap_or_default().iter().map(of_loss).collect();
        let betrayed = betrayal(&report).or_else(|| proof.betrayal.clone());
        let (outcome, row) = self.decide(asked, facts.clone(), lost, betrayed)?;
        let went_on = self.thread.is_some();
        self.remember_session(plan, asked, &heard);
        let moves = self.moves();
        let kept = files.as_ref().map(IterationFiles::dir);
        let without_result = structured.then(|| result::remark(&heard, kept)).flatten();
        if let Some(files) = &files {
            files.output(&heard.all);
            if let (Some(before), Some(after)) = (measured.before, &measured.after) {
                files.patch(&mut self.measure.shadow, before, after);
            }
            let ran = Ran {
                iteration,
                state: asked.decision.state,
                row: row.as_ref(),
            };
            files.account(&facts, &heard, &ran, &outcome);
            self.publish(files, &ran, &outcome, screen);
        }
        let ending = ending(&report, &heard, plan, remedy, &facts, went_on)
            .or_else(|| cut_short(&report, plan))
            .or_else(|| proof.signal.map(Ending::Signal))
            .or_else(|| proof.of_completion().map(Ending::Complete));
        Ok(Came {
            iteration,
            outcome,
            changes: measured.changes,
            ending,
            moves,
            without_result,
            gained: row.is_some_and(|row| row.progress == Progress::Made),
            tool_calls: structured.then_some(heard.activity.tool_calls_completed),
            shown: proof.shown().is_some(),
            unshowable: proof.is_said() && plan.evidence.is_empty() && features.is_none(),
            remedy,
            cut: heard.cut,
            asked: heard.asked,
            facts,
            end: heard.end,
            report,
        })
    }

    /// Starts the command, hears it to its end, and makes sure that the memory is still
    /// what it was.
    fn carry_out(
        &mut self,
        plan: &Plan,
        asked: &Outcome,
        files: Option<&IterationFiles>,
        screen: &Screen,
    ) -> Result<(StepReport, Heard), Failure> {
        let prompt = self.prompt(plan, asked)?;
        let step = self.step(plan, asked, prompt.clone(), files)?;
        self.session.confirm_history()?;
        let mut listener = Listener::new(Manner {
            reader: plan.work.speaker().reader(Reading {
                zone: jiff::tz::TimeZone::system(),
                earlier: self.thread.as_ref().map(|thread| thread.totals.clone()),
            }),
            structured: plan.work.is_structured(),
            json: screen.is_json(),
            clock: self.session.clock,
            requests: &self.requests,
            limit: self.limit,
            purse: Purse::of(self.session, asked),
            requests_left: requests_left(asked),
            denied_in_a_row: self.denied_in_a_row,
            live: Live::of(
                plan,
                asked,
                screen.stage().clone(),
                screen.spent(),
                self.session.clock,
            ),
            stage: screen.stage().clone(),
            screen,
            wants_error_line: asked.policy.errors == ErrorIdentity::FirstLine,
            in_session: asked.policy.calls_in_force(),
            lease: self.fleet.as_ref().map(Membership::lease),
            switchboard: self.switchboard.as_mut(),
        });
        let report = self
            .supervisor
            .run(&step, &mut listener, &mut self.signals)
            .map_err(|error| Failure::new(exit::AGENT, error.to_string()))?;
        let mut heard = listener.finish(exit_of(&report))?;
        heard.prompt = prompt;
        self.denied_in_a_row = heard.activity.denied_in_a_row;
        let circles = heard.circles.as_ref();
        self.circles = circles.map(|verdict| verdict.message.clone());
        // The agent had the memory within reach all that time.
        self.session.confirm_history()?;
        Ok((report, heard))
    }

    /// The work tree after the command; why something cannot be told of it is said.
    fn measure_after<'a>(
        &mut self,
        before: Option<&'a SnapshotId>,
        screen: &Screen,
    ) -> Measured<'a> {
        let unmeasured = |why: Unmeasured| {
            screen.say(&format!("the work tree cannot be measured: {why}"));
        };
        let after = self.measure.tree().map_err(unmeasured).ok();
        let changes = match (before, &after) {
            (Some(before), Some(after)) => {
                let compared = self.measure.shadow.compare(before, after);
                compared.map_err(unmeasured).ok()
            }
            _ => None,
        };
        Measured {
            before,
            after,
            changes,
        }
    }

    /// How far the work moved, as far as that can be told.
    fn shift(&mut self, asked: &Outcome, measured: &Measured<'_>) -> Fact<Shift> {
        let known = asked.circuit.core.tree.as_deref();
        Fact::measured(
            match (measured.before, &measured.after, &measured.changes) {
                (Some(before), Some(after), Some(changes)) => {
                    Some(self.measure.shift(known, before, after, changes))
                }
                _ => None,
            },
        )
    }

    /// What phases and the disk have to add to the facts.
    fn tell_of_progress(
        &self,
        asked: &Outcome,
        proof: &Proof,
        changes: Option<&Changes>,
        facts: &mut Observation,
    ) {
        if asked.policy.unit == TickUnit::PhaseAction {
            let claims = proof.evidence.claimed.as_ref();
            let claimed = claims.and_then(|claims| claims.phase);
            phases::tell(facts, claimed, changes, &asked.circuit.core);
        }
        facts.approach.clone_from(&proof.evidence.approach);
        if self.is_out_of_room() {
            facts.environment = Some(Environment::Disk);
        }
    }

    /// Reports the iteration; what was lost and whoever turned on the supervision weigh
    /// more than what it did. Answers with the row that the iteration has become as well.
    fn decide(
        &self,
        asked: &Outcome,
        facts: Observation,
        lost: Result<Report, KeepError>,
        betrayed: Option<String>,
    ) -> Result<(Outcome, Option<Row>), Failure> {
        let claim = Claim {
            grant: asked.decision.grant,
            secret: Some(self.secret),
        };
        let mut row = None;
        let mut outcome = self.session.apply(|circuit, policy, now| {
            let step = machine::record(circuit, policy, facts, claim, now);
            let mut entries = step.entries.iter().rev();
            row = entries.find_map(|entry| entry.outcome.row.clone());
            step
        })?;
        if let Some(lost) = self.count_losses(lost)? {
            outcome = lost;
        }
        if let Some(why) = betrayed {
            outcome = self.trip(why)?;
        } else if let Some(moved) = self.trip_if_moved()? {
            outcome = moved;
        }
        Ok((outcome, row))
    }

    /// Puts the artifacts where the way of working wants them, too.
    fn publish(
        &self,
        files: &IterationFiles,
        ran: &Ran<'_>,
        outcome: &Outcome,
        screen: &mut Screen,
    ) {
        let Some(place) = outcome.policy.artifacts else {
            return;
        };
        let root = &self.session.located.root;
        if let Err(error) = files.publish(root, place, ran.iteration, ran.row) {
            screen.say(&format!(
                "the artifacts could not be put into {place}: {error}"
            ));
        }
    }

    /// A session goes on in the next iteration only where that was asked for and
    /// the last one went well: a fresh one is the first step of every recovery.
    fn remember_session(&mut self, plan: &Plan, asked: &Outcome, heard: &Heard) {
        let goes_on = matches!(
            plan.work,
            Work::Agent {
                continue_session: true,
                ..
            }
        );
        let probing = matches!(asked.circuit.core.phase, Phase::Probing(_));
        let sound = matches!(
            heard.end.class,
            EndClass::Finished | EndClass::Stopped | EndClass::TurnCap
        );
        self.thread = match (&heard.end.session, &heard.end.totals) {
            (Some(session), Some(totals)) if goes_on && sound && !probing => {
                Some(super::setup::Thread {
                    session: session.clone(),
                    totals: totals.clone(),
                })
            }
            _ => None,
        };
    }

    fn is_out_of_room(&self) -> bool {
        let places: [&Path; 2] = [&self.session.located.root, self.artifacts.dir()];
        places.into_iter().any(|place| {
            rustix::fs::statvfs(place)
                .is_ok_and(|room| room.f_bavail.saturating_mul(room.f_frsize) < ROOM)
        })
    }
}

/// Whether a decision opened the breaker, or announced once more that it is.
pub(super) fn opened_now(outcome: &Outcome) -> bool {
    let mut transitions = outcome.decision.transitions.iter();
    transitions.any(|transition| transition.to == State::Open)
}
