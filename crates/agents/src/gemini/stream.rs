//! Reading the events of Gemini CLI.

use std::collections::HashMap;

use serde_json::value::RawValue;

use crate::class::{self, EndClass};
use crate::end::{Exit, RunEnd};
use crate::event::{AgentEvent, EpochMs, SessionStarted, ToolCall, ToolOutcome, ToolResult};
use crate::excerpt::{self, Excerpt};
use crate::json::parse;
use crate::json_lines::Dialect;
use crate::phrases;
use crate::reader::Reading;
use crate::run_record::{Failure, RunRecord};
use crate::usage::{Reach, Usage};

use super::attempts::Attempts;
use super::document::{DocumentLines, Part};
use super::texts::{self, TEXTS};
use super::wire::{Document, DocumentStats, Event, Stats, Trouble};

/// The most calls whose tool is remembered until they are answered.
const OPEN_CALLS: usize = 1000;

pub(super) struct GeminiReader {
    record: RunRecord,
    open_calls: HashMap<String, String>,
    attempts: Attempts,
    documents: [DocumentLines; 2],
    /// What it says stopped it, after which it reports a success.
    stopped_by: Option<Failure>,
    said: Option<EndClass>,
}

impl GeminiReader {
    pub(super) fn new(reading: Reading) -> Self {
        Self {
            record: RunRecord::new(reading),
            open_calls: HashMap::new(),
            attempts: Attempts::default(),
            documents: [DocumentLines::default(), DocumentLines::default()],
            stopped_by: None,
            said: None,
        }
    }

    fn message(&mut self, event: &Event<'_>, events: &mut Vec<AgentEvent>) {
        match (event.role.as_deref(), &event.content) {
            (Some("assistant"), Some(text)) => {
                self.overcome();
                self.record.say(text, events);
            }
            (Some("user"), _) => self.record.turn(events),
            _ => {}
        }
    }

    /// An answer came, so what stood in the way no longer does.
    fn overcome(&mut self) {
        self.record.failure = None;
        let stays = |stop: &Failure| stop.class == EndClass::OwnLoopGuard;
        self.stopped_by = self.stopped_by.take().filter(stays);
    }

    fn call(&mut self, event: &Event<'_>, events: &mut Vec<AgentEvent>) {
        self.overcome();
        self.record.go_on();
        let id = excerpt::name(event.tool_id.as_deref().unwrap_or(""));
        let tool = excerpt::name(event.tool_name.as_deref().unwrap_or(""));
        if self.open_calls.len() < OPEN_CALLS {
            self.open_calls.insert(id.clone(), tool.clone());
        }
        events.push(AgentEvent::ToolCall(ToolCall {
            id,
            tool,
            arguments: Excerpt::of(event.parameters.map_or("", RawValue::get)),
            parent: None,
        }));
    }

    fn answer(&mut self, event: &Event<'_>, events: &mut Vec<AgentEvent>) {
        let call = excerpt::name(event.tool_id.as_deref().unwrap_or(""));
        let tool = self.open_calls.remove(&call).unwrap_or_default();
        let trouble = event.error.as_ref();
        let why = trouble.and_then(|trouble| trouble.message.as_deref());
        let kind = trouble.and_then(|trouble| trouble.kind.as_deref());
        let outcome = if kind.is_some_and(|kind| texts::DENIED.contains(&kind)) {
            self.record.deny(&call, &tool, why.unwrap_or(""), events);
            ToolOutcome::Denied
        } else if event.status.as_deref() == Some("error") {
            ToolOutcome::Failed
        } else {
            ToolOutcome::Succeeded
        };
        events.push(AgentEvent::ToolResult(ToolResult {
            call,
            outcome,
            exit_code: None,
            text: Excerpt::of(event.output.as_deref().or(why).unwrap_or("")),
        }));
    }

    fn trouble(&mut self, event: &Event<'_>, now: EpochMs, events: &mut Vec<AgentEvent>) {
        let text = event.message.as_deref().unwrap_or("");
        let is_fatal = event.severity.as_deref() == Some("error");
        let own = class::of_text(TEXTS, text);
        // Some warnings stop it all the same.
        let stops = matches!(own, Some(EndClass::OwnLoopGuard | EndClass::Refusal));
        if is_fatal || stops {
            let class = phrases::of_error(TEXTS, text).unwrap_or(EndClass::Unclear);
            self.stopped_by = Some(self.record.explain(class, text, now));
        }
        if is_fatal {
            self.record.failure = self.stopped_by.clone();
        } else {
            events.push(AgentEvent::Warning(excerpt::detail(text)));
        }
    }

