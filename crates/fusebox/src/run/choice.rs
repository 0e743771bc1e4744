//! What can be chosen where the breaker is open and somebody is asked.

use fusebox_core::Policy;
use fusebox_seeds::Choice as Asked;

use super::plan::Plan;
use crate::authority;
use crate::exit;
use crate::failure::Failure;
use crate::menu;
use crate::projection;
use crate::session::{Outcome, Session};

/// What can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Continue,
    Skip,
    Abort,
    Retry,
    Help,
    Wait,
    /// Take the phase for complete.
    SkipPhase,
    /// Go on, with a word on what is to be done differently.
    Guide,
}

impl Choice {
    /// What this way of working offers, by key: what its own menu says, where it
    /// has one. Waiting helps only where a clock releases.
    fn offered(policy: &Policy) -> Vec<(char, Self)> {
        let own = projection::choices(policy.preset);
        if !own.is_empty() {
            let own = own.iter();
            return own.map(|(key, choice)| (*key, Self::of(*choice))).collect();
        }
        let release = &policy.release;
        let blocks = policy.capabilities.block_task;
        let all = [
            ('c', Self::Continue, release.person),
            ('s', Self::Skip, blocks),
            ('a', Self::Abort, true),
            ('r', Self::Retry, release.retry),
            ('h', Self::Help, true),
            ('w', Self::Wait, release.cooldown),
        ];
        let offered = all.into_iter().filter(|(.., is)| *is);
        offered.map(|(key, choice, _)| (key, choice)).collect()
    }

    /// What is shown of that: a task is only skipped where there is one, and only retried with
    /// another model where there is another.
    pub(super) fn shown(plan: &Plan, outcome: &Outcome) -> Vec<(char, Self)> {
        let mut offered = Self::offered(&outcome.policy);
        if outcome.said.menu.is_none() && !outcome.policy.preset.draws_the_pause() {
            offered.retain(|(_, choice)| match choice {
                Self::Skip => plan.task.is_some(),
                Self::Retry => next_model(plan, outcome).is_some(),
                _ => true,
            });
        }
        offered
    }

    /// The one that was typed. The letter of one that is not shown says why it is not.
    pub(super) fn typed(plan: &Plan, outcome: &Outcome, typed: &str) -> Option<Self> {
        let letter = typed.trim().chars().all(|key| key.is_ascii_alphabetic());
        let hidden = || menu::chosen(&Self::offered(&outcome.policy), typed).filter(|_| letter);
        menu::chosen(&Self::shown(plan, outcome), typed).or_else(hidden)
    }

    /// Whether it takes a person who may release.
    fn releases(self, plan: &Plan) -> bool {
        match self {
            Self::Continue | Self::Retry | Self::SkipPhase | Self::Guide => true,
            Self::Skip => plan.takes_tasks,
            Self::Abort | Self::Help | Self::Wait => false,
        }
    }

    fn of(choice: Asked) -> Self {
        match choice {
            Asked::Reset => Self::Continue,
            Asked::SkipPhase => Self::SkipPhase,
            Asked::Abort => Self::Abort,
            Asked::Guide => Self::Guide,
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Continue => "Continue (reset counter)",
            Self::Skip => "Skip task (mark as blocked)",
            Self::Abort => "Abort run",
            Self::Retry => "Retry with different model",
            Self::Help => "Get help (show context)",
            Self::Wait => "Wait for the cooldown, then probe",
            Self::SkipPhase => "Skip phase",
            Self::Guide => "Modify approach",
        }
    }
}

/// Looks at what was answered beforehand. It may be needed hours later, by which time nobody is
/// there who could correct it.
pub(super) fn check(session: &Session, plan: &Plan, policy: &Policy) -> Result<(), Failure> {
    let offered = Choice::offered(policy);
    for key in &plan.answers {
        let Some(choice) = menu::chosen(&offered, &key.to_string()) else {
            return Err(none_of(*key, &offered));
        };
        // Which number a choice has is known when the question is asked.
        if choice.releases(plan) && key.is_ascii_alphabetic() {
            authority::operator(session)?;
        }
    }
    Ok(())
}

/// A key that was answered beforehand and is none of those.
pub(super) fn none_of(key: char, offered: &[(char, Choice)]) -> Failure {
    let keys: Vec<String> = offered.iter().map(|(key, _)| key.to_string()).collect();
    let what = format!("`--answer {key}` is not among the choices here");
    Failure::new(exit::USAGE, what).hint(format!("they are {}", keys.join(", ")))
}

/// The model that a retry would take, if there is a further one.
pub(super) fn next_model<'p>(plan: &'p Plan, outcome: &Outcome) -> Option<&'p str> {
    let next = outcome.circuit.core.rung + 1;
    plan.work.model(next).filter(|_| next < plan.work.rungs())
}
