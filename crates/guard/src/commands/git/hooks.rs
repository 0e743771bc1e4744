//! Hooks: scripts that git starts by itself when something is done.

use std::path::{Path, PathBuf};

use super::reach::top_level;
use crate::commands::make::certain_only;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::Text;

/// What is started before or after a subcommand; those in the first list can be left out
/// with `--no-verify`.
fn hooks_of(verb: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match verb {
        "commit" => (
            &["pre-commit", "commit-msg"],
            &["prepare-commit-msg", "post-commit"],
        ),
        "merge" | "pull" => (&["pre-merge-commit", "commit-msg"], &["post-merge"]),
        "checkout" | "switch" => (&[], &["post-checkout"]),
        "push" => (&["pre-push"], &[]),
        "rebase" => (&["pre-rebase"], &["post-rewrite"]),
        "am" => (
            &[],
            &["applypatch-msg", "pre-applypatch", "post-applypatch"],
        ),
        _ => (&[], &[]),
    }
}

/// Follows the hooks that there are.
pub(super) fn run(engine: &mut Engine<'_>, verb: &str, words: &[Text]) -> Result<(), Stop> {
    let (verifying, others) = hooks_of(verb);
    let left_out = |word: &Text| match word.known().as_deref() {
        Some("--no-verify") => true,
        Some("-n") => verb == "commit",
        _ => false,
    };
    let verifying = match words.iter().any(left_out) {
        true => &[],
        false => verifying,
    };
    for hook in verifying.iter().chain(others) {
        for top in top_level(engine) {
            let directory = match &engine.shell.hooks_path {
                Some(own) => top.join(own),
                None => top.join(".git/hooks"),
            };
            start(engine, &directory.join(hook), top)?;
        }
    }
    Ok(())
}

/// A hook runs at the top of the work tree.
fn start(engine: &mut Engine<'_>, hook: &Path, top: PathBuf) -> Result<(), Stop> {
    let hook = Text::fixed(hook.to_string_lossy().into_owned());
    if engine.content(&hook)?.text().is_none() {
        return Ok(());
    }
    engine.apart(|engine| {
        engine.shell.go(vec![Some(top)], false);
        certain_only(engine, |engine| engine.call(&[hook]).map(drop))
    })
}
