//! `sqlite3`: a database, and commands with a dot that write files or start programs.

use super::Options;
use super::literals::literals;
use crate::effect::Action;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::{Data, Text};

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    if name != "sqlite3" {
        return Ok(false);
    }
    engine.print(&Data::Unknown);
    // One dash or two, it is the same option.
    let one_dash = |word: &Text| match word.known_start().starts_with("--") {
        true => word.without_start(1),
        false => word.clone(),
    };
    let words: Vec<Text> = words.iter().map(one_dash).collect();
    let valued = ["-cmd", "-init", "-separator", "-newline", "-nullvalue"];
    let options = Options::parse(&words, &valued);
    let mut operands = options.operands.iter();
    if let Some(database) = operands.next()
        && !words
            .iter()
            .any(|word| word.known().as_deref() == Some("-readonly"))
    {
        engine.touch(Action::Overwrite, database)?;
    }
    let mut scripts: Vec<Data> = options
        .values(&["-cmd"])
        .chain(operands)
        .map(|word| word.known().map_or(Data::Unknown, Data::Known))
        .collect();
    for file in options.values(&["-init"]) {
        scripts.push(engine.content(file)?);
    }
    scripts.push(engine.stdin.clone());
    for script in scripts {
        for line in script.text().unwrap_or_default().lines() {
            engine.spend()?;
            follow(engine, line.trim())?;
        }
    }
    Ok(true)
}

fn follow(engine: &mut Engine<'_>, line: &str) -> Result<(), Stop> {
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    let rest = rest.trim();
    match verb {
        ".shell" | ".system" => engine.apart(|engine| engine.script(rest)).map(drop),
        ".output" | ".once" | ".save" | ".backup" | ".clone" | ".log" | ".trace" => {
            if let Some(code) = rest.strip_prefix('|') {
                return engine.apart(|engine| engine.script(code)).map(drop);
            }
            let file = rest.split_whitespace().last().unwrap_or_default();
            engine.touch(
                Action::Overwrite,
                &Text::fixed(file.trim_matches(['"', '\''])),
            )
        }
        ".read" => {
            let text = engine.content(&Text::fixed(rest))?;
            let lines = text.text().unwrap_or_default().to_owned();
            engine.deeper(|engine| {
                lines
                    .lines()
                    .try_for_each(|line| follow(engine, line.trim()))
            })
        }
        _ => {
            let lower = line.to_lowercase();
            let writes = lower.contains("writefile(") || lower.contains("vacuum into");
            let attaches = lower.contains("attach ");
            for literal in literals(line).iter().filter(|_| writes || attaches) {
                engine.touch(Action::Overwrite, &Text::fixed(literal.text.as_str()))?;
            }
            Ok(())
        }
    }
}
