//! What an agent is told of a verdict, and when: advice once and where it is heard, an end for
//! good.

use std::collections::VecDeque;

use fusebox_core::calls::{CallVerdict, Digest, Level};

/// Loops that the agent was told of.
const TOLD: usize = 16;

/// The last `N` of something.
#[derive(Debug)]
pub(super) struct Recent<T, const N: usize>(VecDeque<T>);

impl<T, const N: usize> Default for Recent<T, N> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T, const N: usize> Recent<T, N> {
    pub(super) fn push(&mut self, one: T) {
        if self.0.len() >= N {
            self.0.pop_front();
        }
        self.0.push_back(one);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }

    /// The newest that `is` true of.
    pub(super) fn find(&mut self, is: impl Fn(&T) -> bool) -> Option<&mut T> {
        self.0.iter_mut().rev().find(|one| is(one))
    }
}

/// What was said to one agent, and what is still to be said.
#[derive(Debug, Default)]
pub(super) struct Voice {
    advice: Option<Advice>,
    told: Recent<Digest, TOLD>,
    over: Option<CallVerdict>,
}

/// Something that the agent should know.
#[derive(Debug)]
struct Advice {
    verdict: CallVerdict,
    /// The calls with which somebody was told.
    given: Recent<Digest, TOLD>,
}

impl Voice {
    /// A verdict was reached. Advice waits for a hook that can pass it on.
    pub(super) fn note(&mut self, verdict: &CallVerdict) {
        match verdict.level {
            Level::Observe | Level::Block => {}
            Level::Steer if self.knows(verdict.identity) => {}
            Level::Steer => {
                self.advice = Some(Advice {
                    verdict: verdict.clone(),
                    given: Recent::default(),
                });
            }
            Level::Trip => {
                self.over.get_or_insert_with(|| verdict.clone());
            }
        }
    }

    /// Why nothing more may be done, if so.
    pub(super) fn over(&self) -> Option<&CallVerdict> {
        self.over.as_ref()
    }

    /// What there is to say to whoever reports `call`, if it listens.
    ///
    /// Advice is given once. But it counts as given only if the call was `made`: somebody who
    /// only pretends to make one could keep it from the agent.
    pub(super) fn say(
        &mut self,
        listens: bool,
        call: Digest,
        made: impl Fn(Digest) -> bool,
    ) -> Option<CallVerdict> {
        if self.over.is_some() {
            return self.over.clone();
        }
        let advice = self.advice.as_mut().filter(|_| listens)?;
        if advice.given.find(|given| made(*given)).is_some() {
            self.told.push(advice.verdict.identity);
            self.advice = None;
            return None;
        }
        if advice.given.find(|given| *given == call).is_some() {
            return None;
        }
        advice.given.push(call);
        Some(advice.verdict.clone())
    }

    /// Whether the agent was told of a loop, or will be.
    fn knows(&mut self, identity: Digest) -> bool {
        let waits = self.advice.as_ref();
        waits.is_some_and(|advice| advice.verdict.identity == identity)
            || self.told.find(|told| *told == identity).is_some()
    }
}
