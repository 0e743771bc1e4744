//! Reading the events of Claude Code.

use crate::class::EndClass;
use crate::end::{Exit, RunEnd};
use crate::event::{
    AgentEvent, EpochMs, Limit, LimitStatus, SessionStarted, ToolOutcome, ToolResult, Window,
};
use crate::excerpt::{self, Excerpt};
use crate::json::{Maybe, parse};
use crate::json_lines::Dialect;
use crate::message::{Block, TokenUsage};
use crate::prose::Prose;
use crate::reader::Reading;
use crate::reset_time;
use crate::run_record::RunRecord;
use crate::usage::Usage;

use super::denials::Denials;
use super::obstacle::{Obstacle, Synthetic};
use super::texts::{RESUMED, TEXTS};
use super::wire::{Envelope, Message, RateLimitInfo, ResultLine, ResultMeta, System, sum};
use super::{outcome, parts};

pub(super) struct ClaudeReader {
    record: RunRecord,
    obstacle: Obstacle,
    denials: Denials,
    /// The model's message that is being written.
    message: Option<String>,
    /// What messages since the last result used at least.
    since_result: Usage,
    said: Option<EndClass>,
}

impl ClaudeReader {
    pub(super) fn new(reading: Reading) -> Self {
        Self {
            record: RunRecord::new(reading),
            obstacle: Obstacle::default(),
            denials: Denials::default(),
            message: None,
            since_result: Usage::default(),
            said: None,
        }
    }

    fn assistant(&mut self, line: &Envelope<'_>, events: &mut Vec<AgentEvent>) {
        let Some(message) = &line.message else {
            return self.record.unknown("assistant", events);
        };
        let parent = line.parent_tool_use_id.as_deref().map(excerpt::name);
        if message.model.as_deref() == Some("<synthetic>") {
            return self.obstacle.failed(synthetic(line, message));
        }
        self.obstacle.overcome();
        if parent.is_none() && message.id.as_deref() != self.message.as_deref() {
            self.message = message.id.as_deref().map(excerpt::name);
            let usage = message.usage.as_ref().map(TokenUsage::usage);
            let usage = usage.unwrap_or_default();
            self.since_result = self.since_result.plus(&usage);
            self.record.turn(events);
        }
        for block in message.blocks() {
            let event = parts::said_or_called(block, parent.as_deref());
            if let Some(AgentEvent::ToolCall(call)) = &event {
                self.denials.called(&call.id, &call.tool);
            }
            events.extend(event);
        }
    }

    fn user(&mut self, line: &Envelope<'_>, events: &mut Vec<AgentEvent>) {
        let Some(message) = &line.message else {
            return self.record.unknown("user", events);
        };
        let meta = line.tool_result_meta.as_deref().unwrap_or_default();
        let is_ours = line.parent_tool_use_id.is_none();
        for block in message.blocks() {
            match block.kind.as_deref() {
                Some("tool_result") => self.tool_result(block, meta, events),
                Some("text") if is_ours => events.extend(block.text.as_deref().map(prompted)),
                _ => {}
            }
        }
    }

