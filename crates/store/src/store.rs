//! One circuit's memory: look at it, or change it by adding records.

use std::marker::PhantomData;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::belief::{self, Belief, Files};
use crate::disk::{self, Access, DiskFile};
use crate::segment::Segment;
use crate::{BootId, CircuitName, Draft, Error, Folded, Log, Repair, Tamper};
use crate::{commit, creation, ownership, quarantine, roll, slots};

/// How often to start over when the log was replaced under our eyes.
const ATTEMPTS: u32 = 16;

/// Bytes that tell one workspace from another.
pub(crate) const WORKSPACE_DIGEST: usize = 16;

/// How long to wait for another process's update before giving up.
pub const DEFAULT_PATIENCE: Duration = Duration::from_secs(10);

/// Where one circuit is kept, and what this process is to go by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The circuit's own directory.
    pub dir: PathBuf,
    /// The file that remembers how far the log had come; in another place.
    pub head_file: PathBuf,
    /// The circuit's name, which the log's header repeats.
    pub circuit: CircuitName,
    /// The present boot.
    pub boot: BootId,
    /// How long to wait for a lock.
    pub patience: Duration,
    /// The directory of the whole workspace.
    pub workspace_dir: PathBuf,
    /// Paths that exist only if the workspace's directory once did.
    pub witnesses: Vec<PathBuf>,
    /// Whether the workspace's circuits must be listed twice.
    pub listed_twice: bool,
    /// When the workspace was registered, among all of them.
    pub ordinal: u64,
    /// Why this may be the wrong place to look; then nothing here is believed.
    pub doubt: Option<Tamper>,
    /// How many bytes of records the log may hold before it is sealed.
    pub segment_bytes: u64,
}

impl Location {
    pub(crate) fn log_path(&self) -> PathBuf {
        self.dir.join("log")
    }

    pub(crate) fn slots_path(&self) -> PathBuf {
        self.dir.join("slots")
    }

    pub(crate) fn roll_path(&self) -> PathBuf {
        self.workspace_dir.join("roll")
    }

    /// What a log says of the workspace it is of.
    pub(crate) fn workspace_digest(&self) -> [u8; WORKSPACE_DIGEST] {
        let id = self.workspace_dir.file_name().unwrap_or_default();
        let digest: [u8; 32] = Sha256::digest(id.as_bytes()).into();
        let mut short = [0; WORKSPACE_DIGEST];
        short.copy_from_slice(&digest[..WORKSPACE_DIGEST]);
        short
    }

    pub(crate) fn heads_dir(&self) -> &Path {
        disk::parent_of(&self.head_file)
    }
}

/// A verified look at the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View<S> {
    /// The folded state.
    pub state: S,
    /// The number of the last record; 0 when nothing was ever recorded.
    pub seq: u64,
    /// What a crash left behind: already put right if records were stored,
    /// otherwise to be put right when the next one is. And what could not be put
    /// right while they were.
    pub repairs: Vec<Repair>,
}

impl<S> View<S> {
    /// Whether nothing was ever recorded here.
    #[must_use]
    pub fn is_first_use(&self) -> bool {
        self.seq == 0
    }
}

/// The memory of one circuit, with a state of the caller's type.
///
/// It keeps no file open and no state: each call locks, reads, verifies and
/// answers, so that any number of processes see the same truth.
#[derive(Debug)]
pub struct Store<S> {
    pub(crate) location: Location,
    state: PhantomData<fn() -> S>,
}

impl<S: Folded> Store<S> {
    /// Opens the store at a location. Nothing is created or read yet.
    ///
    /// # Errors
    /// When the circuit's directory is not ours alone.
    pub fn open(location: Location) -> Result<Self, Error> {
        ownership::refuse_exposed_directory(&location.dir)?;
        Ok(Self {
            location,
            state: PhantomData,
        })
    }

    /// Where this circuit is kept.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Looks at the state and writes nothing.
    ///
    /// # Errors
    /// When the files cannot be read or cannot be believed.
    pub fn peek(&self) -> Result<View<S>, Error> {
        match self.lock_files(Access::Read)? {
            Some(files) => Ok(belief::form(&files, &self.location)?.view),
            None => Ok(View {
                state: S::genesis(),
                seq: 0,
                repairs: Vec::new(),
            }),
        }
    }

