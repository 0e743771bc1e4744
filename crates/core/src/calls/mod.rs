//! Loops inside a session: the same calls, the same answers, nothing new.
//!
//! Iterations are judged by what they leave behind; this looks at a session
//! while it runs. Events go in one at a time, a verdict comes out when there is
//! something to say. Nothing here reads a clock or a file, the state is a few
//! kilobytes, and the same events always lead to the same verdicts.
//!
//! [`reading`] makes events of what agents write, [`step`] takes them in.

mod arguments;
mod digest;
mod event;
mod kind;
mod policy;
pub mod reading;
mod state;
mod verdict;

pub use arguments::Arguments;
pub use digest::Digest;
pub use event::{Call, CallEvent, CallResult, Edit, Said, Span, Status};
pub use kind::CallKind;
pub use policy::CallPolicy;
pub use state::{CallState, STATE_BYTES, STATE_VERSION};
pub use verdict::{CallEvidence, CallSignal, CallVerdict, Level};

/// Takes one event in, and says so if the session goes round in circles.
pub fn step(state: &mut CallState, policy: &CallPolicy, event: &CallEvent) -> Option<CallVerdict> {
    let highest = policy.highest?;
    match event {
        CallEvent::Call(call) => {
            state.calls = state.calls.saturating_add(1);
            state.pending = Some((call.id, call.digest));
            None
        }
        CallEvent::Result(result) => {
            let (_, call) = state.pending.take().filter(|(id, _)| *id == result.id)?;
            let pair = Digest::joined(&[call, result.digest]);
            state.known = if state.remember(pair) {
                state.known + 1
            } else {
                0
            };
            let level = match state.known {
                known if known >= policy.trip => Level::Trip,
                known if known >= policy.steer => Level::Steer,
                _ => return None,
            };
            Some(CallVerdict {
                level: level.min(highest),
                call: state.calls,
                identity: pair,
                confidence: 90,
                evidence: Vec::new(),
                message: String::new(),
            })
        }
        CallEvent::User { .. } => {
            state.known = 0;
            None
        }
        _ => None,
    }
}