    fn tool_result(
        &mut self,
        block: &Block<'_>,
        meta: &[Maybe<ResultMeta<'_>>],
        events: &mut Vec<AgentEvent>,
    ) {
        let call = block.tool_use_id.as_deref().unwrap_or("");
        let text = block.content.as_ref().map(Prose::text).unwrap_or_default();
        let mut meta = meta.iter().filter_map(|meta| meta.0.as_ref());
        if meta.any(|meta| meta.rejects(call)) {
            self.deny(call, None, &text, events);
        }
        let failed = block.is_error == Some(true);
        let outcome = if self.denials.has(call) {
            ToolOutcome::Denied
        } else if failed {
            ToolOutcome::Failed
        } else {
            ToolOutcome::Succeeded
        };
        self.denials.answered(call, outcome);
        events.push(AgentEvent::ToolResult(ToolResult {
            call: excerpt::name(call),
            outcome,
            exit_code: failed.then(|| parts::exit_code(&text)).flatten(),
            text: Excerpt::of(&text),
        }));
    }

    fn system(&mut self, line: &Envelope<'_>, json: &str, events: &mut Vec<AgentEvent>) {
        let subtype = line.subtype.as_deref().unwrap_or("");
        let Some(system) = parse::<System<'_>>(json) else {
            return self.record.unknown("system", events);
        };
        match subtype {
            "init" => {
                // Not every reason to go on after a result is printed.
                events.extend(self.said.map(|_| AgentEvent::Woken));
                events.push(AgentEvent::SessionStarted(SessionStarted {
                    session: self.record.session.clone(),
                    model: system.model.as_deref().map(excerpt::name),
                    version: system.claude_code_version.as_deref().map(excerpt::name),
                    cwd: system.cwd.as_deref().map(excerpt::detail),
                }));
            }
            "task_notification" => events.push(AgentEvent::Woken),
            "api_retry" => events.push(AgentEvent::Retrying(parts::retrying(&system))),
            "permission_denied" => {
                let call = system.tool_use_id.as_deref().unwrap_or("");
                let why = system.message.as_deref().unwrap_or("");
                self.deny(call, system.tool_name.as_deref(), why, events);
            }
            "compact_boundary" => events.push(AgentEvent::Compacted),
            "informational" | "notification" => {
                let text = system.content.or(system.message);
                let text = text.as_deref().map(excerpt::detail).unwrap_or_default();
                events.push(AgentEvent::Warning(text));
            }
            "status"
            | "session_state_changed"
            | "background_tasks_changed"
            | "thinking_tokens"
            | "hook_started"
            | "hook_progress"
            | "hook_response"
            | "task_started"
            | "task_progress"
            | "task_updated"
            | "model_refusal_fallback"
            | "model_refusal_no_fallback"
            | "worker_shutting_down" => {}
            _ => self.record.unknown(&format!("system/{subtype}"), events),
        }
    }

    fn deny(&mut self, call: &str, tool: Option<&str>, why: &str, events: &mut Vec<AgentEvent>) {
        if self.denials.is_new(call) {
            let tool = tool.or_else(|| self.denials.tool_of(call));
            self.record.deny(call, tool.unwrap_or(""), why, events);
        }
    }

    /// A result lists all denials once more. Older releases tell of them nowhere else,
    /// and what was done since shows that those before it were overcome.
    fn deny_listed(&mut self, line: &ResultLine<'_>, events: &mut Vec<AgentEvent>) {
        let listed = line.permission_denials.iter().flatten();
        let listed: Vec<_> = listed
            .filter_map(|call| call.0.as_ref())
            .map(|call| (call.tool_use_id.as_deref().unwrap_or(""), call))
            .collect();
        let ids = listed.iter().map(|(id, _)| *id).collect();
        let latest = self.denials.latest(&ids);
        for (id, call) in listed {
            let tool = call.tool_name.as_deref();
            if latest.contains(id) {
                self.deny(id, tool, "", events);
            } else if self.denials.is_new(id) {
                self.record.deny_in_passing(tool.unwrap_or(""), events);
            }
        }
    }

    fn limit(
        &mut self,
        info: Option<&RateLimitInfo<'_>>,
        now: EpochMs,
        events: &mut Vec<AgentEvent>,
    ) {
        let Some(info) = info else {
            return self.record.unknown("rate_limit_event", events);
        };
        let window = match info.window.as_deref() {
            Some("five_hour") => Window::Hours,
            Some(window) if window.starts_with("seven_day") => Window::Week,
            _ => Window::Other,
        };
        let status = match info.status.as_deref() {
            Some("rejected") => LimitStatus::Rejected,
            Some("allowed_warning") => LimitStatus::Warning,
            _ => LimitStatus::Allowed,
        };
        let resets_at = info
            .resets_at
            .and_then(|at| reset_time::plausible(at.0, now, Window::Other));
        // Beyond a full window, requests may still be paid for one by one.
        if status == LimitStatus::Rejected && info.is_using_overage != Some(true) {
            self.obstacle.rejected(resets_at);
        }
        events.push(AgentEvent::Limit(Limit {
            window,
            status,
            used: info.utilization.filter(|used| used.is_finite()),
            resets_at,
        }));
    }

