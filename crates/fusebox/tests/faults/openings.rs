//! Breakers that were open when something was done to them.
//!
//! The one thing that must never happen has a count of its own: whichever test meets it, and
//! whatever else went wrong there, `cargo xtask prove` hears of it by name.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::sampling::proof;

/// How many of them still denied afterwards.
#[derive(Default)]
pub(crate) struct Openings(AtomicUsize);

impl Openings {
    /// Insists that a check that answered with `code` let nothing pass.
    pub(crate) fn must_deny(&self, code: Option<i32>, context: &str) {
        if code == Some(0) {
            proof("un-tripped", 1, context);
            panic!("an open breaker let a step pass: {context}");
        }
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Says how many there were, if any.
    pub(crate) fn tell(&self) {
        let count = self.0.load(Ordering::Relaxed);
        if count > 0 {
            proof("openings", count, "stayed open");
        }
    }
}
