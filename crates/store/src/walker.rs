//! Reading the log record by record, in bounded memory.
//!
//! Everything that reads more than the last record comes through here: repair
//! after a crash, rebuilding, full verification, the read model and export.

use crate::Error;
use crate::frame::{self, MAX_BODY, MAX_FRAME, Mark, OVERHEAD, PREFIX, Prefix, Record};
use crate::segment::Segment;

/// How much is read at once.
const WINDOW: usize = MAX_FRAME;

/// What stands at the current position.
pub(crate) enum Step<'a> {
    /// A record that follows from the one before.
    Record {
        record: Record<'a>,
        batch_goes_on: bool,
    },
    /// Nothing more.
    End,
    /// The beginning of a frame that does not go on far enough.
    Incomplete,
    /// A frame that is long enough and wrong.
    Unsound,
}

/// A position in one file of the log that moves forward as long as the chain holds.
pub(crate) struct Walker<'f> {
    segment: &'f Segment,
    last: Mark,
    limit: u64,
    window: Vec<u8>,
    window_start: u64,
}

impl<'f> Walker<'f> {
    /// Starts behind the record `after` and goes no further than `limit`.
    pub(crate) fn new(segment: &'f Segment, after: Mark, limit: u64) -> Self {
        Self {
            segment,
            last: after,
            limit,
            window: Vec::new(),
            window_start: 0,
        }
    }

    /// The last record that was sound.
    pub(crate) fn last(&self) -> Mark {
        self.last
    }

    /// Verifies the next frame and moves behind it if it is sound.
    pub(crate) fn step(&mut self) -> Result<Step<'_>, Error> {
        let left = self.limit.saturating_sub(self.last.end);
        if left == 0 {
            return Ok(Step::End);
        }
        let Some(prefix) = Prefix::parse(self.bytes(PREFIX)?) else {
            return Ok(Step::Incomplete);
        };
        if prefix.body_len > MAX_BODY {
            return Ok(Step::Unsound);
        }
        let len = prefix.body_len + OVERHEAD;
        if len as u64 > left {
            return Ok(Step::Incomplete);
        }
        let start = self.last.end;
        let Some(mark) = frame::mark_of(self.bytes(len)?, start) else {
            return Ok(Step::Unsound);
        };
        if !prefix.follows(&self.last) {
            return Ok(Step::Unsound);
        }
        self.last = mark;
        let body = usize::try_from(start - self.window_start).unwrap_or(0) + PREFIX;
        Ok(Step::Record {
            record: prefix.record(&self.window[body..body + prefix.body_len], mark),
            batch_goes_on: prefix.batch_goes_on,
        })
    }

    /// Up to `count` bytes from the current position, fewer only at the limit.
    fn bytes(&mut self, count: usize) -> Result<&[u8], Error> {
        let from = self.last.end;
        let window_end = self.window_start.saturating_add(self.window.len() as u64);
        let left = self.limit - from;
        let wanted = (count as u64).min(left);
        if from < self.window_start || from + wanted > window_end {
            let room = usize::try_from(left).map_or(WINDOW, |left| left.min(WINDOW));
            self.window.resize(room, 0);
            let filled = self.segment.read_at(&mut self.window, from)?;
            self.window.truncate(filled);
            self.window_start = from;
        }
        let start = usize::try_from(from - self.window_start).unwrap_or(0);
        let bytes = &self.window[start..];
        Ok(&bytes[..bytes.len().min(count)])
    }
}
