//! Code that interpreters load besides what they are given: modules of the repository, and what
//! an option or the environment asks for.

use super::{Options, code};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::Text;

/// The options of node that load something first.
const PRELOADING: &[&str] = &["-r", "--require", "--import"];

/// How the name of a module of node may go on.
const NODE_ENDINGS: [&str; 6] = ["", ".js", ".cjs", ".mjs", ".ts", "/index.js"];

/// What is loaded before a program runs.
pub(super) fn before(
    engine: &mut Engine<'_>,
    language: &str,
    options: &Options,
) -> Result<(), Stop> {
    match language {
        "python" | "pypy" | "ipython" => {
            let start = engine.shell.get("PYTHONSTARTUP").map(|value| value.first());
            start.map_or(Ok(()), |file| follow(engine, &file).map(drop))
        }
        "node" | "nodejs" | "bun" | "tsx" | "ts-node" => {
            for file in options.values(PRELOADING) {
                node(engine, file)?;
            }
            node_options(engine)
        }
        _ => Ok(()),
    }
}

/// What `NODE_OPTIONS` asks for, of whichever program runs node.
pub(super) fn node_options(engine: &mut Engine<'_>) -> Result<(), Stop> {
    let Some(asked) = engine.shell.known("NODE_OPTIONS") else {
        return Ok(());
    };
    let words: Vec<Text> = asked.split_whitespace().map(Text::fixed).collect();
    for file in Options::parse(&words, PRELOADING).values(PRELOADING) {
        node(engine, file)?;
    }
    Ok(())
}

/// A module of node that is named by its path; others are of packages.
pub(super) fn node(engine: &mut Engine<'_>, module: &Text) -> Result<(), Stop> {
    if !module.known_start().starts_with(['.', '/']) {
        return Ok(());
    }
    for ending in NODE_ENDINGS {
        let mut file = module.clone();
        file.append(&Text::fixed(ending));
        if follow(engine, &file)? {
            break;
        }
    }
    Ok(())
}

/// A module of python that lies where it is looked for: here, where `PYTHONPATH` says, or in other
/// places that are named. What a package has for the purpose is looked for in it.
pub(super) fn python(
    engine: &mut Engine<'_>,
    module: &str,
    own: &str,
    places: &[String],
) -> Result<(), Stop> {
    let is_name = |c: char| c.is_alphanumeric() || "_.".contains(c);
    if module.is_empty() || !module.chars().all(is_name) {
        return Ok(());
    }
    let path = module.trim_start_matches('.').replace('.', "/");
    let searched = engine.shell.known("PYTHONPATH").unwrap_or_default();
    let searched = searched.split(':').filter(|above| !above.is_empty());
    let named = places.iter().map(String::as_str);
    for above in named.chain(std::iter::once(".")).chain(searched) {
        for file in [
            format!("{above}/{path}.py"),
            format!("{above}/{path}/{own}"),
        ] {
            if follow(engine, &Text::fixed(file))? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The file that is meant by what python is told to run: of a directory it is one in it.
pub(super) fn main_of(engine: &mut Engine<'_>, file: &Text) -> Result<Text, Stop> {
    let places = engine.places(file)?;
    let is_directory = |place: &Place| match place {
        Place::At(path, _) => engine.is_directory(path),
        Place::Like(_) => false,
    };
    let mut main = file.clone();
    if !places.is_empty() && places.iter().all(is_directory) {
        main.append(&Text::fixed("/__main__.py"));
    }
    Ok(main)
}

/// Whether this same command wrote a file.
pub(super) fn is_written_here(engine: &mut Engine<'_>, file: &Text) -> Result<bool, Stop> {
    let places = engine.places(file)?;
    Ok(places.iter().any(|place| match place {
        Place::At(path, _) => {
            let path = engine.resolver().beyond_links(path);
            engine.shell.files.contains_key(&path)
        }
        Place::Like(_) => false,
    }))
}

/// Follows a file of code, if it can be read. A program that this same command wrote is as
/// short and as much to the point as one that is given inline.
pub(super) fn follow(engine: &mut Engine<'_>, file: &Text) -> Result<bool, Stop> {
    let text = engine.content(file)?;
    if text.text().is_none() {
        return Ok(false);
    }
    let origin = match is_written_here(engine, file)? {
        true => code::Origin::Inline,
        false => code::Origin::File,
    };
    let mut given = code::Given::new(engine, &[]);
    given.runs_backquotes = false;
    engine.deeper(|engine| code::follow_given(engine, &text, &given, origin))?;
    Ok(true)
}
