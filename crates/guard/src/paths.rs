//! From names to paths: links are followed, dots resolved, aliases of the root seen through.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::tree::{Kind, Tree};

/// As many links as the kernel follows.
const MOST_LINKS: usize = 40;

/// Resolves absolute paths against the files and the links that a command has just made.
pub(crate) struct Resolver<'a> {
    pub(crate) tree: &'a dyn Tree,
    pub(crate) root: &'a Path,
    pub(crate) made_links: &'a BTreeMap<PathBuf, PathBuf>,
    /// Directories that are seen elsewhere, as in a container.
    pub(crate) mounts: &'a BTreeMap<PathBuf, PathBuf>,
    /// Where the command stands, if that is known.
    pub(crate) here: Option<&'a Path>,
}

impl Resolver<'_> {
    /// The path with every link on the way followed.
    pub(crate) fn beyond_links(&self, path: &Path) -> PathBuf {
        self.resolve(path, true)
    }

    /// The path with every link followed but one at its end, which is what `rm` removes.
    pub(crate) fn up_to_link(&self, path: &Path) -> PathBuf {
        self.resolve(path, false)
    }

    fn resolve(&self, path: &Path, follow_last: bool) -> PathBuf {
        let mut reached = PathBuf::from("/");
        let mut pending: Vec<PathBuf> = names_reversed(path);
        let mut links = 0;
        while let Some(name) = pending.pop() {
            if name == OsStr::new("..") {
                reached.pop();
                continue;
            }
            let next = reached.join(&name);
            if let Some(source) = self.mounts.get(&next) {
                reached.clone_from(source);
                continue;
            }
            let is_last = pending.is_empty();
            match self.link_at(&next) {
                Some(target) if (!is_last || follow_last) && links < MOST_LINKS => {
                    links += 1;
                    if target.is_absolute() {
                        reached = PathBuf::from("/");
                    }
                    pending.extend(names_reversed(&target));
                }
                _ => reached = next,
            }
        }
        self.under_its_usual_name(reached)
    }

    fn link_at(&self, path: &Path) -> Option<PathBuf> {
        let made = self.made_links.get(path).cloned();
        made.or_else(|| self.link_of_process(path))
            .or_else(|| match self.tree.kind(path) {
                Some(Kind::Link) => self.tree.read_link(path),
                _ => None,
            })
    }

    /// `/proc/self/cwd` is where the command stands, and not where the guard does.
    fn link_of_process(&self, path: &Path) -> Option<PathBuf> {
        let names: Vec<_> = path.strip_prefix("/proc").ok()?.iter().collect();
        match names.as_slice() {
            [_, last] if *last == OsStr::new("cwd") => self.here.map(Path::to_owned),
            [_, last] if *last == OsStr::new("root") => Some(PathBuf::from("/")),
            _ => None,
        }
    }

    /// An agent in a container, or under another mount, knows the root by another path. A
    /// directory that does not exist here and has the root's own name may be the root there.
    fn under_its_usual_name(&self, path: PathBuf) -> PathBuf {
        let Some(name) = self.root.file_name() else {
            return path;
        };
        if path.starts_with(self.root) {
            return path;
        }
        let mut above = PathBuf::new();
        for part in path.components() {
            above.push(part);
            if part.as_os_str() == name && self.tree.kind(&above).is_none() {
                let below = path.strip_prefix(&above).unwrap_or(Path::new(""));
                return self.root.components().chain(below.components()).collect();
            }
        }
        path
    }
}

fn names_reversed(path: &Path) -> Vec<PathBuf> {
    let names = path.components().rev();
    names
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .map(|part| PathBuf::from(part.as_os_str()))
        .collect()
}

/// The path with its dots taken away, without asking the files: how a shell follows `cd`.
pub(crate) fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::Normal(name) => plain.push(name),
            _ => {}
        }
    }
    plain
}
