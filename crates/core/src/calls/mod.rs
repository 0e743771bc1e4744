//! Loops inside a session: the same calls, the same answers, nothing new.
//!
//! Iterations are judged by what they leave behind; this looks at a session
//! while it runs. Events go in one at a time, a verdict comes out when there is
//! something to say. Nothing here reads a clock or a file, the state is a few
//! kilobytes, and the same events always lead to the same verdicts.
//!
//! [`reading`] makes events of what agents write. `memory` knows an outcome
//! again, the `signals` count what it knows, and `ladder` makes one verdict of
//! what they read. A call whose answer has always been the same is judged when
//! it is about to be made, so that it can be kept from running.

mod answer;
mod arguments;
mod bounded;
mod deed;
mod digest;
mod error_line;
mod event;
mod kind;
mod ladder;
mod memory;
mod policy;
pub mod reading;
mod row;
mod signals;
mod state;
mod verdict;
mod words;

pub use arguments::Arguments;
pub use digest::Digest;
pub use event::{Call, CallEvent, CallResult, Edit, Said, Span, Status};
pub use kind::CallKind;
pub use policy::{CallPolicy, NEVER, Points, Rung, Rungs};
pub use state::{CallState, STATE_BYTES, STATE_VERSION};
pub use verdict::{CallEvidence, CallSignal, CallVerdict, Level};

/// Takes one event in, and says so if the session goes round in circles.
pub fn step(state: &mut CallState, policy: &CallPolicy, event: &CallEvent) -> Option<CallVerdict> {
    let highest = policy.highest?;
    let mut foretold = None;
    match event {
        CallEvent::Said(said) => {
            state.say(said);
            return None;
        }
        CallEvent::Ours => return None,
        CallEvent::TurnEnded => state.end_turn(),
        CallEvent::Call(call) => {
            foretold = Some(state.begin(call)?);
        }
        CallEvent::Result(result) => state.end(policy, result),
        CallEvent::User { digest, bytes } => state.hear(*digest, *bytes >= policy.prompt_bytes),
        CallEvent::Woken => state.turns.wake(),
        CallEvent::Compacted => state.compact(),
        CallEvent::Spent { tokens } => state.effort.spend(*tokens),
    }
    ladder::verdict(state, policy, highest, foretold.as_ref())
}

/// What every signal reads at this point, but for zeros.
#[must_use]
pub fn readings(state: &CallState, policy: &CallPolicy) -> Vec<(CallSignal, u32)> {
    let all = ladder::readings(state, &policy.points, None);
    all.into_iter()
        .map(|reading| (reading.signal, reading.value))
        .collect()
}