    /// The state as it was last written down, in a fraction of the time that
    /// [`Store::peek`] takes and without its lock. `None` when nothing is.
    ///
    /// For showing, never for deciding: what an earlier look found damaged is
    /// told, but nothing is held against the log, which may be a record ahead.
    ///
    /// # Errors
    /// When the slots cannot be read, or damage was noted.
    pub fn glance(&self) -> Result<Option<S>, Error> {
        quarantine::refuse_latched(&self.location)?;
        let path = self.location.slots_path();
        let Some(file) = DiskFile::open(&path, Access::Read)? else {
            return Ok(None);
        };
        // Without the lock both may be written while they are read, though
        // hardly twice.
        for _ in 0..ATTEMPTS {
            if let Some(slot) = slots::read_newest(&file)?.slot {
                let state = S::decode(&slot.state);
                return Ok(Some(
                    state.map_err(|why| Error::refused(&path, slot.writer, why))?,
                ));
            }
        }
        Ok(None)
    }

    /// Lets `decide` look at the state and stores the records it answers with,
    /// all of them or none. When this returns, they are on the disk. No other
    /// process can read or write the state in between.
    ///
    /// The first update creates the store. Tampering found on the way is
    /// latched, as [`Store::quarantine`] does. `at_ms` is the wall clock; it
    /// is only ever written down.
    ///
    /// # Errors
    /// The error of `decide`, or that the store could not be read, believed or
    /// written. After any error but [`crate::Tamper::StorageFailed`] the state
    /// is the old one.
    pub fn update<E, F>(&self, at_ms: u64, decide: F) -> Result<View<S>, E>
    where
        E: From<Error>,
        F: FnOnce(&View<S>) -> Result<Vec<Draft>, E>,
    {
        self.update_then(at_ms, decide, |_| ())
    }

    /// The same, and `follow` is called with the new state before anybody else
    /// can read or write it. What it does follows from records that are on the
    /// disk already.
    ///
    /// # Errors
    /// As [`Store::update`].
    pub fn update_then<E, F>(
        &self,
        at_ms: u64,
        decide: F,
        follow: impl FnOnce(&View<S>),
    ) -> Result<View<S>, E>
    where
        E: From<Error>,
        F: FnOnce(&View<S>) -> Result<Vec<Draft>, E>,
    {
        let mut files = self.latching(at_ms, self.lock_or_create(at_ms))?;
        let belief = self.latching(at_ms, belief::form(&files, &self.location))?;
        let drafts = decide(&belief.view)?;
        if drafts.is_empty() {
            follow(&belief.view);
            return Ok(belief.view);
        }
        self.latching(at_ms, roll::enter(&self.location))?;
        // The lock is still held while a failure is latched: the next process
        // must find the marker, not records that never reached the disk.
        let stored = commit::store(&mut files, belief, &drafts, &self.location, at_ms);
        let view = self.latching(at_ms, stored)?;
        follow(&view);
        Ok(view)
    }

    /// The log as far as it is acknowledged, to be read without the lock.
    /// `None` when nothing was ever recorded.
    ///
    /// # Errors
    /// When the files cannot be read or cannot be believed.
    pub fn log(&self) -> Result<Option<Log>, Error> {
        let Some(files) = self.lock_files(Access::Read)? else {
            return Ok(None);
        };
        let belief: Belief<S> = belief::form(&files, &self.location)?;
        let log = Log::open(files.log, belief.last.mark, &self.location)?;
        log.unlock()?;
        Ok(Some(log))
    }

    /// Verifies every record of the log and returns the last one's mark;
    /// `None` when nothing was ever recorded. Memory use is bounded, time is
    /// not.
    ///
    /// # Errors
    /// When the files cannot be read, or a record is not what it was.
    #[cfg(test)]
    pub(crate) fn verify_all(&self) -> Result<Option<crate::Mark>, Error> {
        self.log()?.map(|log| log.verify()).transpose()
    }

