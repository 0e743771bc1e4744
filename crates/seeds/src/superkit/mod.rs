//! The system that learns from its stops, and does not let itself be talked out
//! of them.

mod memory;
#[cfg(test)]
mod tests;

use crate::{Appendix, Scene, Seed};

/// The system itself.
pub struct Superkit;

/// What people think at an open breaker, and what is the case.
const REMINDERS: [(&str, &str); 7] = [
    (
        "One more try will fix it",
        "That is what you said 3 iterations ago. Open the circuit.",
    ),
    (
        "The error is almost fixed",
        "\"Almost\" for 5 iterations means the approach is wrong.",
    ),
    (
        "I cannot stop now, I am so close",
        "Sunk cost fallacy. Open circuit, reassess.",
    ),
    (
        "The cooldown is too long",
        "The cooldown prevents wasting more time on the same failure.",
    ),
    (
        "These config files are not important",
        "They are protected for a reason. Do not delete them.",
    ),
    ("The rate limit will not be hit", "Track it. Do not guess."),
    (
        "This is a different error",
        "Check if it is truly different or the same root cause manifesting differently.",
    ),
];

impl Seed for Superkit {
    fn appendices(&self, scene: &Scene<'_>) -> Vec<Appendix> {
        memory::learned(scene)
    }

    fn logs_iterations(&self) -> bool {
        true
    }

    fn reminders(&self) -> &'static [(&'static str, &'static str)] {
        &REMINDERS
    }
}
