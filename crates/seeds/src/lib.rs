//! The languages of the systems whose ways of working fusebox knows: a folder
//! for each of them, with the formats of its files.
//!
//! Text in, plain data out, and the other way round. Nothing here opens a file,
//! and nothing here decides: what a value means to the breaker, and whether
//! whoever wrote it may say so, is for the caller. What is read may come from a
//! hostile repository, so reading never panics, and whatever is said about a file
//! says where in it.
//!
//! What all of them have in common is [`Seed`]: which files are kept saying what
//! the memory says, how an edit of such a file is understood, and what a person
//! sees.

pub mod bmad;
mod companion;
pub mod cub;
mod existing;
mod json;
pub mod liza;
pub mod prp;
#[cfg(test)]
mod quiet_tests;
pub mod ralph;
mod seed;
pub mod superkit;
mod time;

pub use companion::{Companion, companions};
pub use existing::{EXISTING, Existing, Understood};
pub use json::{Placed, Wrong};
pub use seed::{Appendix, Choice, Content, Edit, Menu, ProjectedFile, Scene, Seed};

use fusebox_core::Preset;

/// The system that a way of working comes from, where it has a language of its
/// own.
#[must_use]
pub fn seed(preset: Preset) -> Option<&'static dyn Seed> {
    match preset {
        Preset::Prp => Some(&prp::Prp),
        Preset::Superkit => Some(&superkit::Superkit),
        Preset::Bmad => Some(&bmad::Bmad),
        Preset::Native | Preset::Cub | Preset::Liza => None,
    }
}
