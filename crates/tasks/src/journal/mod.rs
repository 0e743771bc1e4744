//! Our own record of claims: who, on what, since when, and what came of it.
//!
//! One line for each event, appended under a lock and flushed before anybody hears
//! of it. Hardly any task list records who works on a task in a way that can be
//! checked, so what stands here outranks what stands there.

mod event;
mod record;

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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
    /// The file that was read, and how far.
    read: (u64, u64),
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
        let failed = |why: std::io::Error| failure(&path, "opened", &why);
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(failed)?;
        let lock = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(directory.join("claims.lock"))
            .map_err(failed)?;
        Ok(Self {
            path,
            lock,
            records: Records::new(),
            fence: 0,
            read: (0, 0),
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
        let start = Instant::now();
        loop {
            match self.lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => {
                    return Err(failure(&self.path, "locked", &error));
                }
                Err(TryLockError::WouldBlock) if start.elapsed() > PATIENCE => {
                    return Err(failure(
                        &self.path,
                        "locked",
                        &"another process holds the lock",
                    ));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_micros(500)),
            }
        }
        let caught_up = self.catch_up();
        let held = Held { journal: self };
        caught_up.map(|()| held)
    }

    /// Reads what was added since the last time.
    fn catch_up(&mut self) -> Result<(), TaskError> {
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                self.begin((0, 0));
                return Ok(());
            }
            opened => opened.map_err(|error| failure(&self.path, "read", &error))?,
        };
        let about = file
            .metadata()
            .map_err(|error| failure(&self.path, "read", &error))?;
        if about.ino() != self.read.0 || about.len() < self.read.1 {
            self.begin((about.ino(), 0));
        }
        if about.len() == self.read.1 {
            return Ok(());
        }
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(self.read.1))
            .and_then(|_| file.read_to_end(&mut bytes))
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
        self.read.1 += whole as u64;
        Ok(())
    }

    fn begin(&mut self, at: (u64, u64)) {
        self.records.clear();
        self.fence = 0;
        self.read = at;
    }

    fn append(&mut self, lines: &[Line]) -> Result<(), TaskError> {
        let failed = |why: &dyn std::fmt::Display| failure(&self.path, "written", why);
        let mut text = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut text, line).map_err(|error| failed(&error))?;
            text.push(b'\n');
        }
        let mut file = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&self.path)
            .map_err(|error| failed(&error))?;
        // Over whatever a crash has left behind what was read.
        file.set_len(self.read.1)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .and_then(|_| file.write_all(&text))
            .and_then(|()| file.sync_data())
            .map_err(|error| failed(&error))?;
        self.catch_up()?;
        // What each task comes to stays, however often this is done.
        let needed = 1_024 * self.records.len() as u64;
        if self.read.1 > MOST_BYTES + needed {
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
        let draft = self.path.with_extension("draft");
        File::options()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&draft)
            .and_then(|mut file| {
                file.write_all(&text)?;
                file.sync_data()
            })
            .and_then(|()| fs::rename(&draft, &self.path))
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

fn failure(path: &Path, verb: &'static str, why: &dyn std::fmt::Display) -> TaskError {
    TaskError::Journal {
        path: path.to_owned(),
        verb,
        why: why.to_string(),
    }
}
