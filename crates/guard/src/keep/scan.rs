//! What is protected and there, and what is to be known of each path.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use fusebox_files::beneath::Missing;
use fusebox_files::drafts;
use rustix::fs::FileType;

use super::beneath::{Root, kind, parts, permissions};
use super::ledger::{Entry, Form};
use super::objects::Digest;
use super::report::{LeftOut, Why};
use super::signature::{Seen, Signature};
use crate::protected::{Protected, names_of};
use crate::tree::{Disk, Tree};

/// How many names are looked at in search of what a rule with wildcards covers.
const MOST_LOOKED_AT: usize = 50_000;

/// What is protected and there.
pub(super) struct Found {
    /// Relative to the root.
    pub(super) paths: BTreeSet<PathBuf>,
    pub(super) left_out: Vec<LeftOut>,
}

/// All protected paths, and everything beneath them. What lies higher comes first, so that
/// one deep directory does not push everything else out.
pub(super) fn protected_paths(root: &Root, protected: &Protected, most: usize) -> Found {
    let mut found = Found {
        paths: BTreeSet::new(),
        left_out: Vec::new(),
    };
    // What fits wildcards may appear in the root itself, which is watched for that.
    let has_wildcards = protected
        .rules()
        .iter()
        .any(|rule| rule.path(root.path()).is_none());
    if has_wildcards {
        found.paths.insert(PathBuf::new());
    }
    let mut pending: VecDeque<PathBuf> = starts(root, protected).into();
    while let Some(path) = pending.pop_front() {
        if found.paths.contains(&path) {
            continue;
        }
        if found.paths.len() >= most {
            let why = Why::TooMany;
            found.left_out.push(LeftOut { path, why });
            break;
        }
        let Ok(stat) = root.stat(&path) else { continue };
        // A repository within is its own: what it holds changes by the thousand.
        if kind(&stat) == FileType::Directory && !path.ends_with(".git") {
            pending.extend(names(root, &path));
        } else if path.file_name().is_some_and(drafts::is_named_so) {
            // What a killed process left of a file is no file: kept, it would come back whenever
            // it is removed. Nobody gains by such a name, which only goes without protection.
            continue;
        }
        found.paths.insert(path);
    }
    found
}

/// The paths that rules name, or that fit their wildcards.
fn starts(root: &Root, protected: &Protected) -> Vec<PathBuf> {
    let mut starts = Vec::new();
    let mut wild = Vec::new();
    for rule in protected.rules().iter().filter(|rule| !rule.is_absolute()) {
        match rule.path(Path::new("")) {
            Some(path) => starts.push(path),
            None => wild.push(rule),
        }
    }
    let mut pending = VecDeque::from([PathBuf::new()]);
    let mut left = if wild.is_empty() { 0 } else { MOST_LOOKED_AT };
    while let Some(directory) = pending.pop_front() {
        for path in names(root, &directory) {
            if left == 0 {
                return starts;
            }
            left -= 1;
            let below = names_of(&path);
            if protected.rule_of(&root.path().join(&path)).is_some() {
                starts.push(path);
            } else if wild.iter().any(|rule| rule.reaches_below(&below))
                && !path.ends_with(".git")
                && root.is_direct(&path)
            {
                pending.push_back(path);
            }
        }
        if wild.is_empty() {
            break;
        }
    }
    starts
}

fn names(root: &Root, directory: &Path) -> Vec<PathBuf> {
    let names = Disk.list(&root.path().join(directory));
    let path = |name| directory.join::<PathBuf>(PathBuf::from(name));
    names.into_iter().map(path).collect()
}

/// A path as it is now, with its content if it is a file of at most so many bytes.
pub(super) fn entry(root: &Root, path: &Path, most: u64) -> Result<(Entry, Option<Vec<u8>>), Why> {
    let stat = root.stat(path).map_err(|_| Why::Unreadable)?;
    let of = |form| Entry {
        form,
        permissions: permissions(&stat),
        seen: Seen::of(&stat),
    };
    match kind(&stat) {
        FileType::Directory => Ok((of(Form::Directory), None)),
        FileType::Symlink => {
            let target = link(root, path).map_err(|_| Why::Unreadable)?;
            Ok((of(Form::Link(target)), None))
        }
        FileType::RegularFile => {
            let content = root.content(path, most).map_err(|_| Why::Unreadable)?;
            let content = content.ok_or(Why::TooLarge)?;
            let size = u64::try_from(content.len()).map_err(|_| Why::TooLarge)?;
            let digest = Digest::of(&content);
            let mut entry = of(Form::File { size, digest });
            // Whoever wrote meanwhile is found out by the next look, by content.
            let after = root.stat(path).map_err(|_| Why::Unreadable)?;
            if Signature::of(&after) != Signature::of(&stat) {
                entry.seen.settled = false;
            }
            Ok((entry, Some(content)))
        }
        _ => Err(Why::Special),
    }
}

/// Where a link leads.
pub(super) fn link(root: &Root, path: &Path) -> io::Result<PathBuf> {
    let (parent, name) = parts(path)?;
    let parent = root.directory(parent, Missing::Fails)?;
    let target = rustix::fs::readlinkat(parent, name, Vec::new())?;
    Ok(std::ffi::OsString::from_vec(target.into_bytes()).into())
}
