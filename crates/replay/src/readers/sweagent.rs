//! The trajectories of SWE-agent, `*.traj`: one document, a list of steps, each
//! an action with what came of it, and the bill at the end.

use fusebox_agents::json::{Maybe, Text, lenient_object, parse};
use fusebox_agents::{EpochMs, ToolOutcome, Usage};

use super::LineReader;
use crate::heard::{Answered, Called, Heard, Identity, Listener};
use crate::labels::{Group, Labels};

lenient_object! {
    /// The whole file.
    Trajectory<'a> {
        trajectory: Vec<Maybe<Step<'a>>>,
        info: Info<'a>,
    }
}

lenient_object! {
    /// One step.
    Step<'a> {
        action: Text<'a>,
        observation: Text<'a>,
        thought: Text<'a>,
        response: Text<'a>,
        execution_time: f64,
    }
}

lenient_object! {
    /// How it went.
    Info<'a> {
        exit_status: Text<'a>,
        model_stats: Stats,
    }
}

lenient_object! {
    /// What it cost.
    Stats {
        instance_cost: f64,
        tokens_sent: u64,
        tokens_received: u64,
    }
}

/// Reads SWE-agent's trajectories, each of which is one long line or a document.
pub(crate) struct Trajectories;

impl LineReader for Trajectories {
    fn line(&mut self, json: &str, to: &mut dyn Listener) -> Option<()> {
        let file: Trajectory<'_> = parse(json)?;
        let steps = file.trajectory.as_ref()?;
        to.hear(None, Heard::Session(Identity::default()));
        let mut clock = 0;
        for (number, step) in steps.iter().filter_map(|step| step.0.as_ref()).enumerate() {
            tell(number, step, &mut clock, to);
        }
        let info = file.info.as_ref();
        if let Some(stats) = info.and_then(|info| info.model_stats.as_ref()) {
            to.hear(None, Heard::Spent(stats.usage()));
        }
        let status = info.and_then(|info| info.exit_status.as_deref());
        let ran_out = status.is_some_and(|status| status.contains("exit_cost"));
        let group = if ran_out { Group::Limit } else { Group::Other };
        to.hear(None, Heard::Ended(Labels { group }));
        Some(())
    }
}

/// The arguments that any other agent would have called its shell with.
#[derive(serde::Serialize)]
struct Command<'a> {
    command: &'a str,
}

/// Steps say how long they took and not when they were, so time is counted from
/// the beginning.
fn tell(number: usize, step: &Step<'_>, clock: &mut EpochMs, to: &mut dyn Listener) {
    let at = Some(*clock);
    let thought = step
        .thought
        .as_deref()
        .or(step.response.as_deref())
        .unwrap_or("");
    let action = step.action.as_deref().unwrap_or("").trim();
    if action.is_empty() {
        to.hear(at, Heard::Said(thought));
        to.hear(at, Heard::Turn);
        return;
    }
    to.hear(at, Heard::Thought(thought));
    let id = number.to_string();
    let arguments = serde_json::to_string(&Command { command: action });
    to.hear(
        at,
        Heard::Called(Called {
            id: &id,
            tool: "bash",
            arguments: arguments.as_deref().unwrap_or(action),
        }),
    );
    *clock += millis(step.execution_time.unwrap_or(0.0));
    if let Some(text) = step.observation.as_deref() {
        to.hear(
            Some(*clock),
            Heard::Answered(Answered {
                id: &id,
                outcome: ToolOutcome::Succeeded,
                text,
                bytes: text.len(),
            }),
        );
    }
}

fn millis(seconds: f64) -> EpochMs {
    let time = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default();
    EpochMs::try_from(time.as_millis()).unwrap_or(EpochMs::MAX / 2)
}

impl Stats {
    fn usage(&self) -> Usage {
        let micro = self.instance_cost.filter(|cost| (0.0..1e9).contains(cost));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and 1e15 after the check above"
        )]
        let micro_usd = micro.map(|cost| (cost * 1e6).round() as u64);
        Usage {
            input_tokens: self.tokens_sent,
            output_tokens: self.tokens_received,
            micro_usd,
            ..Usage::default()
        }
    }
}
