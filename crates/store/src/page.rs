//! The log in pages, from its end.
//!
//! Whoever looks at a loop wants its latest iterations, and wants them at once,
//! however long the loop has been running. So a page is picked by walking whole
//! files of the log, the newest first: what it costs is bounded by the length at
//! which a log is sealed, not by the length of the history, and no index has to
//! be brought up to date before the first line can be shown.

use std::collections::VecDeque;

use crate::frame::{Mark, Record};
use crate::log::{Log, LogReader};
use crate::walker::{Step, Walker};
use crate::{Error, Tamper};

/// How many files one page goes through at most. Where the records that are
/// looked for are rare, a page is short and says where to go on.
const FILES: usize = 4;

/// A record on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picked {
    /// Where it stands in the log.
    pub mark: Mark,
    /// What it is about.
    pub kind: u16,
    /// The version of the body's format.
    pub version: u16,
    /// The caller's bytes.
    pub body: Vec<u8>,
}

/// Some records, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The records.
    pub records: Vec<Picked>,
    /// Asking for what is before this number gives the page before; `None` when
    /// there is none.
    pub earlier: Option<u64>,
}

impl Picked {
    /// Keeps a record beyond the moment at which it was read.
    #[must_use]
    pub fn of(record: &Record<'_>) -> Self {
        Self {
            mark: record.mark,
            kind: record.kind,
            version: record.version,
            body: record.body.to_vec(),
        }
    }

    /// The record as it stands in the log.
    #[must_use]
    pub fn record(&self) -> Record<'_> {
        Record {
            seq: self.mark.seq,
            kind: self.kind,
            version: self.version,
            body: &self.body,
            mark: self.mark,
        }
    }
}

impl Log {
    /// The last `most` records before the number `before`, or of all, that
    /// `picks` wants.
    ///
    /// # Errors
    /// When the log cannot be read, or a record on the way is not what it was.
    pub fn page(
        &self,
        before: Option<u64>,
        most: usize,
        picks: &dyn Fn(&Record<'_>) -> bool,
    ) -> Result<Page, Error> {
        let before = before.unwrap_or(u64::MAX);
        let mut index = self.index_from(before.saturating_sub(1));
        let mut records = VecDeque::new();
        for _ in 0..FILES {
            let mut here = self.last_of(index, before, most - records.len(), picks)?;
            here.append(&mut records);
            records = here;
            let is_full = records.len() >= most;
            if is_full || index == 0 {
                let first = records.front().map(|record| record.mark.seq);
                return Ok(Page {
                    earlier: first.filter(|_| is_full),
                    records: records.into(),
                });
            }
            index -= 1;
        }
        let next = self.segment(index + 1).beginning.first_seq();
        Ok(Page {
            records: records.into(),
            earlier: Some(next),
        })
    }

    /// Reads the records from the number `seq` on, and some before it: it begins
    /// with the file that holds it.
    #[must_use]
    pub fn reader_around(&self, seq: u64) -> LogReader<'_> {
        self.reader_at(self.index_from(seq))
    }

    /// Reads the records from that time on, and some before it.
    #[must_use]
    pub fn reader_since(&self, at_ms: u64) -> LogReader<'_> {
        let later = |index: &usize| self.segment(*index).beginning.created_ms > at_ms;
        let indexes = (0..self.sealed().len() + 1).rev();
        self.reader_at(indexes.into_iter().find(|index| !later(index)).unwrap_or(0))
    }

    /// The file in which the record of that number stands, or would.
    fn index_from(&self, seq: u64) -> usize {
        let behind = self
            .segments()
            .take_while(|segment| segment.beginning.first_seq() <= seq);
        behind.count().saturating_sub(1)
    }

    fn last_of(
        &self,
        index: usize,
        before: u64,
        most: usize,
        picks: &dyn Fn(&Record<'_>) -> bool,
    ) -> Result<VecDeque<Picked>, Error> {
        let segment = self.segment(index);
        let opening = segment.beginning.opening.mark;
        let mut walker = Walker::new(segment, opening, self.limit(index));
        let mut found = VecDeque::new();
        loop {
            let last = walker.last().end;
            match walker.step()? {
                Step::Record { record, .. } if record.seq >= before => return Ok(found),
                Step::Record { record, .. } => {
                    if picks(&record) {
                        found.push_back(Picked::of(&record));
                    }
                    if found.len() > most {
                        found.pop_front();
                    }
                }
                Step::End => return Ok(found),
                Step::Incomplete | Step::Unsound => {
                    return Err(Tamper::ChainBroken {
                        path: segment.path().to_owned(),
                        offset: last,
                    }
                    .into());
                }
            }
        }
    }
}
