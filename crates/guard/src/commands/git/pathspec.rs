//! What a path means to git: a tree, a wildcard of git's own, magic, or an exclusion.

use std::path::{Path, PathBuf};

use super::reach::top_level;
use crate::glob;
use crate::paths::without_dots;
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::Text;
use crate::tree::{Kind, Tree};

/// Which paths are meant, as far as that is understood.
#[derive(Clone, Debug)]
pub(super) enum Spec {
    /// A path and everything beneath it.
    Tree(PathBuf),
    /// Whatever matches below a directory; a star goes beyond slashes.
    Wildcard { base: PathBuf, pattern: String },
    /// Everything with this name below a directory, as in a `.gitignore`; perhaps directories
    /// only.
    Named {
        base: PathBuf,
        name: String,
        directory: bool,
    },
}

impl Spec {
    /// A path that is given in a directory; nothing if it is not understood.
    pub(super) fn of(engine: &Engine<'_>, text: &Text, base: &Path) -> Option<Self> {
        let known = text.known()?;
        let (base, path) = match known.strip_prefix(":/") {
            Some(path) => (top_level(engine).first()?.clone(), path),
            None => (base.to_owned(), known.as_str()),
        };
        if path.starts_with(':') {
            return None;
        }
        if !glob::is_pattern(path) && !path.contains('\\') {
            return Some(Self::Tree(without_dots(&base.join(path))));
        }
        let is_below = !path.split('/').any(|name| matches!(name, "." | ".." | ""));
        is_below.then(|| Self::Wildcard {
            base,
            pattern: path.to_owned(),
        })
    }

    /// A line as in a `.gitignore`, of the simple kind: a name at any depth, or a path without
    /// wildcards.
    pub(super) fn ignored(engine: &Engine<'_>, text: &Text, base: &Path) -> Option<Self> {
        let known = text.known()?;
        let name = known.trim_end_matches('/');
        if name.is_empty() || name.contains(['!', '#', '\\', ' ']) {
            return None;
        }
        if name.contains('/') {
            let path = without_dots(&base.join(name.trim_start_matches('/')));
            let is_meant =
                !known.ends_with('/') || engine.tree.kind(&path) == Some(Kind::Directory);
            return (is_meant && !glob::is_pattern(name)).then_some(Self::Tree(path));
        }
        Some(Self::Named {
            base: base.to_owned(),
            name: name.to_owned(),
            directory: known.ends_with('/'),
        })
    }

    pub(super) fn covers(&self, path: &Path, tree: &dyn Tree) -> bool {
        match self {
            Self::Tree(above) => path.starts_with(above),
            Self::Wildcard { base, pattern } => {
                let mut below = between(path, base);
                below.any(|above| {
                    let below = above.strip_prefix(base).unwrap_or(above);
                    glob::matches(pattern, &below.to_string_lossy())
                })
            }
            Self::Named {
                base,
                name,
                directory,
            } => between(path, base).any(|above| {
                let own = above.file_name().map(|own| own.to_string_lossy());
                own.is_some_and(|own| glob::matches(name, &own))
                    && (!directory || tree.kind(above) == Some(Kind::Directory))
            }),
        }
    }
}

/// A path and those above it that lie below a directory.
fn between<'p>(path: &'p Path, base: &'p Path) -> impl Iterator<Item = &'p Path> {
    let above = path.ancestors();
    above.take_while(move |above| *above != base && above.starts_with(base))
}

/// What `:!x`, `:^x` and `:(exclude)x` leave out.
pub(super) fn exclusion(text: &Text) -> Option<Text> {
    let start = text.known_start();
    let magic = [":!", ":^", ":(exclude)"];
    let magic = magic.iter().find(|magic| start.starts_with(**magic))?;
    Some(text.without_start(magic.len()))
}

/// Whether a word is a path and no commit.
pub(super) fn is_path(engine: &mut Engine<'_>, word: &Text) -> Result<bool, Stop> {
    // Git matches wildcards itself, and no commit has one in its name.
    let known = word.known().unwrap_or_default();
    let magic = known.starts_with(':') || glob::is_pattern(&known);
    let exists = engine.places(word)?.iter().any(|place| match place {
        Place::At(path, _) => engine.tree.kind(path).is_some(),
        Place::Like(_) => true,
    });
    Ok(magic || exists)
}
