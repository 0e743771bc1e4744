//! `fusebox analyze`: what the anomalies have in common.
//!
//! It counts and shows, and where there is a pattern it halts. It executes nothing,
//! and of what it reads it changes its own section alone.

use fusebox_core::circuit::Release;
use fusebox_core::machine;
use fusebox_core::patterns::{Analysis, Anomaly, analyse};
use fusebox_core::{Circuit, State};
use fusebox_seeds::liza::{self, Passed};

use super::{Context, announce};
use crate::anomalies;
use crate::blackboard::report_of;
use crate::exit;
use crate::failure::Failure;
use crate::session::{Outcome, Session};

mod telling;

pub(super) fn run(context: &Context<'_>) -> Result<u8, Failure> {
    let session = context.session()?;
    let mut told = String::new();
    let outcome = look_for_patterns(&session, |found| {
        told = if context.speech.json {
            telling::json(found)
        } else {
            telling::text(found)
        };
    })?;
    context.speech.data(&told);
    let quiet = Context {
        cli: context.cli,
        clock: context.clock,
        speech: context.speech.for_people(),
    };
    if outcome.decision.state == State::Open {
        return Ok(announce(&quiet, &outcome));
    }
    outcome
        .notes
        .iter()
        .for_each(|note| context.speech.say(note));
    Ok(exit::GO)
}

/// What an analysis found, and beside what.
pub(super) struct Found<'a> {
    pub(super) analysis: &'a Analysis<'a>,
    pub(super) state: State,
    /// Whether the breaker is triggered, and not merely halted by a checkpoint that somebody
    /// has put up.
    pub(super) triggered: bool,
    /// Whether it was before already, so that nothing of what was found is the reason.
    pub(super) stands: bool,
    pub(super) label: &'static str,
    /// Whether it stays open until a person has resolved it.
    pub(super) waits_for_a_person: bool,
    pub(super) passed: &'a [Passed],
    pub(super) report: Option<&'static str>,
}

/// Analyses, makes what came of it durable, and lets `tell` say what was found.
pub(super) fn look_for_patterns(
    session: &Session,
    tell: impl FnOnce(&Found<'_>),
) -> Result<Outcome, Failure> {
    let log = session.store.log()?;
    let remembered = anomalies::remembered(log.as_ref())?;
    session.try_apply(|circuit, policy, now| {
        let Some(rules) = &policy.patterns else {
            let what = format!("preset `{}` looks for no patterns", policy.preset);
            return Err(Failure::new(exit::REFUSED, what).hint("`native` and `liza` do"));
        };
        let mut blackboard = session.blackboard.borrow_mut();
        let board = match (session.has_blackboard(policy), blackboard.as_ref()) {
            (true, board) => Some(
                board
                    .and_then(|it| it.board.as_ref())
                    .ok_or_else(no_board)?,
            ),
            (false, _) => None,
        };
        let anomalies: &[Anomaly] = board.map_or(&remembered, |board| &board.anomalies);
        let window = circuit
            .anomalies
            .window_start(board.and_then(|board| board.sprint_ms));
        let analysis = analyse(anomalies, window, &circuit.anomalies.set(), rules);
        let step = machine::analysed(circuit, policy, &analysis, now);
        let state = step.circuit.state();
        let is_triggered = |circuit: &Circuit| {
            let opening = circuit.core.phase.opening();
            opening.is_some_and(|opening| !opening.placeholder)
        };
        let triggered = is_triggered(&step.circuit);
        tell(&Found {
            analysis: &analysis,
            state,
            triggered,
            stands: is_triggered(circuit),
            label: fusebox_view::answer::label(&policy.labels, state),
            waits_for_a_person: (step.circuit.core.phase.opening())
                .is_some_and(|opening| opening.release == Release::Person),
            passed: board.map_or(&[], |board| &board.passed),
            report: (board.is_some() && triggered).then_some(liza::REPORT),
        });
        let report = report_of(&analysis, &step);
        if let Some(blackboard) = blackboard.as_mut() {
            blackboard.report = report;
        }
        Ok(step)
    })
}

fn no_board() -> Failure {
    Failure::new(exit::MISSING, format!("there is no {} here", liza::STATE))
        .hint("`-C DIR` names the directory that holds it")
}
