//! git: what its subcommands do to the files of the work tree.
//!
//! Commits can be taken back and are no concern here; files that git replaces or removes
//! are. Which ones those would be is not asked of git, because running it on somebody
//! else's repository runs what that repository configured. So a subcommand reaches the paths
//! that it is given, or the whole work tree.

mod config;
mod hooks;
mod lists;
mod pathspec;
mod reach;

use std::path::PathBuf;

use super::archives::{self, Picked};
use super::{Options, touch_all};
use crate::effect::Action;
use crate::shell::{Engine, Place, joined};
use crate::stop::Stop;
use crate::text::{Data, Text};
use config::{alias, configure};
use reach::{Reach, here_but, reach_if, top_level};

const GLOBAL_VALUED: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--super-prefix",
    "--config-env",
];

pub(super) fn run(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    engine.apart(|engine| {
        let (options, at) = Options::parse_leading(words, GLOBAL_VALUED);
        for directory in options.values(&["-C"]) {
            engine.call(&[Text::fixed("cd"), directory.clone()])?;
        }
        let tree = options.value(&["--work-tree"]).cloned();
        let tree = tree.or_else(|| engine.shell.get("GIT_WORK_TREE").map(|value| value.first()));
        if let Some(tree) = tree {
            engine.call(&[Text::fixed("cd"), tree])?;
        }
        for setting in options.values(&["-c"]) {
            configure(engine, setting)?;
        }
        let unforced = options.values(&["-c"]).filter_map(Text::known);
        let unforced = unforced.into_iter().any(|setting| {
            setting
                .to_lowercase()
                .starts_with("clean.requireforce=false")
        });
        let Some((verb, rest)) = words[at..].split_first() else {
            return Ok(());
        };
        match verb.known() {
            Some(verb) => {
                hooks::run(engine, &verb, rest)?;
                subcommand(engine, &verb, rest, unforced, 0)
            }
            None => {
                engine.could_do_anything();
                Ok(())
            }
        }
    })
}

