//! Projects that were begun with another system, and what can be taken over from
//! them.

use fusebox_core::Preset;
use fusebox_core::machine::Adoption;

use crate::json::{Placed, Wrong};
use crate::seed::ProjectedFile;
use crate::{bmad, cub, liza, prp, ralph};

/// A system whose projects can be taken over.
pub trait Existing: Sync {
    /// Where it keeps its things, for people.
    fn place(&self) -> &'static str;

    /// The way of working that its projects go on with.
    fn preset(&self) -> Preset;

    /// Whether they can go on with another way of working, if that was asked for.
    fn serves(&self, preset: Preset) -> bool {
        preset == self.preset()
    }

    /// The files that say something about the project. Any of them shows that
    /// there is one.
    fn files(&self) -> &'static [ProjectedFile];

    /// The one of them that holds settings, if one does.
    fn settings(&self) -> Option<&'static str> {
        None
    }

    /// The file that has taken the place of the one at `path`, where one has.
    fn superseded(&self, _path: &str) -> Option<&'static str> {
        None
    }

    /// What one of the files says.
    ///
    /// # Errors
    /// What is wrong with it.
    fn understand(&self, path: &str, text: &str) -> Result<Understood, Wrong>;
}

/// What a file was understood to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Understood {
    /// What is taken over, in words.
    pub taken: Vec<String>,
    /// What it sets, in words, each with the bytes that say so: the configuration says which of
    /// that is heeded.
    pub set: Vec<Placed<String>>,
    /// What is a person's to say, in words: it is taken over where one vouches for the file.
    pub vouched: Vec<String>,
    /// What is left where it is, in words.
    pub left: Vec<String>,
    /// What the breaker takes over.
    pub adoption: Adoption,
    /// How many calls were made within an hour of the clock.
    pub calls: Option<u32>,
    /// Within which: year, month, day and hour in the zone of the machine, as `2026111920`.
    pub hour: Option<String>,
}

/// All of them.
pub const EXISTING: &[&dyn Existing] = &[
    &ralph::Ralph,
    &prp::Prp,
    &cub::Cub,
    &liza::Liza,
    &bmad::Bmad,
];
