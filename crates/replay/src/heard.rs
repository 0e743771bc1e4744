//! What a session tells, in words that all formats share.
//!
//! Everything is borrowed from the line it stands in: a session file is mostly
//! results, and most of a result is never looked at twice.

use fusebox_agents::{EpochMs, ToolOutcome, Usage};

use crate::labels::Labels;

/// One thing that a session tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Heard<'a> {
    /// What follows belongs to this session, until another one is named. A
    /// session may be named again and then goes on.
    Session(Identity<'a>),
    /// The model begins to answer.
    Turn,
    /// A person, or whoever drives the agent, wrote to it.
    User(&'a str),
    /// The agent's own program made the model go on, for a reason from outside.
    Woken,
    /// The agent wrote to its user.
    Said(&'a str),
    /// The model thought; empty where a format only tells that it did.
    Thought(&'a str),
    /// A tool is called.
    Called(Called<'a>),
    /// A tool has answered.
    Answered(Answered<'a>),
    /// We did not let this call run.
    Blocked(&'a str),
    /// The call that was answered last changed a file, as far as it tells.
    Edited,
    /// This was newly spent.
    Spent(Usage),
    /// The conversation was compacted to make room.
    Compacted,
    /// The conversation went back to an earlier point and on from there.
    Branched,
    /// The session is over, and this is known of how it went.
    Ended(Labels),
}

/// Which session it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Identity<'a> {
    /// The collection it belongs to; empty where a format has none.
    pub source: &'a str,
    /// Its name; empty where a format has none.
    pub session: &'a str,
    /// The sub-agent, if it is one's conversation and not the session's own.
    pub side: &'a str,
    /// The model, where it is told here.
    pub model: &'a str,
}

/// A call of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Called<'a> {
    /// What its answer refers to; may be empty.
    pub id: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// JSON as the agent wrote it, or a bare command.
    pub arguments: &'a str,
}

/// An answer of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered<'a> {
    /// The [`Called::id`] it refers to; may be empty.
    pub id: &'a str,
    /// How it went.
    pub outcome: ToolOutcome,
    /// What it says.
    pub text: &'a str,
    /// How long all of it was, where `text` may be only its beginning.
    pub bytes: usize,
}

/// Takes in what a session tells.
pub trait Listener {
    /// Something was told, at this time if it has one.
    fn hear(&mut self, at: Option<EpochMs>, heard: Heard<'_>);

    /// A line stands in the file a second time and was not read again.
    fn twice(&mut self);
}
