//! Reading what Aider prints.
//!
//! The model's answer stands on the same stream as Aider's own words and could
//! quote them. Aider reports the tokens after each answer, so whatever looks
//! like a failure before such a report was part of the answer.

use crate::class::EndClass;
use crate::end::{Exit, RunEnd};
use crate::event::{AgentEvent, EpochMs, Retrying};
use crate::excerpt::clip;
use crate::line::Line;
use crate::phrases;
use crate::reader::{Reader, Reading, Stream};
use crate::reset_time;
use crate::run_record::RunRecord;

use super::figures;
use super::texts::{ERROR, RETRYING, TEXTS, TOKEN_LIMIT, TOKENS};

/// Errors are wrapped at the width of a terminal; so many lines belong together.
const WRAPPED_LINES: u32 = 4;
/// The most of a line of an error that is kept.
const ERROR_BYTES: usize = 500;

pub(super) struct AiderReader {
    record: RunRecord,
    /// The error that stands in the way, and how many lines may continue it.
    error: Option<(String, u32)>,
    retries: u64,
    answered: bool,
}

impl AiderReader {
    pub(super) fn new(reading: Reading) -> Self {
        Self {
            record: RunRecord::new(reading),
            error: None,
            retries: 0,
            answered: false,
        }
    }

    fn stdout(&mut self, line: &str, events: &mut Vec<AgentEvent>) {
        if let Some(figures) = line.strip_prefix(TOKENS) {
            self.billed(figures, events);
        } else if line.starts_with(ERROR) || line.trim_end().ends_with(TOKEN_LIMIT) {
            self.error = Some((clip(line.trim_end(), ERROR_BYTES).to_owned(), WRAPPED_LINES));
        } else if line.starts_with(RETRYING) {
            self.retry(line, events);
        } else {
            self.continue_error(line);
        }
    }

    fn continue_error(&mut self, line: &str) {
        if let Some((text, more @ 1..)) = &mut self.error {
            *more -= 1;
            text.push(' ');
            text.push_str(clip(line.trim(), ERROR_BYTES));
        }
    }

    fn billed(&mut self, figures: &str, events: &mut Vec<AgentEvent>) {
        let Some(usage) = figures::usage(figures) else {
            return;
        };
        self.answered |= usage.output_tokens.is_some_and(|received| received > 0);
        self.error = None;
        let fresh = self.record.meter.difference(usage, None, None);
        self.record.spend(fresh, events);
    }

    fn retry(&mut self, line: &str, events: &mut Vec<AgentEvent>) {
        let Some((text, _)) = &self.error else {
            return;
        };
        self.retries += 1;
        events.push(AgentEvent::Retrying(Retrying {
            trouble: phrases::of_error(TEXTS, text).unwrap_or(EndClass::Unclear),
            attempt: Some(self.retries + 1),
            of: None,
            delay: reset_time::duration_in_text(line),
        }));
    }
}

impl Reader for AiderReader {
    fn line(
        &mut self,
        stream: Stream,
        line: Line<'_>,
        _now: EpochMs,
        events: &mut Vec<AgentEvent>,
    ) {
        let text = line.plain();
        match stream {
            Stream::Stderr => self.record.stderr.push(&text),
            Stream::Stdout => {
                self.record.has_begun = true;
                self.stdout(&text, events);
                self.record.text.push(&text);
            }
        }
    }

    fn end(&mut self, exit: Exit, now: EpochMs) -> RunEnd {
        self.record.failure = self.error.take().map(|(text, _)| {
            let class = phrases::of_error(TEXTS, &text).unwrap_or(EndClass::Unclear);
            self.record.explain(class, &text, now)
        });
        let finished = self.answered && exit.is_zero();
        let said = finished.then_some(EndClass::Finished);
        self.record.conclude(said, exit, now, TEXTS)
    }
}
