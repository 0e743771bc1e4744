//! What a list of tasks can be asked.

use std::path::Path;

use crate::error::SourceError;
use crate::task::Task;

/// What a list records by itself. What it cannot record, our journal keeps alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate ability")]
pub struct Capabilities {
    /// That somebody works on a task.
    pub claim: bool,
    /// Until when such a claim holds without a sign of life.
    pub lease: bool,
    /// It refuses a change that rests on what no longer holds.
    pub guard: bool,
    /// Since when somebody works on a task.
    pub start_time: bool,
    /// That a task is given up.
    pub block: bool,
    /// That a task is done.
    pub close: bool,
    /// What people and workers elsewhere do with it, of whom our own record knows nothing.
    pub shared: bool,
}

/// What is to become of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move<'a> {
    /// Somebody begins.
    Claim {
        /// Under this name.
        actor: &'a str,
        /// At this time, in milliseconds of the wall clock.
        at_ms: i64,
    },
    /// Whoever has it is alive.
    Heartbeat {
        /// Under this name.
        actor: &'a str,
    },
    /// It can be taken up again: by anybody, or after it had been given up.
    Open {
        /// Why, for whoever reads the list.
        note: &'a str,
    },
    /// It is given up.
    Block {
        /// Why.
        reason: &'a str,
    },
    /// It is done.
    Close {
        /// What shows it.
        evidence: &'a str,
        /// When, in milliseconds of the wall clock.
        at_ms: i64,
    },
}

/// Whether a list has recorded a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It has, or it said so already.
    Recorded,
    /// It has no words for it.
    NotExpressible,
}

/// A list of tasks.
pub trait Source: Send {
    /// What people call it.
    fn name(&self) -> &str;

    /// Where it is below the root of the repository, if it is a file there.
    fn path(&self) -> Option<&Path> {
        None
    }

    /// All that it holds, if it is a file below the root.
    fn copy(&self) -> Option<String> {
        None
    }

    /// Why what is there now is no such list any more, if it is a file and something is there.
    fn broken(&self) -> Option<String> {
        None
    }

    /// Writes what it held, whatever is there now.
    ///
    /// # Errors
    /// [`SourceError`] if it cannot be written, or is no file.
    fn put_back(&self, _copy: &str) -> Result<(), SourceError> {
        Err(SourceError::Unavailable {
            source_name: self.name().to_owned(),
            why: "it is no file here".into(),
        })
    }

    /// What it records by itself.
    fn capabilities(&self) -> Capabilities;

    /// All tasks, in the order of the list.
    ///
    /// # Errors
    /// [`SourceError`] if the list cannot be asked or understood: never an empty
    /// list in its place.
    fn list(&self) -> Result<Vec<Task>, SourceError>;

    /// One task, also where it is so far done that it is no longer listed.
    ///
    /// # Errors
    /// As [`list`](Source::list), and [`SourceError::NoSuchTask`].
    fn find(&self, id: &str) -> Result<Task, SourceError> {
        let found = self.list()?.into_iter().find(|task| task.id == id);
        found.ok_or_else(|| SourceError::NoSuchTask {
            task: id.to_owned(),
            source_name: self.name().to_owned(),
        })
    }

    /// Moves a task that is as `seen` says. A list with guards makes sure of that.
    ///
    /// # Errors
    /// [`SourceError::Lost`] if somebody else has moved it, the others if the list
    /// cannot be changed.
    fn apply(&self, seen: &Task, to: &Move<'_>) -> Result<Kept, SourceError>;
}
