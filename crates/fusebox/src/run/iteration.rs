//! One iteration: the command runs, and what came of it is reported.

use fusebox_core::Observation;
use fusebox_core::recovery::strategies;
use std::ffi::OsString;

use fusebox_core::fact::Fact;
use fusebox_core::machine::{self, Claim};
use fusebox_core::observation::{Ended, ErrorReport};
use fusebox_supervise::{
    Crowd, Limit, StartFailureKind, Step, StepEnd, StepInput, StepLimits, StepReport, StopCause,
};
use fusebox_view::phrase;
use fusebox_workspace::{Changes, SnapshotId};

use super::ending::Ending;
use super::observer::Recorder;
use super::screen::Screen;
use super::setup::{Plan, Ready};
use crate::exit;
use crate::failure::Failure;
use crate::session::Outcome;
use crate::session::measure::meaningful;

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
    /// Why the loop must end, whatever the engine says.
    pub(crate) ending: Option<Ending>,
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
        let step = self.step(plan, asked);
        self.session.confirm_history()?;
        let mut recorder = Recorder::new(screen);
        let report = self
            .supervisor
            .run(&step, &mut recorder, &mut self.signals)
            .map_err(|error| Failure::new(exit::AGENT, error.to_string()))?;
        let recorder = recorder.finish();
        // The agent had the memory within reach all that time.
        self.session.confirm_history()?;
        let after = self.measure.tree();
        let changes = match (before, &after) {
            (Some(before), Ok(after)) => self.measure.shadow.compare(before, after).ok(),
            _ => None,
        };
        let mut facts = facts(&report, &recorder.last_words(), changes.as_ref());
        facts.tree = Fact::measured(after.as_ref().ok().map(ToString::to_string));
        let grant = asked.decision.grant;
        let claim = Claim {
            grant,
            secret: Some(self.secret),
        };
        let mut outcome = self
            .session
            .apply(|circuit, policy, now| machine::record(circuit, policy, facts, claim, now))?;
        if let Some(why) = betrayal(&report) {
            outcome = self.trip(why)?;
        } else if let Some(moved) = self.trip_if_moved()? {
            outcome = moved;
        }
        if let Some(artifacts) = self.artifacts.iteration(iteration) {
            artifacts.output(recorder.kept());
            if let (Some(before), Ok(after)) = (before, &after) {
                artifacts.patch(&mut self.measure.shadow, before, after);
            }
            artifacts.decision(&outcome);
        }
        Ok(Came {
            iteration,
            outcome,
            changes,
            ending: ending(&report, plan),
            report,
        })
    }

    fn step(&self, plan: &Plan, asked: &Outcome) -> Step {
        let (program, args) = plan
            .command
            .split_first()
            .map(|(p, a)| (p.clone(), a.to_vec()))
            .unwrap_or_default();
        Step {
            args,
            env: environment(asked),
            input: plan
                .prompt_file
                .clone()
                .map_or(StepInput::Null, StepInput::File),
            limits: StepLimits {
                overall: Some(plan.timeout),
                idle: Some(plan.idle_timeout),
                ..StepLimits::default()
            },
            hold: Some(self.lock.tree_lock()),
            ..Step::new(
                program,
                self.session.located.root.clone(),
                self.cookie.clone(),
            )
        }
    }
}

/// What the command is told: the iteration's number and, after `fusebox
/// recover`, what it is to do differently.
fn environment(asked: &Outcome) -> Vec<(OsString, OsString)> {
    let iteration = asked.decision.grant.map_or(0, |grant| grant.0);
    let mut told = vec![("FUSEBOX_ITERATION".into(), iteration.to_string().into())];
    let core = &asked.circuit.core;
    if let (Some(opening), Some(note)) = (core.phase.opening(), &core.guidance) {
        let taken = core.strategies.saturating_sub(1) as usize;
        let words = strategies(opening.cause).and_then(|row| row.get(taken).copied());
        told.push(("FUSEBOX_STRATEGY".into(), words.unwrap_or_default().into()));
        told.push(("FUSEBOX_GUIDANCE".into(), note.into()));
    }
    told
}

/// The facts of an iteration, all of them seen from outside.
fn facts(report: &StepReport, last_words: &str, changes: Option<&Changes>) -> Observation {
    let ended = match report.end {
        StepEnd::Exited(code) => Ended::Exited(code),
        StepEnd::Signaled(signal) => Ended::Signaled(signal),
        StepEnd::TimedOut(Limit::Overall) => Ended::TimedOut,
        StepEnd::TimedOut(Limit::Idle) => Ended::Idle,
        StepEnd::Stopped { .. } | StepEnd::Lingered | StepEnd::TooMany { .. } => Ended::Interrupted,
        StepEnd::NotStarted(_) => Ended::NotStarted,
        StepEnd::KeeperLost => Ended::Unreported,
    };
    let lines = report.output.stdout.lines + report.output.stderr.lines;
    Observation {
        files: Fact::measured(changes.map(meaningful)),
        errors: errors(ended, last_words),
        output_lines: Fact::Measured(lines),
        ended: Some(ended),
        duration_ms: Some(u64::try_from(report.duration.as_millis()).unwrap_or(u64::MAX)),
        ..Observation::default()
    }
}

/// A command that fails says so by its exit code and, as a rule, by its last
/// line. That is what repeats when it fails the same way again.
fn errors(ended: Ended, last_words: &str) -> Fact<Vec<ErrorReport>> {
    let kind = match ended {
        Ended::Exited(0) => return Fact::Measured(Vec::new()),
        Ended::Exited(code) => format!("exit code {code}"),
        Ended::Signaled(signal) => format!("signal {signal}"),
        Ended::TimedOut => "time limit".into(),
        Ended::Idle => "idle limit".into(),
        Ended::Interrupted | Ended::NotStarted | Ended::Unreported => return Fact::Unknown,
    };
    Fact::Measured(vec![ErrorReport {
        kind: Some(kind),
        message: last_words.to_owned(),
        ..ErrorReport::default()
    }])
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

fn ending(report: &StepReport, plan: &Plan) -> Option<Ending> {
    match report.end {
        StepEnd::Stopped {
            by: StopCause::Signal(signal),
        } => Some(Ending::Signal(signal)),
        StepEnd::NotStarted(failure) => Some(Ending::NotStarted {
            command: plan
                .command
                .first()
                .map(|word| word.to_string_lossy().into_owned())
                .unwrap_or_default(),
            why: failure.to_string(),
            missing: failure.kind == StartFailureKind::NotFound,
        }),
        _ => None,
    }
}
