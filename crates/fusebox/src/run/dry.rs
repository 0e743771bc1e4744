//! What a run would do, told without doing it.

use std::time::Duration;

use clap::ValueEnum as _;
use fusebox_agents::Permissions;
use fusebox_core::Preset;
use fusebox_core::budget::Resource;
use fusebox_core::policy::WindowLimit;
use fusebox_view::answer::amount;
use fusebox_view::phrase;
use serde::Serialize;

use super::plan::{Plan, Work};
use crate::cli::OnStagnation;
use crate::config::{Cell, InForce, Shown};
use crate::evidence::EvidencePlan;
use crate::speech::{Speech, shown};

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
    /// `null` where the agent's own settings say.
    permissions: Option<&'static str>,
    /// `null` is no bound, here and below.
    tokens: Option<u64>,
    tokens_window_ms: Option<u64>,
    micro_usd: Option<u64>,
    micro_usd_window_ms: Option<u64>,
    build: Option<&'a str>,
    test: Option<&'a str>,
    required: Vec<String>,
    criteria: Option<String>,
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
            permissions: permissions(&plan.work),
            tokens: policy.tokens.map(|rule| rule.limit),
            tokens_window_ms: policy.tokens.map(|rule| rule.window_ms),
            micro_usd: policy.micro_usd.map(|rule| rule.limit),
            micro_usd_window_ms: policy.micro_usd.map(|rule| rule.window_ms),
            build: plan.evidence.build.as_deref(),
            test: plan.evidence.test.as_deref(),
            required: required(&plan.evidence),
            criteria: criteria(&plan.evidence),
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
    let none = || "no limit".to_owned();
    let seconds =
        |time: Duration| phrase::duration(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    let policy = &in_force.policy;
    let bounds = &plan.bounds;
    let of_window = |resource: Resource, rule: WindowLimit| {
        format!(
            "{} in any {}",
            amount(resource, rule.limit),
            phrase::duration(rule.window_ms)
        )
    };
    let tokens = policy.tokens.map(|rule| of_window(Resource::Tokens, rule));
    let money = policy
        .micro_usd
        .map(|rule| of_window(Resource::Money, rule));
    let commands = [&plan.evidence.build, &plan.evidence.test]
        .into_iter()
        .flatten()
        .map(|command| format!("`{command}`"));
    let files = required(&plan.evidence)
        .into_iter()
        .map(|file| format!("{file} is there"));
    let boxes = criteria(&plan.evidence).map(|file| format!("no open box in {file}"));
    let evidence: Vec<String> = commands.chain(files).chain(boxes).collect();
    let rows = [
        ("runs", command),
        (
            "may",
            permissions(&plan.work)
                .unwrap_or("whatever its own settings allow")
                .to_owned(),
        ),
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
        ("tokens", tokens.unwrap_or_else(none)),
        ("money", money.unwrap_or_else(none)),
        (
            "trips",
            in_force.stagnation().and_then(Cell::written).map_or_else(
                || "on other signals only".to_owned(),
                |count| {
                    format!("after {count} iterations without progress, or on any other signal")
                },
            ),
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
    let rows = rows
        .into_iter()
        .filter(|(name, _)| *name != "may" || matches!(plan.work, Work::Agent { .. }));
    for (name, value) in rows {
        let value = fusebox_view::escape::line(&value, 1_000);
        speech.data(&format!("{name:<11} {value}\n"));
    }
    speech.data("nothing was run\n");
}

/// What the agent may do, as it is named on the command line; nothing where its own settings
/// say.
fn permissions(work: &Work) -> Option<&'static str> {
    let Work::Agent { permissions, .. } = work else {
        return None;
    };
    match permissions {
        Permissions::AsConfigured => None,
        Permissions::Edits => Some("edits"),
        Permissions::Everything => Some("everything"),
        Permissions::ReadOnly => Some("read-only"),
    }
}

fn required(evidence: &EvidencePlan) -> Vec<String> {
    evidence.required.iter().map(|file| shown(file)).collect()
}

fn criteria(evidence: &EvidencePlan) -> Option<String> {
    evidence.criteria.as_deref().map(shown)
}

fn models(ladder: &[String]) -> String {
    match ladder {
        [] => "its default model".into(),
        ladder => ladder.join(", then "),
    }
}

/// As it is named on the command line.
fn name(action: OnStagnation) -> String {
    let value = action.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}
