//! What a run has shown so far: the part that all readers share.

use std::time::Duration;

use jiff::tz::TimeZone;

use crate::class::{EndClass, TextRow};
use crate::end::{Exit, FinalResult, RunEnd};
use crate::event::{AgentEvent, EpochMs, Window};
use crate::excerpt::{self, Excerpt, FINAL_BYTES, Tail};
use crate::phrases;
use crate::plain_text::PlainText;
use crate::reader::Reading;
use crate::reset_time;
use crate::usage::{Meter, Usage};

/// A wait that is longer than this is for a window that is used up, whatever the service
/// calls it: nobody is too fast for minutes.
const LONGEST_BURST: Duration = Duration::from_secs(300);
/// So many of the last lines on standard error can tell why a run ended; what stands
/// before them was said about something else.
const TELLING_LINES: usize = 6;

/// Something that explains why the run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) class: EndClass,
    pub(crate) detail: String,
    pub(crate) resets_at: Option<EpochMs>,
    pub(crate) retry_after: Option<Duration>,
}

impl Failure {
    pub(crate) fn new(class: EndClass, text: &str) -> Self {
        Self {
            class,
            detail: excerpt::detail(text),
            resets_at: None,
            retry_after: None,
        }
    }

    /// The same failure, of which the service says how long to wait.
    pub(crate) fn asking_for(self, wait: Option<Duration>, now: EpochMs) -> Self {
        let Some(wait) = wait else {
            return self;
        };
        let for_long = self.class == EndClass::RateLimited && wait > LONGEST_BURST;
        let class = if for_long {
            EndClass::UsageLimit
        } else {
            self.class
        };
        let ends = now.saturating_add(reset_time::millis(wait));
        let ends = reset_time::plausible(ends, now, Window::Other);
        let ends = ends.filter(|_| class == EndClass::UsageLimit);
        Self {
            class,
            resets_at: self.resets_at.or(ends),
            retry_after: Some(wait),
            ..self
        }
    }
}

/// What a run has shown so far.
#[derive(Debug)]
pub(crate) struct RunRecord {
    pub(crate) zone: TimeZone,
    pub(crate) session: Option<String>,
    pub(crate) meter: Meter,
    /// What stands in the way, as long as nothing shows that it was overcome.
    pub(crate) failure: Option<Failure>,
    pub(crate) result: Option<FinalResult>,
    pub(crate) results: u64,
    /// What the agent wrote since it last did something: its answer, if
    /// nothing follows.
    answer: String,
    /// Something was written to standard output.
    pub(crate) has_begun: bool,
    /// Standard output that was no events.
    pub(crate) text: PlainText,
    /// Standard error.
    pub(crate) stderr: Tail,
    /// Something was asked of the model, and what it cost was not yet told.
    unbilled: bool,
    denials: u64,
    unknown: u64,
    unreadable: u64,
}

impl RunRecord {
    pub(crate) fn new(reading: Reading) -> Self {
        Self {
            zone: reading.zone,
            session: None,
            meter: Meter::after(reading.earlier),
            failure: None,
            result: None,
            results: 0,
            answer: String::new(),
            has_begun: false,
            text: PlainText::default(),
            stderr: Tail::default(),
            unbilled: false,
            denials: 0,
            unknown: 0,
            unreadable: 0,
        }
    }

    /// The session, which every line may name again.
    pub(crate) fn in_session(&mut self, session: Option<&str>) {
        if session.is_some() && self.session.as_deref() != session {
            self.session = session.map(excerpt::name);
        }
    }

    /// Explains a failure: the class as given, the times from the text.
    pub(crate) fn explain(&self, class: EndClass, text: &str, now: EpochMs) -> Failure {
        let window = reset_time::window_in_text(text);
        let limited = class == EndClass::UsageLimit;
        let failure = Failure {
            resets_at: limited
                .then(|| reset_time::reset_in_text(text, now, &self.zone, window))
                .flatten(),
            ..Failure::new(class, text)
        };
        failure.asking_for(reset_time::duration_in_text(text), now)
    }

    /// The agent wrote to its user.
    pub(crate) fn say(&mut self, text: &str, events: &mut Vec<AgentEvent>) {
        let room = FINAL_BYTES.saturating_sub(self.answer.len());
        self.answer.push_str(excerpt::clip(text, room));
        events.push(AgentEvent::Said(Excerpt::of(text)));
    }

    /// The agent went on to do something, so what it wrote was no answer.
    pub(crate) fn go_on(&mut self) {
        self.answer.clear();
    }

    /// The run delivers what was written last.
    pub(crate) fn deliver_answer(&mut self, turns: Option<u64>, status: Option<&str>) {
        let text = std::mem::take(&mut self.answer);
        self.deliver(&text, turns, status);
    }

    pub(crate) fn deliver(&mut self, text: &str, turns: Option<u64>, status: Option<&str>) {
        self.results += 1;
        self.result = Some(FinalResult {
            text: Excerpt::within(text, FINAL_BYTES),
            turns,
            status: status.map(excerpt::name),
            printed: false,
        });
    }

