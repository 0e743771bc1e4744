//! Reading the events of Claude Code.

use std::collections::HashSet;

use crate::class::{self, EndClass};
use crate::end::{Exit, RunEnd};
use crate::event::{
    AgentEvent, EpochMs, Limit, LimitStatus, SessionStarted, ToolOutcome, ToolResult, Window,
};
use crate::excerpt::{self, Excerpt};
use crate::json::{Maybe, parse};
use crate::json_lines::Dialect;
use crate::reader::Reading;
use crate::reset_time;
use crate::run_record::{Failure, RunRecord};
use crate::usage::Usage;

use super::texts::TEXTS;
use super::wire::{
    Answer, Block, Envelope, RateLimitInfo, ResultLine, ResultMeta, System, TokenUsage, sum,
};
use super::{outcome, parts};

/// The most denied calls that are told apart; beyond it some are counted twice.
const DENIED_KEPT: usize = 10_000;

pub(super) struct ClaudeReader {
    record: RunRecord,
    /// The code of the last synthetic message.
    last_error: Option<String>,
    /// The reset of the last window that let nothing through.
    rejected_until: Option<EpochMs>,
    denied: HashSet<String>,
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
            last_error: None,
            rejected_until: None,
            denied: HashSet::new(),
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
            self.last_error = line.error.as_deref().map(excerpt::name);
            return;
        }
        self.last_error = None;
        if parent.is_none() && message.id.as_deref() != self.message.as_deref() {
            self.message = message.id.as_deref().map(excerpt::name);
            let usage = message.usage.as_ref().map(TokenUsage::usage);
            let usage = usage.unwrap_or_default();
            self.since_result = self.since_result.plus(&usage);
            self.record.turn(events);
        }
        for block in message.blocks() {
            events.extend(parts::said_or_called(block, parent.as_deref()));
        }
    }

    fn user(&mut self, line: &Envelope<'_>, events: &mut Vec<AgentEvent>) {
        let Some(message) = &line.message else {
            return self.record.unknown("user", events);
        };
        for block in message.blocks() {
            if block.kind.as_deref() == Some("tool_result") {
                let result = self.tool_result(block, line.tool_result_meta.as_deref());
                events.push(AgentEvent::ToolResult(result));
            }
        }
    }

    fn tool_result(&self, block: &Block<'_>, meta: Option<&[Maybe<ResultMeta<'_>>]>) -> ToolResult {
        let call = block.tool_use_id.as_deref().unwrap_or("");
        let meta = meta.unwrap_or_default().iter();
        let rejected = meta.filter_map(|meta| meta.0.as_ref()).any(|meta| {
            let decision = meta.permission_decision.as_ref();
            let decision = decision.and_then(|decision| decision.decision.as_deref());
            meta.id.as_deref() == Some(call) && decision == Some("reject")
        });
        let text = block.content.as_ref().map(Answer::text).unwrap_or_default();
        let failed = block.is_error == Some(true);
        let outcome = if rejected || self.denied.contains(call) {
            ToolOutcome::Denied
        } else if failed {
            ToolOutcome::Failed
        } else {
            ToolOutcome::Succeeded
        };
        ToolResult {
            call: excerpt::name(call),
            outcome,
            exit_code: failed.then(|| parts::exit_code(&text)).flatten(),
            text: Excerpt::of(&text),
        }
    }

    fn system(&mut self, line: &Envelope<'_>, json: &str, events: &mut Vec<AgentEvent>) {
        let subtype = line.subtype.as_deref().unwrap_or("");
        let Some(system) = parse::<System<'_>>(json) else {
            return self.record.unknown("system", events);
        };
        match subtype {
            "init" => events.push(AgentEvent::SessionStarted(SessionStarted {
                session: self.record.session.clone(),
                model: system.model.as_deref().map(excerpt::name),
                version: system.claude_code_version.as_deref().map(excerpt::name),
                cwd: system.cwd.as_deref().map(excerpt::detail),
            })),
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
            | "task_notification"
            | "model_refusal_fallback"
            | "model_refusal_no_fallback"
            | "worker_shutting_down" => {}
            _ => self.record.unknown(&format!("system/{subtype}"), events),
        }
    }

    fn deny(&mut self, call: &str, tool: Option<&str>, why: &str, events: &mut Vec<AgentEvent>) {
        if !call.is_empty() && self.denied.contains(call) {
            return;
        }
        if self.denied.len() < DENIED_KEPT {
            self.denied.insert(excerpt::name(call));
        }
        self.record.deny(tool.unwrap_or(""), why, events);
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
            .and_then(|seconds| seconds.checked_mul(1000))
            .and_then(|at| reset_time::plausible(at, now, Window::Other));
        if status == LimitStatus::Rejected {
            self.rejected_until = resets_at;
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
        let denied = line.permission_denials.iter().flatten();
        for call in denied.filter_map(|call| call.0.as_ref()) {
            let id = call.tool_use_id.as_deref().unwrap_or("");
            self.deny(id, call.tool_name.as_deref(), "", events);
        }
        let (class, words) = outcome::of_result(&line, self.last_error.take().as_deref());
        self.record.failure = (class != EndClass::Finished).then(|| {
            let failure = self.record.explain(class, &words, now);
            self.with_known_reset(failure)
        });
        self.said = Some(class);
        let status = line.terminal_reason.as_deref().or(line.subtype.as_deref());
        let text = line.result.as_deref().unwrap_or("");
        self.record.deliver(text, line.num_turns, status);
        events.push(AgentEvent::Finished { class });
    }

    /// The event of the window knows better than the sentence: what a full window
    /// turns away is no mere burst of requests.
    fn with_known_reset(&self, failure: Failure) -> Failure {
        let class = match failure.class {
            EndClass::RateLimited if self.rejected_until.is_some() => EndClass::UsageLimit,
            class => class,
        };
        let limited = class == EndClass::UsageLimit;
        Failure {
            class,
            resets_at: self
                .rejected_until
                .filter(|_| limited)
                .or(failure.resets_at),
            ..failure
        }
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

    /// With `--output-format text` all of standard output is the final text,
    /// and after a failure it is nothing but the one line that tells why.
    fn failure_in_text(&self, exit: Exit, now: EpochMs) -> Option<Failure> {
        let text = self.record.text.only_line()?;
        let failed = matches!(exit, Exit::Code(code) if code != 0);
        let class = class::of_text(TEXTS, text).filter(|_| failed && self.said.is_none())?;
        Some(self.record.explain(class, text, now))
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
            self.record.failure = self.failure_in_text(exit, now);
        }
        self.record.conclude(self.said, exit, now, TEXTS)
    }
}
