//! Subcommands of git that replace or remove files of the work tree.

use super::pathspec::is_path;
use super::reach::{Reach, all_ignored, from_index, here_but, ignored, reach_if};
use super::{Options, lists};
use crate::commands::archives::patches::{self, Picked};
use crate::commands::touch_all;
use crate::effect::Action;
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};

pub(super) fn clean(engine: &mut Engine<'_>, words: &[Text], unforced: bool) -> Result<(), Stop> {
    let options = Options::parse(words, &["-e", "--exclude"]);
    let forced = unforced || options.has(&["-f", "--force"]);
    if options.has(&["-n", "--dry-run"]) {
        return lists::cleaned(engine, &options.operands);
    }
    if !forced {
        return Ok(());
    }
    let mut kept: Vec<Text> = options.values(&["-e", "--exclude"]).cloned().collect();
    // `-X` removes what is ignored, and these are ignored as well.
    if options.has(&["-X"]) {
        kept.clear();
    }
    let spared = match options.has(&["-x", "-X"]) {
        true => Vec::new(),
        false => ignored(engine),
    };
    here_but(engine, Action::Delete, &options.operands, &kept, spared)?;
    // With a wildcard, `-X` goes for directories that are ignored, whatever their names.
    let known = options.operands.iter().filter_map(Text::known);
    if options.has(&["-X"]) && known.into_iter().any(|path| crate::glob::is_pattern(&path)) {
        all_ignored(engine, Action::Delete);
    }
    Ok(())
}

/// `git checkout` with paths replaces them; without, it goes to a branch and is careful.
pub(super) fn checkout(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(
        words,
        &["-b", "-B", "--orphan", "--pathspec-from-file", "--conflict"],
    );
    let forced = options.has(&["-f", "--force"]);
    if options.has(&["-b", "-B"]) && !forced {
        return Ok(());
    }
    if is_answered(engine, &options) {
        return by_answers(engine, &options.operands);
    }
    let dashes = words
        .iter()
        .position(|word| word.known().as_deref() == Some("--"));
    let stays = forced || options.has(&["-b", "-B", "--orphan", "--pathspec-from-file"]);
    if let Some(at) = dashes {
        // A commit would stand before them.
        if !stays && options.operands.len() == words.len() - at - 1 {
            return from_index(engine, &words[at + 1..]);
        }
        return reach_if(
            engine,
            true,
            Reach::Paths(Action::Overwrite),
            &words[at + 1..],
        );
    }
    if (forced || options.has(&["--orphan", "--pathspec-from-file"])) && options.operands.len() < 2
    {
        return reach_if(engine, true, Reach::All(Action::Overwrite), &[]);
    }
    let mut paths = options.operands.as_slice();
    if let [first, rest @ ..] = paths
        && (!rest.is_empty() || !is_path(engine, first)?)
    {
        // The first word may be a commit, unless it plainly is a path as well.
        paths = if is_path(engine, first)? { paths } else { rest };
    }
    if !stays && paths.len() == options.operands.len() {
        return from_index(engine, paths);
    }
    reach_if(engine, true, Reach::Paths(Action::Overwrite), paths)
}

/// Whether git asks about each change, and is answered by what comes in.
fn is_answered(engine: &Engine<'_>, options: &Options) -> bool {
    options.has(&["-p", "--patch"]) && engine.stdin != Data::empty()
}

fn by_answers(engine: &mut Engine<'_>, paths: &[Text]) -> Result<(), Stop> {
    let all = [Text::fixed(":/")];
    from_index(engine, if paths.is_empty() { &all } else { paths })
}

pub(super) fn switch(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &["-c", "-C", "--orphan", "--create"]);
    let discards = options.has(&["-f", "--force", "--discard-changes", "--orphan"]);
    reach_if(engine, discards, Reach::All(Action::Overwrite), &[])
}

pub(super) fn restore(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &["-s", "--source", "--pathspec-from-file"]);
    let only_index = options.has(&["-S", "--staged"]) && !options.has(&["-W", "--worktree"]);
    if is_answered(engine, &options) && !only_index {
        return by_answers(engine, &options.operands);
    }
    let paths = listed(engine, &options)?;
    let of_index = !options.has(&[
        "-s", "--source", "-S", "--staged", "--ours", "--theirs", "-m",
    ]);
    if of_index {
        return from_index(engine, &paths);
    }
    reach_if(engine, !only_index, Reach::Paths(Action::Overwrite), &paths)
}

