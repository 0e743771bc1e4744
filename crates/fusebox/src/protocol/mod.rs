//! Programs that talk to the breaker over their own pipe.
//!
//! Both protocols are JSON-RPC 2.0, a message a line: [`library`] for loops that are written in
//! any language, [`tools`] for agents that speak the Model Context Protocol. [`rpc`] is what they
//! share, and the only place where bytes from outside are parsed; [`questions`] answers, by the
//! same functions that the commands use.
//!
//! Whoever is on the other end may be an agent. So there is no method that releases, relaxes or
//! configures anything: to these protocols such things do not exist.

#[cfg(feature = "fuzzing")]
mod door;
mod library;
mod questions;
mod refusal;
mod rpc;
mod tools;

#[cfg(feature = "fuzzing")]
pub(crate) use door::{converse_about, made_up};
pub(crate) use library::Library;
#[cfg(feature = "fuzzing")]
pub(crate) use rpc::converse_with;
pub(crate) use rpc::serve;
pub(crate) use tools::Tools;
