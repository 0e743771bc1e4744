//! Collections of sessions: one session a line, whatever agent it came from.
//!
//! `{source, session, model, termination, outcome, events}`, where an event is
//! a `call` with its result, or something that was said by the agent (`say`) or
//! to it (`user`), or the begin of an `iteration`.

use fusebox_agents::json::{Maybe, Text, lenient_object, parse};
use fusebox_agents::{EpochMs, ToolOutcome};
use serde_json::value::RawValue;

use super::LineReader;
use crate::edits;
use crate::heard::{Answered, Called, Heard, Identity, Listener};
use crate::labels::{Group, Labels};
use crate::times;

lenient_object! {
    /// One session.
    Session<'a> {
        source: Text<'a>,
        session: Text<'a>,
        model: Text<'a>,
        termination: Text<'a>,
        outcome: Text<'a>,
        events: Vec<Maybe<Event<'a>>>,
    }
}

lenient_object! {
    /// One event of a session, all kinds together.
    Event<'a> {
        kind: Text<'a>,
        tool: Text<'a>,
        say: Text<'a>,
        text: Text<'a>,
        result: Text<'a>,
        result_len: usize,
        is_error: bool,
        ts: Text<'a>,
        ts_result: Text<'a>,
    }
    raw {
        args,
    }
}

/// Reads collections of sessions.
pub(crate) struct Collections;

impl LineReader for Collections {
    fn line(&mut self, json: &str, to: &mut dyn Listener) -> Option<()> {
        let session: Session<'_> = parse(json)?;
        let events = session.events.as_ref()?;
        let identity = Identity {
            source: session.source.as_deref().unwrap_or(""),
            session: session.session.as_deref()?,
            side: "",
            model: session.model.as_deref().unwrap_or(""),
        };
        to.hear(None, Heard::Session(identity));
        let mut round = Round::default();
        for (number, event) in events.iter().enumerate() {
            if let Some(event) = &event.0 {
                round.tell(number, event, to);
            }
        }
        round.close(to);
        let group = Group::of(
            session.termination.as_deref().unwrap_or(""),
            session.outcome.as_deref().unwrap_or(""),
        );
        to.hear(None, Heard::Ended(Labels { group }));
        Some(())
    }
}

/// Calls that were made before the answer to the one before them had come. A
/// collection puts each answer beside its call, and this takes them apart again.
#[derive(Default)]
struct Round<'e, 'a> {
    calls: Vec<(usize, &'e Event<'a>)>,
    answered: Option<EpochMs>,
}

impl<'e, 'a> Round<'e, 'a> {
    fn tell(&mut self, number: usize, event: &'e Event<'a>, to: &mut dyn Listener) {
        let at = event.ts.as_deref().and_then(times::parse);
        let text = event.text.as_deref().unwrap_or("");
        match event.kind.as_deref() {
            Some("call") => {
                if !matches!((at, self.answered), (Some(made), Some(answered)) if made < answered) {
                    self.close(to);
                }
                self.call(number, event, at, to);
            }
            Some("say") => {
                self.close(to);
                to.hear(at, Heard::Said(text));
            }
            Some("user") => {
                self.close(to);
                to.hear(at, Heard::User(text));
            }
            _ => {}
        }
    }

    fn call(
        &mut self,
        number: usize,
        event: &'e Event<'a>,
        at: Option<EpochMs>,
        to: &mut dyn Listener,
    ) {
        if let Some(say) = event.say.as_deref().filter(|say| !say.is_empty()) {
            to.hear(at, Heard::Thought(say));
        }
        let tool = event.tool.as_deref().unwrap_or("");
        let arguments = event.args.map_or("", RawValue::get);
        let id = &number.to_string();
        to.hear(
            at,
            Heard::Called(Called {
                id,
                tool,
                arguments,
            }),
        );
        if edits::changes_a_file(tool, arguments, event.result.as_deref().unwrap_or("")) {
            to.hear(at, Heard::Edited);
        }
        self.answered = event.ts_result.as_deref().and_then(times::parse);
        self.calls.push((number, event));
    }

    /// Tells the answers to the calls that wait for theirs.
    fn close(&mut self, to: &mut dyn Listener) {
        self.answered = None;
        let mut latest = None;
        for (number, event) in self.calls.drain(..) {
            let Some(text) = event.result.as_deref() else {
                continue;
            };
            let at = event.ts_result.as_deref().or(event.ts.as_deref());
            // They are told in the order of the calls, whichever came first.
            latest = at.and_then(times::parse).max(latest);
            let failed = event.is_error == Some(true);
            to.hear(
                latest,
                Heard::Answered(Answered {
                    id: &number.to_string(),
                    outcome: if failed {
                        ToolOutcome::Failed
                    } else {
                        ToolOutcome::Succeeded
                    },
                    text,
                    bytes: length(text, event.result_len),
                }),
            );
        }
    }
}

/// How long an answer was, in bytes if all of it is there. Collections count
/// characters, and which of the two it was that was cut cannot be known.
fn length(text: &str, told: Option<usize>) -> usize {
    match told {
        Some(told) if text.chars().count() != told => told,
        _ => text.len(),
    }
}
