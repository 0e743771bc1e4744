//! What an agent tells its hooks.
//!
//! A hook is told of calls, answers and prompts, and not of what the agent wrote in
//! between, though that is what tells a new attempt from the same one again. It
//! stands in the file in which the agent writes its session down, and is in it
//! before the hook is called.

use std::borrow::Cow;

use fusebox_agents::EpochMs;
use fusebox_agents::hook::{HookEvent, ToolUse};

use crate::format::Format;
use crate::heard::{Answered, Called, Heard, Listener};

/// Tells what a call of a hook means for whoever follows the session.
pub fn hooked(event: &HookEvent, mut hear: impl FnMut(Heard<'_>)) {
    match event {
        HookEvent::Prompt { text } => hear(Heard::User(text)),
        HookEvent::BeforeTool(tool) => hear(Heard::Called(Called {
            id: &call_id(tool),
            tool: &tool.tool,
            arguments: &tool.arguments,
        })),
        HookEvent::AfterTool {
            tool,
            outcome,
            text,
        } => hear(Heard::Answered(Answered {
            id: &call_id(tool),
            outcome: *outcome,
            text,
            bytes: text.len(),
        })),
        HookEvent::Stop { said, .. } => {
            hear(Heard::Said(said));
            hear(Heard::Turn);
        }
        HookEvent::SessionStart | HookEvent::BeforeCommand(_) | HookEvent::SessionEnd => {}
    }
}

/// What ties a result to its call; where the agent tells no id, the call itself.
#[must_use]
pub fn call_id(tool: &ToolUse) -> Cow<'_, str> {
    match &tool.id {
        Some(id) => Cow::Borrowed(id),
        None => Cow::Owned(format!("{}\0{}", tool.tool, tool.arguments)),
    }
}

/// What the agent wrote right before a call, out of the end of the file in which
/// it writes its session down. A first line that is not whole is no harm.
#[must_use]
pub fn said_before(end_of_file: &str, call: &str) -> Vec<String> {
    let format = end_of_file.lines().find_map(Format::of_line);
    let Some(mut reader) = format.map(Format::reader) else {
        return Vec::new();
    };
    let mut said = SaidBefore {
        call,
        texts: Vec::new(),
        aside: false,
        found: false,
    };
    for line in end_of_file.lines() {
        // What is not of the format says nothing about the call.
        let _ = reader.line(line, &mut said);
    }
    said.texts
}

/// Keeps what was written since anything else happened, up to the call.
struct SaidBefore<'a> {
    call: &'a str,
    texts: Vec<String>,
    /// It is a sub-agent's conversation that is told.
    aside: bool,
    found: bool,
}

impl Listener for SaidBefore<'_> {
    fn hear(&mut self, _: Option<EpochMs>, heard: Heard<'_>) {
        if let Heard::Session(identity) = heard {
            self.aside = !identity.side.is_empty();
        }
        if self.aside || self.found {
            return;
        }
        match heard {
            Heard::Said(text) => self.texts.push(text.to_owned()),
            Heard::Called(called) if called.id == self.call => self.found = true,
            Heard::Called(_) | Heard::Answered(_) | Heard::User(_) => self.texts.clear(),
            _ => {}
        }
    }

    fn twice(&mut self) {}
}
