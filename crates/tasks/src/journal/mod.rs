//! Our own record of claims: who, on what, since when, and what came of it.
//!
//! One line for each event, appended under a lock and flushed before anybody hears
//! of it. Hardly any task list records who works on a task in a way that can be
//! checked, so what stands here outranks what stands there.

mod event;
mod record;
mod witness;

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fusebox_files::regular::{self, Links};
use sha2::{Digest, Sha256};

pub(crate) use event::{Event, Line};
pub use record::{Attempt, AttemptEnd, Claim, Doubt, Record};

use crate::error::TaskError;
use witness::{Extent, Noted, Witness};

/// A journal that is longer is written anew, with a line for each task.
const MOST_BYTES: u64 = 1 << 20;
/// How long another of us may hold the lock.
const PATIENCE: Duration = Duration::from_secs(30);

/// More claims than there can ever be: whoever wrote such a number would leave none for the next.
const MOST_FENCES: u64 = 1 << 53;

/// What is known of every task, by its list and its id.
pub(crate) type Records = HashMap<(String, String), Record>;

/// Our own record of claims.
pub struct Journal {
    path: PathBuf,
    lock: File,
    /// What vouches for it, elsewhere.
    witness: Witness,
    records: Records,
    /// The highest number that a claim was given.
    fence: u64,
    /// The file that was read. It stays open, so that no other can be taken for it: a file
    /// that was replaced may give its number to the next one.
    file: Option<File>,
    /// How far it was read.
    read: u64,
    /// How long it was then.
    there: u64,
    /// All of that.
    digest: Sha256,
}

/// The journal while nobody else can change it.
pub(crate) struct Held<'a> {
    journal: &'a mut Journal,
}

impl Journal {
    /// Opens the journal in `directory`, which is made if need be; the file `witness`, in another
    /// place, vouches for it.
    ///
    /// # Errors
    /// [`TaskError::Journal`] if it cannot be.
    pub fn open(directory: &Path, witness: &Path) -> Result<Self, TaskError> {
        let path = directory.join("claims.jsonl");
        let failed = |why: io::Error| failure(&path, "opened", &why);
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(failed)?;
        let lock = regular::update(&directory.join("claims.lock")).map_err(failed)?;
        let witness = Witness::open(witness).map_err(failed)?;
        Ok(Self {
            path,
            lock,
            witness,
            records: Records::new(),
            fence: 0,
            file: None,
            read: 0,
            there: 0,
            digest: Sha256::new(),
        })
    }

    /// Sees that it is what was written there.
    ///
    /// # Errors
    /// [`TaskError::Changed`] if it is not, the others if that cannot be told.
    pub fn verify(&mut self) -> Result<(), TaskError> {
        self.look().map(drop)
    }

    /// What is known of every task, by now.
    pub(crate) fn look(&mut self) -> Result<&Records, TaskError> {
        let held = self.hold()?;
        drop(held);
        Ok(&self.records)
    }

