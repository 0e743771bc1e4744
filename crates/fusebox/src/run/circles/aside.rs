//! Conversations that only hooks tell of: of sub-agents, of an agent that a script starts, of
//! one that its stream calls something else.
//!
//! Each has an account of its own, and here the hooks move it, each call once however many
//! hooks report it. An account is never given up for another one: whoever could make us forget
//! by calling often would have a way to begin anew. Conversations beyond the few that are kept
//! are left to their hooks.

use fusebox_core::calls::reading::{self, Outcome};
use fusebox_core::calls::{
    Call, CallEvent, CallPolicy, CallResult, CallState, CallVerdict, Digest, Level, Said, step,
};

use super::streamed::graver;
use super::voice::{Recent, Voice};
use crate::switchboard::{About, Reply, Report, Whose};

/// The most conversations that are followed.
const MOST: usize = 16;
/// Calls that another hook may report as well.
const CALLS: usize = 64;

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Asides(Vec<Aside>);

#[derive(Debug)]
struct Aside {
    whose: Whose,
    state: CallState,
    /// The calls that were reported, and what was said of each.
    asked: Recent<(Digest, Option<CallVerdict>), CALLS>,
    voice: Voice,
}

impl Asides {
    pub(super) fn answer(&mut self, policy: &CallPolicy, report: &Report) -> Reply {
        let Some(aside) = self.of(report.whose) else {
            return Reply::Elsewhere;
        };
        let (call, verdict) = match &report.about {
            About::Before {
                said,
                call,
                refused,
            } => (call.id, aside.before(policy, said, call, *refused)),
            About::After(result) => {
                aside.step(policy, &CallEvent::Result(result.clone()));
                (result.id, None)
            }
        };
        let verdict = verdict.filter(|verdict| verdict.level >= Level::Block);
        // Nobody else could tell whether a call is made.
        let advice = |aside: &mut Aside| aside.voice.say(report.listens, call, |_| true);
        let verdict = verdict.or_else(|| advice(aside));
        verdict.map_or(Reply::Nothing, Reply::Verdict)
    }

    fn of(&mut self, whose: Whose) -> Option<&mut Aside> {
        let known = self.0.iter().position(|aside| aside.whose == whose);
        if known.is_none() && self.0.len() < MOST {
            self.0.push(Aside {
                whose,
                state: CallState::default(),
                asked: Recent::default(),
                voice: Voice::default(),
            });
            return self.0.last_mut();
        }
        self.0.get_mut(known?)
    }
}

impl Aside {
    fn before(
        &mut self,
        policy: &CallPolicy,
        said: &[Said],
        call: &Call,
        refused: bool,
    ) -> Option<CallVerdict> {
        if let Some(over) = self.voice.over() {
            return Some(over.clone());
        }
        // Without ids, the same call again is another one.
        let twin = self
            .asked
            .find(|(id, _)| *id == call.id && self.whose.named);
        if let Some((_, verdict)) = twin {
            return verdict.clone();
        }
        for said in said {
            self.step(policy, &CallEvent::Said(said.clone()));
        }
        let mut verdict = self.step(policy, &CallEvent::Call(call.clone()));
        let stops = |verdict: &CallVerdict| verdict.level >= Level::Block;
        if refused || verdict.as_ref().is_some_and(stops) {
            // The attempt counts, and may be the last one.
            let blocked = CallResult {
                id: call.id,
                ..reading::result("", Outcome::Blocked, "", 0)
            };
            let later = self.step(policy, &CallEvent::Result(blocked));
            verdict = verdict.into_iter().chain(later).reduce(graver);
        }
        self.asked.push((call.id, verdict.clone()));
        verdict
    }

    fn step(&mut self, policy: &CallPolicy, event: &CallEvent) -> Option<CallVerdict> {
        let verdict = step(&mut self.state, policy, event)?;
        self.voice.note(&verdict);
        Some(verdict)
    }
}
