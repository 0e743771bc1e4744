//! Turns without a call: the agent talks, and is made to go on.
//!
//! A person who answers an agent says something else each time, or is brief. The
//! same long prompt again, or none at all, comes from a machine, and an agent
//! that answers it without doing anything will do so until something ends it. A
//! brief prompt ("continue") comes from either; it is a machine's when it comes
//! again and again and all that it gets is next to nothing, or the same words.

use serde::{Deserialize, Serialize};

use crate::calls::bounded::Bounded;
use crate::calls::digest::Digest;
use crate::calls::event::Said;

/// Prompts that are remembered.
const PROMPTS: usize = 8;
/// A turn that says no more than this says next to nothing, in bytes.
const NEXT_TO_NOTHING: u64 = 100;
/// So many turns in a row that say nothing, each after the same brief prompt: no
/// person is as patient as that.
const PATIENCE: u32 = 3;

/// What was said since the last call, or since the turn began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::calls) struct Words {
    /// What it is.
    pub(in crate::calls) digest: Digest,
    /// How long it is.
    pub(in crate::calls) bytes: u64,
}

impl Words {
    pub(in crate::calls) fn add(&mut self, said: &Said) {
        if said.bytes > 0 {
            self.digest = Digest::joined(&[self.digest, said.digest]);
            self.bytes = self.bytes.saturating_add(said.bytes);
        }
    }
}

/// Turns and prompts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::calls) struct Turns {
    /// Turns without a call since something new came up.
    idle: u32,
    /// A machine made the agent go on.
    driven: bool,
    /// The last turn has ended, and nobody has spoken since.
    ended: bool,
    /// A call was made since somebody spoke.
    called: bool,
    /// The last turn said next to nothing, or what the one before it said.
    hollow: bool,
    /// What it said.
    words: Digest,
    /// Hollow turns in a row, each after the same prompt.
    echoes: u32,
    prompts: Bounded<Digest, PROMPTS>,
}

impl Turns {
    /// A call was made. It does not make up for idle turns unless something new
    /// comes of it.
    pub(in crate::calls) fn call(&mut self) {
        self.ended = false;
        self.called = true;
    }

    /// Something new came up.
    pub(in crate::calls) fn news(&mut self) {
        self.idle = 0;
        self.driven = false;
    }

    pub(in crate::calls) fn end(&mut self, words: Words) {
        self.hollow = words.bytes <= NEXT_TO_NOTHING || words.digest == self.words;
        self.words = words.digest;
        self.driven |= self.ended;
        self.ended = true;
        self.idle = self.idle.saturating_add(1);
    }

    /// Something outside made the agent go on: that is news to it.
    pub(in crate::calls) fn wake(&mut self) {
        self.ended = false;
        self.news();
    }

    /// Somebody spoke. Says whether it was a person.
    pub(in crate::calls) fn prompt(&mut self, digest: Digest, is_long: bool) -> bool {
        let again = self.prompts.iter().next_back() == Some(&digest);
        let known = self.prompts.take(|prompt| *prompt == digest).is_some();
        self.prompts.push(digest);
        let called = std::mem::take(&mut self.called);
        let echo = again && self.ended && self.hollow && !called;
        self.echoes = if echo {
            self.echoes.saturating_add(1)
        } else {
            0
        };
        let person = !(known && is_long || self.echoes >= PATIENCE);
        if person {
            self.idle = u32::from(self.ended);
        } else {
            self.idle = self.idle.max(self.echoes);
        }
        self.driven = !person;
        self.ended = false;
        person
    }

    pub(in crate::calls) fn value(&self) -> u32 {
        if self.driven { self.idle } else { 0 }
    }
}
