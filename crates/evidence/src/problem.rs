//! Errors of compilers and interpreters, with the place they name.

mod c;
mod go;
mod python;
mod rustc;
mod typescript;

use crate::plain_text::{MESSAGE_BYTES, NAME_BYTES, clip};
use crate::run::KEPT;

/// The problems of one output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    /// How many were met while building.
    pub building: u32,
    /// How many were met while running.
    pub running: u32,
    /// The first of them, up to [`KEPT`].
    pub kept: Vec<Problem>,
}

/// One error of a compiler or interpreter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// When it was met.
    pub stage: Stage,
    /// Its code or type, such as `E0277`, `TS2322` or `ModuleNotFoundError`.
    pub kind: Option<String>,
    /// Its text, in one line.
    pub message: String,
    /// The file it names.
    pub file: Option<String>,
    /// The line it names.
    pub line: Option<u32>,
}

/// When a problem was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// By a compiler: nothing ran.
    Building,
    /// By a running program.
    Running,
}

impl Problems {
    /// The problems in a text.
    pub(crate) fn find(text: &str) -> Self {
        let mut found = Self::default();
        for find in [
            rustc::find,
            c::find,
            typescript::find,
            go::find,
            python::find,
        ] {
            find(text, &mut |problem| found.add(problem));
        }
        found
    }

    fn add(&mut self, problem: Problem) {
        let count = match problem.stage {
            Stage::Building => &mut self.building,
            Stage::Running => &mut self.running,
        };
        *count = count.saturating_add(1);
        if self.kept.len() < KEPT {
            self.kept.push(problem);
        }
    }
}

impl Problem {
    fn new(stage: Stage, kind: Option<&str>, message: &str, place: Option<(&str, u32)>) -> Self {
        Self {
            stage,
            kind: kind.map(|kind| clip(kind, NAME_BYTES)),
            message: clip(message.trim(), MESSAGE_BYTES),
            file: place.map(|(file, _)| clip(file, NAME_BYTES)),
            line: place.map(|(_, line)| line),
        }
    }
}
