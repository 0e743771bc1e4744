//! What an agent does, as far as its events tell, added up over one iteration.

use std::collections::BTreeMap;
use std::time::Duration;

use fusebox_agents::{
    AgentEvent, EndClass, EpochMs, Limit, LimitStatus, ToolCall, ToolOutcome, ToolResult, Usage,
};
use fusebox_view::escape;

/// Calls whose answers are awaited; more than this at once are not followed.
const AWAITED: usize = 256;
/// The widest that a call's argument is shown.
const WIDTH: usize = 100;
/// The names under which the first thing worth seeing of a call stands.
const TELLING: [&str; 9] = [
    "command",
    "cmd",
    "file_path",
    "filePath",
    "path",
    "pattern",
    "query",
    "url",
    "description",
];

/// What was seen of one iteration.
#[derive(Debug, Default)]
pub(super) struct Activity {
    pub(super) session: Option<String>,
    pub(super) model: Option<String>,
    pub(super) turns: u32,
    pub(super) tool_calls: u64,
    /// Those that were carried out, well or not.
    pub(super) tool_calls_completed: u64,
    /// The last thing it said.
    pub(super) last_said: Option<String>,
    /// Tool calls in a row that were not permitted, earlier iterations included.
    pub(super) denied_in_a_row: u32,
    /// What was denied, for the person who may permit it.
    pub(super) denied: Vec<String>,
    /// The last command or tool, if it failed and nothing succeeded after it.
    pub(super) unresolved: Option<Unresolved>,
    pub(super) spent: Usage,
    pub(super) compactions: u32,
    /// Set by the first result; the process may go on after it.
    pub(super) finished: bool,
    /// When the vendor's usage window is full, and when it begins anew.
    pub(super) rejected: Option<Limit>,
    /// The agent has announced that it sleeps for a limit.
    pub(super) sleeps: Option<(EndClass, Duration)>,
    /// The tool that is being used, and the first thing worth seeing of its call.
    using: Option<(String, String)>,
    awaited: BTreeMap<String, String>,
    announced_denials: u32,
    /// Calls that were answered with an error since one last succeeded.
    failed: Vec<FailedCall>,
}

/// A call that was answered with an error.
#[derive(Debug)]
struct FailedCall {
    call: String,
    /// Denials in a row that it put an end to.
    denied_before: u32,
}

/// A tool that failed.
#[derive(Clone, Debug)]
pub(super) struct Unresolved {
    call: String,
    pub(super) tool: String,
    pub(super) text: String,
    pub(super) exit_code: Option<i64>,
}

impl Activity {
    pub(super) fn after(denied_in_a_row: u32) -> Self {
        Self {
            denied_in_a_row,
            ..Self::default()
        }
    }

    /// Takes one event in; answers with a line worth showing, if it is one.
    pub(super) fn take(&mut self, event: &AgentEvent) -> Option<String> {
        match event {
            AgentEvent::SessionStarted(started) => {
                self.session = started.session.clone().or(self.session.take());
                self.model = started.model.clone().or(self.model.take());
                let model = self.model.as_deref().unwrap_or("default model");
                Some(format!("session started · {}", escape::line(model, WIDTH)))
            }
            AgentEvent::TurnStarted => {
                self.turns = self.turns.saturating_add(1);
                None
            }
            AgentEvent::ToolCall(call) => Some(self.called(call)),
            AgentEvent::ToolResult(result) => self.answered(result),
            AgentEvent::Denied { call, tool, why } => {
                match self.take_back_failure(call) {
                    true => self.note_denied(tool),
                    false => {
                        self.announced_denials += 1;
                        self.deny(tool);
                    }
                }
                let [tool, why] = [tool, why].map(|text| escape::line(text, WIDTH));
                Some(
                    format!("✗ not permitted: {tool} {why}")
                        .trim_end()
                        .to_owned(),
                )
            }
            AgentEvent::Said(text) => {
                self.last_said = Some(text.text.clone());
                Some(said(&text.text)).filter(|line| !line.is_empty())
            }
            AgentEvent::Retrying(retry) => {
                let wait = retry.delay.unwrap_or_default();
                self.sleeps = Some((retry.trouble, wait));
                self.using = Some(("waits".into(), retry.trouble.name().into()));
                let when = match wait.as_secs() {
                    0 => String::new(),
                    seconds => format!(" in {seconds} s"),
                };
                Some(format!("… {}, trying again{when}", retry.trouble.name()))
            }
            AgentEvent::Limit(limit) => self.limit(limit),
            AgentEvent::Spent(usage) => {
                self.spent = self.spent.plus(usage);
                None
            }
            AgentEvent::Compacted => {
                self.compactions += 1;
                Some("… the conversation was compacted".into())
            }
            AgentEvent::Finished { .. } => {
                self.finished = true;
                self.using = None;
                None
            }
            AgentEvent::Warning(text) => Some(format!("! {}", escape::line(text, 2 * WIDTH))),
            AgentEvent::Prompted(_)
            | AgentEvent::Woken
            | AgentEvent::Thought
            | AgentEvent::Unknown { .. }
            | AgentEvent::Unreadable { .. } => None,
        }
    }

