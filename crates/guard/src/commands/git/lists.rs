//! Subcommands of git that list files, within the paths that they are given.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Options;
use super::index;
use super::pathspec::{Spec, exclusion, is_path};
use super::reach::top_level;
use crate::commands::touch_all;
use crate::effect::Action;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::{Data, OTHER_FILE, Text};
use crate::tree::Kind;

/// `ls-files`, `ls-tree` and `grep`.
pub(super) fn run(engine: &mut Engine<'_>, verb: &str, words: &[Text]) -> Result<(), Stop> {
    let valued: &[&str] = match verb {
        "grep" => &["-e", "-f", "-m", "-A", "-B", "-C"],
        _ => &["-x", "-X", "--exclude"],
    };
    let options = Options::parse(words, valued);
    let first = match verb {
        "ls-tree" => 1,
        "grep" => usize::from(!options.has(&["-e", "-f"])),
        _ => 0,
    };
    let given = options.operands.get(first..).unwrap_or_default();
    let paths = match verb {
        "grep" => behind_commits(engine, words, given)?,
        _ => given.to_vec(),
    };
    let only_deleted = verb == "ls-files"
        && options.has(&["-d", "--deleted"])
        && !options.has(&["-c", "--cached", "-m", "--modified", "-o", "--others"]);
    let printed = if only_deleted {
        Data::list([OTHER_FILE.to_owned()])
    } else {
        let only_others = verb == "ls-files"
            && options.has(&["-o", "--others"])
            && !options.has(&["-c", "--cached", "-m", "--modified", "-d", "--deleted"]);
        let tracked = only_others.then(|| index::tracked(engine)).flatten();
        files(engine, &paths, From::Here, &tracked.unwrap_or_default())
    };
    if verb == "grep" {
        open_in(engine, words, &printed)?;
    }
    let ends_with_zeros = options.has(&["-z", "--null"]);
    engine.print(&match printed {
        Data::Lines(names) if ends_with_zeros => Data::Lines(names.replace('\n', "\0")),
        printed => printed,
    });
    Ok(())
}

/// `git grep -OPROGRAM` starts a program with the files that it finds.
fn open_in(engine: &mut Engine<'_>, words: &[Text], found: &Data) -> Result<(), Stop> {
    let options = ["-O", "--open-files-in-pager="];
    let program = words.iter().find_map(|word| {
        let start = word.known_start();
        let option = options.iter().find(|option| start.starts_with(**option))?;
        Some(start[option.len()..].to_owned())
    });
    let Some(program) = program.filter(|program| !program.is_empty()) else {
        return Ok(());
    };
    let files = found.text().unwrap_or_default().lines();
    let call: Vec<Text> = program
        .split_whitespace()
        .chain(files)
        .map(Text::fixed)
        .collect();
    engine.apart(|engine| engine.call(&call)).map(drop)
}

/// `git clean -n` tells what it would remove.
pub(super) fn cleaned(engine: &mut Engine<'_>, paths: &[Text]) -> Result<(), Stop> {
    let tracked = index::tracked(engine).unwrap_or_default();
    let told = files(engine, paths, From::Here, &tracked);
    engine.print(&match told.text() {
        Some(names) => Data::list(names.lines().map(|name| format!("Would remove {name}"))),
        None => Data::Unknown,
    });
    Ok(())
}

/// `git diff --name-only`.
pub(super) fn changed(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &["--diff-filter"]);
    let filter = options.value(&["--diff-filter"]).and_then(Text::known);
    // What is gone is not there to be lost.
    if filter.as_deref() == Some("D") && options.operands.is_empty() {
        engine.print(&Data::list([OTHER_FILE.to_owned()]));
        return Ok(());
    }
    let paths = behind_commits(engine, words, &options.operands)?;
    let printed = files(engine, &paths, From::Top, &BTreeMap::new());
    engine.print(&printed);
    Ok(())
}

/// What is printed of the history, which may go to a file.
pub(super) fn print(engine: &mut Engine<'_>, verb: &str, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &["-o", "--output", "-O"]);
    let paths = paths_of(engine, verb, words)?;
    let outputs = || options.values(&["-o", "--output"]);
    touch_all(engine, Action::Overwrite, outputs())?;
    if paths.is_empty() {
        engine.print(&Data::Unknown);
        return Ok(());
    }
    for file in outputs() {
        engine.write_within(file, paths.clone())?;
    }
    engine.print_within(paths);
    Ok(())
}

