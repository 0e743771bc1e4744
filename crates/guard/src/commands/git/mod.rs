//! git: what its subcommands do to the files of the work tree.
//!
//! Commits can be taken back and are no concern here; files that git replaces or removes
//! are. Which ones those would be is not asked of git, because running it on somebody
//! else's repository runs what that repository configured. So a subcommand reaches the paths
//! that it is given, or the whole work tree.

mod config;
mod configured;
mod files;
mod hooks;
mod index;
mod lists;
mod pathspec;
mod reach;
mod running;
mod syntax;

use super::Options;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::Text;
use config::{alias, configure, configure_by_variables, is_unforced};

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
        configure_by_variables(engine)?;
        for setting in options.values(&["-c"]) {
            configure(engine, setting)?;
        }
        let unforced = options.values(&["-c"]).filter_map(Text::known);
        let unforced = unforced.into_iter().any(|setting| is_unforced(&setting));
        let unforced = unforced || engine.shell.cleans_unforced;
        let Some((verb, rest)) = words[at..].split_first() else {
            return Ok(());
        };
        match verb.known() {
            Some(verb) => {
                hooks::run(engine, &verb, rest)?;
                let differs = index::may_differ_after(&verb);
                // These go by the index before they write it; others may run commands meanwhile.
                let goes_by_it = matches!(verb.as_str(), "checkout" | "restore");
                engine.shell.index_may_differ |=
                    differs && !goes_by_it || options.has(&["--git-dir", "--work-tree"]);
                subcommand(engine, &verb, rest, unforced, 0)?;
                engine.shell.index_may_differ |= differs;
                Ok(())
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
        "clean" => files::clean(engine, words, unforced),
        "checkout" => files::checkout(engine, words),
        "switch" => files::switch(engine, words),
        "restore" => files::restore(engine, words),
        "reset" => files::reset(engine, words),
        "rm" => files::remove(engine, words),
        "mv" => files::rename(engine, words),
        "stash" => files::stash(engine, words),
        "read-tree" => files::read_tree(engine, words),
        "checkout-index" => files::checkout_index(engine, words),
        "rebase" => running::rebase(engine, words),
        "cherry-pick" | "revert" | "am" => files::pick(engine, words),
        "apply" => files::apply(engine, words),
        "worktree" => files::worktree(engine, words),
        "clone" => files::clone(engine, words),
        "difftool" => running::difftool(engine, words),
        "submodule" => running::submodule(engine, words),
        "bisect" => running::bisect(engine, words),
        "filter-branch" | "sparse-checkout" => files::rewrite(engine, words),
        "ls-files" | "ls-tree" | "grep" => lists::run(engine, verb, words),
        "diff" if Options::parse(words, &[]).has(&["--name-only"]) => lists::changed(engine, words),
        "archive" | "diff" | "log" | "show" | "format-patch" => lists::print(engine, verb, words),
        "bundle" | "merge-file" | "fast-export" => files::written(engine, verb, words),
        "rev-parse" => lists::rev_parse(engine, words),
        "config" => config::set(engine, words),
        _ => alias(engine, verb, words, depth),
    }
}
