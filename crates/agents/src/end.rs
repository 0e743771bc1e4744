//! How a run ended, with the evidence behind it.

use std::time::Duration;

use crate::class::EndClass;
use crate::event::EpochMs;
use crate::excerpt::Excerpt;
use crate::usage::{Totals, Usage};

/// How the process ended: the weakest evidence of all. Agents exit with 0
/// after failures and with a code of their own after successes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By a signal that was not ours.
    Signal(i32),
    /// Because we ended it.
    StoppedByUs,
}

impl Exit {
    /// Whether it ended by itself and with 0.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self == Self::Code(0)
    }

    /// Whether it was asked to end by somebody else: SIGHUP, SIGINT or SIGTERM, also as
    /// the code of a process that ended in good order because of one.
    pub(crate) fn was_asked_for(self) -> bool {
        matches!(self, Self::Signal(1 | 2 | 15) | Self::Code(129 | 130 | 143))
    }

    /// Whether it died on the spot, by a signal that it did not outlive. What it had
    /// said before does not tell why.
    pub(crate) fn is_sudden(self) -> bool {
        let signal = match self {
            Self::Signal(signal) => signal,
            // ILL, TRAP, ABRT, BUS, FPE, KILL and SEGV, as a shell passes them on.
            Self::Code(code @ (132..=137 | 139)) => code - 128,
            Self::Code(_) | Self::StoppedByUs => return false,
        };
        !matches!(signal, 1 | 2 | 15)
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEnd {
    /// Why.
    pub class: EndClass,
    /// As the agent said it, in short; empty if it said nothing.
    pub detail: String,
    /// When a limit resets, if one was met and it told.
    pub resets_at: Option<EpochMs>,
    /// How long the service asked to wait.
    pub retry_after: Option<Duration>,
    /// The last result, if one was delivered.
    pub result: Option<FinalResult>,
    /// How many results were delivered.
    pub results: u64,
    /// What the run used up.
    pub usage: Usage,
    /// Whether [`RunEnd::usage`] is all of it. An agent that is killed takes
    /// its bill along, and what is known then is a lower bound.
    pub usage_is_complete: bool,
    /// For the next run that resumes the session.
    pub totals: Option<Totals>,
    /// What resumes the session.
    pub session: Option<String>,
    /// How often something was not permitted.
    pub denials: u64,
    /// Events of unknown kinds.
    pub unknown: u64,
    /// Lines that were no events where events were expected.
    pub unreadable: u64,
}

/// A result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FinalResult {
    /// The final text, as far as it is kept.
    pub text: Excerpt,
    /// How many turns it took, if the agent counts them.
    pub turns: Option<u64>,
    /// The agent's own word for how it ended, if it has one.
    pub status: Option<String>,
    /// Whether the text is all that was printed, for want of a message that could be told from
    /// the rest.
    pub printed: bool,
}
