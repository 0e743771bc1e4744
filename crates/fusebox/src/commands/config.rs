//! `fusebox config`: what is configured, where, and what could be.

use serde::Serialize;

use super::Context;
use crate::cli::{Config, ConfigAction};
use crate::config::{self, Cell, InForce, Key, Origin, Shown, Source};
use crate::exit;
use crate::failure::Failure;

/// A value in force, as data.
#[derive(Serialize)]
struct Row<'a> {
    key: String,
    /// `null` is no bound.
    value: Option<Shown>,
    /// The same as it would be written in a file.
    written: Option<String>,
    source: Source,
    /// File and line, variable or flag.
    place: Option<&'a str>,
}

pub(super) fn run(context: &Context<'_>, args: &Config) -> Result<u8, Failure> {
    match args.action {
        ConfigAction::Default => {
            let preset = context.cli.global.preset.unwrap_or_default();
            context.speech.data(&config::default_file(preset));
        }
        ConfigAction::Schema => context.speech.data(&format!("{:#}\n", config::schema())),
        ConfigAction::Show => show(context)?,
    }
    Ok(exit::GO)
}

fn show(context: &Context<'_>) -> Result<(), Failure> {
    let session = context.session()?;
    let circuit = session.store.peek()?.state.0;
    let in_force = session.in_force(&circuit)?;
    for warning in &in_force.warnings {
        context.speech.say(warning);
    }
    let mut layers = session.layers.borrow_mut();
    layers.listen_for(in_force.policy.preset, &circuit.imported);
    let words: Vec<_> = Key::with_words()
        .filter_map(|key| Some((key, layers.words(key)?)))
        .collect();
    let mut rows = rows(&in_force);
    rows.extend(words.iter().map(|(key, (words, origin))| {
        let value = match words {
            _ if key.is_secret() => Shown::Text("…".into()),
            words if key.is_list() => Shown::List(words.to_vec()),
            words => Shown::Text(words.join(" ")),
        };
        row(&key.path(), Some(value), origin)
    }));
    if context.speech.json {
        rows.iter().for_each(|row| context.speech.json(row));
        return Ok(());
    }
    for row in rows {
        let value = row.written.as_deref().unwrap_or("—");
        let place = row
            .place
            .map_or_else(String::new, |place| format!(" {place}"));
        let line = format!("{:<36} {value:<12} {}{place}\n", row.key, row.source);
        context.speech.data(&line);
    }
    Ok(())
}

fn rows(in_force: &InForce) -> Vec<Row<'_>> {
    let preset = Shown::Text(in_force.policy.preset.to_string());
    let mut rows = vec![row("preset", Some(preset), &in_force.preset)];
    if let Some(origin) = &in_force.operator_key {
        // Whoever looks over a shoulder need not see even the hash.
        rows.push(row(
            "operator_key_sha256",
            Some(Shown::Text("…".into())),
            origin,
        ));
    }
    if let Some(cell) = in_force.stagnation() {
        rows.push(row("stagnation.threshold", cell.shown(), &cell.origin));
    }
    let cells = in_force.cells();
    rows.extend(cells.map(|cell| row(&name(cell), cell.shown(), &cell.origin)));
    rows
}

fn row<'a>(key: &str, value: Option<Shown>, origin: &'a Origin) -> Row<'a> {
    let place = Some(origin.place.as_str()).filter(|place| !place.is_empty());
    Row {
        key: key.to_owned(),
        written: value.as_ref().map(ToString::to_string),
        value,
        source: origin.source,
        place,
    }
}

fn name(cell: &Cell) -> String {
    match cell.phase {
        Some(phase) => format!("{} ({})", cell.key.path(), phase.name()),
        None => cell.key.path(),
    }
}
