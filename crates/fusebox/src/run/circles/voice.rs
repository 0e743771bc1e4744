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

    /// The newest that `is` true of.
    pub(super) fn find(&mut self, is: impl Fn(&T) -> bool) -> Option<&mut T> {
        self.0.iter_mut().rev().find(|one| is(one))
    }
}

/// What was said to one agent, and what is still to be said.
#[derive(Debug, Default)]
pub(super) struct Voice {
    advice: Option<CallVerdict>,
    told: Recent<Digest, TOLD>,
    over: Option<CallVerdict>,
}

impl Voice {
    /// A verdict was reached. Advice waits for a hook that can pass it on.
    pub(super) fn note(&mut self, verdict: &CallVerdict) {
        match verdict.level {
            Level::Observe | Level::Block => {}
            Level::Steer if self.was_told(verdict) => {}
            Level::Steer => self.advice = Some(verdict.clone()),
            Level::Trip => {
                self.over.get_or_insert_with(|| verdict.clone());
            }
        }
    }

    /// Why nothing more may be done, if so.
    pub(super) fn over(&self) -> Option<&CallVerdict> {
        self.over.as_ref()
    }

    /// What there is to say now. Advice is for an agent that listens.
    pub(super) fn say(&mut self, listens: bool) -> Option<CallVerdict> {
        if self.over.is_some() {
            return self.over.clone();
        }
        let advice = self.advice.take_if(|_| listens)?;
        self.told.push(advice.identity);
        Some(advice)
    }

    fn was_told(&mut self, verdict: &CallVerdict) -> bool {
        self.told.find(|told| *told == verdict.identity).is_some()
    }
}
