//! An agent that could print events and was told to print text.

use std::ffi::OsString;

use crate::AGENTS;
use crate::agent::{Abilities, About, Agent};
use crate::class::EndClass;
use crate::command::Recognised;
use crate::end::{Exit, RunEnd};
use crate::event::{AgentEvent, EpochMs};
use crate::guests::GUESTS;
use crate::launch::{Invocation, Launch};
use crate::line::Line;
use crate::reader::{Reader, Reading, Stream};

/// The agent, of which no events are to be expected. Its last words are read as its own
/// all the same, because that is where text tells of limits.
#[must_use]
pub fn as_text(agent: &'static dyn Agent) -> &'static dyn Agent {
    let mut texts = AS_TEXT.iter().chain(&GUESTS_AS_TEXT);
    match texts.find(|text| text.0.name() == agent.name()) {
        Some(text) if agent.abilities().structured => text,
        _ => agent,
    }
}

static AS_TEXT: [AsText; AGENTS.len()] = each_as_text(&AGENTS);
static GUESTS_AS_TEXT: [AsText; GUESTS.len()] = each_as_text(&GUESTS);

const fn each_as_text<const N: usize>(agents: &[&'static dyn Agent; N]) -> [AsText; N] {
    let mut all = [AsText(agents[0]); N];
    let mut next = 1;
    while next < N {
        all[next] = AsText(agents[next]);
        next += 1;
    }
    all
}

#[derive(Clone, Copy, Debug)]
struct AsText(&'static dyn Agent);

impl Agent for AsText {
    fn about(&self) -> &'static About {
        self.0.about()
    }

    fn abilities(&self) -> Abilities {
        Abilities::NONE
    }

    fn launch(&self, launch: &Launch<'_>) -> Invocation {
        self.0.launch(launch)
    }

    fn recognise(&self, command: &[OsString]) -> Recognised {
        self.0.recognise(command)
    }

    fn reader(&self, reading: Reading) -> Box<dyn Reader> {
        Box::new(TextReader(self.0.reader(reading)))
    }
}

struct TextReader(Box<dyn Reader>);

impl Reader for TextReader {
    fn line(&mut self, stream: Stream, line: Line<'_>, now: EpochMs, events: &mut Vec<AgentEvent>) {
        self.0.line(stream, line, now, events);
        events.retain(|event| !matches!(event, AgentEvent::Unreadable { .. }));
    }

    fn end(&mut self, exit: Exit, now: EpochMs) -> RunEnd {
        let end = self.0.end(exit, now);
        let class = match (end.class, exit) {
            // Nothing else says so in a text.
            (EndClass::Unclear, Exit::Code(0)) => EndClass::Finished,
            // What it would have said in an event is not known.
            (EndClass::Crash, Exit::Code(_)) => EndClass::Unclear,
            (class, _) => class,
        };
        RunEnd {
            class,
            unreadable: 0,
            ..end
        }
    }
}
