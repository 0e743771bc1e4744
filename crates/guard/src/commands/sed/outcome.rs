//! What is left where `sed` has edited: in files that others run, and in a pipe.

use super::{VALUED, edits, is_in_place, readable, scripts_and_files};
use crate::commands::Options;
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};

/// More files than these are not edited here: whoever edits so many does not run them next.
const MOST_EDITED: usize = 8;

/// What it prints: what it reads, edited.
pub(in crate::commands) fn printed(engine: &mut Engine<'_>, words: &[Text]) -> Result<Data, Stop> {
    let options = Options::parse(words, VALUED);
    let (scripts, files) = scripts_and_files(engine, &options)?;
    if is_in_place(words) || files.len() > 1 {
        return Ok(Data::Unknown);
    }
    let read = match files.first() {
        Some(file) if !is_run_by_others(file) => return Ok(Data::Unknown),
        Some(file) => engine.content(file)?,
        None => engine.stdin.clone(),
    };
    let scripts: Vec<String> = scripts.iter().map(readable).collect();
    Ok(edited(&read, &scripts, &options))
}

/// What is in these files from now on, for those who run them. What is made of other files
/// does not matter to anybody.
pub(super) fn remember(
    engine: &mut Engine<'_>,
    files: &[Text],
    scripts: &[String],
    options: &Options,
) -> Result<(), Stop> {
    let files = engine.all_named(files)?;
    for file in files
        .iter()
        .filter(|file| is_run_by_others(file))
        .take(MOST_EDITED)
    {
        let before = engine.content(file)?;
        let after = edited(&before, scripts, options);
        for place in engine.places(file)? {
            if let Place::At(path, _) = place {
                let path = engine.resolver().beyond_links(&path);
                engine.remember(path, &after, false);
            }
        }
    }
    Ok(())
}

/// What scripts make of a text that is known in full; of some lines of it the rest may matter.
fn edited(text: &Data, scripts: &[String], options: &Options) -> Data {
    let extended = options.has(&["-E", "-r", "--regexp-extended"]);
    let others = [
        "-n",
        "--quiet",
        "--silent",
        "-z",
        "--null-data",
        "-s",
        "--separate",
    ];
    match text {
        Data::Known(text) if !options.has(&others) => {
            let edited = edits::edited(text, scripts, extended);
            edited.map_or(Data::Unknown, Data::Known)
        }
        _ => Data::Unknown,
    }
}

/// Whether a file is a script, or one that says what others run.
fn is_run_by_others(file: &Text) -> bool {
    let name = file.known_end();
    let name = name.rsplit('/').next().unwrap_or_default();
    let endings = [".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".mk"];
    let names = [
        "package.json",
        "Makefile",
        "makefile",
        "GNUmakefile",
        "justfile",
        "Justfile",
    ];
    names.contains(&name) || endings.iter().any(|ending| name.ends_with(ending))
}
