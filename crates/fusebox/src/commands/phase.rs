//! `fusebox phase`: the two lines that a workflow in phases needs around each of
//! its actions, and the way past a phase that cannot be finished.

use std::io::{self, Read as _};

use fusebox_core::clip;
use fusebox_core::fact::Fact;
use fusebox_core::machine::{self, Claim, Start, Step};
use fusebox_core::observation::{Claims, FileChanges, NAME_BYTES, TestCounts, WorkPhase};
use fusebox_core::policy::{Policy, Preset, TickUnit};
use fusebox_evidence::claims;
use fusebox_seeds::Choice;
use fusebox_view::escape;

use super::{Context, announce};
use crate::authority;
use crate::cli::{PhaseAction, PhaseCommand, PhaseEnd, PhaseName, PhaseStart};
use crate::dealings;
use crate::exit;
use crate::failure::Failure;
use crate::intake::Intake;
use crate::menu;
use crate::session::{Outcome, Session};

/// The longest text that a status block is looked for in.
const MOST_BYTES: u64 = 1 << 20;

pub(super) fn run(context: &Context<'_>, command: &PhaseCommand) -> Result<u8, Failure> {
    let session = context.session()?;
    match &command.action {
        PhaseAction::Start(args) => start(context, &session, args),
        PhaseAction::End(args) => end(context, &session, args),
        PhaseAction::Skip { reason } => skip(context, &session, reason),
    }
}

fn start(context: &Context<'_>, session: &Session, args: &PhaseStart) -> Result<u8, Failure> {
    let outcome = begin(context, session, args)?;
    let code = announce(context, &outcome);
    match asked(context, session, &outcome, code)? {
        None => Ok(code),
        Some(Choice::SkipPhase) => Ok(skipped(context, args.phase)),
        // What is released is not granted yet.
        Some(Choice::Reset | Choice::Guide | Choice::Abort) => {
            let granted = begin(context, session, args)?;
            Ok(announce(context, &granted))
        }
    }
}

/// Enters the phase and asks whether an action may begin in it.
fn begin(context: &Context<'_>, session: &Session, args: &PhaseStart) -> Result<Outcome, Failure> {
    let phase = WorkPhase::from(args.phase);
    let mut was_skipped = false;
    let outcome = session.try_apply(|circuit, policy, now| {
        has_phases(policy)?;
        was_skipped = circuit.core.has_skipped(phase);
        let entered = machine::enter_phase(circuit, policy, phase, now);
        let start = Start {
            task: args.task.clone(),
            ..Start::default()
        };
        let mut step = dealings::ask(session, &entered.circuit, policy, start, now)?;
        step.entries.splice(0..0, entered.entries);
        Ok(step)
    })?;
    if was_skipped {
        let name = phase.name();
        let line =
            format!("{name} was skipped by a person and is complete; work on it begins anew");
        context.speech.say(&line);
    }
    if let Some(words) = &outcome.circuit.core.guidance {
        let words = escape::line(words, NAME_BYTES);
        context.speech.say(&format!("guidance: {words}"));
    }
    Ok(outcome)
}

fn end(context: &Context<'_>, session: &Session, args: &PhaseEnd) -> Result<u8, Failure> {
    let intake = report(args)?;
    let phase = WorkPhase::from(args.phase);
    let mut was_skipped = false;
    let mut outcome = session.try_apply(|circuit, policy, now| {
        has_phases(policy)?;
        // A script that was told at the start that there is nothing to do may come by here all the
        // same. Work on the phase begins anew with a start.
        was_skipped = circuit.core.has_skipped(phase) && circuit.core.pending.is_none();
        if was_skipped {
            return Ok(Step {
                decision: machine::status(circuit, policy, now),
                circuit: circuit.clone(),
                entries: Vec::new(),
            });
        }
        let claim = Claim {
            grant: intake.grant,
            secret: None,
        };
        let facts = intake.facts_by(policy.errors);
        // Where there are phases, no features are counted by that could be unreadable.
        Ok(dealings::tell(session, circuit, policy, (facts, claim), now)?.step)
    })?;
    outcome.notes.extend(intake.notes);
    let code = announce(context, &outcome);
    let code = if was_skipped {
        skipped(context, args.phase)
    } else {
        match asked(context, session, &outcome, code)? {
            None => code,
            Some(Choice::SkipPhase) => skipped(context, args.phase),
            Some(Choice::Reset | Choice::Guide | Choice::Abort) => exit::GO,
        }
    };
    Ok(if args.exit_zero { exit::GO } else { code })
}

/// Asks the person at the terminal, if there is one and the breaker is open, and does what they
/// choose.
fn asked(
    context: &Context<'_>,
    session: &Session,
    outcome: &Outcome,
    code: u8,
) -> Result<Option<Choice>, Failure> {
    let asks = !context.speech.json && code == outcome.policy.exits.open;
    let Some(menu) = outcome.said.menu.as_ref().filter(|_| asks) else {
        return Ok(None);
    };
    let chosen = menu::ask(session, menu)?;
    Ok(chosen.map(|chosen| {
        announce(context, &chosen.released);
        chosen.choice
    }))
}