    fn called(&mut self, call: &ToolCall) -> String {
        self.tool_calls += 1;
        self.finished = false;
        self.sleeps = None;
        if self.awaited.len() < AWAITED {
            self.awaited.insert(call.id.clone(), call.tool.clone());
        }
        let argument = telling(&call.arguments.text);
        let line = escape::line(&format!("→ {} {argument}", call.tool), WIDTH);
        self.using = Some((call.tool.clone(), argument));
        line
    }

    fn answered(&mut self, result: &ToolResult) -> Option<String> {
        let tool = self.awaited.remove(&result.call).unwrap_or_default();
        self.sleeps = None;
        if self.awaited.is_empty() {
            self.using = None;
        }
        match result.outcome {
            ToolOutcome::Denied if self.announced_denials > 0 => self.announced_denials -= 1,
            ToolOutcome::Denied => self.deny(&tool),
            ToolOutcome::Succeeded => {
                self.tool_calls_completed += 1;
                self.denied_in_a_row = 0;
                self.failed.clear();
            }
            ToolOutcome::Failed => {
                self.tool_calls_completed += 1;
                let denied_before = std::mem::take(&mut self.denied_in_a_row);
                if self.failed.len() == AWAITED {
                    self.failed.remove(0);
                }
                self.failed.push(FailedCall {
                    call: result.call.clone(),
                    denied_before,
                });
            }
        }
        let failed_command = result.exit_code.is_some_and(|code| code != 0);
        if result.outcome != ToolOutcome::Failed && !failed_command {
            self.unresolved = self.unresolved.take().filter(|open| open.tool != tool);
            return None;
        }
        let last = last_line(&result.text.text);
        self.unresolved = Some(Unresolved {
            call: result.call.clone(),
            tool,
            text: result.text.text.clone(),
            exit_code: result.exit_code,
        });
        let code = result
            .exit_code
            .map_or_else(String::new, |code| format!(" ({code})"));
        Some(format!("✗ failed{code}: {}", escape::line(last, WIDTH)))
    }

    /// A call that was answered with an error turns out not to have been permitted: some agents
    /// say so only at their end. What it ended goes on, with it. `false` if no call did.
    fn take_back_failure(&mut self, call: &str) -> bool {
        let is_it = |failed: &FailedCall| !call.is_empty() && failed.call == call;
        let Some(at) = self.failed.iter().rposition(is_it) else {
            return false;
        };
        let denied = self.failed.remove(at).denied_before.saturating_add(1);
        let after = match self.failed.get_mut(at) {
            Some(next) => &mut next.denied_before,
            None => &mut self.denied_in_a_row,
        };
        *after = after.saturating_add(denied);
        self.tool_calls_completed = self.tool_calls_completed.saturating_sub(1);
        self.unresolved = self.unresolved.take().filter(|open| open.call != call);
        true
    }

    fn deny(&mut self, tool: &str) {
        self.denied_in_a_row = self.denied_in_a_row.saturating_add(1);
        self.note_denied(tool);
    }

    fn note_denied(&mut self, tool: &str) {
        let tool = escape::line(tool, WIDTH);
        if self.denied.len() < 16 && !self.denied.contains(&tool) {
            self.denied.push(tool);
        }
    }

    fn limit(&mut self, limit: &Limit) -> Option<String> {
        match limit.status {
            LimitStatus::Allowed => None,
            LimitStatus::Warning => {
                let used = limit.used.unwrap_or_default() * 100.0;
                Some(format!("! {used:.0} % of the vendor's usage limit is used"))
            }
            LimitStatus::Rejected => {
                self.rejected = Some(limit.clone());
                Some("! the vendor's usage limit is reached".into())
            }
        }
    }

    /// The tool that is being used, and what on.
    pub(super) fn doing(&self) -> Option<(&str, &str)> {
        let (tool, argument) = self.using.as_ref()?;
        Some((tool, argument))
    }

    /// When the vendor lets more through, if it said so.
    pub(super) fn resets_at(&self) -> Option<EpochMs> {
        self.rejected.as_ref().and_then(|limit| limit.resets_at)
    }
}

/// The first thing worth seeing of a call's arguments.
fn telling(arguments: &str) -> String {
    let Ok(fields) = serde_json::from_str::<BTreeMap<String, serde_json::Value>>(arguments) else {
        return arguments.to_owned();
    };
    let named = TELLING.iter().find_map(|name| fields.get(*name));
    match named.or_else(|| fields.values().next()) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

fn said(text: &str) -> String {
    let lines: Vec<_> = text
        .lines()
        .map(|line| escape::line(line, 4 * WIDTH))
        .collect();
    lines.join("\n").trim().to_owned()
}

fn last_line(text: &str) -> &str {
    text.lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default()
}