/// `rev-parse`: a directory, or the name of a commit.
pub(super) fn rev_parse(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let top = top_level(engine);
    let asks = words
        .iter()
        .any(|word| word.known().as_deref() == Some("--show-toplevel"));
    engine.print(&match top.first() {
        Some(top) if asks => Data::Known(format!("{}\n", top.display())),
        _ => Data::Known("0000\n".to_owned()),
    });
    Ok(())
}

/// What `diff` and `archive` print is unknown, but about nothing else than these paths, if there
/// are some and nothing changes their names.
fn paths_of(engine: &mut Engine<'_>, verb: &str, words: &[Text]) -> Result<Vec<Text>, Stop> {
    let options = Options::parse(words, &["--format", "-o", "--output", "--remote"]);
    let renames = options.has(&[
        "--prefix",
        "--no-index",
        "--no-prefix",
        "--relative",
        "--src-prefix",
        "--dst-prefix",
    ]);
    Ok(match verb {
        _ if renames => Vec::new(),
        "archive" => options.operands.get(1..).unwrap_or_default().to_vec(),
        "diff" | "show" => behind_commits(engine, words, &options.operands)?,
        _ => Vec::new(),
    })
}

/// The paths among operands that may begin with commits: those behind two dashes, or else
/// those that plainly are paths.
fn behind_commits(
    engine: &mut Engine<'_>,
    words: &[Text],
    operands: &[Text],
) -> Result<Vec<Text>, Stop> {
    let dashes = words
        .iter()
        .position(|word| word.known().as_deref() == Some("--"));
    if let Some(at) = dashes {
        return Ok(words[at + 1..].to_vec());
    }
    let mut paths = Vec::new();
    for operand in operands {
        if is_path(engine, operand)? {
            paths.push(operand.clone());
        }
    }
    Ok(paths)
}

/// From where paths are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Here,
    Top,
}

/// The protected files within these paths, but for some.
fn files(
    engine: &mut Engine<'_>,
    paths: &[Text],
    from: From,
    but: &BTreeMap<PathBuf, bool>,
) -> Data {
    let mut names = Vec::new();
    let mut all = engine.everything();
    all.retain(|path| engine.tree.kind(path) != Some(Kind::Directory) && !but.contains_key(path));
    for directory in engine.shell.directories.clone() {
        let Some(directory) = directory else {
            return Data::Unknown;
        };
        let here = engine.resolver().beyond_links(&directory);
        let shown_from = match from {
            From::Here => here.clone(),
            From::Top => top_above(engine, &here),
        };
        let within = within(engine, paths, &here, &shown_from);
        for path in all.iter().filter(|path| within(path)) {
            let shown = path.strip_prefix(&shown_from).unwrap_or(path);
            names.push(shown.to_string_lossy().into_owned());
        }
    }
    names.push(OTHER_FILE.to_owned());
    Data::list(names)
}

fn top_above(engine: &Engine<'_>, here: &Path) -> PathBuf {
    let tops = top_level(engine).into_iter();
    let mut above = tops.filter(|top| here.starts_with(top));
    above.next().unwrap_or_else(|| here.to_owned())
}

/// Whether a path is within those that are given, or, without any, below a directory.
fn within<'e>(
    engine: &'e Engine<'_>,
    paths: &[Text],
    here: &Path,
    below: &Path,
) -> impl Fn(&Path) -> bool + use<'e> {
    let excluded: Vec<Text> = paths.iter().filter_map(exclusion).collect();
    let excluded = excluded
        .iter()
        .filter_map(|text| Spec::of(engine, text, here));
    let excluded: Vec<Spec> = excluded.collect();
    let meant = paths.iter().filter(|path| exclusion(path).is_none());
    let mut meant: Vec<Option<Spec>> = meant.map(|text| Spec::of(engine, text, here)).collect();
    if meant.is_empty() {
        meant.push(Some(Spec::Tree(below.to_owned())));
    }
    let tree = engine.tree;
    move |path| {
        let is_meant = |spec: &Option<Spec>| match spec {
            Some(spec) => spec.covers(path, tree),
            None => true,
        };
        meant.iter().any(is_meant) && !excluded.iter().any(|spec| spec.covers(path, tree))
    }
}
