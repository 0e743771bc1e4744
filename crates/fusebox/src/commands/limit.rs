//! `fusebox limit`: the rolling limits on calls, tokens and money.

use fusebox_core::decision::Gate;
use fusebox_core::machine;
use fusebox_view::answer::{budget, calls};
use fusebox_view::phrase;

use super::Context;
use crate::answer::Limits;
use crate::cli::{Limit, LimitAction};
use crate::exit;
use crate::failure::Failure;
use crate::session::Outcome;

pub(super) fn run(context: &Context<'_>, args: &Limit) -> Result<u8, Failure> {
    let session = context.session()?;
    match args.action {
        None | Some(LimitAction::Status) => {
            let outcome = session.look(machine::status)?;
            show(context, &outcome);
            Ok(exit::GO)
        }
        Some(LimitAction::Take { calls }) => {
            let outcome =
                session.apply(|circuit, policy, now| machine::take(circuit, policy, calls, now))?;
            show(context, &outcome);
            Ok(refused(context, &outcome, calls))
        }
    }
}

fn show(context: &Context<'_>, outcome: &Outcome) {
    if context.speech.json {
        context
            .speech
            .json(&Limits::of(&outcome.decision, &outcome.now));
    } else {
        let decision = &outcome.decision;
        context
            .speech
            .data(&format!("{}\n", calls(&decision.calls)));
        for (resource, left) in &decision.budgets {
            let line = format!("{}\n", budget(*resource, left));
            context.speech.data(&line);
        }
    }
}

fn refused(context: &Context<'_>, outcome: &Outcome, calls: u32) -> u8 {
    let Gate::Deny(denial) = &outcome.decision.gate else {
        return exit::GO;
    };
    let when = match denial.retry_at_ms {
        Some(ms) => format!(
            "free at {} ({})",
            phrase::time(ms),
            phrase::until(ms, outcome.now.wall_ms)
        ),
        None => format!("never: the limit is {}", outcome.decision.calls.limit),
    };
    context.speech.say(&format!(
        "stop · the call limit is reached; {} {when}",
        phrase::count(u64::from(calls), "call")
    ));
    exit::LIMIT
}
