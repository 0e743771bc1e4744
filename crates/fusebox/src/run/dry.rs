//! What a run would do, told without doing it.

use fusebox_view::phrase;

use super::plan::{Plan, Work};
use crate::config::{Cell, InForce};
use crate::speech::Speech;

/// Says what would be run, and within which limits.
pub(super) fn tell(plan: &Plan, in_force: &InForce, speech: Speech) {
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
    let seconds = |time: std::time::Duration| {
        phrase::duration(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    };
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
        ("then", format!("{:?}", plan.on_stagnation).to_lowercase()),
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
