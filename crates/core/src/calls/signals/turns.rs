//! Turns without a call: the agent talks, and is made to go on.
//!
//! A person who answers an agent says something else each time, or is brief. The
//! same long prompt again, or none at all, comes from a machine, and an agent
//! that answers it without doing anything will do so until something ends it.

use serde::{Deserialize, Serialize};

use crate::calls::bounded::Bounded;
use crate::calls::digest::Digest;

/// Prompts that are remembered.
const PROMPTS: usize = 8;

/// Turns and prompts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::calls) struct Turns {
    /// Turns without a call since something new came up.
    idle: u32,
    /// A machine made the agent go on.
    driven: bool,
    /// The last turn has ended, and nobody has spoken since.
    ended: bool,
    prompts: Bounded<Digest, PROMPTS>,
}

impl Turns {
    /// A call was made. It does not make up for idle turns unless something new
    /// comes of it.
    pub(in crate::calls) fn call(&mut self) {
        self.ended = false;
    }

    /// Something new came up.
    pub(in crate::calls) fn news(&mut self) {
        self.idle = 0;
        self.driven = false;
    }

    pub(in crate::calls) fn end(&mut self) {
        self.driven |= self.ended;
        self.ended = true;
        self.idle = self.idle.saturating_add(1);
    }

    /// Somebody spoke. Says whether it was a person.
    pub(in crate::calls) fn prompt(&mut self, digest: Digest, is_long: bool) -> bool {
        let known = self.prompts.take(|prompt| *prompt == digest).is_some();
        self.prompts.push(digest);
        let person = !(known && is_long);
        if person {
            self.idle = u32::from(self.ended);
        }
        self.driven = !person;
        self.ended = false;
        person
    }

    pub(in crate::calls) fn value(&self) -> u32 {
        if self.driven { self.idle } else { 0 }
    }
}
