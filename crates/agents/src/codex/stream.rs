//! Reading the events of Codex.

use std::collections::HashSet;

use serde_json::value::RawValue;

use crate::class::EndClass;
use crate::end::{Exit, RunEnd};
use crate::event::{
    AgentEvent, EpochMs, Retrying, SessionStarted, ToolCall, ToolOutcome, ToolResult,
};
use crate::excerpt::{self, Excerpt};
use crate::json::parse;
use crate::json_lines::Dialect;
use crate::phrases;
use crate::reader::Reading;
use crate::reset_time;
use crate::run_record::{Failure, RunRecord};
use crate::usage::Reach;

use super::texts::{DISCONNECTED, REJECTED, TEXTS};
use super::wire::{Event, Item, TokenUsage};

/// The most calls that are remembered as begun.
const BEGUN_KEPT: usize = 10_000;

pub(super) struct CodexReader {
    record: RunRecord,
    begun: HashSet<String>,
    turns: u64,
    said: Option<EndClass>,
}

impl CodexReader {
    pub(super) fn new(reading: Reading) -> Self {
        Self {
            record: RunRecord::new(reading),
            begun: HashSet::new(),
            turns: 0,
            said: None,
        }
    }

    fn item(&mut self, item: &Item<'_>, completed: bool, events: &mut Vec<AgentEvent>) {
        match item.kind.as_deref().unwrap_or("") {
            "agent_message" if completed => {
                self.record.go_on();
                self.record.say(item.text.as_deref().unwrap_or(""), events);
            }
            "reasoning" if completed => events.push(AgentEvent::Thought),
            // Of this type are remarks only; what is fatal is no item.
            "error" => {
                let text = item.message.as_deref().unwrap_or("");
                events.push(AgentEvent::Warning(excerpt::detail(text)));
            }
            "command_execution" | "file_change" | "mcp_tool_call" | "collab_tool_call"
            | "web_search" => self.tool(item, completed, events),
            "agent_message" | "reasoning" | "todo_list" => {}
            other => self.record.unknown(&format!("item/{other}"), events),
        }
    }

    fn tool(&mut self, item: &Item<'_>, completed: bool, events: &mut Vec<AgentEvent>) {
        let id = excerpt::name(item.id.as_deref().unwrap_or(""));
        let known = self.begun.contains(&id);
        if !known {
            events.push(AgentEvent::ToolCall(call(item, &id)));
        }
        if !completed {
            if self.begun.len() < BEGUN_KEPT {
                self.begun.insert(id);
            }
            return;
        }
        self.begun.remove(&id);
        let result = result(item, id);
        if result.outcome == ToolOutcome::Denied {
            let kind = item.kind.as_deref().unwrap_or("");
            let command = item.command.as_deref().unwrap_or("");
            self.record.deny(&result.call, kind, command, events);
        }
        events.push(AgentEvent::ToolResult(result));
    }

    fn trouble(&mut self, text: &str, now: EpochMs, events: &mut Vec<AgentEvent>) {
        if let Some(retrying) = reconnecting(text) {
            events.push(AgentEvent::Retrying(retrying));
            return;
        }
        self.record.failure = Some(self.explained(text, now));
    }

    /// Why, by the words of an event, or by those of an earlier one that said more.
    fn explained(&mut self, text: &str, now: EpochMs) -> Failure {
        let earlier = self.record.failure.take();
        let earlier = earlier.filter(|failure| failure.class != EndClass::Unclear);
        match (class_of(text), earlier) {
            (None, Some(earlier)) => earlier,
            (class, _) => {
                let class = class.unwrap_or(EndClass::Unclear);
                self.record.explain(class, text, now)
            }
        }
    }

    fn finish(&mut self, class: EndClass, status: &str, events: &mut Vec<AgentEvent>) {
        self.said = Some(class);
        self.record.deliver_answer(Some(self.turns), Some(status));
        events.push(AgentEvent::Finished { class });
    }

    fn completed(&mut self, usage: Option<&TokenUsage>, events: &mut Vec<AgentEvent>) {
        let total = usage.map(TokenUsage::usage).unwrap_or_default();
        let session = self.record.session.clone();
        let meter = &mut self.record.meter;
        let fresh = meter.total(total, Reach::Session, session.as_deref());
        self.record.spend(fresh, events);
        self.record.failure = None;
        self.finish(EndClass::Finished, "completed", events);
    }

