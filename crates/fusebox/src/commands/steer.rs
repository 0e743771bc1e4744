//! `fusebox pause`, `resume` and `stop`: what another terminal asks of a loop.

use fusebox_core::machine;
use fusebox_supervise::RunLock;

use super::Context;
use crate::caller;
use crate::cli::Stop;
use crate::exit;
use crate::failure::Failure;
use crate::look::iterations;
use crate::run::requests::{self, Request};
use crate::session::Session;
use crate::sight;

/// Ends a loop, and gives up the task that it works on if that is asked for as
/// well.
pub(super) fn stop(context: &Context<'_>, args: &Stop) -> Result<u8, Failure> {
    let request = if args.after_iteration {
        Request::StopAfterIteration
    } else {
        Request::Stop
    };
    if args.skip_task {
        give_up_task(&context.session_despite_config()?)?;
    }
    run(context, request)
}

/// The task is the one that the last iteration was for.
fn give_up_task(session: &Session) -> Result<(), Failure> {
    let log = session.store.log()?;
    let last = log.map(|log| iterations::page(&log, None, 1)).transpose()?;
    let last = last.and_then(|mut page| page.iterations.pop());
    let Some(task) = last.and_then(|last| last.facts.task) else {
        return Err(
            Failure::new(exit::MISSING, "no task is being worked on here")
                .hint("`fusebox run --task ID` names one; `fusebox stop` alone ends the loop"),
        );
    };
    session.try_apply(|circuit, policy, now| {
        if !policy.capabilities.block_task {
            let what = format!("the preset `{}` cannot skip tasks", policy.preset);
            return Err(Failure::new(exit::REFUSED, what));
        }
        let reason = "skipped from another terminal".to_owned();
        let by = caller::anyone();
        Ok(machine::block_task(circuit, policy, task, reason, by, now))
    })?;
    Ok(())
}

pub(super) fn run(context: &Context<'_>, request: Request) -> Result<u8, Failure> {
    let session = context.session_despite_config()?;
    if request == Request::Resume {
        if caller::is_inside_an_agent() {
            return Err(
                Failure::new(exit::REFUSED, "an agent may not resume its own loop")
                    .hint("a person must do this, in another terminal, outside the agent"),
            );
        }
        sight::refuse_out_of_sight(&session.homes, session.clock, "resuming a loop")?;
    }
    if !RunLock::is_held(&session.run_lock()) {
        let what = format!("no loop is running on circuit `{}` here", session.circuit);
        return Err(Failure::new(exit::MISSING, what)
            .hint("`-C DIR` names another workspace, `--circuit NAME` another circuit"));
    }
    let path = session.request_file();
    let taken = requests::ask(&path, request).map_err(|error| {
        Failure::new(
            exit::STATE,
            format!("cannot write {}: {error}", path.display()),
        )
    })?;
    if !taken {
        return Err(
            Failure::new(exit::MISSING, "the loop does not answer").hint(
                "it may be asking at its terminal, waiting, measuring a large work tree, or be stopped itself; look there",
            ),
        );
    }
    context.speech.say(match request {
        Request::Pause => "will pause after this iteration; `fusebox resume` continues",
        Request::Resume => "resumed",
        Request::StopAfterIteration => "will stop after this iteration",
        Request::Stop => "stopping now; state saved",
    });
    Ok(exit::GO)
}
