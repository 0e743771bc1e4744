//! Reading the events of opencode.

use serde_json::value::RawValue;

use crate::class::EndClass;
use crate::end::{Exit, RunEnd};
use crate::event::{
    AgentEvent, EpochMs, Retrying, SessionStarted, ToolCall, ToolOutcome, ToolResult,
};
use crate::excerpt::{self, Excerpt, normalised};
use crate::json::parse;
use crate::json_lines::Dialect;
use crate::phrases;
use crate::reader::Reading;
use crate::run_record::{Failure, RunRecord};

use super::log;
use super::texts::{self, TEXTS};
use super::wire::{Event, Headers, InvalidCall, Part, ToolState, Trouble};

pub(super) struct OpencodeReader {
    record: RunRecord,
    started: bool,
    steps: u64,
    /// Why the last step ended, unless another has begun.
    reason: Option<String>,
    /// What was refused last, unless something was done since.
    refused: Option<String>,
}

impl OpencodeReader {
    pub(super) fn new(reading: Reading) -> Self {
        Self {
            record: RunRecord::new(reading),
            started: false,
            steps: 0,
            reason: None,
            refused: None,
        }
    }

    fn session(&mut self, session: Option<&str>, events: &mut Vec<AgentEvent>) {
        self.record.in_session(session);
        if session.is_some() && !self.started {
            self.started = true;
            events.push(AgentEvent::SessionStarted(SessionStarted {
                session: self.record.session.clone(),
                ..SessionStarted::default()
            }));
        }
    }

    /// The model answers, so its vendor no longer stands in the way. What the
    /// conversation itself suffers from may still do.
    fn answered(&mut self) {
        let failure = self.record.failure.take();
        self.record.failure = failure.filter(|failure| failure.class.trouble().is_none());
    }

    fn text(&mut self, part: &Part<'_>, events: &mut Vec<AgentEvent>) {
        let metadata = part.metadata.as_ref();
        if metadata.and_then(|metadata| metadata.compaction_continue) == Some(true) {
            events.push(AgentEvent::Compacted);
        } else if part.synthetic != Some(true) {
            self.record.say(part.text.as_deref().unwrap_or(""), events);
        }
    }

    fn tool(&mut self, part: &Part<'_>, events: &mut Vec<AgentEvent>) {
        let Some(state) = &part.state else {
            return self.record.unknown("tool_use", events);
        };
        self.record.go_on();
        let input = state.input.map_or("", RawValue::get);
        let named = part.tool.as_deref().unwrap_or("");
        let (tool, denied) = denial(named, state);
        let call = excerpt::name(part.call.as_deref().unwrap_or(""));
        events.push(AgentEvent::ToolCall(ToolCall {
            id: call.clone(),
            tool: tool.clone(),
            arguments: Excerpt::of(input),
            parent: None,
        }));
        let exit_code = state.metadata.as_ref().and_then(|metadata| metadata.exit);
        let failed = state.status.as_deref() == Some("error");
        let outcome = if let Some(why) = denied {
            self.record.deny(&call, &tool, &why, events);
            self.refused = Some(why);
            ToolOutcome::Denied
        } else if failed || exit_code.is_some_and(|code| code != 0) {
            ToolOutcome::Failed
        } else {
            // Work goes on, so what stood in the way no longer does.
            self.record.failure = None;
            self.refused = None;
            ToolOutcome::Succeeded
        };
        let text = state.output.as_deref().or(state.error.as_deref());
        events.push(AgentEvent::ToolResult(ToolResult {
            call,
            outcome,
            exit_code,
            text: Excerpt::of(text.unwrap_or("")),
        }));
    }

    fn step_finished(&mut self, part: &Part<'_>, events: &mut Vec<AgentEvent>) {
        let session = self.record.session.clone();
        let meter = &mut self.record.meter;
        let fresh = meter.difference(part.usage(), None, session.as_deref());
        self.record.spend(fresh, events);
        self.reason = part.reason.as_deref().map(excerpt::name);
    }

