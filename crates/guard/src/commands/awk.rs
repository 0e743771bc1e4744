//! `awk`: a small language with `print > "file"`, `system("…")` and `"…" | getline`.

use super::code::literals;
use super::{Options, touch_all};
use crate::effect::Action;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::Text;

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    if !matches!(name, "awk" | "gawk" | "mawk" | "nawk" | "goawk") {
        return Ok(false);
    }
    let options = Options::parse(
        words,
        &["-F", "-v", "-f", "-i", "--file", "--assign", "--include"],
    );
    let mut programs = Vec::new();
    for file in options.values(&["-f", "--file"]) {
        programs.extend(engine.content(file)?.text().map(str::to_owned));
    }
    let mut operands = options.operands.iter();
    if !options.has(&["-f", "--file"]) {
        programs.extend(operands.next().and_then(Text::known));
    }
    let in_place = options.value(&["-i", "--include"]).and_then(Text::known);
    if in_place.as_deref() == Some("inplace") {
        touch_all(engine, Action::Overwrite, operands)?;
    }
    for assigned in options.values(&["-v", "--assign"]).filter_map(Text::known) {
        let Some((name, value)) = assigned.split_once('=') else {
            continue;
        };
        let writes = |program: &String| {
            program.contains(&format!("> {name}")) || program.contains(&format!(">{name}"))
        };
        if programs.iter().any(writes) {
            engine.touch(Action::Overwrite, &Text::fixed(value))?;
        }
    }
    for program in programs {
        follow(engine, &program)?;
    }
    Ok(true)
}

fn follow(engine: &mut Engine<'_>, program: &str) -> Result<(), Stop> {
    for literal in literals(program) {
        let before = program[..literal.start].trim_end();
        let after = program[literal.end..].trim_start();
        let text = Text::fixed(literal.text.as_str());
        if before.ends_with(">>") {
            engine.touch(Action::Append, &text)?;
        } else if before.ends_with('>') {
            engine.touch(Action::Overwrite, &text)?;
        } else if before.ends_with("system(")
            || before.ends_with('|')
            || before.ends_with("|&")
            || after.starts_with('|')
        {
            engine.apart(|engine| engine.script(&literal.text))?;
        }
    }
    Ok(())
}