fn subcommand(
    engine: &mut Engine<'_>,
    verb: &str,
    words: &[Text],
    unforced: bool,
    depth: usize,
) -> Result<(), Stop> {
    match verb {
        "clean" => clean(engine, words, unforced),
        "checkout" => checkout(engine, words),
        "switch" => {
            let options = Options::parse(words, &["-c", "-C", "--orphan", "--create"]);
            let discards = options.has(&["-f", "--force", "--discard-changes", "--orphan"]);
            reach_if(engine, discards, Reach::All(Action::Overwrite), &[])
        }
        "restore" => {
            let options = Options::parse(words, &["-s", "--source", "--pathspec-from-file"]);
            let only_index =
                options.has(&["-S", "--staged"]) && !options.has(&["-W", "--worktree"]);
            let paths = listed(engine, &options)?;
            reach_if(engine, !only_index, Reach::Paths(Action::Overwrite), &paths)
        }
        "reset" => {
            let options = Options::parse(words, &[]);
            reach_if(
                engine,
                options.has(&["--hard", "--merge"]),
                Reach::All(Action::Overwrite),
                &[],
            )
        }
        "rm" => {
            let options = Options::parse(words, &["--pathspec-from-file"]);
            let harmless = options.has(&["--cached", "-n", "--dry-run"]);
            let paths = listed(engine, &options)?;
            reach_if(engine, !harmless, Reach::Paths(Action::Delete), &paths)
        }
        "mv" => {
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
        "stash" => stash(engine, words),
        "read-tree" => {
            let options = Options::parse(words, &["--prefix", "--index-output"]);
            reach_if(
                engine,
                options.has(&["-u"]),
                Reach::All(Action::Overwrite),
                &[],
            )
        }
        "checkout-index" => {
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
        // Taking over a history is what branches are for, and git refuses where it would
        // lose what is not committed. Picking single changes out of one is another matter.
        "rebase" => {
            let options = Options::parse(words, &["-x", "--exec", "-s", "-X", "--onto"]);
            for code in options.values(&["-x", "--exec"]) {
                engine.apart(|engine| engine.code(code))?;
            }
            Ok(())
        }
        "cherry-pick" | "revert" | "am" => {
            let options = Options::parse(words, &["-s", "-X", "-m", "-S"]);
            let goes_on = options.has(&["--quit", "--abort", "--show-current-patch", "--continue"]);
            reach_if(engine, !goes_on, Reach::All(Action::Overwrite), &[])
        }
        "apply" => apply(engine, words),
        "worktree" => {
            let options = Options::parse(words, &["-b", "-B", "--reason"]);
            let removes =
                options.operands.first().and_then(Text::known).as_deref() == Some("remove");
            let paths = options.operands.get(1..).unwrap_or_default();
            reach_if(engine, removes, Reach::Paths(Action::Delete), paths)
        }
        "difftool" => {
            let options = Options::parse(words, &["-x", "--extcmd", "-t", "--tool"]);
            let code = options.value(&["-x", "--extcmd"]);
            code.map_or(Ok(()), |code| engine.code(code).map(drop))
        }
        "submodule" => submodule(engine, words),
        "bisect" => {
            let words = words
                .iter()
                .skip_while(|word| word.known().as_deref() != Some("run"));
            let command: Vec<Text> = words.skip(1).cloned().collect();
            engine.call(&command).map(drop)
        }
        "filter-branch" | "sparse-checkout" => {
            let lists = words.first().and_then(Text::known);
            let harmless = matches!(lists.as_deref(), Some("list" | "disable" | "check-rules"));
            reach_if(engine, !harmless, Reach::All(Action::Overwrite), &[])
        }
        "ls-files" | "ls-tree" | "grep" => lists::run(engine, verb, words),
        "diff" if Options::parse(words, &[]).has(&["--name-only"]) => lists::changed(engine, words),
        "archive" | "diff" | "log" | "show" | "bundle" | "format-patch" => {
            let options = Options::parse(words, &["-o", "--output", "-O"]);
            lists::print_within(engine, verb, words)?;
            touch_all(
                engine,
                Action::Overwrite,
                options.values(&["-o", "--output"]),
            )
        }
        "rev-parse" => {
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
        "config" => {
            let options = Options::parse(words, &["--file", "-f", "--type"]);
            let set = |name: &Text, value: &Text| {
                let mut setting = name.clone();
                setting.append(&Text::fixed("="));
                setting.append(value);
                setting
            };
            match options.operands.as_slice() {
                [name, value] => configure(engine, &set(name, value)),
                [verb, name, value] if verb.known().as_deref() == Some("set") => {
                    configure(engine, &set(name, value))
                }
                _ => Ok(()),
            }
        }
        _ => alias(engine, verb, words, depth),
    }
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

fn clean(engine: &mut Engine<'_>, words: &[Text], unforced: bool) -> Result<(), Stop> {
    let options = Options::parse(words, &["-e", "--exclude"]);
    let forced = unforced || options.has(&["-f", "--force"]);
    if !forced || options.has(&["-n", "--dry-run"]) {
        return Ok(());
    }
    let mut kept: Vec<Text> = options.values(&["-e", "--exclude"]).cloned().collect();
    // `-X` removes what is ignored, and these are ignored as well.
    if options.has(&["-X"]) {
        kept.clear();
    }
    here_but(engine, Action::Delete, &options.operands, &kept)
}

/// `git checkout` with paths replaces them; without, it goes to a branch and is careful.
fn checkout(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(
        words,
        &["-b", "-B", "--orphan", "--pathspec-from-file", "--conflict"],
    );
    let forced = options.has(&["-f", "--force"]);
    if options.has(&["-b", "-B"]) && !forced {
        return Ok(());
    }
    let dashes = words
        .iter()
        .position(|word| word.known().as_deref() == Some("--"));
    if let Some(at) = dashes {
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
    reach_if(engine, true, Reach::Paths(Action::Overwrite), paths)
}

fn is_path(engine: &mut Engine<'_>, word: &Text) -> Result<bool, Stop> {
    // Git matches wildcards itself, and no commit has one in its name.
    let known = word.known().unwrap_or_default();
    let magic = known.starts_with(':') || crate::glob::is_pattern(&known);
    let exists = engine.places(word)?.iter().any(|place| match place {
        Place::At(path, _) => engine.tree.kind(path).is_some(),
        Place::Like(_) => true,
    });
    Ok(magic || exists)
}

/// What is stashed is gone until it is taken out again, which the same command may do.
fn stash(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
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

fn apply(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
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
    if options.operands.is_empty() {
        return archives::patched_from_pipe(engine, directory, &picked);
    }
    for file in &options.operands {
        let patch = engine.content(file)?;
        archives::patched(engine, &patch, directory, &picked)?;
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

fn submodule(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &[]);
    match options.operands.split_first() {
        Some((verb, rest)) if verb.known().as_deref() == Some("foreach") => {
            // Wherever the submodules are, they are one step below.
            let code = joined(rest);
            let below = |top: PathBuf| Some(top.join("submodule"));
            let directories = top_level(engine).into_iter().map(below).collect();
            engine.shell.go(directories, false);
            engine.source_data(&code).map(drop)
        }
        Some((verb, rest)) if verb.known().as_deref() == Some("deinit") => {
            reach_if(engine, true, Reach::Paths(Action::Delete), rest)
        }
        _ => Ok(()),
    }
}
