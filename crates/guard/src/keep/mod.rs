//! Copies of what is protected, outside the repository, and putting back what was lost.
//!
//! Judging commands beforehand cannot be complete: an agent's own process may unlink a file,
//! and a build script may do so on its behalf. So what is protected is also *kept*: copied
//! when work begins, looked at after each step, and put back where the step lost it.
//!
//! * [`Kept::take`] makes the copies, [`Kept::load`] finds those that were made.
//! * [`Kept::settle`] is the whole check after a step: it looks, puts back what was lost,
//!   takes over what was rightly changed, and reports both. [`Kept::look`] only looks.
//! * [`Author`] says who had been at work. A person's changes are taken over whatever they
//!   are; an agent may update, and a command may only add.
//!
//! Looking costs one `lstat` for each path: content is read only where the signature of a
//! file has changed. Copies are named after their content and checked when they are put
//! back. Nothing is ever written through a link, and a file is replaced in one step.
//!
//! What is bounded is said: see [`LeftOut`]. What was kept and grows beyond the bounds is a loss
//! ([`How::Outgrown`]) unless a person did that: plans and specifications are not that large,
//! and without a copy the next step could delete it for good.

mod beneath;
mod chmod;
mod examine;
mod ledger;
mod objects;
mod report;
mod restore;
mod scan;
mod signature;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use report::{Change, Changed, How, KeepError, LeftOut, Lost, Report, Taken, Why};

use crate::protected::Protected;
use beneath::Root;
use examine::Findings;
use ledger::Ledger;
use objects::Objects;

/// Longer than any step that works on a vault takes.
const PATIENCE: Duration = Duration::from_secs(10);

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The largest file that is copied, in bytes.
    pub file_bytes: u64,
    /// All copies together, in bytes.
    pub total_bytes: u64,
    /// Files, links and directories.
    pub entries: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            file_bytes: 4 << 20,
            total_bytes: 64 << 20,
            entries: 4_000,
        }
    }
}

impl Bounds {
    /// What fits where the other copies have so many bytes already, or why there is no room.
    /// What is kept may grow a little where nothing new is taken any more: else every honest
    /// update would be undone once the bound is reached.
    fn room(self, others: u64, is_kept: bool) -> (u64, Why) {
        let spare = if is_kept { self.total_bytes / 4 } else { 0 };
        let left = self
            .total_bytes
            .saturating_add(spare)
            .saturating_sub(others);
        if left < self.file_bytes {
            (left, Why::NoRoom)
        } else {
            (self.file_bytes, Why::TooLarge)
        }
    }
}

/// Who had been at work since the last look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author<'a> {
    /// Nobody whom the guard answers for: a person, while no step was under way.
    Person,
    /// An agent whose calls are not known one by one. It may have updated what is kept.
    Agent,
    /// Calls that are known one by one. Tools that may update were writing these paths,
    /// absolute and resolved; everything else was the work of commands, which may only add.
    Calls {
        /// What was being written.
        writing: &'a [PathBuf],
    },
}

/// What the notes that somebody is at work begin with; their name follows.
const AT_WORK: &str = "at-work-";

/// Where the list of the copies comes from.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// We made it, and know it by heart: what the agent makes of the one on the disk is nothing
    /// to us.
    Taken,
    /// It was read a moment ago, and others work with the same one.
    Loaded,
}

/// The copies of one workspace.
#[derive(Debug)]
pub struct Kept {
    origin: Origin,
    vault: PathBuf,
    bounds: Bounds,
    ledger: Ledger,
    objects: Objects,
}

