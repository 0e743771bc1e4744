//! `fusebox limit`: the rolling limits on calls, tokens and money.

use fusebox_core::decision::Gate;
use fusebox_core::machine;
use fusebox_fleet::{Amounts, Id, Refusal, Take as Request, Taken, Unit, Used};
use fusebox_view::answer::{amount, budget, calls};
use fusebox_view::{escape, phrase};

use super::Context;
use crate::answer::Limits;
use crate::cli::{Limit, LimitAction, LimitSettle, LimitTake};
use crate::exit;
use crate::failure::Failure;
use crate::fleet::{Party, Seat};
use crate::session::{Outcome, Session, Shared};
use crate::speech::shown;

pub(super) fn run(context: &Context<'_>, args: &Limit) -> Result<u8, Failure> {
    let session = context.session()?;
    match &args.action {
        None | Some(LimitAction::Status) => {
            let outcome = session.look(machine::status)?;
            show(context, &outcome);
            Ok(exit::GO)
        }
        Some(LimitAction::Take(take)) => {
            let party = party(&session, take.fleet.url.as_deref())?;
            match party {
                Some(party) => shared(context, &session, &party, take),
                None => {
                    refuse_reserving(take)?;
                    alone(context, &session, take.calls)
                }
            }
        }
        Some(LimitAction::Settle(args)) => settle(&session, args),
    }
}

fn party(session: &Session, flag: Option<&str>) -> Result<Option<Party>, Failure> {
    Party::of(flag, &session.layers.borrow(), &session.located)
}

/// Here there is nobody to keep a reservation, and one that is only believed in is none.
fn refuse_reserving(take: &LimitTake) -> Result<(), Failure> {
    if take.tokens == 0 && take.usd == 0 {
        return Ok(());
    }
    let what =
        "`--tokens` and `--usd` reserve from the budgets of a fleet, and no fleet is named here";
    Err(Failure::new(exit::USAGE, what).hint(
        "nothing was taken; name one with `--fleet`, or leave them away: `record` says what was used",
    ))
}

fn alone(context: &Context<'_>, session: &Session, calls: u32) -> Result<u8, Failure> {
    let outcome =
        session.apply(|circuit, policy, now| machine::take(circuit, policy, calls, now))?;
    show(context, &outcome);
    Ok(refused(context, &outcome, calls))
}

/// Takes from the fleet, and then from our own limit: both must have it.
fn shared(
    context: &Context<'_>,
    session: &Session,
    party: &Party,
    take: &LimitTake,
) -> Result<u8, Failure> {
    let here = session.look(machine::status)?;
    if here.decision.calls.left < take.calls {
        return alone(context, session, take.calls);
    }
    let mut seat = Seat::take(session, party, None)?;
    seat.coordinator.enrol(&seat.worker)?;
    let request = Request {
        name: Id::random(),
        worker: seat.worker.id.clone(),
        scopes: seat.scopes.clone(),
        amounts: Amounts {
            calls: take.calls.into(),
            tokens: take.tokens,
            micro_usd: take.usd,
        },
        lease: None,
    };
    let speech = context.speech;
    match seat.coordinator.take(&request)? {
        Taken::Granted(_) => {
            let calls = take.calls;
            session.apply(|circuit, policy, now| machine::take(circuit, policy, calls, now))?;
            if speech.json {
                speech.json(&serde_json::json!({"schema": 1, "grant": request.name}));
            } else {
                speech.data(&format!("{}\n", request.name));
            }
            Ok(exit::GO)
        }
        Taken::Refused(refusal) => Ok(refused_by_fleet(context, &refusal)),
        Taken::Halted { scope, reason, .. } => {
            speech.say(&format!(
                "stop · {} is halted: {}",
                escape::line(&scope, 100),
                escape::line(&reason, 300)
            ));
            Ok(here.policy.exits.open)
        }
    }
}

fn refused_by_fleet(context: &Context<'_>, refusal: &Refusal) -> u8 {
    let speech = context.speech;
    let wait_ms = refusal
        .wait
        .map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
    if speech.json {
        speech.json(&serde_json::json!({
            "schema": 1, "refused": {"scope": refusal.scope, "unit": refusal.unit.name(), "wait_ms": wait_ms},
        }));
    }
    let when = wait_ms.map_or_else(
        || "never: the budget is smaller than that".to_owned(),
        |ms| format!("free in {}", phrase::duration(ms)),
    );
    let scope = escape::line(&refusal.scope, 100);
    speech.say(&format!(
        "stop · the {} of {scope} are used up; {when}",
        refusal.unit.name()
    ));
    match refusal.unit {
        Unit::Calls => exit::LIMIT,
        Unit::Tokens | Unit::MicroUsd => exit::BUDGET,
    }
}

fn settle(session: &Session, args: &LimitSettle) -> Result<u8, Failure> {
    let layers = session.layers.borrow();
    let party = Party::needed(args.fleet.url.as_deref(), &layers, &session.located)?;
    let mut coordinator = fusebox_fleet::connect(&party.address)?;
    let used = Used {
        tokens: args.tokens,
        micro_usd: args.usd,
    };
    coordinator.settle(&args.grant, &used)?;
    Ok(exit::GO)
}

fn show(context: &Context<'_>, outcome: &Outcome) {
    if context.speech.json {
        context.speech.json(&Limits::of(
            &outcome.decision,
            &outcome.now,
            &outcome.shared,
        ));
    } else {
        let decision = &outcome.decision;
        context
            .speech
            .data(&format!("{}\n", calls(&decision.calls)));
        for (resource, left) in &decision.budgets {
            let line = format!("{}\n", budget(*resource, left));
            context.speech.data(&line);
        }
        for other in &outcome.shared {
            context.speech.data(&format!("{}\n", used_by(other)));
        }
    }
}

/// What another work tree has used of the same limits.
pub(super) fn used_by(other: &Shared) -> String {
    let mut used = vec![phrase::count(u64::from(other.calls), "call")];
    used.extend(
        other
            .budgets
            .iter()
            .map(|(resource, used)| amount(*resource, *used)),
    );
    format!("{} used by {}", used.join(", "), shown(&other.root))
}

fn refused(context: &Context<'_>, outcome: &Outcome, calls: u32) -> u8 {
    let Gate::Deny(denial) = &outcome.decision.gate else {
        return exit::GO;
    };
    let calls = phrase::count(u64::from(calls), "call");
    context.speech.say(&match denial.retry_at_ms {
        Some(ms) => format!(
            "stop · the call limit is reached; {calls} free at {} ({})",
            phrase::time(ms),
            phrase::until(ms, outcome.now.wall_ms)
        ),
        None => format!(
            "stop · {calls} exceed the limit of {}",
            outcome.decision.calls.limit
        ),
    });
    exit::LIMIT
}
