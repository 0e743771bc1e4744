//! What was heard becomes the events that the detector takes.
//!
//! The one place where that is done for streams, hooks and files, so that a
//! session is judged the same whichever way it comes in. Long texts are cut in the
//! same place for all of them.

use std::borrow::Cow;

use fusebox_agents::{Excerpt, ToolOutcome};
use fusebox_core::calls::reading::{self, Outcome};
use fusebox_core::calls::{Arguments, CallEvent};

use crate::heard::Heard;

/// Follows who speaks, to know when a turn has ended without a call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Conversation {
    /// The agent has written something and called nothing since.
    wrote: bool,
}

impl Conversation {
    /// Takes in what was heard, and tells the events that it amounts to.
    pub fn hear(&mut self, heard: &Heard<'_>, mut tell: impl FnMut(CallEvent)) {
        match heard {
            Heard::Turn => self.end_turn(&mut tell),
            Heard::User(text) => {
                self.end_turn(&mut tell);
                tell(reading::user(text));
            }
            Heard::Woken => {
                self.end_turn(&mut tell);
                tell(CallEvent::Woken);
            }
            Heard::Said(text) => {
                self.wrote = true;
                tell(CallEvent::Said(reading::said(&kept(text))));
            }
            Heard::Thought("") => {}
            Heard::Thought(text) => tell(CallEvent::Said(reading::said(&kept(text)))),
            Heard::Called(called) => {
                self.wrote = false;
                let arguments = Arguments::read(&kept(called.arguments));
                tell(CallEvent::Call(reading::call(
                    called.id,
                    called.tool,
                    &arguments,
                )));
            }
            Heard::Answered(answered) => {
                let outcome = match answered.outcome {
                    ToolOutcome::Succeeded => Outcome::Ran,
                    ToolOutcome::Failed => Outcome::Failed,
                    ToolOutcome::Denied => Outcome::Denied,
                };
                let text = kept(answered.text);
                let result = reading::result(answered.id, outcome, &text, answered.bytes);
                tell(CallEvent::Result(result));
            }
            Heard::Blocked(id) => {
                tell(CallEvent::Result(reading::result(
                    id,
                    Outcome::Blocked,
                    "",
                    0,
                )));
            }
            Heard::Spent(usage) => {
                if let Some(tokens) = usage.tokens() {
                    tell(CallEvent::Spent { tokens });
                }
            }
            Heard::Compacted => tell(CallEvent::Compacted),
            Heard::Ended(_) => self.end_turn(&mut tell),
            Heard::Session(_) | Heard::Edited | Heard::Branched => {}
        }
    }

    fn end_turn(&mut self, tell: &mut impl FnMut(CallEvent)) {
        if std::mem::take(&mut self.wrote) {
            tell(CallEvent::TurnEnded);
        }
    }
}

/// As much of a text as is kept when it is heard live.
fn kept(text: &str) -> Cow<'_, str> {
    if text.len() <= Excerpt::WHOLE {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(Excerpt::of(text).text)
    }
}
