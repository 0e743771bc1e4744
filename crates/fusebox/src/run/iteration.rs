//! One iteration: the command runs, and what came of it is reported.

use std::path::Path;

use fusebox_agents::{EndClass, Exit, Reading, RunEnd};
use fusebox_core::Observation;
use fusebox_core::circuit::{Phase, State};
use fusebox_core::fact::Fact;
use fusebox_core::machine::{self, Claim};
use fusebox_core::observation::Environment;
use fusebox_core::policy::{ErrorIdentity, TickUnit};
use fusebox_guard::keep::Report;
use fusebox_supervise::{Crowd, LeaderEnd, StartFailureKind, StepEnd, StepReport, StopCause};
use fusebox_view::{escape, phrase};
use fusebox_workspace::{Changes, HeadMove, SnapshotId, StashMove};

use super::artifacts::IterationFiles;
use super::ending::Ending;
use super::facts::facts;
use super::features;
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
use super::trouble::{Remedy, Told};
use crate::exit;
use crate::failure::Failure;
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
    /// What a person is told of a result that could not be read.
    pub(super) without_result: Option<String>,
    /// What became of the repositories, in words: commits, switches, stashes.
    pub(super) moves: Vec<String>,
    /// What is to be done about trouble outside.
    pub(super) remedy: Remedy,
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
        let step = self.step(plan, asked, files.as_ref())?;
        self.session.confirm_history()?;
        let structured = plan.work.is_structured();
        let root = &self.session.located.root;
        let features = features::read(root, &asked.policy)?;
        let mut listener = Listener::new(Manner {
            reader: plan.work.speaker().reader(Reading {
                zone: jiff::tz::TimeZone::system(),
                earlier: self.thread.as_ref().map(|thread| thread.totals.clone()),
            }),
            structured,
            json: screen.is_json(),
            clock: self.session.clock,
            requests: &self.requests,
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
            wants_error_line: asked.policy.errors == ErrorIdentity::FirstLine,
            in_session: asked.policy.calls_in_force(),
            lease: self.fleet.as_ref().map(Membership::lease),
            switchboard: self.switchboard.as_mut(),
        });
        let report = self
            .supervisor
            .run(&step, &mut listener, &mut self.signals)
            .map_err(|error| Failure::new(exit::AGENT, error.to_string()))?;
        let heard = listener.finish(exit_of(&report));
        self.denied_in_a_row = heard.activity.denied_in_a_row;
        self.circles = heard
            .circles
            .as_ref()
            .map(|verdict| verdict.message.clone());
        // The agent had the memory within reach all that time.
        self.session.confirm_history()?;
        // What it lost is put back before anything is measured: that is not its work.
        let lost = if self.is_replaced() {
            Ok(Report::default())
        } else {
            self.look_after(screen)
        };
        let after = self.measure.tree();
        let changes = match (before, &after) {
            (Some(before), Ok(after)) => self.measure.shadow.compare(before, after).ok(),
            _ => None,
        };
        let mut facts = facts(
            &report,
            &heard,
            changes.as_ref(),
            asked.policy.errors,
            structured,
        );
        features::tell(root, &asked.policy, features.as_ref(), &mut facts);
        facts.tree = Fact::measured(after.as_ref().ok().map(ToString::to_string));
        facts.task = plan.task.as_ref().map(|task| task.id.clone());
        // A command that fails because the agent never worked proves nothing.
        let conclusive = facts.environment.is_none()
            && !matches!(report.end, StepEnd::Stopped { .. } | StepEnd::NotStarted(_));
        let proof = if conclusive {
            self.prove(plan, &heard, screen)?
        } else {
            Proof::default()
        };
        if conclusive {
            proof.tell(&mut facts, changes.as_ref(), asked.policy.errors);
        }
        if asked.policy.unit == TickUnit::PhaseAction {
            let claims = proof.evidence.claimed.as_ref();
            let claimed = claims.and_then(|claims| claims.phase);
            let counters = &asked.circuit.core.counters;
            phases::tell(&mut facts, claimed, changes.as_ref(), counters);
        }
        if self.tasks.is_some() && proof.of_completion().is_some() {
            facts.tasks_completed = Fact::Measured(1);
        }
        if self.is_out_of_room() {
            facts.environment = Some(Environment::Disk);
        }
        let remedy = self
            .troubles
            .meet(&mut facts, told(&heard, self.session.stamp_ms()));
        let grant = asked.decision.grant;
        let claim = Claim {
            grant,
            secret: Some(self.secret),
        };
        let reported = facts.clone();
        let mut outcome = self
            .session
            .apply(|circuit, policy, now| machine::record(circuit, policy, facts, claim, now))?;
        if let Some(lost) = self.count_losses(lost)? {
            outcome = lost;
        }
        if let Some(why) = betrayal(&report) {
            outcome = self.trip(why)?;
        } else if let Some(moved) = self.trip_if_moved()? {
            outcome = moved;
        }
        self.remember_session(plan, asked, &heard);
        let moves = self.moves();
        let kept = files.as_ref().map(IterationFiles::dir);
        let without_result = structured.then(|| result::remark(&heard, kept)).flatten();
        if let Some(files) = files {
            files.output(&heard.all);
            if let (Some(before), Ok(after)) = (before, &after) {
                files.patch(&mut self.measure.shadow, before, after);
            }
            files.account(&reported, &heard, &outcome);
            if let Some(place) = outcome.policy.artifacts {
                let root = &self.session.located.root;
                let row = outcome.circuit.rows.last();
                if let Err(error) = files.publish(root, place, iteration, row) {
                    screen.say(&format!(
                        "the artifacts could not be put into {place}: {error}"
                    ));
                }
            }
        }
        let ending = ending(&report, &heard, plan, remedy, &reported)
            .or_else(|| cut_short(&report, plan))
            .or_else(|| proof.signal.map(Ending::Signal))
            .or_else(|| proof.of_completion().map(Ending::Complete));
        Ok(Came {
            iteration,
            outcome,
            changes,
            ending,
            moves,
            without_result,
            tool_calls: structured.then_some(heard.activity.tool_calls_completed),
            remedy,
            asked: heard.asked,
            facts: reported,
            end: heard.end,
            report,
        })
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

    /// What the iteration did to the repositories. Their files are the agent's, so
    /// this is told and never counted.
    fn moves(&self) -> Vec<String> {
        let moves = self.measure.moves();
        let told = moves.iter().flat_map(|one| {
            let place = one.work_tree.to_string_lossy();
            let at = if place.is_empty() {
                String::new()
            } else {
                format!(" in {}", escape::line(&place, 60))
            };
            let head = (one.head != HeadMove::Stayed).then(|| one.head.to_string());
            let stash = match one.stash {
                StashMove::Stayed => None,
                StashMove::Grew => Some("stashed work".to_owned()),
                StashMove::Shrank => Some("took up or dropped a stash".to_owned()),
                StashMove::Unclear => Some("stashes changed".to_owned()),
            };
            let words = head.into_iter().chain(stash);
            words.map(move |words| format!("{}{at}", escape::line(&words, 80)))
        });
        told.take(4).collect()
    }

    fn is_out_of_room(&self) -> bool {
        let places: [&Path; 2] = [&self.session.located.root, self.artifacts.dir()];
        places.into_iter().any(|place| {
            rustix::fs::statvfs(place)
                .is_ok_and(|room| room.f_bavail.saturating_mul(room.f_frsize) < ROOM)
        })
    }
}

