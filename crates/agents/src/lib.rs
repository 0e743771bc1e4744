//! What each coding agent prints, and what it means.
//!
//! One folder for each agent, one trait ([`Agent`]) and one list of events
//! ([`AgentEvent`]) for all of them. Bytes go in, events come out, and at the
//! end of a run stands a [`RunEnd`] that says why it ended. Nothing here starts
//! a process, opens a file or decides anything.
//!
//! # Structure first
//!
//! An agent works on code, and code is full of words like "rate limit" and
//! "error". A reader that looks for such words in what an agent prints takes a
//! review of a rate limiter for a limit, and a quoted log for a failure. So:
//!
//! 1. What an agent marks as an error, a limit, a denial or a result is read
//!    from the fields that say so.
//! 2. Sentences are read only where nothing else tells: in such events, and when
//!    the process failed in the last lines of standard error, or in a text so
//!    short that it can be about nothing else. They stand in one table for each
//!    agent, because they change with each release, and in one for what services
//!    say, whoever passes it on.
//! 3. What the agent or a tool wrote about the work is never searched.
//! 4. The exit code comes last. Agents exit with 0 when they are not logged in.
//!
//! What is not known is said to be unknown: kinds of events and lines that no
//! rule covers are counted and reported, and are never an error.
//!
//! ```
//! use fusebox_agents::{by_name, EndClass, Exit, LineSplitter, Reading, Stream};
//!
//! let mut reader = by_name("codex").expect("one of ours").reader(Reading::default());
//! let mut lines = LineSplitter::default();
//! let mut events = Vec::new();
//! lines.push(b"{\"type\":\"turn.completed\"}\n", |line| {
//!     reader.line(Stream::Stdout, line, 0, &mut events);
//! });
//! assert_eq!(reader.end(Exit::Code(0), 0).class, EndClass::Finished);
//! ```

// Serde is told by a path in a string how to read a field, and the same path has
// to hold here and in the crates that declare objects of their own.
extern crate self as fusebox_agents;

mod agent;
mod as_text;
mod class;
mod command;
mod end;
mod event;
mod excerpt;
pub mod hook;
pub mod json;
mod json_lines;
mod launch;
mod line;
pub mod message;
mod moment;
mod phrases;
mod plain_text;
pub mod prose;
mod reader;
mod reset_time;
mod run_record;
mod usage;
mod wrappers;

mod aider;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod generic;
mod guests;
mod opencode;

pub use agent::{Abilities, About, Agent, FirstSignal, SignIn, Stopping};
pub use aider::Aider;
pub use as_text::as_text;
pub use class::{EndClass, Trouble};
pub use claude::Claude;
pub use codex::Codex;
pub use command::Recognised;
pub use copilot::Copilot;
pub use end::{Exit, FinalResult, RunEnd};
pub use event::{
    AgentEvent, EpochMs, Limit, LimitStatus, Retrying, SessionStarted, ToolCall, ToolOutcome,
    ToolResult, Window,
};
pub use excerpt::Excerpt;
pub use gemini::Gemini;
pub use generic::Generic;
pub use launch::{Invocation, Launch, Permissions};
pub use line::{LINE_BYTES, Line, LineSplitter};
pub use opencode::Opencode;
pub use reader::{Reader, Reading, Stream};
pub use usage::{Totals, Usage};

/// The zone of [`Reading::zone`].
pub use jiff::tz::TimeZone;

use std::ffi::OsString;

/// All agents. The last one takes any command, so it is asked last.
pub static AGENTS: [&dyn Agent; 7] = [
    &Claude, &Codex, &Gemini, &Opencode, &Copilot, &Aider, &Generic,
];

/// Programs that are coding agents as well, and are not started by us.
const OTHER_PROGRAMS: [&str; 6] = ["cursor-agent", "amp", "goose", "qwen", "crush", "droid"];

/// The programs that are known to be coding agents, by the name they run under.
pub fn programs() -> impl Iterator<Item = &'static str> {
    let ours = AGENTS.into_iter().flat_map(|agent| agent.programs());
    ours.copied().chain(OTHER_PROGRAMS)
}

/// The agent of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Agent> {
    AGENTS.into_iter().find(|agent| agent.name() == name)
}

/// The agent that a command starts, and whether its output can be read. That may be one
/// that is not ours to start.
#[must_use]
pub fn recognise(command: &[OsString]) -> Option<(&'static dyn Agent, Recognised)> {
    let agents = guests::GUESTS.into_iter().chain(AGENTS);
    agents
        .map(|agent| (agent, agent.recognise(command)))
        .find(|(_, recognised)| *recognised != Recognised::No)
}