/// Says that nothing is to be done in a phase that a person took for complete.
fn skipped(context: &Context<'_>, phase: PhaseName) -> u8 {
    let name = WorkPhase::from(phase).name();
    let line = format!("{name} was skipped by a person: there is nothing to do in it");
    context.speech.say(&line);
    exit::COMPLETE
}

fn skip(context: &Context<'_>, session: &Session, reason: &str) -> Result<u8, Failure> {
    let circuit = session.store.peek()?.state.0;
    has_phases(&session.policy(&circuit)?)?;
    let phase = circuit.core.counters.phase.map_or("the", WorkPhase::name);
    let what = format!("{phase} phase is taken for complete although it is not");
    let by = authority::person(session, &what)?;
    let reason = clip(reason, NAME_BYTES).to_owned();
    let outcome = session.try_apply(|circuit, policy, now| {
        machine::skip_phase(circuit, policy, reason, by, now).map_err(Failure::from)
    })?;
    announce(context, &outcome);
    Ok(exit::GO)
}

fn has_phases(policy: &Policy) -> Result<(), Failure> {
    let phased = |policy: &Policy| policy.unit == TickUnit::PhaseAction;
    if phased(policy) {
        return Ok(());
    }
    let others = Preset::ALL
        .into_iter()
        .filter(|one| phased(&Policy::of(*one)));
    let names: Vec<&str> = others.map(Preset::name).collect();
    let what = format!("preset `{}` knows no phases", policy.preset);
    Err(Failure::new(exit::REFUSED, what).hint(format!(
        "use `fusebox check` and `fusebox record`, or `--preset {}`",
        names.join(", ")
    )))
}

/// The report of an action: what standard input says, and flags over it.
fn report(args: &PhaseEnd) -> Result<Intake, Failure> {
    let mut intake = match args.input {
        Some(_) => from_input()?,
        None => Intake::default(),
    };
    let facts = &mut intake.facts;
    facts.phase = Some(args.phase.into());
    let metrics = &mut facts.metrics;
    for (field, flag) in [
        (&mut metrics.tests_generated, args.tests_generated),
        (&mut metrics.criteria_covered, args.criteria_covered),
        (&mut metrics.tests_passing, args.tests_passing),
        (&mut metrics.tests_failing, args.tests_failing),
        (&mut metrics.tests_total, args.tests_total),
        (&mut metrics.patterns_applied, args.patterns_applied),
        (&mut metrics.complexity_milli, args.complexity_score),
        (&mut metrics.docs_generated, args.docs_generated),
        (&mut metrics.diagrams_valid, args.diagrams_valid),
    ] {
        *field = flag.or(*field);
    }
    if args.pattern_applied {
        metrics.pattern_applied = Some(true);
    }
    if args.duplication_removed {
        metrics.duplication_removed = Some(true);
    }
    if args.exit_signal {
        facts.claimed.exit_signal = Some(true);
    }
    if !args.errors.is_empty() || args.no_errors {
        intake.take_errors(&args.errors);
    }
    Ok(intake)
}

/// One JSON object, or the last status block in a text.
fn from_input() -> Result<Intake, Failure> {
    let mut bytes = Vec::new();
    let failed =
        |why: String| Failure::new(exit::USAGE, format!("the report cannot be used: {why}"));
    io::stdin()
        .lock()
        .take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| failed(error.to_string()))?;
    if bytes.trim_ascii_start().starts_with(b"{") {
        return Intake::from_json(bytes.as_slice());
    }
    let said = claims::read(&bytes).ok_or_else(|| {
        failed("it holds neither a JSON object nor a whole status block".into())
            .hint("nothing was recorded")
    })?;
    Ok(from_block(&said))
}

/// What a status block says. Whoever hands it over vouches for its numbers.
fn from_block(said: &claims::Claims) -> Intake {
    let mut intake = Intake::default();
    let facts = &mut intake.facts;
    facts.claimed = Claims {
        complete: said.complete(),
        exit_signal: said.exit_signal,
        needs_person: said.needs_person(),
        files_modified: said.files_modified,
    };
    if let Some(count) = said.files_modified {
        facts.files = Fact::Claimed(FileChanges {
            count,
            created: said.files_created,
            deleted: said.files_deleted,
            ..FileChanges::default()
        });
    }
    if let Some(tests) = said.test_counts {
        let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        facts.tests = Fact::Claimed(TestCounts {
            passed: small(tests.passing),
            failed: small(tests.failing),
            skipped: small(tests.skipped),
        });
        facts.metrics.tests_passing = Some(tests.passing);
        facts.metrics.tests_failing = Some(tests.failing);
        facts.metrics.tests_total = Some(tests.total);
    }
    for field in &said.refused {
        let name = escape::line(&field.name, 40);
        intake
            .notes
            .push(format!("{name} cannot be meant and was not used"));
    }
    intake
}