    fn result(&mut self, json: &str, now: EpochMs, events: &mut Vec<AgentEvent>) {
        let Some(line) = parse::<ResultLine<'_>>(json) else {
            return self.record.unknown("result", events);
        };
        self.account(&line, events);
        self.deny_listed(&line, events);
        let error = self.obstacle.take_error();
        let (class, words) = outcome::of_result(&line, error.as_ref());
        let failed = class != EndClass::Finished;
        let failure = failed.then(|| self.record.explain(class, &words, now));
        self.record.failure = failure.map(|failure| self.obstacle.with_known_reset(failure));
        let class = self
            .record
            .failure
            .as_ref()
            .map_or(class, |failure| failure.class);
        self.said = Some(class);
        let status = line.terminal_reason.as_deref().or(line.subtype.as_deref());
        let text = line.result.as_deref().unwrap_or("");
        self.record.deliver(text, line.num_turns, status);
        events.push(AgentEvent::Finished { class });
    }

    fn account(&mut self, line: &ResultLine<'_>, events: &mut Vec<AgentEvent>) {
        let session = self.record.session.clone();
        let total = outcome::total(line);
        let since_last = line.model_usage_since_last_result.as_ref().map(sum);
        let meter = &mut self.record.meter;
        // A difference without a price is of no use where the total has one.
        let since_last =
            since_last.filter(|fresh| fresh.micro_usd.is_some() || total.is_none_or(unbilled));
        let fresh = match (since_last, total) {
            (Some(fresh), total) => meter.difference(fresh, total, session.as_deref()),
            (None, Some(total)) => meter.total(total, outcome::reach(line), session.as_deref()),
            (None, None) => Usage::default(),
        };
        self.since_result = Usage::default();
        self.message = None;
        self.record.spend(fresh, events);
    }
}

fn synthetic(line: &Envelope<'_>, message: &Message<'_>) -> Synthetic {
    let words = message.blocks().find_map(|block| block.text.as_deref());
    Synthetic {
        code: line.error.as_deref().map(excerpt::name),
        kind: line.api_error_type.as_deref().map(excerpt::name),
        status: line.api_error_status,
        text: words.map(excerpt::detail).unwrap_or_default(),
    }
}

/// What a user's line says to the model. The program's own words that ask for the rest
/// of an answer are no prompt: the same answer goes on.
fn prompted(text: &str) -> AgentEvent {
    if RESUMED.iter().any(|words| text.starts_with(words)) {
        AgentEvent::Woken
    } else {
        AgentEvent::Prompted(Excerpt::of(text))
    }
}

fn unbilled(usage: Usage) -> bool {
    usage.micro_usd.is_none()
}

impl Dialect for ClaudeReader {
    fn record(&mut self) -> &mut RunRecord {
        &mut self.record
    }

    fn event(&mut self, json: &str, now: EpochMs, events: &mut Vec<AgentEvent>) -> Option<()> {
        let line: Envelope<'_> = parse(json)?;
        let kind = line.kind.as_deref()?;
        self.record.in_session(line.session_id.as_deref());
        match kind {
            "assistant" => self.assistant(&line, events),
            "user" => self.user(&line, events),
            "system" => self.system(&line, json, events),
            "rate_limit_event" => self.limit(line.rate_limit_info.as_ref(), now, events),
            "result" => self.result(json, now, events),
            "stream_event" | "tool_progress" | "keep_alive" | "auth_status" | "active_goal" => {}
            _ => self.record.unknown(kind, events),
        }
        Some(())
    }

    fn verdict(&mut self, exit: Exit, now: EpochMs) -> RunEnd {
        if !self.since_result.is_unknown() {
            // Killed before the bill: what is known of it counts, and is also
            // put to the mark, because a resumed session will report it again.
            let session = self.record.session.clone();
            let known = self.since_result;
            self.record
                .meter
                .difference(known, None, session.as_deref());
        }
        if self.record.failure.is_none() {
            self.record.failure = self.obstacle.untold(&self.record, now);
        }
        self.record.conclude(self.said, exit, now, TEXTS)
    }
}
