//! What agents hand to hooks, and what they print.

use fusebox_agents::hook::{Answer, EVERY_POINT, HOOKED, HookEvent, HookPoint, Hooks};
use fusebox_agents::{AGENTS, Exit, LineSplitter, Reading, Stream};
use serde_json::Value;

/// Read without a panic, within bounds, and answered with a no that the agent understands.
pub(crate) fn payload(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    for hooks in HOOKED {
        payload_of(hooks, text);
    }
}

fn payload_of(hooks: &dyn Hooks, text: &str) {
    for point in EVERY_POINT {
        let Ok(call) = hooks.read(point, text) else {
            continue;
        };
        if let HookEvent::BeforeTool(tool) = call.event {
            assert!(tool.deeds.len() <= 256);
            let deny = hooks.reply(HookPoint::BeforeTool, &Answer::Deny(tool.tool));
            assert_eq!(deny.code, 2);
            assert!(deny.stdout.is_empty() || serde_json::from_str::<Value>(&deny.stdout).is_ok());
        }
    }
    let mut traces = Vec::new();
    if let Some(read) = hooks.traces() {
        text.lines().for_each(|line| read(line, &mut traces));
    }
}

/// Every reader comes to an end of the run.
pub(crate) fn agent_streams(bytes: &[u8]) {
    for agent in AGENTS {
        let mut reader = agent.reader(Reading::default());
        let mut events = Vec::new();
        let mut lines = LineSplitter::default();
        lines.push(bytes, |line| {
            reader.line(Stream::Stdout, line, 0, &mut events);
        });
        lines.finish(|line| reader.line(Stream::Stderr, line, 0, &mut events));
        reader.end(Exit::Code(0), 0);
    }
}
