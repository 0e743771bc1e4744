//! Looking: what is different, and whether that is a loss.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Stat};

use super::beneath::{Root, kind, permissions};
use super::ledger::{Entry, Form};
use super::objects::Digest;
use super::report::{Change, Changed, How, KeepError, Lost, Report};
use super::signature::{Seen, Signature};
use super::{Author, Kept, scan};
use crate::protected::Protected;
use crate::rule::Mode;
use crate::tree::{Disk, Tree};

/// How many names are looked at in search of where a file went.
const MOST_LOOKED_AT: usize = 20_000;

/// What an owner needs in order to use a directory.
const USABLE: u32 = 0o700;

/// How a path differs from what is kept of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Difference {
    Gone,
    /// The old content, and something behind it.
    Grown,
    Emptied,
    Rewritten,
    /// Another kind of thing, a link that leads elsewhere, or nothing that can be read.
    OtherForm,
}

/// What to think of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Judged {
    Lost(How),
    Changed(Change),
    /// Nothing protects it any more.
    Dropped,
}

/// What a look found.
pub(super) struct Findings {
    found: BTreeMap<PathBuf, Judged>,
    /// Whether there may be paths that are not kept yet.
    something_new: bool,
    /// Whether files are known by other signatures now, which is worth remembering: else
    /// each look would read them again.
    seen_anew: bool,
}

impl Kept {
    pub(super) fn examine(
        &mut self,
        root: &Root,
        protected: &Protected,
        author: Author<'_>,
    ) -> Result<Findings, KeepError> {
        let detours = self.detours(root);
        let mut findings = Findings {
            found: BTreeMap::new(),
            something_new: self.something_new(root, protected, author),
            seen_anew: false,
        };
        let mut seen = Vec::new();
        for (path, entry) in self.ledger.iter() {
            let stat = root.stat(path);
            let is_same = stat.as_ref().is_ok_and(|stat| entry.seen.is_still(stat));
            let detour = detours.iter().any(|detour| path.starts_with(detour));
            if is_same && !detour {
                continue;
            }
            let difference = match stat {
                _ if detour => Difference::OtherForm,
                Err(_) => Difference::Gone,
                Ok(stat) => match self.difference(root, path, entry, &stat) {
                    Some(difference) => difference,
                    None => {
                        seen.push((path.to_owned(), Seen::of(&stat)));
                        continue;
                    }
                },
            };
            let judged = judge(difference, &root.path().join(path), protected, author);
            findings.found.insert(path.to_owned(), judged);
        }
        for (path, now) in seen {
            findings.seen_anew |= now.settled;
            self.ledger.see(&path, now);
        }
        self.trace(root, &mut findings);
        if author != Author::Person {
            self.refuse_what_does_not_fit(root, &mut findings);
        }
        Ok(findings)
    }

    /// An update that cannot be copied is a loss: were it taken over, there would be nothing to
    /// put back when the next step deletes the file. A person may do that; they are told.
    fn refuse_what_does_not_fit(&self, root: &Root, findings: &mut Findings) {
        let mut bytes = self.ledger.bytes();
        for (path, judged) in &mut findings.found {
            let (Judged::Changed(_), Some(entry), Ok(stat)) =
                (&*judged, self.ledger.get(path), root.stat(path))
            else {
                continue;
            };
            let size = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
            let others = bytes - entry.bytes();
            let (most, beyond) = self.bounds.room(others, true);
            if size > most {
                *judged = Judged::Lost(How::Outgrown(beyond));
            } else {
                bytes = others + size;
            }
        }
    }

    /// Directories on the way to what is kept that are links now, or files: whatever is found
    /// behind them is not what was kept.
    fn detours(&self, root: &Root) -> Vec<PathBuf> {
        let ways = self
            .ledger
            .iter()
            .flat_map(|(path, _)| path.ancestors().skip(1))
            .filter(|way| !way.as_os_str().is_empty());
        let ways: BTreeSet<&Path> = ways.collect();
        let exists = |way: &&Path| root.stat(way).is_ok();
        let bent = ways.into_iter().filter(exists);
        bent.filter(|way| !root.is_direct(way))
            .map(Path::to_owned)
            .collect()
    }

    /// Whether it is worth searching for paths that are not kept yet: after every iteration,
    /// and after single calls only where a directory has changed.
    fn something_new(&self, root: &Root, protected: &Protected, author: Author<'_>) -> bool {
        if !matches!(author, Author::Calls { .. }) {
            return true;
        }
        let directories = self
            .ledger
            .iter()
            .filter(|(_, entry)| entry.form == Form::Directory);
        let changed = |path: &Path, entry: &Entry| {
            let now = root.stat(path);
            !now.is_ok_and(|stat| entry.seen.is_still(&stat))
        };
        let named = protected.rules().iter().filter(|rule| !rule.is_absolute());
        let mut named = named.filter_map(|rule| rule.path(Path::new("")));
        named.any(|path| !self.ledger.contains(&path) && root.stat(&path).is_ok())
            || directories
                .into_iter()
                .any(|(path, entry)| changed(path, entry))
    }

    fn difference(
        &self,
        root: &Root,
        path: &Path,
        entry: &Entry,
        stat: &Stat,
    ) -> Option<Difference> {
        let same = match (&entry.form, kind(stat)) {
            (Form::Directory, FileType::Directory) => {
                entry.permissions & USABLE & !permissions(stat) == 0
            }
            (Form::Link(target), FileType::Symlink) => {
                scan::link(root, path).is_ok_and(|now| now == *target)
            }
            (Form::File { size, digest }, FileType::RegularFile) => {
                return self.difference_of_files(root, path, (*size, *digest), stat);
            }
            _ => false,
        };
        (!same).then_some(Difference::OtherForm)
    }

