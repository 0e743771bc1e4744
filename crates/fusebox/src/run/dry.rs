//! What a run would do, told without doing it.

use std::time::Duration;

use clap::ValueEnum as _;
use fusebox_core::Preset;
use fusebox_view::phrase;
use serde::Serialize;

use super::plan::{Plan, Work};
use crate::cli::OnStagnation;
use crate::config::{Cell, InForce, Shown};
use crate::speech::Speech;

/// The same as data.
#[derive(Serialize)]
struct DryRun<'a> {
    event: &'static str,
    /// The command, or the agent by its name.
    command: Vec<String>,
    agent: Option<&'static str>,
    models: &'a [String],
    preset: Preset,
    /// `null` is no bound.
    iterations: Option<u64>,
    time_ms: Option<u64>,
    timeout_ms: u64,
    idle_timeout_ms: u64,
    calls: u32,
    calls_window_ms: u64,
    trips_after: Option<Shown>,
    on_stagnation: String,
    build: Option<&'a str>,
    test: Option<&'a str>,
}

impl<'a> DryRun<'a> {
    fn of(plan: &'a Plan, in_force: &InForce) -> Self {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let (command, agent, models) = match &plan.work {
            Work::Command { words, .. } => {
                let words = words.iter().map(|word| word.to_string_lossy().into_owned());
                (words.collect(), None, &[][..])
            }
            Work::Agent { agent, ladder, .. } => {
                (Vec::new(), Some(agent.name()), ladder.as_slice())
            }
        };
        let (policy, bounds) = (&in_force.policy, &plan.bounds);
        Self {
            event: "dry_run",
            command,
            agent,
            models,
            preset: policy.preset,
            iterations: bounds.iterations,
            time_ms: bounds.time.map(ms),
            timeout_ms: ms(bounds.timeout),
            idle_timeout_ms: ms(bounds.idle_timeout),
            calls: policy.calls.limit,
            calls_window_ms: policy.calls.window_ms,
            trips_after: in_force.stagnation().and_then(Cell::shown),
            on_stagnation: name(plan.work.action(plan.on_stagnation)),
            build: plan.evidence.build.as_deref(),
            test: plan.evidence.test.as_deref(),
        }
    }
}

/// Says what would be run, and within which limits.
pub(super) fn tell(plan: &Plan, in_force: &InForce, speech: Speech) {
    if speech.json {
        return speech.json(&DryRun::of(plan, in_force));
    }
    let command = match &plan.work {
        Work::Command { words, .. } => words
            .iter()
            .map(|word| word.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" "),
        Work::Agent { agent, ladder, .. } => {
            format!("{} with {}", agent.title(), models(ladder))
        }
    };
    let none = || "none".to_owned();
    let seconds =
        |time: Duration| phrase::duration(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    let policy = &in_force.policy;
    let bounds = &plan.bounds;
    let evidence = [&plan.evidence.build, &plan.evidence.test]
        .into_iter()
        .flatten()
        .map(|command| format!("`{command}`"))
        .collect::<Vec<_>>();
    let rows = [
        ("runs", command),
        ("preset", policy.preset.to_string()),
        (
            "iterations",
            bounds.iterations.map_or_else(none, |most| most.to_string()),
        ),
        ("time", bounds.time.map_or_else(none, seconds)),
        (
            "each",
            format!(
                "at most {}, idle at most {}",
                seconds(bounds.timeout),
                seconds(bounds.idle_timeout)
            ),
        ),
        (
            "calls",
            format!(
                "{} in any {}",
                policy.calls.limit,
                phrase::duration(policy.calls.window_ms)
            ),
        ),
        (
            "trips",
            in_force
                .stagnation()
                .and_then(Cell::written)
                .map_or_else(none, |count| {
                    format!("after {count} iterations without progress, and by the other signals")
                }),
        ),
        ("then", name(plan.work.action(plan.on_stagnation))),
        (
            "evidence",
            if evidence.is_empty() {
                "what changes in the work tree".into()
            } else {
                evidence.join(", then ")
            },
        ),
    ];
    for (name, value) in rows {
        let value = fusebox_view::escape::line(&value, 1_000);
        speech.data(&format!("{name:<11} {value}\n"));
    }
    speech.data("nothing was run\n");
}

fn models(ladder: &[String]) -> String {
    match ladder {
        [] => "its own model".into(),
        ladder => ladder.join(", then "),
    }
}

/// As it is named on the command line.
fn name(action: OnStagnation) -> String {
    let value = action.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}
