//! `fusebox status`: how things stand.

use fusebox_core::machine;
use fusebox_seeds::seed;

use super::limit::used_by;
use super::{Context, show};
use crate::answer::Answer;
use crate::cli::FleetFlag;
use crate::exit;
use crate::failure::Failure;
use crate::fleet::Party;
use crate::speech::shown;

pub(super) fn run(context: &Context<'_>, fleet: &FleetFlag) -> Result<u8, Failure> {
    let session = context.session()?;
    let (outcome, running) = session.with_life(|| session.look(machine::status));
    let mut outcome = outcome?;
    outcome.notes.extend(session.orphans());
    let fleet = Party::of(
        fleet.url.as_deref(),
        &session.layers.borrow(),
        &session.located,
    )?;
    let fleet = fleet.filter(|_| !context.speech.json);
    let fleet = fleet.map_or_else(String::new, |party| {
        format!("{:<15} {}\n", "fleet", party.glance(context.clock))
    });
    if context.speech.json {
        context
            .speech
            .json(&Answer::of(&outcome).running(&outcome, running));
        return Ok(exit::GO);
    }
    show(context, &outcome, |outcome| {
        let root = shown(&session.located.root);
        let place = format!(
            "{:<15} {root}\n{:<15} {}\n",
            "workspace", "circuit", session.circuit
        );
        let last = outcome.last_run(running);
        let run = match &last {
            Some(run) if run.paused().is_some() => run.line(),
            _ if running => {
                "a loop is running (control it with `fusebox pause` and `fusebox stop`)".into()
            }
            _ => "no loop is running".into(),
        };
        let mut preset = format!(
            "{:<15} {}\n{:<15} {run}\n",
            "preset", outcome.policy.preset, "run"
        );
        if let Some(past) = last.filter(|run| run.is_past() && !running) {
            preset.push_str(&format!("{:<15} {}\n", "last run", past.line()));
        }
        let display =
            seed(outcome.policy.preset).and_then(|seed| seed.display(outcome.decision.state));
        if let Some(display) = display {
            preset.push_str(&format!("{:<15} {display}\n", "breaker"));
        }
        let shared: String = outcome
            .shared
            .iter()
            .map(|other| format!("{:<15} {}\n", "shared", used_by(other)))
            .collect();
        format!(
            "{place}{preset}{fleet}{}{shared}",
            outcome.telling().status(&outcome.decision)
        )
    });
    Ok(exit::GO)
}
