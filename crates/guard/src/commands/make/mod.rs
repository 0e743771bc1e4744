//! `make`: the recipes of the targets that are asked for, read as make would read them.
//!
//! A recipe stands in the repository and not in the command, so only what it is certain to
//! touch counts: conditions, functions and includes that are not understood are left out.

mod text;

use super::Options;
use crate::effect::Target;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::{Data, Text};
use text::{Before, Definitions, Rule, expanded, read};

/// More lines of recipes than these are not followed.
const MOST_LINES: usize = 64;

/// More targets on the way to those that are asked for are not looked at.
const MOST_TARGETS: usize = 64;

/// A longer makefile was written by a program, and is not read.
const LONGEST_MAKEFILE: usize = 64 * 1024;

/// A longer line is not followed.
const LONGEST_LINE: usize = 4 * 1024;

/// A recipe may call `make` again, so many times one within the other.
const DEEPEST: usize = 3;

pub(super) fn run(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    engine.print(&Data::Unknown);
    let valued = [
        "-f",
        "-C",
        "-I",
        "-o",
        "-W",
        "--file",
        "--makefile",
        "--directory",
        "--eval",
        "-E",
    ];
    let options = Options::parse(words, &valued);
    let only_tells = [
        "-n",
        "-q",
        "-t",
        "-v",
        "--just-print",
        "--dry-run",
        "--recon",
        "--question",
        "--touch",
        "--version",
        "--help",
    ];
    if options.has(&only_tells) {
        return Ok(());
    }
    let level = engine.shell.known("MAKELEVEL");
    let level = level.and_then(|level| level.parse().ok()).unwrap_or(0);
    if level >= DEEPEST {
        return Ok(());
    }
    engine.apart(|engine| {
        let next = Text::fixed((level + 1).to_string());
        let environment = environment(engine);
        engine.assign_exported("MAKELEVEL", next);
        for directory in options.values(&["-C", "--directory"]) {
            engine.call(&[Text::fixed("cd"), directory.clone()])?;
        }
        let text = makefiles(engine, &options)?;
        let (targets, given) = targets_and_definitions(&options);
        // Recipes find what the command line defines in their environment.
        let mut before = Before {
            found: environment,
            decided: given.iter().map(definition).collect(),
        };
        for (name, value) in given {
            engine.assign_exported(&name, value);
        }
        if options.has(&["-e", "--environment-overrides"]) {
            before.found_decides();
        }
        certain_only(engine, |engine| build(engine, &text, targets, &before))
    })
}

/// The variables that make finds.
fn environment(engine: &Engine<'_>) -> Definitions {
    let found = engine.shell.environment();
    let mut found: Definitions = found
        .map(|(name, value)| definition(&(name.to_owned(), value)))
        .collect();
    if let Some(here) = engine.working_directory().known() {
        found.insert("PWD".to_owned(), here);
    }
    found
}

/// A variable from outside as a makefile would say it. What is not known of it is left to the
/// shells of the recipes, which find it as well.
fn definition((name, value): &(String, Text)) -> (String, String) {
    let left_to_shell = || format!("$${{{name}}}");
    (name.clone(), value.known().unwrap_or_else(left_to_shell))
}

/// What the files say that are read: those that are named, or the one that is found.
fn makefiles(engine: &mut Engine<'_>, options: &Options) -> Result<String, Stop> {
    let mut text = String::new();
    let mut add = |content: &Data| {
        let content = content.text().unwrap_or_default();
        if content.len() <= LONGEST_MAKEFILE {
            text.push_str(content);
            text.push('\n');
        }
    };
    for code in options.values(&["--eval", "-E"]) {
        add(&code.known().map_or(Data::Unknown, Data::Known));
    }
    let named: Vec<&Text> = options.values(&["-f", "--file", "--makefile"]).collect();
    for file in &named {
        if file.known().as_deref() == Some("-") {
            add(&engine.stdin);
        } else {
            add(&engine.content(file)?);
        }
    }
    if named.is_empty() {
        for name in ["GNUmakefile", "makefile", "Makefile"] {
            let content = engine.content(&Text::fixed(name))?;
            if content.text().is_some() {
                add(&content);
                break;
            }
        }
    }
    Ok(text)
}

fn targets_and_definitions(options: &Options) -> (Vec<String>, Vec<(String, Text)>) {
    let mut targets = Vec::new();
    let mut given = Vec::new();
    for word in &options.operands {
        if let Some((name, _)) = word.known_start().split_once('=') {
            let value = word.without_start(name.len() + 1);
            given.push((name.trim_end_matches(':').to_owned(), value));
            continue;
        }
        // `-j 4` leaves its number behind.
        let is_number = |word: &String| word.chars().all(|c| c.is_ascii_digit());
        targets.extend(word.known().filter(|word| !is_number(word)));
    }
    (targets, given)
}

fn build(
    engine: &mut Engine<'_>,
    text: &str,
    targets: Vec<String>,
    before: &Before,
) -> Result<(), Stop> {
    let (rules, definitions) = read(text, before);
    let mut pending = targets;
    if pending.is_empty() {
        let first = rules.iter().find(|rule| rule.is_ordinary());
        pending.extend(first.map(|rule| rule.targets[0].clone()));
    }
    let mut seen: Vec<String> = Vec::new();
    let mut left = MOST_LINES;
    while let Some(target) = pending.pop() {
        engine.spend()?;
        if seen.contains(&target) || seen.len() >= MOST_TARGETS {
            continue;
        }
        for rule in rules.iter().filter(|rule| rule.makes(&target)) {
            pending.extend(rule.needs(&target));
            follow(engine, rule, &target, &definitions, &mut left)?;
        }
        seen.push(target);
    }
    Ok(())
}

/// Each line is a shell of its own.
fn follow(
    engine: &mut Engine<'_>,
    rule: &Rule,
    target: &str,
    definitions: &Definitions,
    left: &mut usize,
) -> Result<(), Stop> {
    for line in &rule.recipe {
        if *left == 0 {
            return Ok(());
        }
        *left -= 1;
        let code = expanded(line, definitions, Some((rule, target)));
        let code = code.trim_start_matches(['@', '-', '+', ' ', '\t']);
        if code.len() <= LONGEST_LINE {
            engine.apart(|engine| engine.script(code))?;
        }
    }
    Ok(())
}

/// Follows what others wrote: what it might touch for all that is known does not count.
pub(super) fn certain_only(
    engine: &mut Engine<'_>,
    follow: impl FnOnce(&mut Engine<'_>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let before = std::mem::take(&mut engine.effects);
    let result = follow(engine);
    let after = std::mem::replace(&mut engine.effects, before);
    let certain = after
        .into_iter()
        .filter(|effect| !matches!(effect.target, Target::Like(_)));
    engine.effects.extend(certain);
    result
}
