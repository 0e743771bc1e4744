//! From names to paths: links are followed, dots resolved, aliases of the root seen through.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::shell::Shell;
use crate::tree::{Kind, Tree};

/// As many links as the kernel follows.
const MOST_LINKS: usize = 40;

/// Where nobody works on a project, but many put a copy of one.
const PASSING: [&str; 4] = ["/tmp", "/var", "/private/tmp", "/private/var"];

/// Resolves absolute paths against the files, and what a shell has just put among them.
pub(crate) struct Resolver<'a> {
    pub(crate) tree: &'a dyn Tree,
    pub(crate) root: &'a Path,
    pub(crate) shell: &'a Shell,
}

impl Resolver<'_> {
    /// Whether there is something in a file that is lost when so many bytes are taken out.
    pub(crate) fn is_emptied(&self, path: &Path, most: u64) -> bool {
        let length = self.tree.length(&self.beyond_links(path));
        length.is_some_and(|length| (1..=most).contains(&length))
    }

    /// The path with every link on the way followed.
    pub(crate) fn beyond_links(&self, path: &Path) -> PathBuf {
        self.resolve(path, true)
    }

    /// The path with every link followed but one at its end, which is what `rm` removes.
    pub(crate) fn up_to_link(&self, path: &Path) -> PathBuf {
        self.resolve(path, false)
    }

    /// The same of something that is made now, which is nothing but what its name says.
    pub(crate) fn made(&self, path: &Path) -> PathBuf {
        self.reached(path, true)
    }

    fn resolve(&self, path: &Path, follow_last: bool) -> PathBuf {
        self.under_its_usual_name(self.reached(path, follow_last))
    }

    fn reached(&self, path: &Path, follow_last: bool) -> PathBuf {
        let mut reached = PathBuf::from("/");
        let mut pending: Vec<PathBuf> = names_reversed(path);
        let mut links = 0;
        while let Some(name) = pending.pop() {
            if name == OsStr::new("..") {
                reached.pop();
                continue;
            }
            let next = reached.join(&name);
            if let Some(source) = self.shell.mounts.get(&next) {
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
        reached
    }

    fn link_at(&self, path: &Path) -> Option<PathBuf> {
        let made = self.shell.links.get(path).cloned();
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
            [_, last] if *last == OsStr::new("cwd") => {
                self.shell.directories.first().cloned().flatten()
            }
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
            let is_missing = || self.tree.kind(&above).is_none();
            if part.as_os_str() == name && is_missing() && !self.is_something_else(&above) {
                let below = path.strip_prefix(&above).unwrap_or(Path::new(""));
                return self.root.components().chain(below.components()).collect();
            }
        }
        path
    }

    /// What this command has made itself, what is hidden, and what lies where things only pass
    /// through has the name for another reason: it is a copy, or a cache.
    fn is_something_else(&self, path: &Path) -> bool {
        let is_hidden = path
            .iter()
            .any(|name| name.as_encoded_bytes().starts_with(b"."));
        let own = self.shell.known("TMPDIR").filter(|own| own.len() > 1);
        let passing = PASSING.into_iter().chain(own.as_deref());
        self.shell.made.contains(path)
            || self.shell.filled.contains(path)
            || is_hidden
            || passing.into_iter().any(|above| path.starts_with(above))
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
