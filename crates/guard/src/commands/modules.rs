//! `python -m MODULE`: modules of the library that run code or write files.

use super::{archives, code, loaded};
use crate::effect::Action;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::{Data, Text};

/// Follows a module with the words behind its name.
pub(super) fn run(engine: &mut Engine<'_>, module: &str, words: &[Text]) -> Result<(), Stop> {
    // A lone dash is what is read: the input.
    let is_option =
        |word: &&Text| word.known_start().starts_with('-') && **word != Text::fixed("-");
    let operands: Vec<Text> = words
        .iter()
        .filter(|word| !is_option(word))
        .cloned()
        .collect();
    let asks = |flags: [&str; 2]| {
        let mut known = words.iter().filter_map(Text::known);
        known.any(|word| flags.contains(&word.as_str()))
    };
    match module {
        // The archive comes first, and where it goes second.
        "zipfile" | "tarfile" if asks(["-e", "--extract"]) => {
            archives::unpack(engine, operands.get(1))
        }
        "zipfile" | "tarfile" if asks(["-c", "--create"]) => {
            let archive = operands.first();
            archive.map_or(Ok(()), |file| engine.touch(Action::Overwrite, file))
        }
        "json.tool" => {
            let written = operands.get(1);
            written.map_or(Ok(()), |file| engine.touch(Action::Overwrite, file))
        }
        "timeit" => operands.iter().try_for_each(|word| {
            let text = word.known().map_or(Data::Unknown, Data::Known);
            code::follow(engine, &text, &[], code::Origin::Inline)
        }),
        // They run the program that they are given, and look on.
        "cProfile" | "profile" | "trace" | "pdb" | "coverage" | "runpy" => {
            let asked = words.windows(2).filter(|pair| pair[0] == Text::fixed("-c"));
            for code in asked.map(|pair| pair[1].known()) {
                let code = code.map_or(Data::Unknown, Data::Known);
                code::follow(engine, &code, &[], code::Origin::Inline)?;
            }
            let is_program = |word: &&Text| word.known_end().ends_with(".py");
            let Some(file) = operands.iter().find(is_program) else {
                return Ok(());
            };
            engine
                .call(&[Text::fixed("python"), file.clone()])
                .map(drop)
        }
        // Tests that this same command wrote are there to be run.
        "unittest" | "pytest" => {
            operands
                .iter()
                .try_for_each(|file| match loaded::is_written_here(engine, file)? {
                    true => loaded::follow(engine, file).map(drop),
                    false => Ok(()),
                })
        }
        _ => loaded::python(engine, module, "__main__.py", &[]),
    }
}

/// The words up to `-m MODULE`, behind which they are the module's own.
pub(super) fn up_to_name(words: &[Text]) -> &[Text] {
    let is_module = |word: &Text| {
        let start = word.known_start();
        start.starts_with('-') && start.ends_with('m') && !start.starts_with("--")
    };
    let is_code = |word: &Text| !word.known_start().starts_with('-') || *word == Text::fixed("-c");
    match words
        .iter()
        .position(|word| is_module(word) || is_code(word))
    {
        Some(at) if is_module(&words[at]) => &words[..words.len().min(at + 2)],
        _ => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_the_name_of_a_module_is_its_own() {
        for (words, left) in [
            ("-m x y -c z", 2),
            ("-u -m x y", 3),
            ("-um x y", 2),
            ("-m", 1),
            ("s.py -m x y", 4),
            ("-c code -m x y", 5),
            ("--from -m x y", 3),
        ] {
            let words: Vec<Text> = words.split(' ').map(Text::fixed).collect();
            assert_eq!(up_to_name(&words).len(), left, "{words:?}");
        }
    }
}
