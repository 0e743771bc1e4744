//! Which files a subcommand of git reaches.

use std::path::{Path, PathBuf};

use crate::effect::{Action, Target};
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::Text;

/// What a subcommand does.
#[derive(Clone, Copy)]
pub(super) enum Reach {
    /// The paths it is given, and nothing if there are none.
    Paths(Action),
    /// The paths it is given, or else the whole work tree.
    PathsOrAll(Action),
    /// The whole work tree, or as much of it as differs.
    All(Action),
}

pub(super) fn reach_if(
    engine: &mut Engine<'_>,
    really: bool,
    reach: Reach,
    paths: &[Text],
) -> Result<(), Stop> {
    if !really {
        return Ok(());
    }
    match reach {
        Reach::Paths(action) => pathspecs(engine, action, paths),
        Reach::PathsOrAll(action) if !paths.is_empty() => pathspecs(engine, action, paths),
        Reach::PathsOrAll(action) | Reach::All(action) => {
            for top in top_level(engine) {
                engine.note(action, Target::Tree(top));
            }
            Ok(())
        }
    }
}

/// Below where the command stands.
pub(super) fn here(engine: &mut Engine<'_>, action: Action) -> Result<(), Stop> {
    pathspecs(engine, action, &[Text::fixed(".")])
}

/// A path for git is a tree, may have wildcards that git itself matches, or magic.
fn pathspecs(engine: &mut Engine<'_>, action: Action, paths: &[Text]) -> Result<(), Stop> {
    for path in paths {
        let start = path.known_start();
        if start.starts_with(":!") || start.starts_with(":^") || start.starts_with(":(exclude)") {
            continue;
        }
        if start.starts_with(':') {
            for top in top_level(engine) {
                engine.note(action, Target::Tree(top));
            }
            continue;
        }
        engine.take_away(action, &path.unquoted(), true)?;
    }
    Ok(())
}

/// The top of the work tree that each possible directory lies in.
pub(super) fn top_level(engine: &Engine<'_>) -> Vec<PathBuf> {
    let directories = engine.shell.directories.iter();
    directories
        .map(|directory| match directory {
            Some(directory) => {
                let has_git = |above: &&Path| engine.tree.kind(&above.join(".git")).is_some();
                let directory = engine.resolver().beyond_links(directory);
                let top = directory.ancestors().find(has_git);
                top.unwrap_or(&directory).to_owned()
            }
            None => engine.protected.root().to_owned(),
        })
        .collect()
}
