//! Doors for the fuzzer, which are no part of what this crate offers.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::CWD;

use crate::gitdir::{self, GitDir};
use crate::ignore::Collector;
use crate::repository::Repositories;
use crate::tracked::Tracked;
use crate::walk::{self, Found, Visitor};
use crate::{Budget, HeadMove, RootMark, StashMove, Unmeasured, plain};

/// Reads what git might answer of two snapshots.
pub fn listing(output: &[u8]) {
    crate::changes::read_listing(output);
}

/// Reads any bytes as each of the files that a repository is known by.
pub fn repository_file(bytes: &[u8]) {
    crate::tracked::read_index(bytes);
    crate::repository::read_log(bytes);
    crate::ledger::read_body(bytes);
    let list = crate::unhashed::read_list(bytes);
    assert!(list.is_none_or(|list| list.len() <= bytes.len()));
}

/// Reads ignore rules and asks them for a path.
pub fn ignore_rules(text: &[u8], path: &[u8]) {
    crate::ignore::read_rules(text, path);
}

/// The top of a work tree and all others of the same repository.
pub fn work_trees(root: &Path) -> Vec<PathBuf> {
    gitdir::work_trees(root)
}

/// Goes through a work tree that somebody hostile wrote: what is frozen of its rules leads to the
/// same files again, whatever its index names is among them, and where nothing happened to its
/// repositories nothing is told. Answers with the files.
pub fn go_through(root: &Path) -> Vec<Vec<u8>> {
    let open = || plain::open_directory(CWD, root).expect("a work tree");
    let opened = open();
    let mut collector = Collector::new(None);
    let mut before = Met::default();
    let budget = Budget::default();
    let unread = walk::walk(opened.as_fd(), &budget, &mut collector, &mut before);
    let frozen = collector.into_frozen();
    let mut now = Met::default();
    let again = walk::walk(open().as_fd(), &budget, &mut &frozen, &mut now);
    assert_eq!(unread.ok(), again.ok());
    assert_eq!(before.files, now.files);
    assert!(now.files.is_sorted());
    let index = GitDir::of(opened.as_fd()).and_then(|git_dir| git_dir.read("index", 1 << 20));
    if let Some(tracked) = index.as_deref().and_then(Tracked::parse) {
        for file in everything(root, root) {
            let file = std::os::unix::ffi::OsStrExt::as_bytes(file.as_os_str()).to_vec();
            assert!(!tracked.contains(&file) || now.files.contains(&file));
        }
    }
    let mark = RootMark::of(root).expect("a work tree");
    let moves = now.repositories.moves_since(&before.repositories, &mark);
    for told in moves.expect("the same work tree") {
        assert_eq!(
            (told.head, told.stash),
            (HeadMove::Unclear, StashMove::Stayed)
        );
    }
    now.files
}

/// The files of a work tree that holds no more than a few.
fn everything(root: &Path, directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let own = paths.filter(|path| !path.ends_with(".git"));
    let files = own.flat_map(|path| match path.is_dir() {
        true => everything(root, &path),
        false => vec![path.strip_prefix(root).unwrap_or(&path).to_owned()],
    });
    files.collect()
}

#[derive(Default)]
struct Met {
    files: Vec<Vec<u8>>,
    repositories: Repositories,
}

impl Visitor for Met {
    fn file(&mut self, found: &Found<'_>) -> Result<(), Unmeasured> {
        self.files.push(found.path.to_vec());
        Ok(())
    }

    fn work_tree(&mut self, path: &[u8], git_dir: &GitDir) {
        self.repositories.note(path, git_dir);
    }

    fn closed(&mut self, _: &[u8]) -> Result<(), Unmeasured> {
        Ok(())
    }
}
