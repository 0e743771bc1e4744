//! Reading history: the acknowledged part of a log, record by record.

use crate::frame::{Mark, Record};
use crate::header::NOTHING;
use crate::segment::Segment;
use crate::store::Location;
use crate::walker::{Step, Walker};
use crate::{Error, Tamper, sealed};

/// A stretch of log that was acknowledged when it was opened. Records are only
/// ever added behind it, so it can be read at leisure and without the lock.
#[derive(Debug)]
pub struct Log {
    /// Oldest first.
    sealed: Vec<Segment>,
    live: Segment,
    end: Mark,
}

/// What was pruned from the beginning of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrunedPast {
    /// How many records.
    pub records: u64,
    /// The last of them: its number, place and hash.
    pub last: Mark,
}

impl Log {
    /// Opens what goes before the live log, which ends with the record `end`.
    pub(crate) fn open(live: Segment, end: Mark, location: &Location) -> Result<Self, Error> {
        let floor = live.beginning.floor;
        let mut sealed = Vec::new();
        for number in sealed::numbers(location)? {
            // What is older was pruned, or is about to be removed by whoever
            // prunes; what is not older than the live log was left when
            // somebody died before the live log was exchanged.
            let is_kept = number > floor.seq || floor == NOTHING;
            if is_kept && number < live.beginning.first_seq() {
                sealed.push(sealed::open(location, number)?);
            }
        }
        let log = Self { sealed, live, end };
        log.refuse_gaps(floor, location)?;
        Ok(log)
    }

    /// Every segment must begin where the one before ends, and the first where
    /// the pruned past does.
    fn refuse_gaps(&self, floor: Mark, location: &Location) -> Result<(), Error> {
        let mut expected = floor;
        for (index, segment) in self.segments().enumerate() {
            if segment.beginning.before != expected {
                let seq = expected.seq.wrapping_add(1);
                let path = sealed::path(location, seq);
                return Err(Tamper::SegmentMissing { path, seq }.into());
            }
            if let Some(next) = self.next(index) {
                expected = next.beginning.before;
                if segment.end() != expected.end || !segment.holds(&expected)? {
                    return Err(broken(segment, expected.end));
                }
            }
        }
        Ok(())
    }

    /// All segments, oldest first; the last one is the live log.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.sealed.iter().chain([&self.live])
    }

    /// The sealed ones alone, oldest first.
    pub(crate) fn sealed(&self) -> &[Segment] {
        &self.sealed
    }

    /// The segment of that index; the live log behind the last sealed one.
    pub(crate) fn segment(&self, index: usize) -> &Segment {
        self.sealed.get(index).unwrap_or(&self.live)
    }

    /// The segment after the one of that index; none after the live log.
    fn next(&self, index: usize) -> Option<&Segment> {
        (index < self.sealed.len()).then(|| self.segment(index + 1))
    }

    /// Gives the live log's lock back.
    pub(crate) fn unlock(&self) -> Result<(), Error> {
        self.live.file.unlock()
    }

    /// The live log, which holds the lock if there is one.
    pub(crate) fn into_live(self) -> Segment {
        self.live
    }

    /// The last acknowledged record.
    #[must_use]
    pub fn end(&self) -> Mark {
        self.end
    }

    /// What was pruned, if anything was.
    #[must_use]
    pub fn pruned(&self) -> Option<PrunedPast> {
        let last = self.live.beginning.floor;
        (last != NOTHING).then(|| PrunedPast {
            records: last.seq.saturating_add(1),
            last,
        })
    }

    /// Whether the record of this mark is in this log, by its hash.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn contains(&self, mark: &Mark) -> Result<bool, Error> {
        let is_acknowledged = mark.end <= self.end.end;
        Ok(is_acknowledged && self.segment(self.index_of(mark)).holds(mark)?)
    }

    /// Reads the records behind `after`, or all of them.
    #[must_use]
    pub fn reader(&self, after: Option<Mark>) -> LogReader<'_> {
        let Some(after) = after else {
            return self.reader_at(0);
        };
        let index = self.index_of(&after);
        LogReader {
            walker: Walker::new(self.segment(index), after, self.limit(index)),
            index,
            log: self,
        }
    }

    /// Reads from the beginning of one segment on.
    pub(crate) fn reader_at(&self, index: usize) -> LogReader<'_> {
        let segment = self.segment(index);
        let opening = segment.beginning.opening.mark;
        LogReader {
            walker: Walker::new(segment, opening, self.limit(index)),
            index,
            log: self,
        }
    }

    /// Verifies every record there is and returns the last one's mark.
    ///
    /// # Errors
    /// When the log cannot be read, or a record is not what it was.
    pub fn verify(&self) -> Result<Mark, Error> {
        for segment in self.segments() {
            segment.state()?;
        }
        let mut reader = self.reader(None);
        while reader.next_record()?.is_some() {}
        Ok(self.end)
    }

    /// The segment in whose range a mark lies; the first if it lies before all.
    fn index_of(&self, mark: &Mark) -> usize {
        let begins_before = |segment: &Segment| segment.beginning.before.end < mark.end;
        if begins_before(&self.live) {
            return self.sealed.len();
        }
        let behind = self.sealed.partition_point(begins_before);
        behind.saturating_sub(1)
    }

    /// The acknowledged end of a segment.
    pub(crate) fn limit(&self, index: usize) -> u64 {
        let next = self.next(index);
        next.map_or(self.end.end, |next| next.beginning.before.end)
    }
}

/// Goes through a log and verifies each record before giving it out.
pub struct LogReader<'a> {
    walker: Walker<'a>,
    index: usize,
    log: &'a Log,
}

impl LogReader<'_> {
    /// The next record; `None` once the last acknowledged one was given out.
    ///
    /// # Errors
    /// When the log cannot be read, or a record does not follow from the one
    /// before.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Error> {
        let Self { walker, index, log } = self;
        while let Some(next) = log.next(*index)
            && walker.last() == next.beginning.before
        {
            *index += 1;
            *walker = Walker::new(next, next.beginning.opening.mark, log.limit(*index));
        }
        let last = walker.last();
        if last == log.end {
            return Ok(None);
        }
        match walker.step()? {
            Step::Record { record, .. } => Ok(Some(record)),
            Step::End | Step::Incomplete | Step::Unsound => {
                Err(broken(log.segment(*index), last.end))
            }
        }
    }
}

fn broken(segment: &Segment, offset: u64) -> Error {
    Tamper::ChainBroken {
        path: segment.path().to_owned(),
        offset,
    }
    .into()
}
