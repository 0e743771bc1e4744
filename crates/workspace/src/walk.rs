//! Visiting every measured file of a hostile directory tree.
//!
//! Each directory is opened relative to its parent and never through a symbolic link, so
//! that no amount of renaming during the walk leads outside the root. Files are visited in
//! byte order of their full paths, which lets a visitor compare them with a sorted list in
//! one pass.

use std::ffi::{CString, OsStr};
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::gitdir::GitDir;
use crate::ignore::{self, Entering, IgnoreSource, Ignores};
use crate::listing;
use crate::stamp::Stamp;
use crate::tracked::Tracked;
use crate::{Budget, Unmeasured};

/// One open directory per level: far below the usual limit of a thousand open files.
const DEEPEST: usize = 200;
const LARGEST_INDEX: u64 = 64 << 20;
const LISTING_BUFFER: usize = 32 << 10;
const LOOK_AT_CLOCK_EVERY: usize = 256;

/// A file that a walk has met.
pub(crate) struct Found<'a> {
    /// Relative to the root.
    pub(crate) path: &'a [u8],
    pub(crate) parent: BorrowedFd<'a>,
    pub(crate) name: &'a CString,
    pub(crate) stamp: Stamp,
}

/// What a walk does with what it meets.
pub(crate) trait Visitor {
    /// A regular file or symbolic link.
    fn file(&mut self, found: &Found<'_>) -> Result<(), Unmeasured>;
    /// The top of a work tree, before the files in it.
    fn work_tree(&mut self, _path: &[u8], _git_dir: &GitDir) {}
    /// Something whose very metadata is out of reach. A directory's `path` ends in a slash.
    fn closed(&mut self, path: &[u8]) -> Result<(), Unmeasured>;
}

/// Walks the directory `root`; answers whether some repository's index could not be read,
/// so that files both tracked and ignored there were left out.
pub(crate) fn walk(
    root: BorrowedFd<'_>,
    budget: &Budget,
    source: &mut dyn IgnoreSource,
    visitor: &mut dyn Visitor,
) -> Result<bool, Unmeasured> {
    let mut walk = Walk {
        budget,
        begun: Instant::now(),
        source,
        visitor,
        path: Vec::new(),
        met: 0,
        ignores: Ignores::default(),
        work_trees: Vec::new(),
        index_unread: false,
        buffer: Box::new([MaybeUninit::uninit(); LISTING_BUFFER]),
    };
    walk.directory(root, Scope::Everything, 0)?;
    Ok(walk.index_unread)
}

struct Walk<'a> {
    budget: &'a Budget,
    begun: Instant,
    source: &'a mut dyn IgnoreSource,
    visitor: &'a mut dyn Visitor,
    path: Vec<u8>,
    met: usize,
    ignores: Ignores,
    work_trees: Vec<WorkTree>,
    index_unread: bool,
    buffer: Box<[MaybeUninit<u8>; LISTING_BUFFER]>,
}

/// The part of a directory that is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Everything,
    /// An ignored directory: only what an index names.
    Tracked,
}

/// A work tree that encloses the present directory.
struct WorkTree {
    prefix: usize,
    git_dir: GitDir,
    /// Read when an ignored path first raises the question.
    tracked: Option<Tracked>,
}

struct Child {
    name: CString,
    is_directory: bool,
}

