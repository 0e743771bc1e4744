//! A model server on loopback that says what a script tells it to say.
//!
//! What a circuit breaker must get right happens inside real agents: they
//! retry in silence, sleep for hours on a quota, leave children behind when
//! they are killed. None of it can be shown with a mock of the agent, and none
//! of it should be shown with a vendor's model, which costs money and never
//! fails on demand. So the agent is real and the model is a script.
//!
//! One script serves every client. The protocol is told from the path that
//! is asked for; a [`Failure`] is worded as that vendor words it, and a
//! [`ToolCall::Shell`] is addressed to whichever shell tool the client
//! declared.
//!
//! Only requests that declare tools take a step of the script: clients also
//! ask for titles and summaries in between, as often as they like, and those
//! must not shift what the script says next.
//!
//! This crate is support for tests and for trying things out. Nothing of it
//! is part of fusebox itself.

mod answer;
mod failure;
mod http;
mod log;
mod playback;
mod protocol;
mod script;
mod server;

pub use failure::Failure;
pub use log::Request;
pub use script::{Reply, Script, ScriptError, Step, ToolCall, Usage};
pub use server::Server;
