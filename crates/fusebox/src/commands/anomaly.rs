//! `fusebox anomaly`: what somebody at work found worth reporting.
//!
//! Reports go into our own memory. A blackboard belongs to those who work with it:
//! beside one, the lines are printed for them to put there.

use fusebox_core::clip;
use fusebox_core::machine;
use fusebox_core::observation::NAME_BYTES;
use fusebox_core::patterns::{Anomaly, AnomalyKind, Details};
use fusebox_seeds::liza;
use fusebox_view::{escape, phrase};

use super::Context;
use crate::cli::{AnomalyAction, AnomalyAdd, AnomalyCommand};
use crate::exit;
use crate::failure::Failure;
use crate::{anomalies, authority};

/// How much of a detail is kept.
const TEXT_BYTES: usize = 1_024;

pub(super) fn run(context: &Context<'_>, command: &AnomalyCommand) -> Result<u8, Failure> {
    match &command.action {
        AnomalyAction::Add(args) => add(context, args),
        AnomalyAction::List => list(context),
    }
}

fn add(context: &Context<'_>, args: &AnomalyAdd) -> Result<u8, Failure> {
    let details = details(&args.details)?;
    refuse_incomplete(args.kind, &details)?;
    // An agent may report; that proves nothing and releases nothing.
    let by = authority::anyone();
    let reporter = args.reporter.clone().unwrap_or_else(|| by.user.clone());
    let session = context.session_despite_config()?;
    let mut anomaly = Anomaly {
        at_ms: 0,
        task: clip(&args.task, NAME_BYTES).to_owned(),
        reporter: clip(&reporter, NAME_BYTES).to_owned(),
        kind: args.kind,
        details,
    };
    let mut written = None;
    let outcome = session.apply(|circuit, policy, now| {
        // What is printed has whole seconds, and must be the same anomaly.
        anomaly.at_ms = now.wall_ms.div_euclid(1_000) * 1_000;
        written = Some(anomaly.clone());
        machine::report_anomaly(circuit, policy, anomaly, by, now)
    })?;
    outcome
        .notes
        .iter()
        .for_each(|note| context.speech.say(note));
    let Some(anomaly) = written else {
        return Err(Failure::new(exit::INTERNAL, "nothing was written down"));
    };
    let beside_a_board = session.has_blackboard(&outcome.policy);
    if context.speech.json {
        context.speech.json(&anomaly);
    } else if beside_a_board {
        context.speech.data(&liza::entry(&anomaly));
    }
    let place = if beside_a_board {
        format!("; put these lines under `anomalies` of {}", liza::STATE)
    } else {
        String::new()
    };
    context
        .speech
        .say(&format!("{} reported{place}", anomaly.kind.name()));
    Ok(exit::GO)
}

fn list(context: &Context<'_>) -> Result<u8, Failure> {
    let session = context.session_despite_config()?;
    let all = anomalies::reported(session.store.log()?.as_ref())?;
    for anomaly in &all {
        if context.speech.json {
            context.speech.json(anomaly);
            continue;
        }
        let words = anomalies::words(&anomaly.details).next().unwrap_or("");
        context.speech.data(&format!(
            "{}  {:<21} {:<12} {}\n",
            phrase::time(anomaly.at_ms),
            anomaly.kind.name(),
            escape::line(&anomaly.task, 40),
            escape::line(words, 80)
        ));
    }
    if all.is_empty() {
        context.speech.say("no anomaly was reported here");
    }
    Ok(exit::GO)
}

fn details(given: &[String]) -> Result<Details, Failure> {
    let mut details = Details::default();
    for one in given {
        let usage = |what: String| Failure::new(exit::USAGE, format!("--detail {one}: {what}"));
        let (key, value) = one
            .split_once('=')
            .ok_or_else(|| usage("it is not KEY=VALUE".into()))?;
        let text = || Some(clip(value, TEXT_BYTES).to_owned());
        match key.trim() {
            "count" => {
                details.count = Some(
                    value
                        .trim()
                        .parse()
                        .map_err(|_| usage("it is not a number".into()))?,
                );
            }
            "error_pattern" => details.error_pattern = text(),
            "root_cause_hypothesis" => details.root_cause_hypothesis = text(),
            "root_cause" => details.root_cause = text(),
            "what" => details.what = text(),
            "why" => details.why = text(),
            "debt_created" => {
                let debt = value
                    .trim()
                    .parse()
                    .map_err(|_| usage("it is neither true nor false".into()))?;
                details.debt_created = Some(debt);
            }
            "assumption" => details.assumption = text(),
            "reality" => details.reality = text(),
            "spec_ref" => details.spec_ref = text(),
            "blocker_service" => details.blocker_service = text(),
            other => return Err(usage(format!("there is no detail `{other}`"))),
        }
    }
    Ok(details)
}

/// What a pattern would group by has to be there, or the report could never count.
fn refuse_incomplete(kind: AnomalyKind, details: &Details) -> Result<(), Failure> {
    let needed: &[(&str, bool)] = &match kind {
        AnomalyKind::RetryLoop => vec![
            ("count", details.count.is_some()),
            ("error_pattern", details.error_pattern.is_some()),
        ],
        AnomalyKind::TradeOff => vec![
            ("what", details.what.is_some()),
            ("why", details.why.is_some()),
            ("debt_created", details.debt_created.is_some()),
        ],
        AnomalyKind::ExternalBlocker => {
            vec![("blocker_service", details.blocker_service.is_some())]
        }
        AnomalyKind::AssumptionViolated => vec![
            ("assumption", details.assumption.is_some()),
            ("reality", details.reality.is_some()),
        ],
        _ => Vec::new(),
    };
    let missing: Vec<&str> = needed
        .iter()
        .filter(|(_, there)| !there)
        .map(|(name, _)| *name)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let what = format!("a {} needs the details {}", kind.name(), missing.join(", "));
    Err(Failure::new(exit::USAGE, what).hint("give each as --detail KEY=VALUE"))
}
