//! What fusebox asks of a system whose language it speaks.

use fusebox_core::circuit::State;
use fusebox_core::machine::Adoption;
use fusebox_core::{Circuit, Entry, Policy};

use crate::Wrong;

/// A system whose language fusebox speaks. Each says only what it has.
///
/// Labels and exit codes are not here: they are plain values, and stand in the
/// row of the policy's table.
pub trait Seed: Sync {
    /// The files that its tools read and that are kept saying what the memory
    /// says.
    fn projections(&self) -> &'static [ProjectedFile] {
        &[]
    }

    /// Further files that are read to know what those are to say.
    fn reads(&self) -> &'static [ProjectedFile] {
        &[]
    }

    /// What such a file says, now that somebody has edited it, held against what
    /// the memory says.
    ///
    /// # Errors
    /// What is wrong with the file, if it cannot be understood.
    fn edit(&self, _path: &str, _text: &str, _scene: &Scene<'_>) -> Result<Edit, Wrong> {
        Ok(Edit::default())
    }

    /// What such a file is to say. All that is not ours is taken over from the
    /// file as it was `found`, byte for byte.
    ///
    /// # Errors
    /// What is wrong with the file as it was found.
    fn project(
        &self,
        _path: &str,
        _found: Option<&str>,
        _scene: &Scene<'_>,
    ) -> Result<Content, Wrong> {
        Ok(Content::AsFound)
    }

    /// What is added at the end of files that only ever grow.
    fn appendices(&self, _scene: &Scene<'_>) -> Vec<Appendix> {
        Vec::new()
    }

    /// What its log says of what has just happened, line by line.
    fn log(&self, _scene: &Scene<'_>) -> Vec<String> {
        Vec::new()
    }

    /// The block that it gives out after each tick.
    fn status_block(&self, _scene: &Scene<'_>) -> Option<String> {
        None
    }

    /// What a person is asked when the breaker is open.
    fn menu(&self, _scene: &Scene<'_>) -> Option<Menu> {
        None
    }

    /// The keys that answer this, in the order they are shown.
    fn choices(&self) -> &'static [(char, Choice)] {
        &[]
    }

    /// How a state is displayed, where that is more than its label.
    fn display(&self, _state: State) -> Option<&'static str> {
        None
    }

    /// Whether each iteration is told in a log of its own.
    fn logs_iterations(&self) -> bool {
        false
    }

    /// Thoughts that a person at an open breaker may have, each with its answer.
    fn reminders(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
}

/// What has just happened, and how things stand.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The rules in force.
    pub policy: &'a Policy,
    /// The circuit, with everything that has happened.
    pub circuit: &'a Circuit,
    /// What has just happened, oldest first.
    pub entries: &'a [Entry],
    /// The wall clock, in milliseconds.
    pub now_ms: i64,
    /// The further files that were read, with what they say.
    pub beside: &'a [(&'static str, Option<String>)],
}

impl Scene<'_> {
    /// What one of the further files says, if it is there.
    #[must_use]
    pub fn read(&self, path: &str) -> Option<&str> {
        let (_, text) = self.beside.iter().find(|(at, _)| *at == path)?;
        text.as_deref()
    }
}

/// A file that is kept saying what the memory says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProjectedFile {
    /// Where it is, below the root of the work tree.
    pub path: &'static str,
    /// Larger ones are not believed to be it.
    pub most_bytes: u64,
}

/// What a file is to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// It stays as it is, or stays away.
    AsFound,
    /// There is to be no such file.
    Removed,
    /// This.
    Text(String),
}

/// What an edit of a file amounts to. One edit can be both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// What is stricter than the memory, with a word on it: that is taken over.
    pub tightens: Option<(Adoption, String)>,
    /// What is less strict than the memory, in words: whoever wrote that wants
    /// something released.
    pub relaxes: Option<String>,
}

/// A text for the end of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appendix {
    /// Where the file is, below the root of the work tree.
    pub path: &'static str,
    /// What it begins with where there is none yet.
    pub header: String,
    /// What is added.
    pub text: String,
}

/// A question to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Menu {
    /// The whole of it, as it is shown.
    pub text: String,
    /// The keys that answer it, in the order they are shown.
    pub choices: Vec<(char, Choice)>,
}

/// What a person can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Close the breaker and count anew.
    Reset,
    /// Take the phase for complete and go on with the next.
    SkipPhase,
    /// End here.
    Abort,
    /// Close the breaker, with a word on what is to be done differently.
    Guide,
}
