//! Programs that write what they read: `tee`, `dd`, editors that are given commands.

use super::literals::literals;
use super::{Options, code, touch_all};
use crate::effect::Action;
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    match name {
        "tee" | "gtee" => {
            let options = Options::parse(words, &[]);
            let append = options.has(&["-a", "--append"]);
            let action = if append {
                Action::Append
            } else {
                Action::Overwrite
            };
            touch_all(engine, action, &options.operands)?;
            let input = engine.stdin.clone();
            for operand in &options.operands {
                for place in engine.places(operand)? {
                    if let Place::At(path, _) = place {
                        let path = engine.resolver().beyond_links(&path);
                        engine.remember(path, &input, append);
                    }
                }
            }
        }
        "dd" => {
            let says = |operand: &str, flag: &str| {
                let words = words.iter().filter_map(Text::known);
                let mut values =
                    words.filter_map(|word| word.strip_prefix(operand).map(str::to_owned));
                values.any(|value| value.split(',').any(|own| own == flag))
            };
            // Only both together leave what is there.
            let appends = says("oflag=", "append") && says("conv=", "notrunc");
            let action = if appends {
                Action::Append
            } else {
                Action::Overwrite
            };
            for word in words {
                let start = word.known_start();
                if start.starts_with("of=") {
                    engine.touch(action, &word.without_start(3))?;
                }
            }
        }
        "truncate" | "gtruncate" => {
            let options = Options::parse(words, &["-s", "--size", "-r", "--reference"]);
            let size = options.value(&["-s", "--size"]).map(Text::known_start);
            let only_grows = size.is_some_and(|size| size.starts_with(['+', '>']));
            let action = if only_grows {
                Action::Append
            } else {
                Action::Truncate
            };
            touch_all(engine, action, &options.operands)?;
        }
        "sponge" => {
            let options = Options::parse(words, &[]);
            let append = options.has(&["-a"]);
            let action = if append {
                Action::Append
            } else {
                Action::Overwrite
            };
            touch_all(engine, action, &options.operands)?;
        }
        // Editors that are given their commands save what they have changed.
        "ex" | "ed" | "red" | "vi" | "vim" | "nvim" | "view" | "rview" | "emacs" | "nano"
        | "pico" | "joe" | "micro" => {
            let valued = ["-c", "-S", "-u", "--cmd", "--eval"];
            let mut options = Options::parse(words, &valued);
            // `+command` is short for `-c command`.
            let is_command = |word: &Text| word.known_start().starts_with('+');
            let commands = options.operands.extract_if(.., |word| is_command(word));
            let commands: Vec<Text> = commands.map(|word| word.without_start(1)).collect();
            let mut scripts: Vec<Data> = options
                .values(&["-c", "--cmd"])
                .chain(&commands)
                .map(|code| code.known().map_or(Data::Unknown, Data::Known))
                .collect();
            if engine.stdin != Data::empty() {
                scripts.push(engine.stdin.clone());
            }
            // An editor without any commands waits for a person, who may do anything, unless
            // it was opened only to look.
            let only_looks = options.has(&["-R", "-M"]) || name.ends_with("view");
            if (scripts.is_empty() && !only_looks) || scripts.iter().any(saves) {
                touch_all(engine, Action::Overwrite, &options.operands)?;
                let opened: Vec<Text> = scripts.iter().flat_map(opened).collect();
                touch_all(engine, Action::Overwrite, &opened)?;
            }
            for script in scripts {
                editor_script(engine, &script)?;
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Whether the commands of an editor save the file: `w`, `wq`, `x`, `update` and their kin.
fn saves(script: &Data) -> bool {
    script.text().is_none_or(|script| {
        script.split(['\n', '|']).any(|line| {
            if written_elsewhere(line).is_some() {
                return false;
            }
            let command = line.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
            let command = ["argdo ", "bufdo ", "windo "]
                .iter()
                .find_map(|every| command.strip_prefix(every))
                .unwrap_or(command);
            let runs = command.contains('!') && !command.starts_with('q');
            command.starts_with(['w', 'x', 'u', 'Z']) || runs || line.contains("wq")
        })
    })
}

/// The files that the commands of an editor open: `e file`, `args *.md`.
fn opened(script: &Data) -> Vec<Text> {
    const OPENING: [&str; 8] = ["e", "e!", "edit", "edit!", "ar", "args", "argadd", "n"];
    let lines = script.text().unwrap_or_default().split(['\n', '|']);
    let words = lines.filter_map(|line| {
        let line = line.trim_start_matches([':', ' ']);
        let (verb, files) = line.split_once(' ')?;
        OPENING.contains(&verb).then(|| files.split_whitespace())
    });
    let files = words.flatten();
    files.map(|file| Text::fixed(file).unquoted()).collect()
}

/// The name behind `w file`, which is written instead of the file that is edited. `%` and `#`
/// in it stand for files that are edited.
fn written_elsewhere(line: &str) -> Option<&str> {
    let is_range = |c: char| c.is_ascii_digit() || ":%$.,+- ".contains(c);
    let command = line.trim_start_matches(is_range);
    let verbs = ["w!", "write!", "w", "write"];
    let name = verbs
        .iter()
        .find_map(|verb| command.strip_prefix(verb)?.strip_prefix(' '))?;
    let name = name.trim().trim_start_matches('>').trim();
    let is_name = !name.is_empty() && !name.contains(['%', '#', '!', '`', '$', '=', '+', '<']);
    is_name.then_some(name)
}

/// `!command` and `w file` in the commands of an editor.
fn editor_script(engine: &mut Engine<'_>, script: &Data) -> Result<(), Stop> {
    let Some(script) = script.text().map(str::to_owned) else {
        engine.could_do_anything();
        return Ok(());
    };
    for line in script.split(['\n', '|']) {
        let line = line.trim_start_matches([':', ' ', '%']);
        let quiet = line
            .trim_start_matches("silent!")
            .trim_start_matches("silent");
        // `w !command` hands the text to a program, `r !command` takes what it prints.
        let piped = ["w ", "write ", "r ", "read "]
            .iter()
            .find_map(|verb| quiet.strip_prefix(verb)?.trim_start().strip_prefix('!'));
        if let Some(code) = quiet.trim_start().strip_prefix('!').or(piped) {
            engine.apart(|engine| engine.script(code))?;
        }
        // `call delete("a")`, `execute "!b"`, and what other languages do in an editor.
        if quiet.contains("delete(") {
            for name in literals(quiet) {
                engine.take_away(Action::Delete, &Text::fixed(name.text), true)?;
            }
        }
        if quiet.contains("writefile(") {
            for name in literals(quiet) {
                engine.touch(Action::Overwrite, &Text::fixed(name.text))?;
            }
        }
        let redirected = quiet.trim_start().strip_prefix("redir");
        let redirected =
            redirected.and_then(|rest| rest.trim_start_matches(['!', ' ']).strip_prefix('>'));
        if let Some(file) = redirected.filter(|file| !file.starts_with('>')) {
            engine.touch(Action::Overwrite, &Text::fixed(file.trim()))?;
        }
        for code in literals(quiet) {
            if let Some(code) = code.text.strip_prefix('!') {
                engine.apart(|engine| engine.script(code))?;
            }
        }
        let code = Data::Known(quiet.to_owned());
        code::follow(engine, &code, &[], code::Origin::File)?;
        let saved_as = ["saveas!", "saveas", "sav!", "sav", "w!", "w"]
            .iter()
            .find_map(|verb| line.strip_prefix(verb)?.strip_prefix(' '));
        if let Some(file) = written_elsewhere(line).or(saved_as) {
            engine.touch(Action::Overwrite, &Text::fixed(file.trim()))?;
        }
    }
    Ok(())
}
