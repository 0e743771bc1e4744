//! The account of the session that the agent's stream tells of.
//!
//! The stream alone moves it. A hook asks about a call which the stream has told of already or
//! will tell of in a moment, and gets the same answer either way: what was said of that call
//! when the stream told of it, or what would be said if it did so now. Which of the two it is
//! is told by the call's own id. So the state after a session does not depend on who was
//! faster, nor on how often anybody asked.
//!
//! A call that was refused because of that answer has not run. What the stream says came of
//! it is our own no, and counts as an attempt.

use fusebox_agents::AgentEvent;
use fusebox_core::calls::reading::{self, Outcome};
use fusebox_core::calls::{
    Call, CallEvent, CallPolicy, CallResult, CallState, CallVerdict, Digest, Level, Said, step,
};
use fusebox_replay::{Conversation, Heard, heard};

use super::voice::{Recent, Voice};
use crate::switchboard::{About, Report};

/// Calls that can still be asked about. More are never under way at once.
const CALLS: usize = 64;

/// A session, as its stream tells it.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    pub(super) state: CallState,
    conversation: Conversation,
    /// What the stream calls the session, once it has said so.
    session: Option<Digest>,
    /// The calls that the stream has told of.
    shown: Recent<Shown, CALLS>,
    /// The calls that were refused.
    refused: Recent<Digest, CALLS>,
    voice: Voice,
}

/// A call that the stream has told of.
#[derive(Debug)]
struct Shown {
    id: Digest,
    call: Digest,
    /// What was said of it.
    verdict: Option<CallVerdict>,
    /// A hook has asked about it.
    asked: bool,
    /// It was answered.
    ended: bool,
}

impl Streamed {
    /// Whether a report is about this session.
    pub(super) fn is_about(&mut self, report: &Report) -> bool {
        if !report.whose.as_in_stream || report.whose.part.is_some() {
            return false;
        }
        let id = match &report.about {
            About::Before { call, .. } => call.id,
            About::After(result) => result.id,
        };
        let shown = self.shown.find(|shown| shown.id == id).is_some();
        match self.session {
            _ if shown => true,
            Some(session) => session == report.whose.session,
            None => self.state.calls() > 0,
        }
    }

    /// Takes an event of the stream in; answers with the gravest that is said of it.
    pub(super) fn take(&mut self, policy: &CallPolicy, event: &AgentEvent) -> Option<CallVerdict> {
        let heard = heard(event)?;
        if let Heard::Session(identity) = &heard
            && !identity.session.is_empty()
        {
            self.session = Some(Digest::of(identity.session.as_bytes()));
        }
        let mut events = Vec::new();
        self.conversation.hear(&heard, |event| events.push(event));
        let verdicts = events
            .into_iter()
            .filter_map(|event| self.hear(policy, event));
        verdicts.reduce(graver)
    }

    /// Takes in what it amounts to.
    pub(super) fn hear(&mut self, policy: &CallPolicy, event: CallEvent) -> Option<CallVerdict> {
        let event = match event {
            CallEvent::Result(result) => CallEvent::Result(self.end(result)),
            event => event,
        };
        let verdict = step(&mut self.state, policy, &event);
        verdict.iter().for_each(|verdict| self.voice.note(verdict));
        if let CallEvent::Call(call) = &event {
            self.shown.push(Shown {
                id: call.id,
                call: call.digest,
                verdict: verdict.clone(),
                asked: false,
                ended: false,
            });
        }
        verdict
    }

    /// What counts of an answer.
    fn end(&mut self, result: CallResult) -> CallResult {
        if let Some(shown) = self.shown.find(|shown| shown.id == result.id) {
            shown.ended = true;
        }
        match self.refused.find(|id| *id == result.id) {
            Some(&mut id) => CallResult {
                id,
                ..reading::result("", Outcome::Blocked, "", 0)
            },
            None => result,
        }
    }

    /// What a hook is told.
    pub(super) fn answer(&mut self, policy: &CallPolicy, report: &Report) -> Option<CallVerdict> {
        if let About::Before { said, call, .. } = &report.about {
            let (id, verdict) = self.said_of(policy, said, call);
            verdict.iter().for_each(|verdict| self.voice.note(verdict));
            let verdict = self.voice.over().cloned().or(verdict);
            if verdict
                .as_ref()
                .is_some_and(|verdict| verdict.level >= Level::Block)
            {
                self.refused.push(id);
                return verdict;
            }
        }
        self.voice.say(report.listens)
    }

    /// What is said of a call that is about to be made, and the id under which the stream
    /// tells of it.
    fn said_of(
        &mut self,
        policy: &CallPolicy,
        said: &[Said],
        call: &Call,
    ) -> (Digest, Option<CallVerdict>) {
        let by_id = self.shown.find(|shown| shown.id == call.id).is_some();
        // Hooks of some agents are told no id. Then it is the call that reads the same, was
        // not answered, and was not asked about.
        let shown = self.shown.find(|shown| match by_id {
            true => shown.id == call.id,
            false => shown.call == call.digest && !shown.asked && !shown.ended,
        });
        if let Some(shown) = shown {
            shown.asked = true;
            return (shown.id, shown.verdict.clone());
        }
        let mut state = self.state.clone();
        for said in said {
            step(&mut state, policy, &CallEvent::Said(said.clone()));
        }
        let verdict = step(&mut state, policy, &CallEvent::Call(call.clone()));
        (call.id, verdict)
    }
}

/// The graver of two verdicts, or the first of equals.
pub(super) fn graver(one: CallVerdict, other: CallVerdict) -> CallVerdict {
    match other.level > one.level {
        true => other,
        false => one,
    }
}
