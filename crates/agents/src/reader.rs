//! Reading one run of an agent.

use jiff::tz::TimeZone;

use crate::end::{Exit, RunEnd};
use crate::event::{AgentEvent, EpochMs};
use crate::line::Line;
use crate::usage::Totals;

/// Where a line was written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What a reader has to be told before the first line.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Where a clock time without a zone is meant.
    pub zone: TimeZone,
    /// What earlier runs of the session had reported, when it is resumed.
    pub earlier: Option<Totals>,
}

impl Default for Reading {
    /// A first run, in UTC.
    fn default() -> Self {
        Self {
            zone: TimeZone::UTC,
            earlier: None,
        }
    }
}

/// Reads one run of an agent: lines in, events out, a verdict at the end.
///
/// A reader never fails. What it cannot read it reports as such.
pub trait Reader: Send {
    /// Takes a line that was read at `now` and appends what it means.
    fn line(&mut self, stream: Stream, line: Line<'_>, now: EpochMs, events: &mut Vec<AgentEvent>);

    /// The process has ended, and all its lines were read.
    fn end(&mut self, exit: Exit, now: EpochMs) -> RunEnd;
}