    fn result(
        &mut self,
        trouble: Option<&Trouble<'_>>,
        usage: Usage,
        now: EpochMs,
        events: &mut Vec<AgentEvent>,
    ) {
        let fresh = self.record.meter.total(usage, Reach::Run, None);
        self.record.spend(fresh, events);
        self.record.failure = match trouble {
            Some(trouble) => Some(self.explained(trouble, now)),
            None => self.stopped_by.take(),
        };
        let failure = self.record.failure.as_ref();
        let class = failure.map_or(EndClass::Finished, |failure| failure.class);
        self.said = Some(class);
        let status = trouble.map_or("success", |_| "error");
        self.record.deliver_answer(None, Some(status));
        events.push(AgentEvent::Finished { class });
    }

    fn explained(&self, trouble: &Trouble<'_>, now: EpochMs) -> Failure {
        let text = trouble.message.as_deref().unwrap_or("");
        let class = trouble
            .kind
            .as_deref()
            .and_then(texts::of_error_type)
            .or_else(|| phrases::of_error(TEXTS, text))
            .unwrap_or(EndClass::Unclear);
        self.record.explain(class, text, now)
    }

    fn document(&mut self, json: &str, now: EpochMs, events: &mut Vec<AgentEvent>) {
        // A failure is printed twice, the second time with a mark before it.
        let Some(document) = parse::<Document<'_>>(json).filter(|_| self.said.is_none()) else {
            return;
        };
        self.record.in_session(document.session_id.as_deref());
        if let Some(text) = document.response.as_deref() {
            self.record.say(text, events);
        }
        let usage = document.stats.as_ref().map(DocumentStats::usage);
        self.result(
            document.error.as_ref(),
            usage.unwrap_or_default(),
            now,
            events,
        );
    }
}

impl Dialect for GeminiReader {
    fn record(&mut self) -> &mut RunRecord {
        &mut self.record
    }

    fn event(&mut self, json: &str, now: EpochMs, events: &mut Vec<AgentEvent>) -> Option<()> {
        match self.documents[0].push(json) {
            Part::Other => {}
            Part::Inside => return Some(()),
            Part::Whole(document) => {
                self.document(&document, now, events);
                return Some(());
            }
        }
        let event: Event<'_> = parse(json)?;
        match event.kind.as_deref()? {
            "init" => {
                self.record.in_session(event.session_id.as_deref());
                events.push(AgentEvent::SessionStarted(SessionStarted {
                    session: self.record.session.clone(),
                    model: event.model.as_deref().map(excerpt::name),
                    ..SessionStarted::default()
                }));
            }
            "message" => self.message(&event, events),
            "tool_use" => self.call(&event, events),
            "tool_result" => self.answer(&event, events),
            "error" => self.trouble(&event, now, events),
            "result" => {
                let usage = event.stats.as_ref().map(Stats::usage).unwrap_or_default();
                self.result(event.error.as_ref(), usage, now, events);
            }
            other => self.record.unknown(other, events),
        }
        Some(())
    }

    fn remark(&mut self, line: &str, now: EpochMs, events: &mut Vec<AgentEvent>) {
        if let Part::Whole(document) = self.documents[1].push(line) {
            return self.document(&document, now, events);
        }
        let Some((retrying, why)) = self.attempts.push(line) else {
            return;
        };
        // Whoever ends a run that sleeps on its quota should know that it did. After a
        // result, the line was only late: the two streams race.
        if retrying.trouble == EndClass::UsageLimit && self.said.is_none() {
            self.record.failure = Some(self.record.explain(EndClass::UsageLimit, &why, now));
        }
        events.push(AgentEvent::Retrying(retrying));
    }

    fn verdict(&mut self, exit: Exit, now: EpochMs) -> RunEnd {
        let end = self.record.conclude(self.said, exit, now, TEXTS);
        match (end.class, exit) {
            (EndClass::Crash | EndClass::Unclear, Exit::Code(code)) => RunEnd {
                class: texts::of_exit_code(code).unwrap_or(end.class),
                ..end
            },
            _ => end,
        }
    }
}
