//! Subcommands of git that run other commands.

use std::path::PathBuf;

use super::Options;
use super::reach::{Reach, reach_if, top_level};
use crate::effect::Action;
use crate::shell::{Engine, joined};
use crate::stop::Stop;
use crate::text::Text;

/// Taking over a history is what branches are for, and git refuses where it would
/// lose what is not committed. Picking single changes out of one is another matter.
pub(super) fn rebase(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &["-x", "--exec", "-s", "-X", "--onto"]);
    for code in options.values(&["-x", "--exec"]) {
        engine.apart(|engine| engine.code(code))?;
    }
    Ok(())
}

pub(super) fn difftool(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &["-x", "--extcmd", "-t", "--tool"]);
    let code = options.value(&["-x", "--extcmd"]);
    code.map_or(Ok(()), |code| engine.code(code).map(drop))
}

pub(super) fn bisect(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let words = words
        .iter()
        .skip_while(|word| word.known().as_deref() != Some("run"));
    let command: Vec<Text> = words.skip(1).cloned().collect();
    engine.call(&command).map(drop)
}

pub(super) fn submodule(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &[]);
    match options.operands.split_first() {
        Some((verb, rest)) if verb.known().as_deref() == Some("foreach") => {
            // Wherever the submodules are, they are one step below.
            let code = joined(rest);
            let below = |top: PathBuf| Some(top.join("submodule"));
            let directories = top_level(engine).into_iter().map(below).collect();
            engine.shell.go(directories, false);
            engine.source_data(&code).map(drop)
        }
        Some((verb, rest)) if verb.known().as_deref() == Some("deinit") => {
            reach_if(engine, true, Reach::Paths(Action::Delete), rest)
        }
        _ => Ok(()),
    }
}
