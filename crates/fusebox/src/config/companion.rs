//! What the tools of another system say, which counts in the way of working that
//! comes from it and nowhere else.
//!
//! Which way of working rules is known only when the circuit is, under its lock,
//! and files are read before that. So everything is read for all of them, and kept
//! with whatever is wrong with it: a broken file of a tool that nobody asked for
//! must not stop anything.

use std::path::Path;

use fusebox_core::policy::{Companion, Policy, Preset};

use super::key::Key;
use super::layer::{Document, Layer, Source};
use super::{block, environment, file};
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;

/// One source of settings, for one way of working.
#[derive(Clone, Debug)]
pub(super) struct Voice {
    preset: Preset,
    source: Source,
    said: Result<Layer, Failure>,
}

/// All that is said for the workspace at `root`.
pub(super) fn voices(root: &Path) -> Vec<Voice> {
    let mut voices = Vec::new();
    for preset in Preset::ALL {
        let Some(companion) = Policy::of(preset).companion else {
            continue;
        };
        for (source, said) in [
            (Source::Project, project(root, &companion)),
            (Source::Environment, variables(&companion)),
        ] {
            voices.extend(said.transpose().map(|said| Voice {
                preset,
                source,
                said,
            }));
        }
    }
    voices
}

/// The same, later in a run. What a repository's file said at first stays in
/// force beside what it says now, as it does for the one of our own.
pub(super) fn reread(before: &[Voice], root: &Path) -> Vec<Voice> {
    let mut now = voices(root);
    for preset in Preset::ALL {
        let is_file = |voice: &&Voice| voice.preset == preset && voice.source == Source::Project;
        let Some(first) = before.iter().find(is_file) else {
            continue;
        };
        if !now.iter().filter(is_file).any(|voice| voice.agrees(first)) {
            now.insert(0, first.clone());
        }
    }
    now
}

/// What is said in one way of working.
pub(super) fn layers(voices: &[Voice], preset: Preset) -> Result<Vec<&Layer>, Failure> {
    let theirs = voices.iter().filter(|voice| voice.preset == preset);
    theirs
        .map(|voice| voice.said.as_ref().map_err(Failure::clone))
        .collect()
}

impl Voice {
    fn agrees(&self, other: &Self) -> bool {
        match (&self.said, &other.said) {
            (Ok(one), Ok(other)) => one.settings == other.settings,
            _ => false,
        }
    }
}

fn project(root: &Path, companion: &Companion) -> Result<Option<Layer>, Failure> {
    let path = root.join(companion.config);
    let text = file::read_beneath(root, Path::new(companion.config), file::MOST_BYTES)
        .map_err(|why| Failure::new(exit::CONFIG, format!("{}: {why}", shown(&path))))?;
    text.map(|text| block::parse(Document { path, text }, Source::Project))
        .transpose()
}

fn variables(companion: &Companion) -> Result<Option<Layer>, Failure> {
    environment::layer(&[
        (companion.threshold_variable, Key::StagnationThreshold),
        (companion.action_variable, Key::StagnationAction),
    ])
}