    pub(crate) fn turn(&mut self, events: &mut Vec<AgentEvent>) {
        self.unbilled = true;
        events.push(AgentEvent::TurnStarted);
    }

    pub(crate) fn spend(&mut self, fresh: Usage, events: &mut Vec<AgentEvent>) {
        self.unbilled = false;
        if !fresh.is_unknown() {
            events.push(AgentEvent::Spent(fresh));
        }
    }

    pub(crate) fn deny(&mut self, call: &str, tool: &str, why: &str, events: &mut Vec<AgentEvent>) {
        self.denials += 1;
        events.push(AgentEvent::Denied {
            call: excerpt::name(call),
            tool: excerpt::name(tool),
            why: excerpt::detail(why),
        });
    }

    /// Something was not permitted, and work went on without it.
    pub(crate) fn deny_in_passing(&mut self, tool: &str, events: &mut Vec<AgentEvent>) {
        self.denials += 1;
        let tool = excerpt::name(tool);
        events.push(AgentEvent::Warning(format!("not permitted before: {tool}")));
    }

    pub(crate) fn unknown(&mut self, kind: &str, events: &mut Vec<AgentEvent>) {
        self.unknown += 1;
        events.push(AgentEvent::Unknown {
            kind: excerpt::name(kind),
        });
    }

    pub(crate) fn unreadable(&mut self, bytes: u64, events: &mut Vec<AgentEvent>) {
        self.unreadable += 1;
        events.push(AgentEvent::Unreadable { bytes });
    }

    /// Weighs the evidence: what stands in the way, then what the agent said
    /// of its end, then who ended it, then the last words on either stream,
    /// and the exit code at last.
    pub(crate) fn conclude(
        &mut self,
        said: Option<EndClass>,
        exit: Exit,
        now: EpochMs,
        texts: &[TextRow],
    ) -> RunEnd {
        let failure = self
            .failure
            .take()
            .or_else(|| said.map(|class| Failure::new(class, "")))
            .unwrap_or_else(|| self.unexplained(exit, now, texts));
        let usage = self.meter.spent();
        let text = self.text.take(self.results);
        RunEnd {
            class: failure.class,
            detail: failure.detail,
            resets_at: failure.resets_at,
            retry_after: failure.retry_after,
            result: self.result.take().or(text),
            results: self.results,
            usage,
            usage_is_complete: !self.unbilled && !usage.is_unknown(),
            totals: self.meter.totals(self.session.as_deref()),
            session: self.session.take(),
            denials: self.denials,
            unknown: self.unknown,
            unreadable: self.unreadable,
        }
    }

    fn unexplained(&self, exit: Exit, now: EpochMs, texts: &[TextRow]) -> Failure {
        let last_words = self.stderr.text();
        let last_line = last_words.trim_end().lines().next_back().unwrap_or("");
        if exit == Exit::StoppedByUs {
            return Failure::new(EndClass::Stopped, "");
        }
        if exit.is_zero() {
            return Failure::new(EndClass::Unclear, last_line);
        }
        if exit.was_asked_for() {
            return Failure::new(EndClass::Stopped, last_line);
        }
        if exit.is_sudden() {
            return Failure::new(EndClass::Crash, last_line);
        }
        self.explained_by_text(texts, now)
            .or_else(|| self.refused_to_start(exit))
            .unwrap_or_else(|| Failure::new(EndClass::Crash, last_line))
    }

    /// A line of text that tells why: on standard output where that is all there is, or
    /// among the last on standard error. Whoever has no table is not read at all.
    fn explained_by_text(&self, texts: &[TextRow], now: EpochMs) -> Option<Failure> {
        if texts.is_empty() {
            return None;
        }
        let printed = self.text.telling_lines().into_iter().flatten();
        printed.chain(self.telling_lines()).find_map(|line| {
            let class = phrases::of_line(texts, line)?;
            Some(self.explain(class, line, now))
        })
    }

    /// The lines on standard error that can tell why it ended, the last one first. If it
    /// has not even begun, the first ones can as well: help may follow the mistake.
    fn telling_lines(&self) -> impl Iterator<Item = &str> {
        let lines = self.stderr.text().lines();
        let lines = lines.filter(|line| !is_of_a_trace(line));
        let of_a_start = if self.has_begun { 0 } else { TELLING_LINES };
        let first = lines.clone().take(of_a_start);
        lines.rev().take(TELLING_LINES).chain(first)
    }

    /// An agent that says `error: …` and nothing else, and leaves at once with the code
    /// for wrong usage, cannot run like this.
    fn refused_to_start(&self, exit: Exit) -> Option<Failure> {
        if self.has_begun || !matches!(exit, Exit::Code(1 | 2)) {
            return None;
        }
        let refuses = |line: &&str| {
            let line = excerpt::normalised(line);
            let starts = ["error: ", "error ", "unknown argument"];
            starts.iter().any(|start| line.starts_with(start))
        };
        let line = self.telling_lines().find(refuses)?;
        Some(Failure::new(EndClass::Setup, line))
    }
}

/// Whether a line is empty or part of a stack trace.
fn is_of_a_trace(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with("at ")
}