fn exit_of(report: &StepReport) -> Exit {
    match (report.end, report.leader) {
        (StepEnd::Exited(code), _) => Exit::Code(code),
        (StepEnd::Signaled(signal), _) => Exit::Signal(signal),
        (_, Some(LeaderEnd::Exited(_) | LeaderEnd::Signaled(_)) | None) => Exit::StoppedByUs,
    }
}

fn told(heard: &Heard, now_ms: i64) -> Told {
    let (class, slept) = match heard.cut {
        Some(Cut::Slept(class, wait)) => (class, Some(wait)),
        _ => (heard.end.class, None),
    };
    Told {
        class,
        retry_after: slept.or(heard.end.retry_after),
        own_limit: heard.cut == Some(Cut::Calls),
        now_ms,
    }
}

/// Why the breaker must open whatever the signals say: the agent turned on the
/// supervision itself, multiplied, or got away from it.
fn betrayal(report: &StepReport) -> Option<String> {
    if report.end == StepEnd::KeeperLost {
        return Some("The agent ended the process that keeps it".into());
    }
    if let StepEnd::TooMany { of, count, cap } = report.end {
        let what = match of {
            Crowd::Processes => "processes",
            Crowd::Agents => "agents",
        };
        return Some(format!(
            "The agent grew to {count} {what}, {cap} are allowed"
        ));
    }
    let alive = report.escaped.len() as u64;
    (alive > 0).then(|| {
        format!(
            "{} of the agent could not be ended",
            phrase::count(alive, "process")
        )
    })
}

fn ending(
    report: &StepReport,
    heard: &Heard,
    plan: &Plan,
    remedy: Remedy,
    facts: &Observation,
) -> Option<Ending> {
    match report.end {
        StepEnd::Stopped {
            by: StopCause::Signal(signal),
        } => return Some(Ending::Signal(signal)),
        StepEnd::NotStarted(failure) => {
            return Some(Ending::NotStarted {
                command: plan.work.name(),
                why: failure.to_string(),
                missing: failure.kind == StartFailureKind::NotFound,
            });
        }
        _ => {}
    }
    if heard.cut == Some(Cut::Asked) {
        return Some(Ending::Asked);
    }
    match (remedy, facts.environment) {
        (Remedy::GiveUp, Some(kind)) => Some(Ending::Outside {
            kind,
            said: heard.end.detail.clone(),
        }),
        _ => None,
    }
}

/// One iteration was asked for, and it did not come to its end by itself.
fn cut_short(report: &StepReport, plan: &Plan) -> Option<Ending> {
    match report.end {
        StepEnd::TimedOut(_) | StepEnd::TooMany { .. } if plan.once => Some(Ending::CutShort),
        _ => None,
    }
}

/// Whether a decision opened the breaker, or announced once more that it is.
pub(super) fn opened_now(outcome: &Outcome) -> bool {
    let mut transitions = outcome.decision.transitions.iter();
    transitions.any(|transition| transition.to == State::Open)
}