impl Kept {
    /// Copies everything protected into the directory `vault`, taking it as it is now. The
    /// report says what is different from the copies that were there before.
    ///
    /// # Errors
    ///
    /// The root cannot be entered, or the copies cannot be written.
    pub fn take(
        vault: &Path,
        protected: &Protected,
        bounds: Bounds,
    ) -> Result<(Self, Taken), KeepError> {
        let _lock = lock(vault)?;
        // What was there before but cannot be read says nothing of what changed since.
        let before = Ledger::load(vault).ok().flatten();
        let is_first = before.is_none();
        let root = Root::open(protected.root())?;
        Ledger::begin(vault)?;
        let mut kept = Self {
            origin: Origin::Taken,
            vault: vault.to_owned(),
            bounds,
            objects: Objects::open(vault)?,
            ledger: before.unwrap_or_default(),
        };
        let findings = kept.examine(&root, protected, Author::Person)?;
        let (changed, left_out) = kept.adopt(&root, protected, &findings, Author::Person)?;
        kept.ledger.save(vault)?;
        kept.objects.prune(&kept.ledger, bounds.total_bytes)?;
        let taken = Taken {
            kept: kept.ledger.len(),
            bytes: kept.ledger.bytes(),
            changed: if is_first { Vec::new() } else { changed },
            left_out,
        };
        Ok((kept, taken))
    }

    /// Whether there is a list of copies, believable or not.
    #[must_use]
    pub fn is_listed(vault: &Path) -> bool {
        Ledger::is_there(vault)
    }

