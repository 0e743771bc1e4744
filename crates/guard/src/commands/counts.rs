//! Programs that print numbers, and the names of what they have counted: `wc`, `du`, `stat`.

use super::Options;
use super::search::display;
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, OTHER_FILE, Text};

const VALUED: &[&str] = &[
    "-c",
    "--format",
    "--printf",
    "-d",
    "--max-depth",
    "-t",
    "--threshold",
    "--exclude",
    "--files0-from",
];

/// What is printed. Which number it is does not matter to anybody.
pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<Data, Stop> {
    // `-c` takes a format of one of them only, and `-t` too.
    let valued = match name {
        "wc" => &VALUED[1..],
        _ => VALUED,
    };
    let options = Options::parse(words, valued);
    if options.has(&["--files0-from"]) {
        return Ok(Data::Unknown);
    }
    let here = [Text::fixed(".")];
    let operands = match (name, options.operands.as_slice()) {
        ("du", []) => &here,
        (_, operands) => operands,
    };
    let format = options.value(&["-c", "--format", "--printf"]);
    let is_silent = |format: &Text| {
        let known = format.known();
        known.is_some_and(|format| !format.contains("%n") && !format.contains("%N"))
    };
    if operands.is_empty() || (name == "stat" && format.is_some_and(is_silent)) {
        return Ok(Data::Known("0\n".to_owned()));
    }
    let between = match name {
        "wc" => "0 ",
        "du" => "0\t",
        _ => "",
    };
    let names = match name {
        "du" if !options.has(&["-s", "--summarize"]) => beneath(engine, operands)?,
        _ => engine
            .all_named(operands)?
            .iter()
            .map(Text::known)
            .collect(),
    };
    let lines = |names: Vec<String>| {
        let named = names.into_iter().map(|name| format!("{between}{name}"));
        Data::list(named.chain(["0".to_owned()]))
    };
    Ok(names.map_or(Data::Unknown, lines))
}

/// Everything protected below some directories, and the directories on the way to it.
fn beneath(engine: &mut Engine<'_>, starts: &[Text]) -> Result<Option<Vec<String>>, Stop> {
    let mut names = vec![OTHER_FILE.to_owned()];
    for start in engine.all_named(starts)? {
        let Some(shown) = start.known() else {
            return Ok(None);
        };
        for place in engine.places(&start)? {
            let Place::At(path, _) = place else {
                return Ok(None);
            };
            let real = engine.resolver().beyond_links(&path);
            for found in engine.everything() {
                let above = found.ancestors();
                let below = above.filter_map(|path| path.strip_prefix(&real).ok());
                names.extend(below.map(|below| display(&shown, below)));
            }
        }
    }
    names.sort();
    names.dedup();
    Ok(Some(names))
}
