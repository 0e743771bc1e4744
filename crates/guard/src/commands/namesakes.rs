//! Files that are not protected themselves but are called as something protected is: whoever
//! puts one of them in its place replaces it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::shell::Engine;
use crate::tree::Kind;

/// More entries than these are not looked at.
const MOST_ENTRIES: usize = 2_000;

/// So many of one name are enough.
const MOST_OF_A_NAME: usize = 8;

/// Those below a directory, so many levels down at most. Where there is more than is looked at,
/// there may be one of every name.
pub(super) fn beneath(
    engine: &mut Engine<'_>,
    start: &Path,
    levels: usize,
    fits: impl Fn(&str) -> bool,
) -> Vec<PathBuf> {
    let all = engine.everything();
    let names = all.iter().filter_map(|path| path.file_name());
    let wanted: BTreeSet<&OsStr> = names.filter(|name| fits(&name.to_string_lossy())).collect();
    let mut found: BTreeMap<&OsStr, Vec<PathBuf>> = BTreeMap::new();
    let mut pending = vec![(start.to_owned(), 1)];
    let mut left = MOST_ENTRIES;
    while let Some((directory, level)) = pending.pop() {
        if wanted.is_empty() || level > levels {
            continue;
        }
        for name in engine.tree.list(&directory) {
            if left == 0 {
                let any = wanted.iter().map(|name| start.join("found").join(name));
                return found.into_values().flatten().chain(any).collect();
            }
            left -= 1;
            let path = directory.join(&name);
            if let Some(own) = wanted.get(name.as_os_str())
                && engine.protected.rule_of(&path).is_none()
            {
                let same = found.entry(*own).or_default();
                if same.len() < MOST_OF_A_NAME {
                    same.push(path.clone());
                }
            }
            if name != ".git" && engine.tree.kind(&path) == Some(Kind::Directory) {
                pending.push((path, level + 1));
            }
        }
    }
    found.into_values().flatten().collect()
}
