//! The line between the hooks of an agent and the supervisor that runs it.
//!
//! A supervisor hears every call in the agent's own stream and keeps the one account of
//! them. Only a hook can keep a call from being made. So under `fusebox run` each hook says
//! over a socket which call it was asked about, and is told what the account makes of it.
//!
//! Whoever works for the agent can reach that socket, so what comes over it is worth as much
//! as what comes to a hook over its standard input: it is a claim of the agent's. There are
//! two things to say, *this call is about to be made* and *this call was answered*, and there
//! is no word to forget, to excuse or to go on.
//!
//! * Where the stream tells of the calls, a claim moves nothing: the answer is what the
//!   account, moved by the stream alone, says of that call. A forged one is answered and
//!   forgotten. Its one trace is a call that was refused, which then counts as an attempt
//!   that brought nothing, the least that any call can count for.
//! * Where nothing else tells of them (a script that starts the agent, a sub-agent, an agent
//!   that names its calls differently in its stream), the hooks are the witness, as they are
//!   without a supervisor, and no more is believed of them than there. What the work tree
//!   shows is measured either way.
//!
//! In the other direction, a hook believes nobody but the process that supervises it
//! ([`fusebox_supervise::supervisor`]), which nothing inside the step can pretend to be. If
//! that one does not answer in time, the hook judges by itself, as if there were none.

mod ask;
mod board;
mod message;
mod socket;

pub(crate) use ask::ask;
pub(crate) use board::Switchboard;
#[cfg(feature = "fuzzing")]
pub(crate) use message::read_report;
pub(crate) use message::{About, Reply, Report, Whose};

#[cfg(test)]
mod tests;
