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
    /// It was answered.
    ended: bool,
}

impl Streamed {
    /// Whether a report is about this session.
    pub(super) fn is_about(&self, report: &Report) -> bool {
        if !report.whose.as_in_stream || report.whose.part.is_some() {
            return false;
        }
        let id = match &report.about {
            About::Before { call, .. } => call.id,
            About::After(result) => result.id,
        };
        let shown = self.shown.iter().any(|shown| shown.id == id);
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
        let call = match &report.about {
            About::After(result) => result.id,
            About::Before { said, call, .. } => {
                let shown = self.shown_as(call, report.whose.named);
                let (id, verdict) = shown.unwrap_or_else(|| {
                    let foretold = self.foretell(policy, said, call);
                    (call.id, foretold)
                });
                verdict.iter().for_each(|verdict| self.voice.note(verdict));
                let verdict = self.voice.over().cloned().or(verdict);
                if verdict
                    .as_ref()
                    .is_some_and(|one| one.level >= Level::Block)
                {
                    self.refuse(id);
                    return verdict;
                }
                id
            }
        };
        let shown = &self.shown;
        self.voice.say(report.listens, call, |id| {
            shown.iter().any(|shown| shown.id == id)
        })
    }

    /// The id under which the stream told of a call, and what was said of it then.
    fn shown_as(&self, call: &Call, named: bool) -> Option<(Digest, Option<CallVerdict>)> {
        // Hooks of some agents are told no id. Then it is one that reads the same and was not
        // answered, and of several the one of which the worst was said.
        let is_it = |shown: &&Shown| match named {
            true => shown.id == call.id,
            false => shown.call == call.digest && !shown.ended,
        };
        let level = |shown: &&Shown| shown.verdict.as_ref().map(|verdict| verdict.level);
        let shown = self.shown.iter().filter(is_it).max_by_key(level)?;
        Some((shown.id, shown.verdict.clone()))
    }

    /// What would be said of a call if the stream told of it now.
    fn foretell(&self, policy: &CallPolicy, said: &[Said], call: &Call) -> Option<CallVerdict> {
        let mut state = self.state.clone();
        for said in said {
            step(&mut state, policy, &CallEvent::Said(said.clone()));
        }
        step(&mut state, policy, &CallEvent::Call(call.clone()))
    }

    fn refuse(&mut self, id: Digest) {
        if self.refused.find(|refused| *refused == id).is_none() {
            self.refused.push(id);
        }
    }
}

/// The graver of two verdicts, or the first of equals.
pub(super) fn graver(one: CallVerdict, other: CallVerdict) -> CallVerdict {
    match other.level > one.level {
        true => other,
        false => one,
    }
}
