//! Where in the script we are.

use crate::{Script, Step};
use std::sync::{Mutex, PoisonError};

/// Hands out the steps of a script in order, to many connections.
#[derive(Debug)]
pub(crate) struct Playback {
    script: Script,
    next: Mutex<usize>,
}

impl Playback {
    pub(crate) fn of(script: Script) -> Self {
        Self {
            script,
            next: Mutex::new(0),
        }
    }

    pub(crate) fn next(&self) -> Step {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let steps = &self.script.steps;
        let step = steps.get(*next).or_else(|| {
            let last = steps.last();
            last.filter(|_| self.script.repeat_last)
        });
        *next = next.saturating_add(1);
        step.cloned()
            .unwrap_or_else(|| Step::text("The script is at its end."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(playback: &Playback) -> String {
        match playback.next() {
            Step::Reply(reply) => reply.text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_follows_the_last_step() {
        let steps = [Step::text("one"), Step::text("two")];
        let once = Playback::of(Script::once(steps.clone()));
        let for_ever = Playback::of(Script::for_ever(steps));
        for (expected_once, expected_for_ever) in [
            ("one", "one"),
            ("two", "two"),
            ("The script is at its end.", "two"),
            ("The script is at its end.", "two"),
        ] {
            assert_eq!(said(&once), expected_once);
            assert_eq!(said(&for_ever), expected_for_ever);
        }
    }

    #[test]
    fn an_empty_script_is_at_its_end() {
        let playback = Playback::of(Script::for_ever([]));
        assert_eq!(said(&playback), "The script is at its end.");
    }
}
