//! One pass over the workspace: compare with the ledger, read what is new, tell git.

use std::cmp::Ordering;
use std::fs::File;
use std::io;

use fusebox_files::{Links, regular};
use rustix::fs::AtFlags;
use rustix::io::Errno;
use sha2::{Digest, Sha256};

use crate::gitdir::GitDir;
use crate::import::Import;
use crate::ledger::{Content, Entry};
use crate::stamp::{Kind, Moment, Stamp};
use crate::unhashed::{self, Unhashed};
use crate::walk::{Found, Visitor, to_path};
use crate::{Budget, Repositories, SnapshotId, Unmeasured};

/// Visits the files in the same order in which the ledger lists them, so that what was
/// added, changed or deleted falls out of one merge of two sorted lists.
pub(crate) struct Pass<'a> {
    before: &'a [Entry],
    /// The part of `before` that the walk has not reached.
    ahead: &'a [Entry],
    now: Vec<Entry>,
    /// The last path that could not be looked at; see [`Visitor::closed`].
    closed: Vec<u8>,
    import: Import<'a>,
    budget: &'a Budget,
    bytes_read: u64,
    buffer: Vec<u8>,
    refreshed: bool,
    repositories: Repositories,
}

/// What a pass found.
pub(crate) struct Outcome {
    /// The new tree, or `None` if no content changed.
    pub(crate) tree: Option<SnapshotId>,
    pub(crate) entries: Vec<Entry>,
    /// Whether `entries` differs from what was known, if only in the stamps.
    pub(crate) refreshed: bool,
    pub(crate) repositories: Repositories,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(before: &'a [Entry], import: Import<'a>, budget: &'a Budget) -> Self {
        Self {
            before,
            ahead: before,
            now: Vec::with_capacity(before.len()),
            closed: Vec::new(),
            import,
            budget,
            bytes_read: 0,
            buffer: Vec::new(),
            refreshed: false,
            repositories: Repositories::default(),
        }
    }

    /// Ends the pass; `first` if there is no tree to start from.
    pub(crate) fn finish(mut self, first: bool) -> Result<Outcome, Unmeasured> {
        for entry in std::mem::take(&mut self.ahead) {
            self.not_met(entry)?;
        }
        let list = unhashed::write_list(&self.now);
        if first || list != unhashed::write_list(self.before) {
            self.import.put_unhashed_list(&list)?;
        }
        let tree = self.import.finish()?;
        Ok(Outcome {
            refreshed: self.refreshed || tree.is_some(),
            tree,
            entries: self.now,
            repositories: self.repositories,
        })
    }

    /// Takes what is known of `path`, after dealing with the known files that sort before it.
    fn known(&mut self, path: &[u8]) -> Result<Option<&'a Entry>, Unmeasured> {
        while let Some((entry, rest)) = self.ahead.split_first() {
            match (*entry.path).cmp(path) {
                Ordering::Less => self.not_met(entry)?,
                Ordering::Equal => {
                    self.ahead = rest;
                    return Ok(Some(entry));
                }
                Ordering::Greater => break,
            }
            self.ahead = rest;
        }
        Ok(None)
    }

    /// A known file that the walk did not come across is deleted, or behind a closed door.
    fn not_met(&mut self, entry: &Entry) -> Result<(), Unmeasured> {
        if self.closed.ends_with(b"/") && entry.path.starts_with(&self.closed) {
            self.now.push(entry.clone());
            return Ok(());
        }
        match entry.content {
            Content::Hashed(_) => self.import.delete(&entry.path),
            Content::Unhashed(_) => Ok(()),
        }
    }

    /// Sends git the difference between what was known and what is there.
    fn forward(&mut self, known: Option<&Entry>, entry: &Entry) -> Result<(), Unmeasured> {
        let stored = known.filter(|known| matches!(known.content, Content::Hashed(_)));
        match (stored, entry.content) {
            (Some(stored), Content::Hashed(_))
                if stored.content == entry.content && stored.stamp.kind == entry.stamp.kind =>
            {
                Ok(())
            }
            (_, Content::Hashed(_)) => {
                let mode = entry.stamp.kind.git_mode();
                self.import.put(&entry.path, mode, &self.buffer)
            }
            (Some(_), Content::Unhashed(_)) => self.import.delete(&entry.path),
            (None, Content::Unhashed(_)) => Ok(()),
        }
    }

    /// Reads a file into the buffer; `None` if it is gone by now.
    fn look(&mut self, found: &Found<'_>) -> Result<Option<Entry>, Unmeasured> {
        if !is_storable(found.path) {
            return Ok(Some(by_metadata(found, Unhashed::Unstorable)));
        }
        let now = Moment::now();
        let stamp = match found.stamp.kind {
            Kind::Symlink => self.read_link(found),
            Kind::File | Kind::Executable => self.read_file(found)?,
        };
        Ok(match stamp {
            Reading::Gone => None,
            Reading::Unhashed(why) => Some(by_metadata(found, why)),
            Reading::Read { stamp, undisturbed } => Some(Entry {
                path: found.path.into(),
                settled: undisturbed && stamp.is_settled(now),
                stamp,
                content: Content::Hashed(Sha256::digest(&self.buffer).into()),
            }),
        })
    }

    fn read_link(&mut self, found: &Found<'_>) -> Reading {
        let Ok(target) = rustix::fs::readlinkat(found.parent, found.name, Vec::new()) else {
            return Reading::Gone;
        };
        self.buffer = target.into_bytes();
        let after = rustix::fs::statat(found.parent, found.name, AtFlags::SYMLINK_NOFOLLOW);
        Reading::Read {
            stamp: found.stamp,
            undisturbed: after.is_ok_and(|after| Stamp::of(&after) == Some(found.stamp)),
        }
    }

    fn read_file(&mut self, found: &Found<'_>) -> Result<Reading, Unmeasured> {
        if found.stamp.size > self.budget.hashed_file_bytes {
            return Ok(Reading::Unhashed(Unhashed::Large));
        }
        if self.bytes_read + found.stamp.size > self.budget.hashed_bytes {
            return Ok(Reading::Unhashed(Unhashed::OverBudget));
        }
        let file = match regular::open_at(found.parent, found.name, Links::Refuse) {
            Ok(file) => file,
            Err(error) => return unopened(error, found.path),
        };
        let Some(before) = stamp_of(&file) else {
            return Ok(Reading::Gone);
        };
        let whole = regular::read_up_to(&file, self.budget.hashed_file_bytes, &mut self.buffer)
            .map_err(Unmeasured::io("read", &to_path(found.path)))?;
        self.bytes_read += self.buffer.len() as u64;
        Ok(if whole {
            Reading::Read {
                stamp: before,
                undisturbed: stamp_of(&file) == Some(before),
            }
        } else {
            Reading::Unhashed(Unhashed::Large)
        })
    }
}

