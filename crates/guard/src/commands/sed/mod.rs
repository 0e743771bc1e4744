//! `sed`: edits in place, and commands that write files or run programs.

mod edits;
mod outcome;

use super::{Options, touch_all};
use crate::effect::Action;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::{Data, Text};
pub(super) use outcome::printed;

/// How many of the lines that are read are followed.
const MOST_LINES: usize = 64;

/// Stands in a script for what is not known of it.
const UNKNOWN: char = '\u{fffc}';

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    if !matches!(name, "sed" | "gsed") {
        return Ok(false);
    }
    let options = Options::parse(words, VALUED);
    let (scripts, files) = scripts_and_files(engine, &options)?;
    for script in &scripts {
        if script.is_entirely_unknown() {
            engine.could_do_anything();
        }
        for command in commands(&readable(script)) {
            follow(engine, command, &files)?;
        }
    }
    // The file is written anew under its name, so that a link is replaced and not followed.
    if is_in_place(words) && options.has(&["--follow-symlinks"]) {
        touch_all(engine, Action::Overwrite, &files)?;
    } else if is_in_place(words) {
        for file in &files {
            engine.take_away(Action::Overwrite, file, false)?;
        }
    }
    if is_in_place(words) {
        let scripts: Vec<String> = scripts.iter().map(readable).collect();
        outcome::remember(engine, &files, &scripts, &options)?;
    }
    Ok(true)
}

/// Its options that have a value.
const VALUED: &[&str] = &["-e", "-f", "-l", "--expression", "--file", "--line-length"];

/// What it is told to do, and to which files.
fn scripts_and_files(
    engine: &mut Engine<'_>,
    options: &Options,
) -> Result<(Vec<Text>, Vec<Text>), Stop> {
    let mut scripts: Vec<Text> = options.values(&["-e", "--expression"]).cloned().collect();
    for file in options.values(&["-f", "--file"]) {
        let content = match file.known().as_deref() {
            Some("-") => engine.stdin.clone(),
            _ => engine.content(file)?,
        };
        scripts.push(content.text().map_or_else(Text::unknown, Text::fixed));
    }
    let mut operands = options.operands.iter().cloned();
    if scripts.is_empty() {
        scripts.extend(operands.next());
    }
    Ok((scripts, operands.collect()))
}

/// `-i` takes its suffix only attached, so that it is no option with a value.
fn is_in_place(words: &[Text]) -> bool {
    words.iter().any(|word| {
        let start = word.known_start();
        let name = start.split('=').next().unwrap_or_default();
        let is_long = name.len() > 2 && "--in-place".starts_with(name);
        let is_cluster = start.starts_with('-') && !start.starts_with("--");
        let letters = start.get(1..).unwrap_or_default();
        let own = letters.split(['e', 'f', 'l']).next().unwrap_or_default();
        is_long || (is_cluster && own.contains('i'))
    })
}

/// The script with a mark where it is not known.
fn readable(script: &Text) -> String {
    use crate::text::Part;
    let pieces = script.parts().iter().map(|part| match part {
        Part::Fixed(piece) | Part::Glob(piece) => piece.clone(),
        Part::OneOf(_) | Part::Unknown => UNKNOWN.to_string(),
    });
    pieces.collect()
}

/// A command of a script that reaches beyond the text.
#[derive(Debug, PartialEq, Eq)]
enum Command {
    Write(String),
    Run(String),
    /// A substitution, whose result is run: what is put in.
    RunResult(String),
}

/// Every such command, whatever addresses stand before it.
fn commands(script: &str) -> Vec<Command> {
    let mut found = commands_if(script, true);
    for command in commands_if(script, false) {
        if !found.contains(&command) {
            found.push(command);
        }
    }
    found
}

/// The same if a delimiter in a class is a character, or if it is not: versions differ.
fn commands_if(script: &str, in_classes: bool) -> Vec<Command> {
    let mut found = Vec::new();
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || ";{}".contains(c));
        rest = behind_addresses(rest, in_classes);
        let Some(verb) = rest.chars().next() else {
            return found;
        };
        let after = &rest[verb.len_utf8()..];
        rest = match verb {
            'w' | 'W' => {
                let (file, rest) = line(after);
                found.push(Command::Write(file.trim().to_owned()));
                rest
            }
            'e' => {
                let (code, rest) = line(after);
                found.push(Command::Run(code.trim().to_owned()));
                rest
            }
            's' => substitution(after, in_classes, &mut found),
            'y' => delimited(after, false).map_or("", |(_, _, rest)| rest),
            'r' | 'R' | '#' | ':' => line(after).1,
            'a' | 'i' | 'c' => text(after),
            'b' | 't' | 'T' | 'q' | 'Q' | 'l' | 'L' => {
                let end = after.find(['\n', ';', '}']).unwrap_or(after.len());
                &after[end..]
            }
            _ => after,
        };
    }
}

/// What comes behind `1,5`, `/a/I,$`, `\,a,`, `0~3` and `!`.
fn behind_addresses(script: &str, in_classes: bool) -> &str {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches(|c: char| {
            c.is_ascii_digit() || "$,!~+".contains(c) || c.is_whitespace()
        });
        let own = match rest.strip_prefix('\\') {
            Some(own) => own,
            None if rest.starts_with('/') => rest,
            None => return rest,
        };
        let Some((_, after)) = part(own, in_classes) else {
            return "";
        };
        rest = after.trim_start_matches(['I', 'M']);
    }
}

