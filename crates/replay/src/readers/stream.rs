//! What agents print while they work, kept in a file: read by the very readers
//! that `run` listens with, so that both hear the same.

use fusebox_agents::{
    Agent, AgentEvent, Exit, Line, Reader, Reading, Stream, ToolOutcome, ToolResult, Usage,
};

use super::LineReader;
use crate::heard::{Answered, Called, Heard, Identity, Listener};

/// Reads the printed events of one agent.
pub(crate) struct PrintedEvents {
    reader: Box<dyn Reader>,
    events: Vec<AgentEvent>,
    /// What the lines told so far; the rest comes out at the end.
    spent: Usage,
    begun: bool,
}

impl PrintedEvents {
    pub(crate) fn of(agent: &dyn Agent) -> Self {
        Self {
            reader: agent.reader(Reading::default()),
            events: Vec::new(),
            spent: Usage::default(),
            begun: false,
        }
    }
}

impl LineReader for PrintedEvents {
    fn line(&mut self, json: &str, to: &mut dyn Listener) -> Option<()> {
        self.events.clear();
        let line = Line::whole(json.as_bytes());
        self.reader.line(Stream::Stdout, line, 0, &mut self.events);
        let foreign = |event: &AgentEvent| {
            matches!(
                event,
                AgentEvent::Unreadable { .. } | AgentEvent::Unknown { .. }
            )
        };
        if !self.events.is_empty() && self.events.iter().all(foreign) {
            return None;
        }
        if !self.begun {
            self.begun = true;
            to.hear(None, Heard::Session(Identity::default()));
        }
        for event in &self.events {
            if let AgentEvent::Spent(usage) = event {
                self.spent = self.spent.plus(usage);
            }
            if let Some(heard) = heard(event) {
                to.hear(None, heard);
            }
        }
        Some(())
    }

    fn end(&mut self, to: &mut dyn Listener) {
        let total = self.reader.end(Exit::StoppedByUs, 0).usage;
        if self.spent.is_unknown() && !total.is_unknown() {
            to.hear(None, Heard::Spent(total));
        }
    }
}

/// What an event of an agent means for whoever follows the session. What
/// sub-agents call is left out: it stands between the calls of the agent that
/// started them, and belongs to conversations of their own.
#[must_use]
pub fn heard(event: &AgentEvent) -> Option<Heard<'_>> {
    Some(match event {
        AgentEvent::SessionStarted(started) => Heard::Session(Identity {
            session: started.session.as_deref().unwrap_or(""),
            model: started.model.as_deref().unwrap_or(""),
            ..Identity::default()
        }),
        AgentEvent::Finished { .. } => Heard::Turn,
        AgentEvent::Prompted(text) => Heard::User(&text.text),
        AgentEvent::Woken => Heard::Woken,
        AgentEvent::ToolCall(call) if call.parent.is_some() => return None,
        AgentEvent::ToolCall(call) => Heard::Called(Called {
            id: &call.id,
            tool: &call.tool,
            arguments: &call.arguments.text,
        }),
        AgentEvent::ToolResult(result) => Heard::Answered(Answered {
            id: &result.call,
            outcome: outcome(result),
            text: &result.text.text,
            bytes: result.text.bytes,
        }),
        AgentEvent::Said(text) => Heard::Said(&text.text),
        AgentEvent::Thought => Heard::Thought(""),
        AgentEvent::Spent(usage) => Heard::Spent(*usage),
        AgentEvent::Compacted => Heard::Compacted,
        // Several answers of the model are one turn, unless somebody speaks in between.
        AgentEvent::TurnStarted
        | AgentEvent::Denied { .. }
        | AgentEvent::Retrying(_)
        | AgentEvent::Limit(_)
        | AgentEvent::Warning(_)
        | AgentEvent::Unknown { .. }
        | AgentEvent::Unreadable { .. } => return None,
    })
}

/// How a call went. Some agents call a command that failed a success.
fn outcome(result: &ToolResult) -> ToolOutcome {
    match (result.outcome, result.exit_code) {
        (ToolOutcome::Succeeded, Some(code)) if code != 0 => ToolOutcome::Failed,
        (outcome, _) => outcome,
    }
}
