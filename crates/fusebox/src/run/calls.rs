//! Writing down which tools an agent calls in an iteration, and when.

use std::time::Instant;

use fusebox_agents::{AgentEvent, ToolOutcome};

use crate::trail::calls::{Call, CallEnd, Calls};

/// The most calls of one iteration that are kept.
const MOST: usize = 1_000;

/// Writes calls down as they come.
#[derive(Debug)]
pub(super) struct CallLog {
    begun: Instant,
    calls: Calls,
}

impl CallLog {
    pub(super) fn begin() -> Self {
        Self {
            begun: Instant::now(),
            calls: Calls::default(),
        }
    }

    pub(super) fn take(&mut self, event: &AgentEvent) {
        let after_ms = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        match event {
            AgentEvent::SessionStarted(started) => {
                let known = &mut self.calls;
                known.session = started.session.clone().or(known.session.take());
                known.model = started.model.clone().or(known.model.take());
            }
            AgentEvent::ToolCall(_) if self.calls.calls.len() >= MOST => self.calls.left_out += 1,
            AgentEvent::ToolCall(call) => self.calls.calls.push(Call {
                id: call.id.clone(),
                tool: call.tool.clone(),
                after_ms,
                took_ms: None,
                outcome: None,
            }),
            AgentEvent::ToolResult(result) => {
                let mut calls = self.calls.calls.iter_mut().rev();
                let Some(call) = calls.find(|call| call.id == result.call) else {
                    return;
                };
                call.took_ms = Some(after_ms.saturating_sub(call.after_ms));
                call.outcome = Some(match result.outcome {
                    ToolOutcome::Succeeded => CallEnd::Succeeded,
                    ToolOutcome::Failed => CallEnd::Failed,
                    ToolOutcome::Denied => CallEnd::Denied,
                });
            }
            _ => {}
        }
    }

    pub(super) fn finish(self) -> Calls {
        self.calls
    }
}
