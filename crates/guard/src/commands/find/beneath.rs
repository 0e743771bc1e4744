//! What lies below a directory and is looked at although it is not protected.

use std::path::{Path, PathBuf};

use crate::shell::Engine;
use crate::tree::Kind;

/// More entries than these are not looked at.
const MOST_ENTRIES: usize = 2_000;

/// The links below a directory that lead out of it, and where they lead.
pub(super) fn links_beneath(engine: &Engine<'_>, start: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    let mut pending = vec![start.to_owned()];
    let mut left = MOST_ENTRIES;
    while let Some(directory) = pending.pop() {
        for name in engine.tree.list(&directory) {
            if left == 0 {
                return found;
            }
            left -= 1;
            let path = directory.join(name);
            match engine.tree.kind(&path) {
                Some(Kind::Directory) => pending.push(path),
                Some(Kind::Link) => {
                    let leads_to = engine.resolver().beyond_links(&path);
                    if !leads_to.starts_with(start) {
                        found.push((path, leads_to));
                    }
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether a name is plainly that of a script.
pub(super) fn is_script(name: &str) -> bool {
    [".sh", ".bash", ".py"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// The scripts below a directory, as far as the bound goes.
pub(super) fn scripts_beneath(engine: &Engine<'_>, start: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![start.to_owned()];
    let mut left = MOST_ENTRIES;
    while let Some(directory) = pending.pop() {
        for name in engine.tree.list(&directory).into_iter().take(left) {
            left -= 1;
            let path = directory.join(&name);
            match engine.tree.kind(&path) {
                Some(Kind::Directory) if name != ".git" => pending.push(path),
                Some(Kind::File) if is_script(&name.to_string_lossy()) => found.push(path),
                _ => {}
            }
        }
    }
    found
}
