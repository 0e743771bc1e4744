//! Everything that happened, as lines that other programs read.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use fusebox_core::circuit::{Opening, Row};
use fusebox_core::decision::Transition;
use fusebox_core::{Entry, Event};
use fusebox_store::{Error, Log, LogReader, Mark, Record};
use fusebox_view::phrase;
use serde::Serialize;

use super::history::companion_event;
use super::iterations::opening;
use super::machine::LoopId;
use super::words::Words;
use crate::last_run::EndData;
use crate::memory;

/// The version of a line's shape. Fields are only ever added to it.
const SCHEMA: u32 = 1;

/// A place in a log that can be named on a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    seq: u64,
    /// The beginning of the record's hash: after a fresh start the number alone
    /// would lead to another record.
    hash: u32,
}

impl Cursor {
    pub(crate) fn at(mark: &Mark) -> Self {
        let [a, b, c, d, ..] = mark.hash;
        Self {
            seq: mark.seq,
            hash: u32::from_be_bytes([a, b, c, d]),
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{:08x}", self.seq, self.hash)
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (seq, hash) = text.split_once('-').ok_or(())?;
        Ok(Self {
            seq: seq.parse().map_err(|_| ())?,
            hash: u32::from_str_radix(hash, 16).map_err(|_| ())?,
        })
    }
}

/// From where on events are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    Beginning,
    /// Behind an event that was seen.
    Cursor(Cursor),
    /// From a time on, in milliseconds.
    Time(i64),
    /// Behind a record that this process saw.
    Mark(Mark),
}

/// One event, as data.
#[derive(Debug, Serialize)]
pub(crate) struct Line<'a> {
    schema: u32,
    cursor: String,
    time: String,
    #[serde(rename = "loop")]
    id: &'a LoopId,
    workspace: &'a str,
    circuit: &'a str,
    event: String,
    /// What the tools of a companion system call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    companion_event: Option<&'static str>,
    state: &'static str,
    iterations: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    transitions: &'a [Transition],
    #[serde(skip_serializing_if = "Option::is_none")]
    opened: Option<&'a Opening>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iteration: Option<&'a Row>,
    /// How the run ended, where one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<EndData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_micro_usd: Option<u64>,
}

/// Whose events they are.
pub(crate) struct Source<'a> {
    pub(crate) id: &'a LoopId,
    pub(crate) workspace: &'a str,
}

/// What reading events came to.
pub(crate) struct Read {
    /// Where to go on.
    pub(crate) end: Mark,
    /// Whether the place to begin at was not there any more, and everything that
    /// is was told instead.
    pub(crate) lost: bool,
}

/// Tells every event since a place or a time, until `tell` has had enough.
pub(crate) fn since(
    log: &Log,
    since: &Since,
    source: &Source<'_>,
    tell: &mut dyn FnMut(&Line<'_>) -> bool,
) -> Result<Read, Error> {
    entries(log, since, &mut |record, entry| {
        tell(&line(record, entry, source))
    })
}

/// The same, as the log has them.
pub(crate) fn entries(
    log: &Log,
    since: &Since,
    tell: &mut dyn FnMut(&Record<'_>, &Entry) -> bool,
) -> Result<Read, Error> {
    let (mut reader, from_ms, lost) = begin(log, since)?;
    while let Some(record) = reader.next_record()? {
        // One that a later release wrote cannot be told by this one.
        let Ok(entry) = memory::entry(&record) else {
            continue;
        };
        if entry.at.wall_ms >= from_ms && !tell(&record, &entry) {
            break;
        }
    }
    let end = log.end();
    Ok(Read { end, lost })
}

/// A reader behind the place that was asked for, the earliest time that is
/// wanted, and whether that place was lost.
fn begin<'l>(log: &'l Log, since: &Since) -> Result<(LogReader<'l>, i64, bool), Error> {
    match since {
        Since::Beginning => Ok((log.reader(None), i64::MIN, false)),
        Since::Time(ms) => {
            let at = u64::try_from(*ms).unwrap_or(0);
            Ok((log.reader_since(at), *ms, false))
        }
        Since::Mark(mark) if log.contains(mark)? => Ok((log.reader(Some(*mark)), i64::MIN, false)),
        Since::Mark(_) => Ok((log.reader(None), i64::MIN, true)),
        Since::Cursor(cursor) => {
            let mut reader = log.reader_around(cursor.seq);
            while let Some(record) = reader.next_record()? {
                if Cursor::at(&record.mark) == *cursor {
                    return Ok((reader, i64::MIN, false));
                }
                if record.seq >= cursor.seq {
                    break;
                }
            }
            Ok((log.reader(None), i64::MIN, true))
        }
    }
}

/// What an event is called in data, where a word stands for it to people.
pub(crate) fn name(word: &str) -> String {
    word.replace(' ', "_")
}

fn line<'a>(record: &Record<'_>, entry: &'a Entry, source: &Source<'a>) -> Line<'a> {
    let report = match &entry.event {
        Event::Reported(report) => Some(&report.facts),
        _ => None,
    };
    let words = Words::of(&entry.event);
    Line {
        schema: SCHEMA,
        cursor: Cursor::at(&record.mark).to_string(),
        time: phrase::time(entry.at.wall_ms),
        id: source.id,
        workspace: source.workspace,
        circuit: source.id.circuit.as_str(),
        event: name(entry.event.word()),
        companion_event: companion_event(entry),
        state: entry.outcome.core.phase.state().name(),
        iterations: entry.outcome.core.iterations,
        task: words.task,
        reason: words.reason,
        user: words.user,
        transitions: &entry.outcome.transitions,
        opened: opening(entry),
        iteration: entry.outcome.row.as_ref(),
        end: match &entry.event {
            Event::RunEnded(end) => Some(EndData::of(end)),
            _ => None,
        },
        duration_ms: report.and_then(|facts| facts.duration_ms),
        tokens: report.and_then(|facts| facts.usage.tokens()),
        cost_micro_usd: report.and_then(|facts| facts.usage.micro_usd),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back_as_it_was_written() {
        let cursor = Cursor {
            seq: u64::MAX,
            hash: 0xab,
        };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for text in ["", "7", "7-", "-1", "x-1", "7-xyz", "7-100000000"] {
            assert_eq!(text.parse::<Cursor>(), Err(()), "{text}");
        }
    }
}
