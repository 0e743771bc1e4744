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

use super::ending::perhaps;
use super::plan::{Plan, Prompt, Work};
use super::preflight;
use crate::cli::OnStagnation;
use crate::config::{Cell, InForce, Shown};
use crate::evidence::EvidencePlan;
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;
use crate::speech::{Speech, shown};
use crate::tasks;

/// The same as data.
#[derive(Serialize)]
struct DryRun<'a> {
    event: &'static str,
    /// The command, or the agent by its name.
    command: Vec<String>,
    agent: Option<&'static str>,
    /// What the agent is given beside what we give it.
    arguments: Vec<String>,
    models: &'a [String],
    /// The prompt's file, or its first line.
    prompt: Option<String>,
    /// The list that tasks are taken from, if they are.
    tasks: Option<&'a str>,
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
    fn of(plan: &'a Plan, list: Option<&'a str>, in_force: &InForce) -> Self {
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
            arguments: arguments(&plan.work),
            models,
            prompt: prompt(&plan.prompt),
            tasks: list.filter(|_| plan.takes_tasks),
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
/// `list` is the list of tasks that there is.
pub(super) fn tell(plan: &Plan, list: Option<&str>, in_force: &InForce, speech: Speech) {
    if speech.json {
        return speech.json(&DryRun::of(plan, list, in_force));
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
    let arguments = arguments(&plan.work);
    let list = list.filter(|_| plan.takes_tasks).unwrap_or_default();
    let rows = [
        ("runs", command),
        ("args", arguments.join(" ")),
        ("prompt", prompt(&plan.prompt).unwrap_or_default()),
        ("tasks", list.to_owned()),
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
    let rows = rows.into_iter().filter(|(name, value)| match *name {
        "may" => matches!(plan.work, Work::Agent { .. }),
        "args" | "prompt" | "tasks" => !value.is_empty(),
        _ => true,
    });
    for (name, value) in rows {
        let value = fusebox_view::escape::line(&value, 1_000);
        speech.data(&format!("{name:<11} {value}\n"));
    }
    speech.data("nothing was run\n");
}

/// What would end the run before it has done anything.
pub(super) fn obstacle(session: &Session, plan: &Plan) -> Result<(), Failure> {
    let gone = |failure: Failure| Failure {
        code: exit::MISSING,
        ..failure
    };
    plan.prompt.text().map_err(gone)?;
    if plan.takes_tasks && tasks::name(session)?.is_none() {
        return Err(tasks::missing(session));
    }
    let Work::Command { words, .. } = &plan.work else {
        return Ok(());
    };
    let program = words.first().cloned().unwrap_or_default();
    if preflight::find(&program, &session.located.root).is_some() {
        return Ok(());
    }
    let name = program.to_string_lossy();
    let what = format!(
        "`{}` could not be started: it was not found, or is not executable",
        fusebox_view::escape::line(&name, 80)
    );
    Err(Failure::new(exit::MISSING, what).hint(perhaps(&name)))
}

fn arguments(work: &Work) -> Vec<String> {
    let extra = match work {
        Work::Agent { extra, .. } => extra.as_slice(),
        Work::Command { .. } => &[],
    };
    let words = extra.iter().map(|word| word.to_string_lossy().into_owned());
    words.collect()
}

/// The prompt's file, or the first line of its words.
fn prompt(prompt: &Prompt) -> Option<String> {
    match prompt {
        Prompt::None => None,
        Prompt::File(file) => Some(shown(file)),
        Prompt::Text(text) => text.lines().next().map(str::to_owned),
    }
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
