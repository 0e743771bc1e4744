//! `awk`: a small language with `print > "file"`, `system("…")` and `"…" | getline`.

use super::literals::{Literal, literals};
use super::{Options, touch_all};
use crate::effect::Action;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::{Data, Text};

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
        let content = engine.content(file)?;
        programs.push(content.text().map_or_else(Text::unknown, Text::fixed));
    }
    let mut operands = options.operands.iter();
    if !options.has(&["-f", "--file"]) {
        programs.extend(operands.next().cloned());
    }
    let files: Vec<Text> = operands.cloned().collect();
    let files = engine.all_named(&files)?;
    let in_place = options.value(&["-i", "--include"]).and_then(Text::known);
    if in_place.as_deref() == Some("inplace") {
        touch_all(engine, Action::Overwrite, &files)?;
    }
    // `-v name=value`, and the same between the files.
    let assigned: Vec<String> = options
        .values(&["-v", "--assign"])
        .chain(&files)
        .filter_map(Text::known)
        .filter_map(|word| word.split_once('=').map(|(_, value)| value.to_owned()))
        .collect();
    for program in programs {
        if may_run_anything(&program) {
            engine.could_do_anything();
        }
        follow(engine, &program.shown(), &files, &assigned)?;
    }
    Ok(true)
}

/// Whether what is not known of a program may be what it runs or writes to: all of it is
/// unknown, or some of it in one that runs or writes something. Else it is a number of a
/// line or a word to look for, which scripts put in.
fn may_run_anything(program: &Text) -> bool {
    let known = program.shown();
    let writes = |statement: &str| {
        statement.trim_start().starts_with("print") && statement.contains(['>', '|'])
    };
    let reaches_out = known.contains("system")
        || known.contains("getline")
        || known.split(['\n', ';', '{', '}']).any(writes);
    program.is_entirely_unknown() || (program.known().is_none() && reaches_out)
}

/// What a program writes to, and what it runs. Where that is held by a variable, it may be
/// any string of the program or any that it was given.
fn follow(
    engine: &mut Engine<'_>,
    program: &str,
    files: &[Text],
    assigned: &[String],
) -> Result<(), Stop> {
    let all = literals(program);
    let texts = all.iter().map(|literal| &literal.text).chain(assigned);
    let mut texts: Vec<String> = texts.cloned().collect();
    if program.contains("ARGV") {
        texts.extend(files.iter().filter_map(Text::known));
    }
    let read = read_from_commands(engine, program, &all)?;
    for literal in &all {
        let before = program[..literal.start].trim_end_matches([' ', '(']);
        let after = program[literal.end..].trim_start();
        let text = Text::fixed(literal.text.as_str());
        if before.ends_with(">>") {
            engine.touch(Action::Append, &text)?;
        } else if before.ends_with('>') {
            engine.touch(Action::Overwrite, &text)?;
        } else if before.ends_with("system") && !after.starts_with(')') {
            with_fields(engine, &literal.text, files, &read)?;
        } else if before.ends_with("system") || before.ends_with(['|', '&']) {
            // What is printed into it is one string or another.
            let printed = Data::Lines(texts.join("\n"));
            let before = std::mem::replace(&mut engine.stdin, printed);
            let run = engine.apart(|engine| engine.script(&literal.text));
            engine.stdin = before;
            run?;
        } else if after.trim_start_matches([' ', ')']).starts_with('|') {
            engine.apart(|engine| engine.script(&literal.text))?;
        }
    }
    let bare = without(program, &all);
    for statement in bare.split(['\n', ';', '{', '}']) {
        let prints = statement.trim_start().starts_with("print");
        if let Some((_, into)) = statement.split_once('>').filter(|_| prints) {
            let (action, into) = match into.strip_prefix('>') {
                Some(into) => (Action::Append, into.trim()),
                None => (Action::Overwrite, into.trim()),
            };
            if into.starts_with("FILENAME") {
                touch_all(engine, action, files)?;
            } else if into.starts_with(char::is_alphabetic) {
                let targets: Vec<Text> = texts
                    .iter()
                    .map(|text| Text::fixed(text.as_str()))
                    .collect();
                touch_all(engine, action, &targets)?;
            }
        }
        let piped = |(_, into): (&str, &str)| into.trim_start().starts_with(char::is_alphabetic);
        let runs = statement.contains("getline") || prints;
        let runs = runs && statement.split_once('|').is_some_and(piped);
        let calls = statement.split_once("system(").is_some_and(piped);
        for code in texts.iter().filter(|_| runs || calls) {
            engine.apart(|engine| engine.script(code))?;
        }
    }
    Ok(())
}

/// What a program reads from the commands that it runs: `"ls" | getline`.
fn read_from_commands(
    engine: &mut Engine<'_>,
    program: &str,
    literals: &[Literal],
) -> Result<Data, Stop> {
    let mut read = Data::empty();
    if !program.contains("getline") {
        return Ok(read);
    }
    for literal in literals {
        let after = program[literal.end..].trim_start_matches([' ', ')']);
        if after.starts_with('|') {
            let run = |engine: &mut Engine<'_>| engine.apart(|engine| engine.script(&literal.text));
            read.add(&engine.capture(run)?.1);
        }
    }
    Ok(read)
}

/// A command that is put together from a string and from what is read.
fn with_fields(
    engine: &mut Engine<'_>,
    code: &str,
    files: &[Text],
    from_commands: &Data,
) -> Result<(), Stop> {
    let mut read = from_commands.clone();
    for file in files {
        read.add(&engine.content(file)?);
    }
    if files.is_empty() {
        read.add(&engine.stdin);
    }
    let words = |read: &str| {
        let words = read.split_whitespace().map(str::to_owned);
        Text::one_of(words.collect())
    };
    let field = read.text().map_or_else(Text::unknown, words);
    engine.apart(|engine| {
        engine.shell.set_text("awk_field", field);
        engine.script(&format!("{code}$awk_field"))?;
        Ok(())
    })
}

/// The program without what its strings say.
fn without(program: &str, literals: &[Literal]) -> String {
    let mut bare = program.to_owned();
    for literal in literals.iter().rev() {
        bare.replace_range(literal.start..literal.end, "\"\"");
    }
    bare
}
