//! Our own record of claims: who, on what, since when, and what came of it.
//!
//! One line for each event, appended under a lock and flushed before anybody hears
//! of it. Hardly any task list records who works on a task in a way that can be
//! checked, so what stands here outranks what stands there.

mod event;
mod record;

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fusebox_files::regular::{self, Links};

pub(crate) use event::{Event, Line};
pub use record::{Attempt, AttemptEnd, Claim, Record};

use crate::error::TaskError;

/// A journal that is longer is written anew, with a line for each task.
const MOST_BYTES: u64 = 1 << 20;
/// How long another of us may hold the lock.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is known of every task, by its list and its id.
pub(crate) type Records = HashMap<(String, String), Record>;

/// Our own record of claims.
pub struct Journal {
    path: PathBuf,
    lock: File,
    records: Records,
    /// The highest number that a claim was given.
    fence: u64,
    /// The file that was read. It stays open, so that no other can be taken for it: a file
    /// that was replaced may give its number to the next one.
    file: Option<File>,
    /// How far it was read.
    read: u64,
}

/// The journal while nobody else can change it.
pub(crate) struct Held<'a> {
    journal: &'a mut Journal,
}

impl Journal {
    /// Opens the journal in `directory`, which is made if need be.
    ///
    /// # Errors
    /// [`TaskError::Journal`] if it cannot be.
    pub fn open(directory: &Path) -> Result<Self, TaskError> {
        let path = directory.join("claims.jsonl");
        let failed = |why: io::Error| failure(&path, "opened", &why);
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(failed)?;
        let lock = regular::update(&directory.join("claims.lock")).map_err(failed)?;
        Ok(Self {
            path,
            lock,
            records: Records::new(),
            fence: 0,
            file: None,
            read: 0,
        })
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

    /// Reads what was added since the last time.
    fn catch_up(&mut self) -> Result<(), TaskError> {
        let mut bytes = Vec::new();
        self.read_on(&mut bytes)
            .map_err(|error| failure(&self.path, "read", &error))?;
        // What has no end was being written by somebody who is gone; it was never
        // announced to anyone. It may end inside a character, so only what is whole is
        // taken for text.
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        let whole = end.map_or(0, |end| end + 1);
        for line in bytes[..whole].split_inclusive(|byte| *byte == b'\n') {
            let line: Line = serde_json::from_slice(line)
                .map_err(|error| failure(&self.path, "read", &error))?;
            self.fence = self.fence.max(line.event.fence());
            record::fold(&mut self.records, line);
        }
        self.read += whole as u64;
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
        self.file = Some(file);
        Ok(())
    }

    fn begin_anew(&mut self) {
        self.records.clear();
        self.fence = 0;
        self.file = None;
        self.read = 0;
    }

    fn append(&mut self, lines: &[Line]) -> Result<(), TaskError> {
        let failed = |why: &dyn std::fmt::Display| failure(&self.path, "written", why);
        let mut text = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut text, line).map_err(|error| failed(&error))?;
            text.push(b'\n');
        }
        let mut file = regular::update(&self.path).map_err(|error| failed(&error))?;
        // Over whatever a crash has left behind what was read.
        file.set_len(self.read)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .and_then(|_| file.write_all(&text))
            .and_then(|()| file.sync_data())
            .map_err(|error| failed(&error))?;
        self.catch_up()?;
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
        fusebox_files::replace_locked(&self.path, &text)
            .map_err(|error| failure(&self.path, "written", &error))?;
        self.catch_up()
    }
}

impl Held<'_> {
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
