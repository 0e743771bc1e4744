//! Layers as data, without a file system.

mod bounds;
mod choice;
mod words;

use fusebox_core::Preset;

use super::key::Key;
use super::layer::{Document, Layer, Source};
use super::{InForce, Layers, document, environment};
use crate::failure::Failure;

fn file(source: Source, text: &str) -> Result<Layer, Failure> {
    let path = format!("{source}.toml").into();
    let text = text.to_owned();
    document::parse(Document { path, text }, source)
}

fn variables(set: &[(&str, &str)]) -> Result<Option<Layer>, Failure> {
    environment::read(&environment::VARIABLES, |name| {
        let found = set.iter().find(|(known, _)| *known == name)?;
        Some(found.1.to_owned())
    })
}

/// Resolves files in the order they are given.
fn resolve(preset: Preset, files: &[(Source, &str)]) -> Result<InForce, Failure> {
    let layers = files.iter().map(|(source, text)| file(*source, text));
    Layers::found(layers.collect::<Result<_, _>>()?).resolve(Some(preset))
}

fn amount(in_force: &InForce, path: &str) -> (Option<u64>, Source) {
    let key = Key::all().find(|key| key.path() == path).unwrap();
    let cell = in_force.cells.cell(key).unwrap();
    (cell.amount, cell.origin.source)
}

/// A failure as it is printed, without colour.
fn told(failure: &Failure) -> String {
    let mut lines = vec![format!("error: {}", failure.what)];
    lines.extend(failure.excerpt.clone());
    lines.extend(failure.hints.iter().map(|hint| format!("hint: {hint}")));
    lines.extend(failure.also.iter().map(told));
    lines.join("\n")
}

impl Layers {
    fn found(found: Vec<Layer>) -> Self {
        Self {
            found,
            companions: Vec::new(),
            circuit: None,
        }
    }
}
