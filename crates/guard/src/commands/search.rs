//! Searches through what files hold: `grep` and its kin, for the names that they list.

use std::path::Path;

use super::{Options, printing::some_of};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, OTHER_FILE, Text};
use crate::tree::Kind;

/// What it prints.
pub(super) fn run(engine: &mut Engine<'_>, words: &[Text]) -> Result<Data, Stop> {
    let options = Options::parse(
        words,
        &[
            "-e",
            "-f",
            "-m",
            "-A",
            "-B",
            "-C",
            "-g",
            "-t",
            "--include",
            "--exclude",
        ],
    );
    let names_only = [
        "-l",
        "-L",
        "--files-with-matches",
        "--files",
        "--files-without-match",
    ];
    let has_pattern = options.has(&["-e", "-f", "--files"]);
    let operands = options
        .operands
        .get(usize::from(!has_pattern)..)
        .unwrap_or_default();
    if !options.has(&names_only) {
        return Ok(if operands.is_empty() {
            some_of(engine.stdin.clone())
        } else {
            Data::Unknown
        });
    }
    let here = [Text::fixed(".")];
    let within = if operands.is_empty() { &here } else { operands };
    let within = within.to_vec();
    files_within(engine, &within)
}

/// Every protected file below these, each on a line, as it is seen from here.
fn files_within(engine: &mut Engine<'_>, words: &[Text]) -> Result<Data, Stop> {
    let mut names = Vec::new();
    for word in engine.all_named(words)? {
        for place in engine.places(&word)? {
            let Place::At(path, _) = place else {
                return Ok(Data::Unknown);
            };
            let start = word.known();
            let start = start.unwrap_or_else(|| path.to_string_lossy().into_owned());
            let real = engine.resolver().beyond_links(&path);
            for found in engine.everything() {
                if let Ok(below) = found.strip_prefix(&real)
                    && engine.tree.kind(&found) != Some(Kind::Directory)
                {
                    names.push(display(&start, below));
                }
            }
        }
    }
    names.push(OTHER_FILE.to_owned());
    Ok(Data::list(names))
}

/// What lies below a starting point, as programs show it.
pub(super) fn display(start: &str, below: &Path) -> String {
    if below.as_os_str().is_empty() {
        start.to_owned()
    } else {
        format!("{}/{}", start.trim_end_matches('/'), below.display())
    }
}
