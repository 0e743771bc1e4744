//! Tcl, whose words are those of a shell: `file delete`, `file rename`, `exec`, `open … w`.

use crate::effect::Action;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::Text;

/// Follows a program, one command after the other; brackets and braces only group.
pub(super) fn follow(engine: &mut Engine<'_>, code: &str) -> Result<(), Stop> {
    for command in code.split(['\n', ';', '[', ']', '{', '}']) {
        engine.spend()?;
        let words = command
            .split_whitespace()
            .map(|word| word.trim_matches('"'));
        let words: Vec<&str> = words.collect();
        let files = |from: usize| {
            let rest = words.get(from..).unwrap_or_default().iter();
            rest.filter(|word| !word.starts_with('-'))
                .map(|word| Text::fixed(*word))
                .collect::<Vec<Text>>()
        };
        match words.as_slice() {
            ["file", "delete", ..] => {
                for file in files(2) {
                    engine.take_away(Action::Delete, &file, true)?;
                }
            }
            ["file", "rename", ..] => {
                for file in files(2) {
                    engine.take_away(Action::Rename, &file, true)?;
                }
            }
            ["file", "copy", .., target] => {
                engine.touch(Action::Overwrite, &Text::fixed(*target))?;
            }
            ["open", file, mode, ..] if mode.starts_with('w') || *mode == "r+" => {
                engine.touch(Action::Overwrite, &Text::fixed(*file))?;
            }
            ["exec", ..] => {
                let call: Vec<Text> = words[1..].iter().map(|word| Text::fixed(*word)).collect();
                engine.apart(|engine| engine.call(&call))?;
            }
            _ => {}
        }
    }
    Ok(())
}