/// What has become something else since it was found is no file any more.
fn unopened(error: io::Error, path: &[u8]) -> Result<Reading, Unmeasured> {
    match Errno::from_io_error(&error) {
        None | Some(Errno::NOENT | Errno::LOOP | Errno::NXIO) => Ok(Reading::Gone),
        Some(Errno::ACCESS | Errno::PERM) => Ok(Reading::Unhashed(Unhashed::Closed)),
        Some(_) => Err(Unmeasured::io("open", &to_path(path))(error)),
    }
}

/// What came of looking at one file.
enum Reading {
    Gone,
    Unhashed(Unhashed),
    Read {
        stamp: Stamp,
        /// Whether the metadata was the same before and after.
        undisturbed: bool,
    },
}

impl Visitor for Pass<'_> {
    fn file(&mut self, found: &Found<'_>) -> Result<(), Unmeasured> {
        let known = self.known(found.path)?;
        if let Some(known) = known
            && known.settled
            && known.stamp == found.stamp
        {
            self.now.push(known.clone());
            return Ok(());
        }
        match self.look(found)? {
            Some(entry) if is_only_closed(known, &entry) => {
                self.now.extend(known.cloned());
                Ok(())
            }
            Some(entry) => {
                self.forward(known, &entry)?;
                self.now.push(entry);
                self.refreshed = true;
                Ok(())
            }
            None => known.map_or(Ok(()), |known| self.not_met(known)),
        }
    }

    fn work_tree(&mut self, path: &[u8], git_dir: &GitDir) {
        self.repositories.note(path, git_dir);
    }

    /// What is behind a closed door is taken to be as it was, and the door itself is listed:
    /// calling it deleted would let `chmod` pass for work.
    fn closed(&mut self, path: &[u8]) -> Result<(), Unmeasured> {
        let known = self.known(path)?;
        self.now.push(known.cloned().unwrap_or_else(|| Entry {
            path: path.into(),
            stamp: Stamp {
                kind: Kind::File,
                size: 0,
                modified: Moment(0, 0),
                changed: Moment(0, 0),
                inode: 0,
            },
            settled: true,
            content: Content::Unhashed(Unhashed::Closed),
        }));
        self.closed = path.to_vec();
        Ok(())
    }
}

/// Whether a file that was read before cannot be read now, and is no larger or smaller. It is
/// taken to be as it was, as what is behind a closed door.
fn is_only_closed(known: Option<&Entry>, now: &Entry) -> bool {
    let was_read = |known: &Entry| matches!(known.content, Content::Hashed(_));
    now.content == Content::Unhashed(Unhashed::Closed)
        && known.is_some_and(|known| was_read(known) && known.stamp.size == now.stamp.size)
}

fn by_metadata(found: &Found<'_>, why: Unhashed) -> Entry {
    Entry {
        path: found.path.into(),
        stamp: found.stamp,
        // The metadata is all there is to know, so there is nothing left to settle.
        settled: true,
        content: Content::Unhashed(why),
    }
}

fn stamp_of(file: &File) -> Option<Stamp> {
    rustix::fs::fstat(file).ok().as_ref().and_then(Stamp::of)
}

/// Git refuses `.git` in every spelling; the exact one never gets this far.
fn is_storable(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/')
        .all(|component| !component.eq_ignore_ascii_case(b".git"))
}