/// What stands between a delimiter and its next one, and what comes behind that.
fn part(text: &str, in_classes: bool) -> Option<(&str, &str)> {
    let delimiter = text.chars().next()?;
    let start = delimiter.len_utf8();
    let mut escaped = false;
    let mut in_class = false;
    for (at, c) in text[start..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' if in_classes => in_class = true,
            ']' => in_class = false,
            c if c == delimiter && !in_class => {
                let end = start + at;
                return Some((&text[start..end], &text[end + start..]));
            }
            _ => {}
        }
    }
    None
}

/// Both parts of `/a/b/`, and what comes behind them.
fn delimited(text: &str, in_classes: bool) -> Option<(&str, &str, &str)> {
    let (from, rest) = part(text, in_classes)?;
    let delimiter = text.chars().next()?;
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == delimiter => return Some((from, &rest[..at], &rest[at + c.len_utf8()..])),
            _ => {}
        }
    }
    None
}

/// The flags of a substitution may write and run.
fn substitution<'s>(after: &'s str, in_classes: bool, found: &mut Vec<Command>) -> &'s str {
    let Some((_, new, rest)) = delimited(after, in_classes) else {
        return "";
    };
    let end = rest.find(|c: char| !c.is_ascii_digit() && !"gpiIeMm".contains(c));
    let (flags, rest) = rest.split_at(end.unwrap_or(rest.len()));
    if flags.contains('e') {
        found.push(Command::RunResult(new.to_owned()));
    }
    match rest.strip_prefix('w') {
        Some(file) => {
            let (file, rest) = line(file);
            found.push(Command::Write(file.trim().to_owned()));
            rest
        }
        None => rest,
    }
}

/// What is left of a line, and what comes behind it.
fn line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// What comes behind text that is put in, which goes on behind a backslash.
fn text(after: &str) -> &str {
    let mut rest = after;
    loop {
        let (own, next) = line(rest);
        rest = next;
        if !own.ends_with('\\') || rest.is_empty() {
            return rest;
        }
    }
}

fn follow(engine: &mut Engine<'_>, command: Command, files: &[Text]) -> Result<(), Stop> {
    match command {
        Command::Write(file) if file.contains(UNKNOWN) => {
            engine.touch(Action::Overwrite, &Text::unknown())
        }
        // Some end the name where the next command would begin.
        Command::Write(file) => {
            let short = file.split([';', '}']).next().unwrap_or_default().trim();
            engine.touch(Action::Overwrite, &Text::fixed(short))?;
            engine.touch(Action::Overwrite, &Text::fixed(file.as_str()))
        }
        Command::Run(code) if code.contains(UNKNOWN) => {
            engine.could_do_anything();
            Ok(())
        }
        Command::Run(code) => engine.apart(|engine| engine.script(&code)).map(drop),
        Command::RunResult(code) => run_result(engine, &code, files),
    }
}

/// `s/x/rm y/e` runs what the line has become. What is put before a line, or in a part of it,
/// leaves the rest there.
fn run_result(engine: &mut Engine<'_>, code: &str, files: &[Text]) -> Result<(), Stop> {
    engine.apart(|engine| engine.script(code))?;
    let mut read = Data::empty();
    for file in files {
        read.add(&engine.content(file)?);
    }
    if files.is_empty() {
        read = engine.stdin.clone();
    }
    let read = read.text().unwrap_or_default().to_owned();
    for line in read.lines().take(MOST_LINES) {
        let code = format!("{code}{line}");
        engine.apart(|engine| engine.script(&code))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_programs_are_found_behind_any_address() {
        let write = |file: &str| vec![Command::Write(file.to_owned())];
        for script in [
            "w f",
            "1w f",
            "$!w f",
            "1,5w f",
            "0~3 w f",
            "/a/w f",
            "/a/ w f",
            "/a/!w f",
            "/a/,/b/w f",
            "\\,a,w f",
            "/a/I w f",
            "/a\\/b/w f",
            "/[/]/w f",
            "{w f",
            "p;w f",
            "/a/{p;w f",
            "s/a/b/w f",
            "s/a/b/gw f",
            "s,a/b,c,2pw f",
            "s/a\\/b/c/w f",
            "b x;w f",
            "a text\nw f",
            "a\\\none\\\ntwo\nw f",
            "y/abc/xyz/;w f",
            "# w x\nw f",
            "r x\nw f",
            "s/[/]/x/w f",
            "+1w f",
        ] {
            assert_eq!(commands(script), write("f"), "{script}");
        }
        for script in [
            "s/w f/e x/",
            "a w f",
            "/w f/p",
            "y/w/e/",
            "r w f",
            "s/a/w f/g",
            "",
        ] {
            assert_eq!(commands(script), [], "{script}");
        }
        assert_eq!(commands("1e rm x"), [Command::Run("rm x".to_owned())]);
        assert_eq!(commands("s/a/rm/ge"), [Command::RunResult("rm".to_owned())]);
    }
}
