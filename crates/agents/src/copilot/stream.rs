//! Reading the events of Copilot CLI.

use std::collections::HashMap;

use serde_json::value::RawValue;

use crate::class::EndClass;
use crate::end::{Exit, RunEnd};
use crate::event::{AgentEvent, EpochMs, Retrying, ToolCall, ToolOutcome, ToolResult};
use crate::excerpt::{self, Excerpt};
use crate::json::parse;
use crate::json_lines::Dialect;
use crate::phrases;
use crate::reader::Reading;
use crate::run_record::RunRecord;

use super::texts::{self, TEXTS};
use super::wire::{Data, Event};

/// The most calls whose tool is remembered until they are answered.
const OPEN_CALLS: usize = 1000;

pub(super) struct CopilotReader {
    record: RunRecord,
    open_calls: HashMap<String, String>,
    turns: u64,
    retries: u64,
    aborted: bool,
    said: Option<EndClass>,
}

impl CopilotReader {
    pub(super) fn new(reading: Reading) -> Self {
        Self {
            record: RunRecord::new(reading),
            open_calls: HashMap::new(),
            turns: 0,
            retries: 0,
            aborted: false,
            said: None,
        }
    }

    fn call(&mut self, data: &Data<'_>, events: &mut Vec<AgentEvent>) {
        self.record.go_on();
        let id = excerpt::name(data.call.as_deref().unwrap_or(""));
        let tool = excerpt::name(data.tool.as_deref().unwrap_or(""));
        if self.open_calls.len() < OPEN_CALLS {
            self.open_calls.insert(id.clone(), tool.clone());
        }
        events.push(AgentEvent::ToolCall(ToolCall {
            id,
            tool,
            arguments: Excerpt::of(data.arguments.map_or("", RawValue::get)),
            parent: None,
        }));
    }

    fn answer(&mut self, data: &Data<'_>, events: &mut Vec<AgentEvent>) {
        let call = excerpt::name(data.call.as_deref().unwrap_or(""));
        let tool = self.open_calls.remove(&call).unwrap_or_default();
        let trouble = data.error.as_ref();
        let why = trouble.and_then(|trouble| trouble.message.as_deref());
        let exit_code = data.shell.as_ref().and_then(|shell| shell.exit_code);
        let code = trouble.and_then(|trouble| trouble.code.as_deref());
        let outcome = if code == Some("denied") {
            self.record.deny(&call, &tool, why.unwrap_or(""), events);
            ToolOutcome::Denied
        } else if data.success == Some(false) || exit_code.is_some_and(|code| code != 0) {
            ToolOutcome::Failed
        } else {
            ToolOutcome::Succeeded
        };
        let text = data
            .result
            .as_ref()
            .and_then(|result| result.content.as_deref());
        events.push(AgentEvent::ToolResult(ToolResult {
            call,
            outcome,
            exit_code,
            text: Excerpt::of(text.or(why).unwrap_or("")),
        }));
    }

    fn retry(&mut self, data: &Data<'_>, events: &mut Vec<AgentEvent>) {
        self.retries += 1;
        let trouble = data.reason.as_deref().and_then(texts::of_error_code);
        events.push(AgentEvent::Retrying(Retrying {
            trouble: trouble.unwrap_or(EndClass::Unclear),
            attempt: Some(self.retries + 1),
            of: None,
            delay: None,
        }));
    }

    fn trouble(&mut self, data: &Data<'_>, now: EpochMs) {
        let text = data.message.as_deref().unwrap_or("");
        let class = data
            .error_code
            .as_deref()
            .and_then(texts::of_error_code)
            .or_else(|| phrases::of_error(TEXTS, text))
            .or_else(|| texts::of_error_code(data.error_type.as_deref()?))
            .or_else(|| EndClass::of_status(data.status?))
            .unwrap_or(EndClass::Unclear);
        self.record.failure = Some(self.record.explain(class, text, now));
    }

    fn result(&mut self, event: &Event<'_>, events: &mut Vec<AgentEvent>) {
        self.record.in_session(event.session.as_deref());
        let failure = self.record.failure.as_ref();
        let class = match failure {
            Some(failure) => failure.class,
            None if self.aborted => EndClass::Stopped,
            None if event.exit_code == Some(0) => EndClass::Finished,
            None => EndClass::Unclear,
        };
        self.said = Some(class);
        let code = event.exit_code.map(|code| format!("exit code {code}"));
        self.record
            .deliver_answer(Some(self.turns), code.as_deref());
        events.push(AgentEvent::Finished { class });
    }
}

impl Dialect for CopilotReader {
    fn record(&mut self) -> &mut RunRecord {
        &mut self.record
    }

    fn event(&mut self, json: &str, now: EpochMs, events: &mut Vec<AgentEvent>) -> Option<()> {
        let event: Event<'_> = parse(json)?;
        let kind = event.kind.as_deref()?;
        if kind == "result" {
            self.result(&event, events);
            return Some(());
        }
        let Some(data) = &event.data else {
            self.record.unknown(kind, events);
            return Some(());
        };
        match kind {
            "assistant.turn_start" => {
                self.turns += 1;
                self.record.turn(events);
            }
            "assistant.message" => {
                self.record.failure = None;
                let text = data.content.as_deref().unwrap_or("");
                if !text.is_empty() {
                    self.record.go_on();
                    self.record.say(text, events);
                }
            }
            "assistant.turn_retry" => self.retry(data, events),
            "tool.execution_start" => self.call(data, events),
            "tool.execution_complete" => self.answer(data, events),
            "session.error" => self.trouble(data, now),
            "session.compaction_complete" => events.push(AgentEvent::Compacted),
            "abort" => self.aborted = true,
            "user.message" | "assistant.turn_end" => {}
            _ if event.ephemeral == Some(true) => {}
            _ => self.record.unknown(kind, events),
        }
        Some(())
    }

    fn verdict(&mut self, exit: Exit, now: EpochMs) -> RunEnd {
        let aborted = self.aborted.then_some(EndClass::Stopped);
        self.record
            .conclude(self.said.or(aborted), exit, now, TEXTS)
    }
}