    fn failed(&mut self, text: &str, now: EpochMs, events: &mut Vec<AgentEvent>) {
        let failure = self.explained(text, now);
        let class = failure.class;
        self.record.failure = Some(failure);
        self.finish(class, "failed", events);
    }
}

impl Dialect for CodexReader {
    fn record(&mut self) -> &mut RunRecord {
        &mut self.record
    }

    fn event(&mut self, json: &str, now: EpochMs, events: &mut Vec<AgentEvent>) -> Option<()> {
        let event: Event<'_> = parse(json)?;
        let kind = event.kind.as_deref()?;
        match (kind, &event.item) {
            ("thread.started", _) => {
                self.record.in_session(event.thread_id.as_deref());
                events.push(AgentEvent::SessionStarted(SessionStarted {
                    session: self.record.session.clone(),
                    ..SessionStarted::default()
                }));
            }
            ("turn.started", _) => {
                self.turns += 1;
                self.record.turn(events);
            }
            ("item.started", Some(item)) => self.item(item, false, events),
            ("item.completed", Some(item)) => self.item(item, true, events),
            ("item.updated", _) => {}
            ("turn.completed", _) => self.completed(event.usage.as_ref(), events),
            ("turn.failed", _) => {
                let text = event.error.and_then(|error| error.message);
                self.failed(text.as_deref().unwrap_or(""), now, events);
            }
            ("error", _) => self.trouble(event.message.as_deref().unwrap_or(""), now, events),
            _ => self.record.unknown(kind, events),
        }
        Some(())
    }

    fn remark(&mut self, line: &str, _now: EpochMs, events: &mut Vec<AgentEvent>) {
        if excerpt::normalised(line).contains(REJECTED) {
            self.record.deny("", "command_execution", line, events);
        }
    }

    fn verdict(&mut self, exit: Exit, now: EpochMs) -> RunEnd {
        self.record.conclude(self.said, exit, now, TEXTS)
    }
}

/// Whatever goes wrong in the middle of an answer breaks the stream, so what made it
/// break says more than that it did.
fn class_of(text: &str) -> Option<EndClass> {
    match text.split_once(DISCONNECTED) {
        Some((_, why)) => phrases::of_error(TEXTS, why).or(Some(EndClass::Network)),
        None => phrases::of_error(TEXTS, text),
    }
}

/// `Reconnecting... 2/5 (why)`: not fatal, although it is of the same type.
fn reconnecting(text: &str) -> Option<Retrying> {
    let rest = text.strip_prefix("Reconnecting...")?.trim_start();
    let (count, why) = rest.split_once(' ').unwrap_or((rest, ""));
    let (attempt, of) = count.split_once('/')?;
    Some(Retrying {
        trouble: class_of(why).unwrap_or(EndClass::Network),
        attempt: attempt.parse().ok(),
        of: of.parse().ok(),
        delay: reset_time::duration_in_text(why),
    })
}

fn call(item: &Item<'_>, id: &str) -> ToolCall {
    let kind = item.kind.as_deref().unwrap_or("");
    let json = item.arguments.or(item.changes).or(item.query);
    let arguments = match &item.command {
        Some(command) => Excerpt::of(command),
        None => Excerpt::of(json.map_or("", RawValue::get)),
    };
    ToolCall {
        id: id.to_owned(),
        tool: excerpt::name(item.tool.as_deref().unwrap_or(kind)),
        arguments,
        parent: None,
    }
}

fn result(item: &Item<'_>, call: String) -> ToolResult {
    let outcome = match item.status.as_deref() {
        Some("declined") => ToolOutcome::Denied,
        Some("failed") => ToolOutcome::Failed,
        _ => ToolOutcome::Succeeded,
    };
    let text = match &item.aggregated_output {
        Some(output) => Excerpt::of(output),
        None => Excerpt::of(item.error.or(item.result).map_or("", RawValue::get)),
    };
    ToolResult {
        call,
        outcome,
        exit_code: item.exit_code,
        text,
    }
}
