//! The way in that all agents share whose output is one event a line.

use serde_json::value::RawValue;

use crate::end::{Exit, RunEnd};
use crate::event::{AgentEvent, EpochMs};
use crate::json::{mended, parse};
use crate::line::Line;
use crate::reader::{Reader, Stream};
use crate::run_record::RunRecord;

/// What one agent means by its lines.
pub(crate) trait Dialect: Send {
    /// What the run has shown so far.
    fn record(&mut self) -> &mut RunRecord;

    /// Takes a line of standard output; `None` if it is no event.
    fn event(&mut self, json: &str, now: EpochMs, events: &mut Vec<AgentEvent>) -> Option<()>;

    /// Takes a line of standard error, which is kept in any case.
    fn remark(&mut self, line: &str, now: EpochMs, events: &mut Vec<AgentEvent>) {
        let _ = (line, now, events);
    }

    /// Says why the run ended.
    fn verdict(&mut self, exit: Exit, now: EpochMs) -> RunEnd;
}

/// Reads lines of JSON in the dialect of one agent.
pub(crate) struct JsonLines<D>(pub(crate) D);

impl<D: Dialect> JsonLines<D> {
    fn event(&mut self, json: &str, now: EpochMs, events: &mut Vec<AgentEvent>) -> Option<()> {
        let read = self.0.event(json, now, events);
        read.or_else(|| self.0.event(&mended(json)?, now, events))
    }

    /// All events of a run as one list, as agents print them at the end if that is what
    /// they are asked for. A line is bounded, and so is the list.
    fn list(&mut self, json: &str, now: EpochMs, events: &mut Vec<AgentEvent>) -> Option<()> {
        let list: Vec<&RawValue> = parse(json).filter(|_| json.starts_with('['))?;
        let read = list
            .into_iter()
            .map(|one| self.event(one.get(), now, events));
        // Not the first that is one: each of them has to be read.
        read.fold(None, |any, one| any.or(one))
    }
}

impl<D: Dialect> Reader for JsonLines<D> {
    fn line(&mut self, stream: Stream, line: Line<'_>, now: EpochMs, events: &mut Vec<AgentEvent>) {
        let text = line.plain();
        if stream == Stream::Stderr {
            self.0.record().stderr.push(&text);
            return self.0.remark(&text, now, events);
        }
        if text.trim_ascii().is_empty() {
            return;
        }
        self.0.record().has_begun = true;
        let mut read = || {
            let event = self.event(&text, now, events);
            event.or_else(|| self.list(text.trim_ascii(), now, events))
        };
        if line.is_cut() || read().is_none() {
            let record = self.0.record();
            record.text.push(&text);
            record.unreadable(line.full_length, events);
        }
    }

    fn end(&mut self, exit: Exit, now: EpochMs) -> RunEnd {
        self.0.verdict(exit, now)
    }
}