impl Walk<'_> {
    fn directory(
        &mut self,
        directory: BorrowedFd<'_>,
        scope: Scope,
        depth: usize,
    ) -> Result<(), Unmeasured> {
        if depth > DEEPEST {
            return Err(Unmeasured::TooDeep {
                path: to_path(&self.path),
                limit: DEEPEST,
            });
        }
        let children = self.list(directory)?;
        let has = |name: &[u8]| children.iter().any(|child| child.name.as_bytes() == name);
        let git_dir = has(b".git").then(|| GitDir::of(directory)).flatten();
        if let Some(git_dir) = &git_dir {
            self.visitor.work_tree(&self.path, git_dir);
        }
        let layer = self.source.enter(&Entering {
            path: &self.path,
            directory,
            git_dir: git_dir.as_ref(),
            has_ignore_file: has(b".gitignore"),
        });

        let above = self.path.len();
        if above > 0 {
            self.path.push(b'/');
        }
        let prefix = self.path.len();
        let (brings_rules, is_work_tree) = (layer.is_some(), git_dir.is_some());
        if let Some(layer) = layer {
            self.ignores.push(prefix, layer);
        }
        if let Some(git_dir) = git_dir {
            self.work_trees.push(WorkTree {
                prefix,
                git_dir,
                tracked: None,
            });
        }
        for child in &children {
            self.path.truncate(prefix);
            self.path.extend_from_slice(child.name.as_bytes());
            self.child(directory, child, scope, depth)?;
        }
        if brings_rules {
            self.ignores.pop();
        }
        if is_work_tree {
            self.work_trees.pop();
        }
        self.path.truncate(above);
        Ok(())
    }

    fn child(
        &mut self,
        parent: BorrowedFd<'_>,
        child: &Child,
        scope: Scope,
        depth: usize,
    ) -> Result<(), Unmeasured> {
        self.count()?;
        if child.name.as_bytes() == b".git" || ignore::is_never_measured(&self.path) {
            return Ok(());
        }
        let ignored =
            scope == Scope::Tracked || self.ignores.exclude(&self.path, child.is_directory);
        if child.is_directory {
            return match self.scope_of_directory(ignored) {
                Some(scope) => self.descend(parent, child, scope, depth),
                None => Ok(()),
            };
        }
        if ignored && !self.is_tracked(Tracked::contains) {
            return Ok(());
        }
        let stat = rustix::fs::statat(parent, &child.name, AtFlags::SYMLINK_NOFOLLOW);
        if matches!(stat, Err(Errno::ACCESS | Errno::PERM)) {
            return self.visitor.closed(&self.path);
        }
        // An entry that vanished since it was listed, or is no file, is not visited.
        let Some(stamp) = stat.ok().as_ref().and_then(Stamp::of) else {
            return Ok(());
        };
        self.visitor.file(&Found {
            path: &self.path,
            parent,
            name: &child.name,
            stamp,
        })
    }

    /// Which part of the present directory is measured, if any.
    ///
    /// An ignored submodule is tracked as a whole, under its own name.
    fn scope_of_directory(&mut self, ignored: bool) -> Option<Scope> {
        if !ignored || self.is_tracked(Tracked::contains) {
            Some(Scope::Everything)
        } else {
            self.is_tracked(Tracked::reaches_into)
                .then_some(Scope::Tracked)
        }
    }

    fn descend(
        &mut self,
        parent: BorrowedFd<'_>,
        child: &Child,
        scope: Scope,
        depth: usize,
    ) -> Result<(), Unmeasured> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(parent, &child.name, flags, Mode::empty()) {
            Ok(directory) => self.directory(directory.as_fd(), scope, depth + 1),
            Err(Errno::ACCESS | Errno::PERM) => {
                self.path.push(b'/');
                self.visitor.closed(&self.path)
            }
            // Gone, or no longer a directory.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(()),
            Err(error) => Err(Unmeasured::io("open", &to_path(&self.path))(error)),
        }
    }

    /// Asks every enclosing work tree, so that a `.git` planted in a subdirectory does not
    /// take its files away from the repository around it.
    fn is_tracked(&mut self, question: fn(&Tracked, &[u8]) -> bool) -> bool {
        let (path, unread) = (&self.path, &mut self.index_unread);
        self.work_trees.iter_mut().any(|work_tree| {
            let tracked = work_tree
                .tracked
                .get_or_insert_with(|| read_index(&work_tree.git_dir, unread));
            question(tracked, &path[work_tree.prefix..])
        })
    }

    /// Lists a directory, sorted as full paths sort.
    fn list(&mut self, directory: BorrowedFd<'_>) -> Result<Vec<Child>, Unmeasured> {
        let mut children = Vec::new();
        let most = self.budget.paths;
        let listed = listing::each(directory, &mut *self.buffer, |name, kind| {
            if children.len() > most {
                return ControlFlow::Break(());
            }
            let is_directory = match kind {
                FileType::Directory => true,
                FileType::Unknown => rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
                    .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory),
                _ => false,
            };
            children.push(Child {
                name: name.to_owned(),
                is_directory,
            });
            ControlFlow::Continue(())
        });
        let listed = listed.map_err(|error| Unmeasured::io("list", &to_path(&self.path))(error))?;
        if listed.is_break() {
            return Err(self.too_many());
        }
        children.sort_unstable_by(|one, other| one.sort_key().cmp(other.sort_key()));
        Ok(children)
    }

    fn count(&mut self) -> Result<(), Unmeasured> {
        self.met += 1;
        if self.met > self.budget.paths {
            return Err(self.too_many());
        }
        if self.met.is_multiple_of(LOOK_AT_CLOCK_EVERY) && self.begun.elapsed() > self.budget.scan {
            return Err(Unmeasured::Timeout {
                doing: "scanning the workspace",
                limit: self.budget.scan,
            });
        }
        Ok(())
    }

    fn too_many(&self) -> Unmeasured {
        Unmeasured::TooManyPaths {
            limit: self.budget.paths,
        }
    }
}

impl Child {
    /// `a.b` sorts before `a/b`, so a directory counts with the slash that follows it.
    fn sort_key(&self) -> impl Iterator<Item = &u8> {
        let slash: &[u8] = if self.is_directory { b"/" } else { b"" };
        self.name.as_bytes().iter().chain(slash)
    }
}

fn read_index(git_dir: &GitDir, unread: &mut bool) -> Tracked {
    // A repository without an index tracks nothing, which is an answer.
    let Some(index) = git_dir.read("index", LARGEST_INDEX) else {
        *unread |= git_dir.has("index");
        return Tracked::default();
    };
    Tracked::parse(&index).unwrap_or_else(|| {
        *unread = true;
        Tracked::default()
    })
}

pub(crate) fn to_path(path: &[u8]) -> PathBuf {
    Path::new(OsStr::from_bytes(path)).to_path_buf()
}