    fn trouble(&mut self, trouble: &Trouble<'_>, now: EpochMs) {
        let name = trouble.name.as_deref();
        let data = trouble.data.as_ref();
        let body = data.and_then(|data| data.body.as_deref());
        let text = data.and_then(|data| data.message.as_deref());
        let text = text.or(name).unwrap_or("");
        let class = name
            .and_then(texts::of_error_name)
            .or_else(|| texts::of_body(body?))
            .or_else(|| phrases::of_error(TEXTS, text))
            .or_else(|| phrases::of_error(TEXTS, body?))
            .or_else(|| EndClass::of_status(data?.status?))
            .unwrap_or(EndClass::Unclear);
        // The service's own answer knows the reset that the sentence leaves out.
        let exact = body.map(|body| self.record.explain(class, body, now));
        let exact = exact.filter(|exact| exact.resets_at.is_some());
        let failure = self.record.explain(class, text, now);
        let failure = Failure {
            resets_at: exact
                .and_then(|exact| exact.resets_at)
                .or(failure.resets_at),
            ..failure
        };
        let headers = data.and_then(|data| data.headers.as_ref());
        let asked = headers.and_then(Headers::wait).or(failure.retry_after);
        self.record.failure = Some(failure.asking_for(asked, now));
    }

    /// There is no result, so the last step says how it went.
    fn last_step(&self, exit: Exit) -> Option<Failure> {
        let class = self.reason.as_deref().and_then(texts::of_reason);
        if let Some(class) = class {
            return Some(Failure::new(class, ""));
        }
        let refused = self.refused.as_deref()?;
        // It gave up in the middle, and exits as if nothing had happened.
        exit.is_zero()
            .then(|| Failure::new(EndClass::Permission, refused))
    }
}

impl Dialect for OpencodeReader {
    fn record(&mut self) -> &mut RunRecord {
        &mut self.record
    }

    fn event(&mut self, json: &str, now: EpochMs, events: &mut Vec<AgentEvent>) -> Option<()> {
        let event: Event<'_> = parse(json)?;
        let kind = event.kind.as_deref()?;
        self.session(event.session.as_deref(), events);
        match (kind, &event.part, &event.error) {
            ("step_start", ..) => {
                self.steps += 1;
                self.reason = None;
                self.answered();
                self.record.go_on();
                self.record.turn(events);
            }
            ("text", Some(part), _) => self.text(part, events),
            ("reasoning", ..) => events.push(AgentEvent::Thought),
            ("tool_use", Some(part), _) => self.tool(part, events),
            ("step_finish", Some(part), _) => self.step_finished(part, events),
            ("error", _, Some(trouble)) => self.trouble(trouble, now),
            _ => self.record.unknown(kind, events),
        }
        Some(())
    }

    fn remark(&mut self, line: &str, now: EpochMs, events: &mut Vec<AgentEvent>) {
        let Some((trouble, text)) = log::retried(line) else {
            return;
        };
        // Whoever ends a run that waits for its vendor should know that it did.
        self.record.failure = Some(self.record.explain(trouble, text, now));
        events.push(AgentEvent::Retrying(Retrying {
            trouble,
            attempt: None,
            of: None,
            delay: None,
        }));
    }

    fn verdict(&mut self, exit: Exit, now: EpochMs) -> RunEnd {
        let last_step = self.last_step(exit);
        let finished = last_step
            .as_ref()
            .is_some_and(|step| step.class == EndClass::Finished);
        if finished && exit.is_zero() {
            self.record.failure = None;
        }
        if finished {
            let reason = self.reason.take();
            self.record
                .deliver_answer(Some(self.steps), reason.as_deref());
        }
        if self.record.failure.is_none() {
            self.record.failure = last_step;
        }
        self.record.conclude(None, exit, now, TEXTS)
    }
}

/// The tool that was really meant, and why it was not permitted, if it was not.
fn denial(named: &str, state: &ToolState<'_>) -> (String, Option<String>) {
    if named == "invalid" {
        let call = state
            .input
            .and_then(|raw| parse::<InvalidCall<'_>>(raw.get()));
        let tool = call.as_ref().and_then(|call| call.tool.as_deref());
        let why = call.as_ref().and_then(|call| call.error.as_deref());
        let why = why.filter(|why| normalised(why).contains(texts::UNAVAILABLE));
        return (
            excerpt::name(tool.unwrap_or(named)),
            why.map(excerpt::detail),
        );
    }
    let why = state.error.as_deref();
    let why = why.filter(|why| {
        let why = normalised(why);
        texts::REJECTED.iter().any(|start| why.starts_with(start))
    });
    (excerpt::name(named), why.map(excerpt::detail))
}