    /// Notes durably that the store is not to be believed, and keeps a copy of
    /// what was found. From now on every look answers with this finding, until
    /// [`Store::restart`]. A finding that is already noted stays.
    ///
    /// # Errors
    /// When the note or the copy cannot be written.
    pub fn quarantine(&self, tamper: &Tamper, at_ms: u64) -> Result<(), Error> {
        quarantine::latch(&self.location, tamper, at_ms)
    }

    /// Starts afresh after tampering: sets the old files aside and begins a
    /// new log with `drafts`. Whether somebody may ask for this is not for the
    /// store to know.
    ///
    /// # Errors
    /// When something cannot be written; the store then stays latched.
    pub fn restart(&self, at_ms: u64, drafts: &[Draft]) -> Result<View<S>, Error> {
        creation::restart(&self.location, at_ms, drafts)
    }

    fn lock_or_create(&self, at_ms: u64) -> Result<Files, Error> {
        for _ in 0..ATTEMPTS {
            if let Some(files) = self.lock_files(Access::Write)? {
                return Ok(files);
            }
            creation::create::<S>(&self.location, at_ms)?;
        }
        Err(self.keeps_changing())
    }

    /// Locks the log and opens the rest; `None` on first use.
    pub(crate) fn lock_files(&self, access: Access) -> Result<Option<Files>, Error> {
        let Location { patience, .. } = self.location;
        let path = self.location.log_path();
        if let Some(doubt) = &self.location.doubt {
            quarantine::refuse_latched(&self.location)?;
            return Err(doubt.clone().into());
        }
        for _ in 0..ATTEMPTS {
            let Some(log) = DiskFile::open_locked(&path, access, patience)? else {
                let Some(tamper) = self.trace_of_a_log(&path)? else {
                    return Ok(None);
                };
                // The log is created before everything else, so whoever sees
                // anything else can see the log as well, unless it is gone.
                if disk::exists(&path)? {
                    continue;
                }
                return Err(tamper.into());
            };
            // While we waited for the lock, a fresh start may have put another
            // log in this one's place.
            if disk::identity_at(&path)? != Some(log.identity()) {
                continue;
            }
            quarantine::refuse_latched(&self.location)?;
            return Ok(Some(Files {
                log: Segment::admit(log, &self.location)?,
                slots: DiskFile::open(&self.location.slots_path(), access)?,
                head: DiskFile::open(&self.location.head_file, access)?,
            }));
        }
        Err(self.keeps_changing())
    }

    /// What shows that there was a log although there is none.
    fn trace_of_a_log(&self, log: &Path) -> Result<Option<Tamper>, Error> {
        quarantine::refuse_latched(&self.location)?;
        for evidence in [self.location.slots_path(), self.location.head_file.clone()] {
            if disk::exists(&evidence)? {
                let path = log.to_owned();
                return Ok(Some(Tamper::LogMissing { path, evidence }));
            }
        }
        let path = &self.location.workspace_dir;
        for evidence in &self.location.witnesses {
            if disk::exists(evidence)? && !disk::exists(path)? {
                let (path, evidence) = (path.clone(), evidence.clone());
                return Ok(Some(Tamper::StoreMissing { path, evidence }));
            }
        }
        let evidence = roll::that_lists(&self.location)?;
        Ok(evidence.map(|evidence| Tamper::CircuitMissing {
            path: self.location.dir.clone(),
            evidence,
        }))
    }

    pub(crate) fn latching<T>(&self, at_ms: u64, result: Result<T, Error>) -> Result<T, Error> {
        if let Err(Error::Tampered(tamper)) = &result
            && !matches!(tamper, Tamper::Latched { .. })
        {
            // The finding itself is the answer; that it could not be noted as
            // well must not hide it.
            let _ = self.quarantine(tamper, at_ms);
        }
        result
    }

    fn keeps_changing(&self) -> Error {
        Error::Busy {
            path: self.location.dir.clone(),
            waited: self.location.patience,
        }
    }
}
