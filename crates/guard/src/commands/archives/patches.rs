//! Patches: which files they name, or are known to be about.

use super::{unpack, unpack_only};
use crate::commands::{Options, touch_all};
use crate::effect::Action;
use crate::patch::{self, Deed};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};

/// The options of `patch` that have a value.
const VALUED: &[&str] = &[
    "-i",
    "-d",
    "-p",
    "-o",
    "-r",
    "-D",
    "-F",
    "--input",
    "--directory",
    "--output",
    "--reject-file",
    "--strip",
];

/// `patch`.
pub(super) fn run(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, VALUED);
    if options.has(&["--dry-run"]) {
        return Ok(());
    }
    let outputs = ["-o", "--output", "-r", "--reject-file"];
    touch_all(engine, Action::Overwrite, options.values(&outputs))?;
    if options.has(&["-o", "--output"]) {
        return Ok(());
    }
    touch_all(engine, Action::Overwrite, options.operands.first())?;
    let directory = options.value(&["-d", "--directory"]);
    // Without a number only the last part of a name counts, and with a large one more goes.
    let stripped = options.value(&["-p", "--strip"]).and_then(Text::known);
    let keeps_names = directory.is_none() && matches!(stripped.as_deref(), Some("0" | "1"));
    let named = options.value(&["-i", "--input"]);
    let picked = Picked::default();
    match named.or(options.operands.get(1)) {
        Some(file) => from_file(engine, file, directory, &picked, keeps_names),
        None => from_pipe(engine, directory, &picked, keeps_names),
    }
}

/// `apply_patch`, which some agents have among the programs of their shell. It changes files
/// in parts, as their tool of the same name does.
pub(super) fn of_an_agent(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let patch = match words.first() {
        Some(word) => word.known().map_or(Data::Unknown, Data::Known),
        None => engine.stdin.clone(),
    };
    let Some(text) = patch.text() else {
        return unpack(engine, None);
    };
    for (name, deed) in patch::deeds(text) {
        let name = Text::fixed(name);
        match deed {
            Deed::Empty(most) if empties(engine, &name, most)? => {
                engine.touch(Action::Truncate, &name)?;
            }
            Deed::Write | Deed::Empty(_) => engine.touch(Action::Edit, &name)?,
            Deed::Delete => engine.take_away(Action::Delete, &name, false)?,
            Deed::Rename => engine.take_away(Action::Rename, &name, false)?,
        }
    }
    Ok(())
}

/// Whether a file has something in it that is lost when so many bytes are taken out.
fn empties(engine: &mut Engine<'_>, name: &Text, most: u64) -> Result<bool, Stop> {
    let places = engine.places(name)?;
    let resolver = engine.resolver();
    Ok(places.iter().any(|place| match place {
        Place::At(path, _) => resolver.is_emptied(path, most),
        Place::Like(_) => false,
    }))
}

/// Which files of a patch count.
#[derive(Default)]
pub(in crate::commands) struct Picked {
    /// Only those that match one of these, if there are some.
    pub(in crate::commands) only: Vec<String>,
    pub(in crate::commands) never: Vec<String>,
}

impl Picked {
    fn has(&self, name: &str) -> bool {
        let fits = |globs: &[String]| globs.iter().any(|own| crate::glob::matches(own, name));
        (self.only.is_empty() || fits(&self.only)) && !fits(&self.never)
    }
}

/// A patch that is read from a pipe, and that may only be about certain paths. Those count
/// where nothing says that files are found under other names than the patch has.
pub(in crate::commands) fn from_pipe(
    engine: &mut Engine<'_>,
    directory: Option<&Text>,
    picked: &Picked,
    keeps_names: bool,
) -> Result<(), Stop> {
    let patch = engine.stdin.clone();
    match engine.input_within() {
        Some(within) if keeps_names && engine.stands_where_named(&within) => {
            unpack_only(engine, None, &within.paths)
        }
        _ => patched(engine, &patch, directory, picked),
    }
}

/// The same of a patch in a file.
pub(in crate::commands) fn from_file(
    engine: &mut Engine<'_>,
    file: &Text,
    directory: Option<&Text>,
    picked: &Picked,
    keeps_names: bool,
) -> Result<(), Stop> {
    match engine.file_within(file)? {
        Some(within) if keeps_names && engine.stands_where_named(&within) => {
            unpack_only(engine, None, &within.paths)
        }
        _ => {
            let patch = engine.content(file)?;
            patched(engine, &patch, directory, picked)
        }
    }
}

/// The files that a patch names are replaced, or deleted where it says so.
fn patched(
    engine: &mut Engine<'_>,
    patch: &Data,
    directory: Option<&Text>,
    picked: &Picked,
) -> Result<(), Stop> {
    let Some(text) = patch.text() else {
        return unpack(engine, directory);
    };
    let prefix = directory.and_then(Text::known);
    for line in text.lines() {
        let header = ["--- ", "+++ ", "rename from ", "rename to "];
        let Some(name) = header.iter().find_map(|start| line.strip_prefix(start)) else {
            continue;
        };
        let name = name.split('\t').next().unwrap_or(name).trim();
        let below = name.split_once('/').map_or(name, |(_, rest)| rest);
        if !picked.has(below) {
            continue;
        }
        for stripped in [name, below] {
            let path = match &prefix {
                Some(prefix) => format!("{prefix}/{stripped}"),
                None => stripped.to_owned(),
            };
            engine.touch(Action::Overwrite, &Text::fixed(path))?;
        }
    }
    Ok(())
}