    fn difference_of_files(
        &self,
        root: &Root,
        path: &Path,
        (size, digest): (u64, Digest),
        stat: &Stat,
    ) -> Option<Difference> {
        if stat.st_size == 0 && size > 0 {
            return Some(Difference::Emptied);
        }
        // More than is ever copied is not read: it is not what was copied.
        let Ok(content) = root.content(path, self.bounds.file_bytes) else {
            return Some(Difference::OtherForm);
        };
        let Some(content) = content else {
            return Some(Difference::Rewritten);
        };
        if Digest::of(&content) == digest {
            return None;
        }
        let before = usize::try_from(size)
            .ok()
            .and_then(|size| content.get(..size));
        let grown = before.is_some_and(|before| Digest::of(before) == digest);
        Some(if grown {
            Difference::Grown
        } else if is_blank(&content) && self.said_something(digest, size) {
            Difference::Emptied
        } else {
            Difference::Rewritten
        })
    }

    fn said_something(&self, digest: Digest, size: u64) -> bool {
        let before = self.objects.get(digest, size);
        before.is_ok_and(|before| !is_blank(&before))
    }

    /// Finds out where missing files went, if they are still below the root.
    fn trace(&self, root: &Root, findings: &mut Findings) {
        let mut wanted = Vec::new();
        for (path, judged) in &mut findings.found {
            let entry = self.ledger.get(path);
            if let (Judged::Lost(how @ How::Missing), Some(entry)) = (judged, entry) {
                wanted.push((entry.seen.signature, how));
            }
        }
        let mut left = if wanted.is_empty() { 0 } else { MOST_LOOKED_AT };
        let mut pending = VecDeque::from([PathBuf::new()]);
        while let Some(directory) = pending.pop_front() {
            for name in Disk.list(&root.path().join(&directory)) {
                if left == 0 {
                    return;
                }
                left -= 1;
                let path = directory.join(name);
                let Ok(stat) = root.stat(&path) else { continue };
                let signature = Signature::of(&stat);
                let known = self.ledger.contains(&path);
                for (seen, how) in wanted.iter_mut().filter(|_| !known) {
                    if seen.is_same_file(&signature) {
                        **how = How::Renamed(path.clone());
                    }
                }
                if kind(&stat) == FileType::Directory && !path.ends_with(".git") {
                    pending.push_back(path);
                }
            }
        }
    }
}

/// Whether nothing can be read in it: a newline is as empty as nothing.
fn is_blank(content: &[u8]) -> bool {
    let says_nothing = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    content.iter().all(says_nothing)
}

fn judge(difference: Difference, path: &Path, protected: &Protected, author: Author<'_>) -> Judged {
    let Some(rule) = protected.rule_of(path) else {
        return Judged::Dropped;
    };
    let writing = match author {
        Author::Person => {
            return Judged::Changed(match difference {
                Difference::Gone => Change::Removed,
                _ => Change::Updated,
            });
        }
        Author::Agent => true,
        Author::Calls { writing } => writing.iter().any(|one| one == path),
    };
    let allowed = match (difference, rule.mode()) {
        (Difference::Gone, _) => return Judged::Lost(How::Missing),
        (Difference::Emptied, _) => return Judged::Lost(How::Emptied),
        (Difference::OtherForm, _) | (_, Mode::Frozen) => false,
        (Difference::Grown | Difference::Rewritten, Mode::Stay) => true,
        (Difference::Grown, _) => writing || protected.shell_may_append(),
        (Difference::Rewritten, Mode::Append) => false,
        (Difference::Rewritten, Mode::Keep) => writing,
    };
    if allowed {
        Judged::Changed(Change::Updated)
    } else {
        Judged::Lost(How::Replaced)
    }
}

impl Findings {
    /// Whether there is nothing to do.
    pub(super) fn is_quiet(&self) -> bool {
        self.found.is_empty() && !self.something_new && !self.seen_anew
    }

    /// What was lost, directories first.
    pub(super) fn lost(&self) -> impl Iterator<Item = (&Path, &How)> {
        self.found.iter().filter_map(|(path, judged)| match judged {
            Judged::Lost(how) => Some((path.as_path(), how)),
            Judged::Changed(_) | Judged::Dropped => None,
        })
    }

    /// What need not be kept any more.
    pub(super) fn gone(&self) -> impl Iterator<Item = &Path> {
        let gone =
            |judged: &Judged| matches!(judged, Judged::Dropped | Judged::Changed(Change::Removed));
        self.found
            .iter()
            .filter(move |(_, judged)| gone(judged))
            .map(|(path, _)| path.as_path())
    }

    /// What is to be copied anew.
    pub(super) fn stale(&self) -> impl Iterator<Item = &Path> {
        self.found
            .iter()
            .filter(|(_, judged)| matches!(judged, Judged::Changed(Change::Updated)))
            .map(|(path, _)| path.as_path())
    }

    /// What was changed, as it may be.
    pub(super) fn changed(&self) -> Vec<Changed> {
        let changed = self.found.iter().filter_map(|(path, judged)| match judged {
            Judged::Changed(change) => Some(Changed {
                path: path.clone(),
                change: *change,
            }),
            Judged::Lost(_) | Judged::Dropped => None,
        });
        changed.collect()
    }

    /// All of it, with nothing done about it.
    pub(super) fn into_report(self) -> Report {
        let lost = self.lost().map(|(path, how)| Lost {
            path: path.to_owned(),
            how: how.clone(),
            restored: None,
        });
        Report {
            lost: lost.collect(),
            changed: self.changed(),
            left_out: Vec::new(),
        }
    }
}