    /// The copies that were made before, if any were.
    ///
    /// # Errors
    ///
    /// The list of the copies cannot be read, is not as it was written, or is gone from beside
    /// them.
    pub fn load(vault: &Path, bounds: Bounds) -> Result<Option<Self>, KeepError> {
        let Some(ledger) = Ledger::load(vault)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            origin: Origin::Loaded,
            vault: vault.to_owned(),
            bounds,
            ledger,
            objects: Objects::open(vault)?,
        }))
    }

    /// Notes that somebody is at work who may lose what is kept, until `name` takes it back.
    ///
    /// # Errors
    ///
    /// The note cannot be written.
    pub fn hand_over(vault: &Path, name: impl AsRef<OsStr>) -> io::Result<()> {
        fusebox_files::regular::create(&note(vault, name.as_ref())).map(drop)
    }

    /// Notes that nobody is at work for `name` any more, and that what they lost was looked at.
    pub fn take_back(vault: &Path, name: impl AsRef<OsStr>) {
        // A note that stays has the next one look once more.
        let _ = fs::remove_file(note(vault, name.as_ref()));
    }

    /// The names of those who have not taken back what they handed over.
    #[must_use]
    pub fn handed_over(vault: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(vault).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| {
            let name = entry.file_name();
            let name = name.as_bytes().strip_prefix(AT_WORK.as_bytes())?;
            Some(OsStr::from_bytes(name).to_owned())
        });
        names.collect()
    }

    /// How many files, links and directories are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ledger.len()
    }

    /// What is kept, relative to the root, directories before what lies beneath them.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let paths = self.ledger.iter().map(|(path, _)| path);
        paths.filter(|path| !path.as_os_str().is_empty())
    }

    /// Whether nothing is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Looks for what was lost and what has changed, and changes nothing but its own memory
    /// of signatures.
    ///
    /// # Errors
    ///
    /// The root cannot be entered.
    pub fn look(&mut self, protected: &Protected, author: Author<'_>) -> Result<Report, KeepError> {
        let root = Root::open(protected.root())?;
        let findings = self.examine(&root, protected, author)?;
        Ok(findings.into_report())
    }

    /// Looks, puts back what was lost, and takes over what was rightly changed.
    ///
    /// # Errors
    ///
    /// The root cannot be entered, or the copies cannot be written. That something could not
    /// be put back is no error but part of the report.
    pub fn settle(
        &mut self,
        protected: &Protected,
        author: Author<'_>,
    ) -> Result<Report, KeepError> {
        let root = Root::open_or_create(protected.root())?;
        let findings = self.examine(&root, protected, author)?;
        if findings.is_quiet() {
            return Ok(findings.into_report());
        }
        let _lock = lock(&self.vault)?;
        let findings = match self.origin {
            Origin::Taken => findings,
            // Whoever had the lock may have taken over or put back the very same: what is
            // acted on is what is found now.
            Origin::Loaded => {
                if let Some(ledger) = Ledger::load(&self.vault)? {
                    self.ledger = ledger;
                }
                self.examine(&root, protected, author)?
            }
        };
        let restored = self.restore(&root, &findings)?;
        let (changed, left_out) = self.adopt(&root, protected, &findings, author)?;
        self.ledger.save(&self.vault)?;
        // Only then is nothing removed that the list still names.
        if !(restored.is_empty() && changed.is_empty()) {
            self.objects.prune(&self.ledger, self.bounds.total_bytes)?;
        }
        Ok(Report {
            lost: restored,
            changed,
            left_out,
        })
    }

    /// Takes one path over as it is now, if it is kept: whoever answers for the copies has
    /// written there. What cannot be copied any more is left for the next look.
    ///
    /// # Errors
    ///
    /// The root cannot be entered, or the copies cannot be written.
    pub fn renew(&mut self, protected: &Protected, path: &Path) -> Result<(), KeepError> {
        let root = Root::open(protected.root())?;
        let _lock = lock(&self.vault)?;
        if let (Origin::Loaded, Some(ledger)) = (self.origin, Ledger::load(&self.vault)?) {
            self.ledger = ledger;
        }
        if self.ledger.contains(path) && self.copy(&root, path)?.is_ok() {
            self.ledger.save(&self.vault)?;
        }
        Ok(())
    }

    /// Takes over every change that is no loss, and what has newly appeared.
    fn adopt(
        &mut self,
        root: &Root,
        protected: &Protected,
        findings: &Findings,
        author: Author<'_>,
    ) -> Result<(Vec<Changed>, Vec<LeftOut>), KeepError> {
        for path in findings.gone() {
            self.ledger.remove(path);
        }
        let found = scan::protected_paths(root, protected, self.bounds.entries);
        let mut left_out = found.left_out;
        let mut changed = findings.changed();
        // What is kept comes first: nothing new takes the room that its update needs.
        let new = found.paths.iter().map(PathBuf::as_path);
        let new: Vec<&Path> = new.filter(|path| !self.ledger.contains(path)).collect();
        for path in findings.stale().chain(new) {
            let is_new = !self.ledger.contains(path);
            match self.copy(root, path)? {
                Ok(()) if is_new && path != Path::new("") => changed.push(Changed {
                    path: path.to_owned(),
                    change: Change::Appeared,
                }),
                Ok(()) => {}
                Err(why) => {
                    // Only a person ends the keeping of what was kept. Whatever became of it
                    // since it was judged is for the next look.
                    if author == Author::Person {
                        self.ledger.remove(path);
                    }
                    left_out.push(LeftOut {
                        path: path.to_owned(),
                        why,
                    });
                }
            }
        }
        Ok((changed, left_out))
    }

    /// Copies one path as it is now, or says why not.
    fn copy(&mut self, root: &Root, path: &Path) -> Result<Result<(), Why>, KeepError> {
        let others = self.ledger.bytes_without(path);
        let (most, beyond) = self.bounds.room(others, self.ledger.contains(path));
        let (entry, content) = match scan::entry(root, path, most) {
            Ok(read) => read,
            Err(Why::TooLarge) => return Ok(Err(beyond)),
            Err(why) => return Ok(Err(why)),
        };
        if let Some(content) = content {
            self.objects.put(&content)?;
        }
        self.ledger.insert(path, entry);
        Ok(Ok(()))
    }
}

/// A door for the fuzzer: reads these lines as those of a believable list, and answers with it.
#[cfg(feature = "fuzzing")]
#[must_use]
pub fn sealed_list(lines: &[u8]) -> Vec<u8> {
    ledger::door::read_list(lines);
    ledger::door::sealed(lines)
}

/// The note that somebody is at work for `name`.
fn note(vault: &Path, name: &OsStr) -> PathBuf {
    let mut note = OsString::from(AT_WORK);
    note.push(name);
    vault.join(note)
}

/// One step at a time works on a vault; the next one waits for its turn, but not for ever: who
/// holds it may have been stopped, and whoever waits here cannot be interrupted.
fn lock(vault: &Path) -> Result<File, KeepError> {
    let failed = |error: io::Error| KeepError::Vault {
        path: vault.to_owned(),
        error,
    };
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(vault)
        .map_err(failed)?;
    fusebox_files::lock_file(&vault.join("lock"), PATIENCE).map_err(|busy| failed(busy.into()))
}