pub(super) fn reset(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &[]);
    reach_if(
        engine,
        options.has(&["--hard", "--merge"]),
        Reach::All(Action::Overwrite),
        &[],
    )
}

pub(super) fn remove(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &["--pathspec-from-file"]);
    let harmless = options.has(&["--cached", "-n", "--dry-run"]);
    let paths = listed(engine, &options)?;
    reach_if(engine, !harmless, Reach::Paths(Action::Delete), &paths)
}

pub(super) fn rename(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &[]);
    if options.has(&["-n", "--dry-run"]) {
        return Ok(());
    }
    let command: Vec<Text> = [Text::fixed("mv")]
        .into_iter()
        .chain(options.operands)
        .collect();
    engine.call(&command).map(drop)
}

pub(super) fn read_tree(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &["--prefix", "--index-output"]);
    reach_if(
        engine,
        options.has(&["-u"]),
        Reach::All(Action::Overwrite),
        &[],
    )
}

pub(super) fn checkout_index(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &["--prefix", "--stage"]);
    let forced = options.has(&["-f", "--force"]);
    if let Some(directory) = options.value(&["--prefix"]) {
        // Without a slash at its end it is the beginning of other names.
        let into = forced && directory.known_end().ends_with('/');
        let paths = [directory.clone()];
        return reach_if(engine, into, Reach::Paths(Action::Overwrite), &paths);
    }
    let all = options.has(&["-a", "--all"]) || options.operands.is_empty();
    let reach = if all {
        Reach::All(Action::Overwrite)
    } else {
        Reach::Paths(Action::Overwrite)
    };
    reach_if(engine, forced, reach, &options.operands)
}

pub(super) fn pick(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &["-s", "-X", "-m", "-S"]);
    let goes_on = options.has(&["--quit", "--abort", "--show-current-patch", "--continue"]);
    reach_if(engine, !goes_on, Reach::All(Action::Overwrite), &[])
}

pub(super) fn worktree(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &["-b", "-B", "--reason"]);
    let verb = options.operands.first().and_then(Text::known);
    let paths = options.operands.get(1..).unwrap_or_default();
    if let (Some("add"), Some(path)) = (verb.as_deref(), paths.first()) {
        return fill(engine, path);
    }
    let removes = verb.as_deref() == Some("remove");
    reach_if(engine, removes, Reach::Paths(Action::Delete), paths)
}

/// A clone is filled with what the other repository has, in a directory of its name unless it
/// is told where.
pub(super) fn clone(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let valued = [
        "-b", "--branch", "-o", "--origin", "--depth", "-c", "--config",
    ];
    let options = Options::parse(words, &valued);
    let (address, directory) = match options.operands.as_slice() {
        [address, directory] => (address, directory.clone()),
        [address] => {
            let end = address.known_end();
            let name = end.trim_end_matches('/').rsplit(['/', ':']).next();
            let name = name.unwrap_or_default().trim_end_matches(".git");
            (address, Text::fixed(name))
        }
        _ => return Ok(()),
    };
    fill(engine, &directory)?;
    // From here it is certain to arrive; from elsewhere it may fail, and `cd` with it.
    let from = engine.places(address)?;
    let is_here = |place: &Place| matches!(place, Place::At(path, _) if engine.is_directory(path));
    if !from.iter().all(is_here) {
        return Ok(());
    }
    for place in engine.places(&directory)? {
        if let Place::At(path, _) = place {
            let path = engine.resolver().made(&path);
            let is_new = engine.shell.filled.contains(&path);
            engine.shell.made.extend(is_new.then_some(path));
        }
    }
    Ok(())
}

/// What is in a directory from now on is not known.
fn fill(engine: &mut Engine<'_>, directory: &Text) -> Result<(), Stop> {
    for place in engine.places(directory)? {
        if let Place::At(path, _) = place {
            let path = engine.resolver().made(&path);
            // Where something is already, git refuses.
            if engine.tree.list(&path).is_empty() {
                engine.shell.filled.insert(path);
            }
        }
    }
    Ok(())
}

