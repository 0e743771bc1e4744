//! What programs do to files: one file for each family, tables where a table will do.

mod archives;
mod awk;
mod built;
mod code;
mod containers;
mod copies;
mod counts;
mod downloads;
mod emacs;
mod executed;
mod find;
mod formatters;
mod git;
pub(crate) mod hosts;
mod interpreters;
mod listing;
mod literals;
mod loaded;
mod make;
mod mass_moves;
mod modules;
mod namesakes;
mod options;
mod outcomes;
mod package;
mod path_parts;
pub(crate) mod printing;
mod readers;
mod remote;
mod removal;
mod rsync;
mod scripts;
mod search;
mod sed;
mod sftp;
mod sqlite;
mod streams;
mod tables;
mod tcl;
pub(crate) mod temporary;
mod wrappers;
mod xargs;

pub(crate) use options::Options;

use crate::effect::{Action, Target};
use crate::shell::{Engine, Place, Status, Variable};
use crate::stop::Stop;
use crate::text::Text;

/// Variables whose value is a command that other programs run.
const HOOKS: [&str; 10] = [
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
    "GIT_EXTERNAL_DIFF",
    "GIT_SSH_COMMAND",
    "GIT_ASKPASS",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "MANPAGER",
];

/// Options behind which programs are told where to write, whatever they do.
const OUTPUTS: &[&str] = &[
    "-o",
    "-O",
    "--output",
    "--out",
    "-out",
    "--outfile",
    "--output-file",
    "-Map",
    "--export-marks",
];

/// Follows a program.
pub(crate) fn run(engine: &mut Engine<'_>, name: &Text, words: &[Text]) -> Result<Status, Stop> {
    if name.is_entirely_unknown() {
        if words.is_empty() {
            engine.could_do_anything();
        }
        return unknown_program(engine, words);
    }
    let alternatives = name.alternatives();
    let mut status = None;
    for alternative in &alternatives {
        let path = alternative.known_end();
        let base = path.rsplit('/').next().unwrap_or_default().to_owned();
        let is_path = path.contains('/');
        status = run_named(engine, alternative, &base, is_path, words)?;
    }
    Ok(status.filter(|_| alternatives.len() == 1))
}

fn run_named(
    engine: &mut Engine<'_>,
    name: &Text,
    base: &str,
    is_path: bool,
    words: &[Text],
) -> Result<Status, Stop> {
    if is_path {
        built::products::run(engine, name, words)?;
    }
    if is_path && let Some(status) = executed::run(engine, name, words)? {
        return Ok(status);
    }
    match base {
        "git" => git::run(engine, words)?,
        "find" | "gfind" => find::run(engine, words)?,
        "fd" | "fdfind" => find::fd::run(engine, words)?,
        "xargs" | "gxargs" | "parallel" => xargs::run(engine, base, words)?,
        _ => {
            let runs_others = scripts::run(engine, base, words)?
                || wrappers::run(engine, base, words)?
                || remote::run(engine, base, words)?
                || containers::run(engine, base, words)?
                || run_code(engine, base, words)?
                || emacs::run(engine, base, words)?
                || sqlite::run(engine, base, words)?;
            if !runs_others {
                if let Some(paths) = archives::carried(engine, base, words)? {
                    engine.print_within(paths);
                } else if let Some(line) = search::picked_by_word(engine, base, words) {
                    engine.print_lines_like(line);
                } else if search::is_one_field(engine, base, words) {
                    engine.print_lines_like(Text::unknown());
                } else {
                    let printed = printing::predict(engine, base, words)?;
                    engine.print(&printed);
                }
                let known = removal::run(engine, base, words)?
                    || copies::run(engine, base, words)?
                    || mass_moves::run(engine, base, words)?
                    || downloads::run(engine, base, words)?
                    || archives::run(engine, base, words)?
                    || streams::run(engine, base, words)?
                    || sed::run(engine, base, words)?
                    || awk::run(engine, base, words)?
                    || formatters::run(engine, base, words)?
                    || tables::run(engine, base, words)?;
                if !known && !executed::run_from_path(engine, name, words)? {
                    unknown_program(engine, words)?;
                }
            }
        }
    }
    run_hooks(engine, base)?;
    if is_path {
        return Ok(None);
    }
    outcomes::of(engine, base, words)
}

/// Code finds wildcards among its arguments already replaced by what they match.
fn run_code(engine: &mut Engine<'_>, base: &str, words: &[Text]) -> Result<bool, Stop> {
    let words = engine.all_named(words)?;
    Ok(built::run(engine, base, &words)? || interpreters::run(engine, base, &words)?)
}

/// Commands in the environment, which only matter to programs that start them.
fn run_hooks(engine: &mut Engine<'_>, base: &str) -> Result<(), Stop> {
    if !matches!(
        base,
        "git" | "man" | "crontab" | "visudo" | "sudoedit" | "gh" | "less"
    ) {
        return Ok(());
    }
    for name in HOOKS {
        let Some(code) = engine.shell.get(name).map(Variable::first) else {
            continue;
        };
        engine.apart(|engine| engine.code(&code))?;
    }
    Ok(())
}

/// A program that no table knows. It may do anything to what it is pointed at, and nothing
/// says that it touches anything else.
fn unknown_program(engine: &mut Engine<'_>, words: &[Text]) -> Result<Status, Stop> {
    let options = Options::parse(words, OUTPUTS);
    for output in options.values(OUTPUTS) {
        engine.touch(Action::Overwrite, output)?;
    }
    for operand in &options.operands {
        touch_if_protected(engine, operand)?;
        if let Some((_, value)) = operand
            .known()
            .as_deref()
            .and_then(|text| text.split_once('='))
        {
            touch_if_protected(engine, &Text::fixed(value))?;
        }
    }
    Ok(None)
}

/// Something unknown happens to a path, of which only protected ones are worth a word.
fn touch_if_protected(engine: &mut Engine<'_>, word: &Text) -> Result<(), Stop> {
    if word.is_unknown() {
        return Ok(());
    }
    for place in engine.places(word)? {
        let Place::At(path, _) = place else { continue };
        let real = engine.resolver().beyond_links(&path);
        let exists = engine.tree.kind(&real).is_some();
        if exists && engine.protected.rule_of(&real).is_some() {
            engine.note(Action::Unknown, Target::Path(real));
        }
    }
    Ok(())
}

/// Something is done to all of these.
fn touch_all<'w>(
    engine: &mut Engine<'_>,
    action: Action,
    words: impl IntoIterator<Item = &'w Text>,
) -> Result<(), Stop> {
    words
        .into_iter()
        .try_for_each(|word| engine.touch(action, word))
}
