//! Reading history: the acknowledged part of a log, record by record.

use crate::disk::DiskFile;
use crate::frame::{Mark, Record};
use crate::header::GENESIS_END;
use crate::walker::{Step, Walker};
use crate::{Error, Tamper};

/// A stretch of log that was acknowledged when it was opened. Records are only
/// ever added behind it, so it can be read at leisure and without the lock.
#[derive(Debug)]
pub struct Log {
    file: DiskFile,
    genesis: Mark,
    end: Mark,
}

impl Log {
    pub(crate) fn new(file: DiskFile, genesis: Mark, end: Mark) -> Self {
        Self { file, genesis, end }
    }

    /// The last acknowledged record.
    #[must_use]
    pub fn end(&self) -> Mark {
        self.end
    }

    /// Whether the record of this mark is in this log, by its hash.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn contains(&self, mark: &Mark) -> Result<bool, Error> {
        if mark.end < GENESIS_END || mark.end > self.end.end {
            return Ok(false);
        }
        // A frame ends with its hash.
        let mut hash = [0; 32];
        self.file.read_at(&mut hash, mark.end - 32)?;
        Ok(hash == mark.hash)
    }

    /// Reads the records behind `after`, or all of them.
    #[must_use]
    pub fn reader(&self, after: Option<Mark>) -> LogReader<'_> {
        LogReader {
            walker: Walker::new(&self.file, after.unwrap_or(self.genesis), self.end.end),
            log: self,
        }
    }

    /// Verifies every record and returns the last one's mark.
    ///
    /// # Errors
    /// When the log cannot be read, or a record is not what it was.
    pub fn verify(&self) -> Result<Mark, Error> {
        let mut reader = self.reader(None);
        while reader.next_record()?.is_some() {}
        Ok(self.end)
    }
}

/// Goes through a log and verifies each record before giving it out.
pub struct LogReader<'a> {
    walker: Walker<'a>,
    log: &'a Log,
}

impl LogReader<'_> {
    /// The next record; `None` once the last acknowledged one was given out.
    ///
    /// # Errors
    /// When the log cannot be read, or a record does not follow from the one
    /// before.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Error> {
        let last = self.walker.last();
        if last == self.log.end {
            return Ok(None);
        }
        match self.walker.step()? {
            Step::Record { record, .. } => Ok(Some(record)),
            Step::End | Step::Incomplete | Step::Unsound => Err(Tamper::ChainBroken {
                path: self.log.file.path().to_owned(),
                offset: last.end,
            }
            .into()),
        }
    }
}