pub(super) fn rewrite(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let lists = words.first().and_then(Text::known);
    let harmless = matches!(lists.as_deref(), Some("list" | "disable" | "check-rules"));
    reach_if(engine, !harmless, Reach::All(Action::Overwrite), &[])
}

/// What is stashed is gone until it is taken out again, which the same command may do.
pub(super) fn stash(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let verb = words.first().map(Text::known_start).unwrap_or_default();
    match verb.as_str() {
        "list" | "show" | "drop" | "clear" | "create" | "store" | "branch" => Ok(()),
        "pop" | "apply" => {
            let is_stash = |by: &str| by.starts_with("git") && by.contains(" stash");
            engine.effects.retain(|effect| !is_stash(&effect.by));
            Ok(())
        }
        _ => {
            let own = if verb == "push" || verb == "save" {
                &words[1..]
            } else {
                words
            };
            let options = Options::parse(own, &["-m", "--message"]);
            if options.has(&["-S", "--staged"]) {
                return Ok(());
            }
            let paths = if verb == "push" || verb.starts_with("--") {
                options.operands.as_slice()
            } else {
                &[]
            };
            let removes = options.has(&["-u", "--include-untracked", "-a", "--all"]);
            let action = if removes {
                Action::Delete
            } else {
                Action::Overwrite
            };
            reach_if(engine, true, Reach::PathsOrAll(action), paths)
        }
    }
}

/// Subcommands that write a file which they are told.
pub(super) fn written(engine: &mut Engine<'_>, verb: &str, words: &[Text]) -> Result<(), Stop> {
    engine.print(&Data::Unknown);
    let options = Options::parse(words, &["-L", "--marker-size", "--export-marks"]);
    let operands = &options.operands;
    let creates = operands.first().and_then(Text::known).as_deref() == Some("create");
    let file = match verb {
        "bundle" if creates => operands.get(1),
        "merge-file" if !options.has(&["-p", "--stdout"]) => operands.first(),
        "fast-export" => options.value(&["--export-marks"]),
        _ => None,
    };
    touch_all(engine, Action::Overwrite, file)
}

pub(super) fn apply(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(
        words,
        &[
            "-p",
            "--directory",
            "--exclude",
            "--include",
            "--whitespace",
        ],
    );
    let reads_only = ["--check", "--stat", "--numstat", "--summary", "--cached"];
    if options.has(&reads_only) && !options.has(&["--apply"]) {
        return Ok(());
    }
    let directory = options.value(&["--directory"]);
    let picked = picked(&options);
    let keeps_names = directory.is_none() && !options.has(&["-p"]);
    if options.operands.is_empty() {
        return patches::from_pipe(engine, directory, &picked, keeps_names);
    }
    for file in &engine.all_named(&options.operands)? {
        patches::from_file(engine, file, directory, &picked, keeps_names)?;
    }
    Ok(())
}

/// The files that `--include` and `--exclude` pick. Of both the first that matches counts,
/// and other options change the names.
fn picked(options: &Options) -> Picked {
    let values =
        |name: &str| -> Option<Vec<String>> { options.values(&[name]).map(Text::known).collect() };
    let only = values("--include").unwrap_or_default();
    let never = values("--exclude").unwrap_or_default();
    let is_mixed = !only.is_empty() && !never.is_empty();
    if is_mixed || options.has(&["-p", "--directory"]) {
        return Picked::default();
    }
    Picked { only, never }
}

/// The paths that are given, and those that a file lists.
fn listed(engine: &mut Engine<'_>, options: &Options) -> Result<Vec<Text>, Stop> {
    let mut paths = options.operands.clone();
    for file in options.values(&["--pathspec-from-file"]) {
        let content = match file.known().as_deref() {
            Some("-") => engine.stdin.clone(),
            _ => engine.content(file)?,
        };
        match content.text() {
            Some(text) => paths.extend(text.split(['\n', '\0']).map(Text::fixed)),
            None => paths.push(Text::fixed(":/")),
        }
    }
    Ok(paths)
}