    /// Keeps everybody else from changing it, and reads what they have written.
    pub(crate) fn hold(&mut self) -> Result<Held<'_>, TaskError> {
        fusebox_files::lock(&self.lock, PATIENCE)
            .map_err(|busy| failure(&self.path, "locked", &busy))?;
        let caught_up = self.catch_up();
        let held = Held { journal: self };
        caught_up.map(|()| held)
    }

    /// Reads what was added since the last time, and sees that it is what was written.
    fn catch_up(&mut self) -> Result<(), TaskError> {
        let vouched = self.read_vouched();
        if matches!(vouched, Err(TaskError::Changed { .. })) {
            self.begin_anew();
        }
        vouched
    }

    fn read_vouched(&mut self) -> Result<(), TaskError> {
        let noted = self.noted()?;
        let taken = self.take_in(u64::MAX);
        // What a crash has left of what was being written need not be lines at all.
        let part = noted.as_ref().and_then(|noted| noted.good_part(self.there));
        match part.filter(|_| taken.is_err() || !self.is_vouched(noted.as_ref())) {
            Some(part) => {
                self.begin_anew();
                self.take_in(part)?;
            }
            None => taken?,
        }
        if !self.is_vouched(noted.as_ref()) {
            return Err(self.changed(&"more or less of it is there than was written"));
        }
        self.fence = self.fence.max(noted.map_or(0, |noted| noted.fence));
        Ok(())
    }

    fn noted(&self) -> Result<Option<Noted>, TaskError> {
        let noted = self.witness.read();
        let noted =
            noted.map_err(|error| self.changed(&format!("what vouches for it: {error}")))?;
        match &noted {
            Some(noted) if noted.fence >= MOST_FENCES => {
                Err(self.changed(&"what vouches for it has a number that none can have"))
            }
            _ => Ok(noted),
        }
    }

    fn is_vouched(&self, noted: Option<&Noted>) -> bool {
        match noted {
            Some(noted) => noted.allows(&Extent::of(self.read, &self.digest)),
            None => self.read == 0,
        }
    }

    fn changed(&self, why: &dyn std::fmt::Display) -> TaskError {
        TaskError::Changed {
            path: self.path.clone(),
            why: why.to_string(),
        }
    }

    /// Begins with an empty journal in place of one that cannot be believed, which is kept
    /// beside it. Numbers go on where they were; who works on what is forgotten.
    ///
    /// # Errors
    /// [`TaskError::Journal`] if that cannot be written.
    pub fn start_afresh(&mut self, stamp_ms: i64) -> Result<(), TaskError> {
        fusebox_files::lock(&self.lock, PATIENCE)
            .map_err(|busy| failure(&self.path, "locked", &busy))?;
        let held = Held { journal: self };
        let journal = &mut *held.journal;
        let path = journal.path.clone();
        let fence = journal
            .noted()
            .ok()
            .flatten()
            .map_or(0, |noted| noted.fence);
        journal.begin_anew();
        // As far as it can be read, for the numbers that it speaks of.
        let _ = journal.take_in(u64::MAX);
        let fence = fence.max(journal.fence);
        let failed = |why: &dyn std::fmt::Display| failure(&path, "written", why);
        let aside = path.with_extension(format!("jsonl.changed-{stamp_ms}"));
        match fs::rename(&path, aside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&error)),
            _ => fusebox_files::sync_directory_of(&path).map_err(|error| failed(&error))?,
        }
        let settled = Extent::of(0, &Sha256::new());
        let noted = Noted {
            settled,
            next: None,
            fence,
        };
        journal
            .witness
            .note(&noted)
            .map_err(|error| failed(&error))?;
        journal.begin_anew();
        Ok(())
    }

    /// Reads on, up to `most` bytes from the beginning.
    fn take_in(&mut self, most: u64) -> Result<(), TaskError> {
        let mut bytes = Vec::new();
        self.read_on(&mut bytes)
            .map_err(|error| failure(&self.path, "read", &error))?;
        let most = usize::try_from(most.saturating_sub(self.read)).unwrap_or(usize::MAX);
        bytes.truncate(most);
        // What has no end was being written by somebody who is gone; it was never
        // announced to anyone. It may end inside a character, so only what is whole is
        // taken for text.
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        let whole = end.map_or(0, |end| end + 1);
        for line in bytes[..whole].split_inclusive(|byte| *byte == b'\n') {
            let line: Line = serde_json::from_slice(line).map_err(|error| self.changed(&error))?;
            let fence = line.event.fence();
            if fence >= MOST_FENCES {
                return Err(self.changed(&"a claim has a number that none can have"));
            }
            self.fence = self.fence.max(fence);
            record::fold(&mut self.records, line);
        }
        self.read += whole as u64;
        self.digest.update(&bytes[..whole]);
        Ok(())
    }

    /// What comes after what was read, or everything if the file is another one.
    fn read_on(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        let mut file = match regular::open(&self.path, Links::Refuse) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.begin_anew();
                return Ok(());
            }
            opened => opened?,
        };
        let about = file.metadata()?;
        let is_known = match &self.file {
            Some(known) => is_same(&known.metadata()?, &about),
            None => false,
        };
        if !is_known || about.len() < self.read {
            self.begin_anew();
        }
        if about.len() > self.read {
            file.seek(SeekFrom::Start(self.read))?;
            file.read_to_end(bytes)?;
        }
        self.there = self.read + bytes.len() as u64;
        self.file = Some(file);
        Ok(())
    }

    fn begin_anew(&mut self) {
        self.records.clear();
        self.fence = 0;
        self.file = None;
        self.read = 0;
        self.there = 0;
        self.digest = Sha256::new();
    }

    /// Notes elsewhere what the journal is about to be.
    fn announce(&self, next: Extent, fence: u64) -> Result<(), TaskError> {
        let noted = Noted {
            settled: Extent::of(self.read, &self.digest),
            next: Some(next),
            fence,
        };
        let noted = self.witness.note(&noted);
        noted.map_err(|error| failure(&self.path, "written", &error))
    }

    /// Reads what was written, and notes elsewhere that it is there.
    fn settle(&mut self) -> Result<(), TaskError> {
        self.catch_up()?;
        let noted = Noted {
            settled: Extent::of(self.read, &self.digest),
            next: None,
            fence: self.fence,
        };
        let noted = self.witness.note(&noted);
        noted.map_err(|error| failure(&self.path, "written", &error))
    }

    fn append(&mut self, lines: &[Line]) -> Result<(), TaskError> {
        let failed = |why: &dyn std::fmt::Display| failure(&self.path, "written", why);
        let mut text = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut text, line).map_err(|error| failed(&error))?;
            text.push(b'\n');
        }
        let mut digest = self.digest.clone();
        digest.update(&text);
        let fences = lines.iter().map(|line| line.event.fence());
        let fence = fences.fold(self.fence, u64::max);
        self.announce(Extent::of(self.read + text.len() as u64, &digest), fence)?;
        let is_new = self.file.is_none();
        let mut file = regular::update(&self.path).map_err(|error| failed(&error))?;
        // Over whatever a crash has left behind what was read.
        file.set_len(self.read)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .and_then(|_| file.write_all(&text))
            .and_then(|()| file.sync_data())
            .and_then(|()| match is_new {
                true => fusebox_files::sync_directory_of(&self.path),
                false => Ok(()),
            })
            .map_err(|error| failed(&error))?;
        self.settle()?;
        // What each task comes to stays, however often this is done.
        let needed = 1_024 * self.records.len() as u64;
        if self.read > MOST_BYTES + needed {
            self.compact()
        } else {
            Ok(())
        }
    }

    /// Writes one line for each task in place of all that happened to it.
    fn compact(&mut self) -> Result<(), TaskError> {
        let mut text = Vec::new();
        let mut tasks: Vec<_> = self.records.iter().collect();
        tasks.sort_by_key(|(key, _)| *key);
        for ((source, task), record) in tasks {
            let line = Line {
                source: source.clone(),
                task: task.clone(),
                at: record.last.clone(),
                event: Event::Folded {
                    record: Box::new(record.clone()),
                    fence: self.fence,
                },
            };
            serde_json::to_writer(&mut text, &line)
                .map_err(|error| failure(&self.path, "written", &error))?;
            text.push(b'\n');
        }
        let digest = Sha256::new_with_prefix(&text);
        self.announce(Extent::of(text.len() as u64, &digest), self.fence)?;
        fusebox_files::replace_locked_durably(&self.path, &text)
            .map_err(|error| failure(&self.path, "written", &error))?;
        self.settle()
    }
}

impl Held<'_> {
    /// What is known of every task.
    pub(crate) fn records(&self) -> &Records {
        &self.journal.records
    }

    pub(crate) fn record(&self, source: &str, task: &str) -> Record {
        let key = (source.to_owned(), task.to_owned());
        self.journal.records.get(&key).cloned().unwrap_or_default()
    }

    /// The number that the next claim is given.
    pub(crate) fn next_fence(&self) -> u64 {
        self.journal.fence + 1
    }

    pub(crate) fn append(&mut self, lines: &[Line]) -> Result<(), TaskError> {
        self.journal.append(lines)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // The lock goes with the descriptor at the latest.
        let _ = self.journal.lock.unlock();
    }
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

fn failure(path: &Path, verb: &'static str, why: &dyn std::fmt::Display) -> TaskError {
    TaskError::Journal {
        path: path.to_owned(),
        verb,
        why: why.to_string(),
    }
}
