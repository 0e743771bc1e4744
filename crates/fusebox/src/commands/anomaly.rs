//! `fusebox anomaly`: what somebody at work found worth reporting.
//!
//! Reports go into our own memory. A blackboard belongs to those who work with it:
//! beside one, the lines are printed for them to put there.

use fusebox_core::patterns::Details;
use fusebox_seeds::liza;
use fusebox_view::{escape, phrase};

use super::Context;
use crate::anomalies;
use crate::cli::{AnomalyAction, AnomalyAdd, AnomalyCommand};
use crate::dealings::{self, Report};
use crate::exit;
use crate::failure::Failure;

pub(super) fn run(context: &Context<'_>, command: &AnomalyCommand) -> Result<u8, Failure> {
    match &command.action {
        AnomalyAction::Add(args) => add(context, args),
        AnomalyAction::List => list(context),
    }
}

fn add(context: &Context<'_>, args: &AnomalyAdd) -> Result<u8, Failure> {
    let session = context.session_despite_config()?;
    let (anomaly, outcome) = dealings::report_anomaly(
        &session,
        Report {
            kind: args.kind,
            task: args.task.clone(),
            reporter: args.reporter.clone(),
            details: details(&args.details)?,
        },
    )?;
    outcome
        .notes
        .iter()
        .for_each(|note| context.speech.say(note));
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
        let text = || Some(value.to_owned());
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
            "protocol_section" => details.protocol_section = text(),
            "question" => details.question = text(),
            other => return Err(usage(format!("there is no detail `{other}`"))),
        }
    }
    Ok(details)
}
