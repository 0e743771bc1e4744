//! What happens in a session, as far as loops are concerned.
//!
//! Every way in (a stream, a hook, a stored session) makes the same events of
//! the same session, with the functions of [`super::reading`], so that all of
//! them come to the same verdicts. An event holds identities and a few words for
//! people, never a whole text.

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::kind::CallKind;

/// Something that happened in a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum CallEvent {
    /// The model wrote or thought something.
    Said(Said),
    /// The model's turn ended without a call: it waits for a person, or is done.
    /// What it wrote in that turn came before.
    TurnEnded,
    /// A tool is about to be called.
    Call(Call),
    /// A tool has answered, or was kept from running.
    Result(CallResult),
    /// Somebody spoke in the place of a person. What was never said before comes
    /// from one, who has looked; the same words again come from a machine that
    /// makes the agent go on.
    User {
        /// What was said, numbers aside.
        digest: Digest,
        /// How long it is, in bytes. A person who repeats a word is brief.
        bytes: u64,
    },
    /// We spoke. It is no work of the agent's, and no word of a person's.
    Ours,
    /// The agent's own program made it go on, for a reason from outside: a task in the
    /// background has ended, or an answer was cut off. Nobody spoke, and no machine drives it.
    Woken,
    /// The conversation was compacted to make room.
    Compacted,
    /// This much was newly spent.
    Spent {
        /// Tokens of all kinds.
        tokens: u64,
    },
}

/// What the model wrote or thought.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// What it is.
    pub digest: Digest,
    /// How long it is, in bytes.
    pub bytes: u64,
    /// It says that the work is done.
    pub claims_done: bool,
    /// It is not the model's: the service could not be reached.
    pub outage: bool,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// What its result refers to.
    pub id: Digest,
    /// The tool and its arguments.
    pub digest: Digest,
    /// What kind of call it is.
    pub kind: CallKind,
    /// The file it is about.
    pub target: Option<Digest>,
    /// It changes files, as far as the call itself tells.
    pub changes: bool,
    /// What it changes, if it is an edit.
    pub edit: Option<Edit>,
    /// Which part of a file it reads.
    pub span: Option<Span>,
    /// The call in a few words, for people.
    pub words: String,
}

/// An edit of a file. One that names neither text takes another edit back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// What is taken away; `None` where a whole file is written.
    pub old: Option<Digest>,
    /// What is put in its place.
    pub new: Option<Digest>,
}

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Where it begins.
    pub from: u32,
    /// How long it is, or where it ends; 0 if that is not said.
    pub to: u32,
}

/// The answer of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallResult {
    /// The [`Call::id`] it answers.
    pub id: Digest,
    /// How it went.
    pub status: Status,
    /// What it answered, without what changes from run to run.
    pub digest: Digest,
    /// Which error it names, if it names one.
    pub error: Option<Digest>,
    /// All of an answer that names an error, but for where in a file things are.
    pub failure: Option<Digest>,
    /// The error in a few words, for people.
    pub words: String,
}

/// How a call went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It ran, and answered something.
    Answered,
    /// It ran, and had nothing to say: no output, or a bare `ok`.
    Silent,
    /// It ran and failed, or could not run.
    Failed,
    /// Trouble outside the work: a limit, an overload, the network.
    Outage,
    /// Somebody did not permit it.
    Denied,
    /// We did not let it run. The attempt counts.
    Blocked,
}

impl Status {
    /// Whether the tool did what it was asked to.
    #[must_use]
    pub fn took(self) -> bool {
        matches!(self, Self::Answered | Self::Silent)
    }
}
