//! `fusebox pause`, `resume` and `stop`: what another terminal asks of a loop.

use fusebox_supervise::RunLock;

use super::Context;
use crate::authority;
use crate::exit;
use crate::failure::Failure;
use crate::run::requests::{self, Request};

pub(super) fn run(context: &Context<'_>, request: Request) -> Result<u8, Failure> {
    let session = context.session_despite_config()?;
    if request == Request::Resume && authority::is_inside_an_agent() {
        return Err(Failure::new(
            exit::REFUSED,
            "an agent does not decide when its loop goes on",
        )
        .hint("a person must do this, in another terminal, outside the agent"));
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
                "it may be asking somebody a question, or be stopped itself; look at its terminal",
            ),
        );
    }
    context.speech.say(match request {
        Request::Pause => "it waits when this iteration has ended; `fusebox resume` goes on",
        Request::Resume => "it goes on",
        Request::StopAfterIteration => "it ends when this iteration has ended",
        Request::Stop => "it ends now; everything is saved",
    });
    Ok(exit::GO)
}
