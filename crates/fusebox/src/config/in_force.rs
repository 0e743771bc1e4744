//! What holds, after all layers were laid over each other.

use std::time::Duration;

use fusebox_core::Policy;
use fusebox_core::signals::Signal;
use fusebox_store::Retention;

use super::cells::{Cell, Cells, Origin};
use super::key::Key;
use super::layer::{Held, Source};
use crate::cli::OnStagnation;

/// What follows from all layers for one way of working.
#[derive(Debug)]
pub(crate) struct InForce {
    pub(crate) policy: Policy,
    /// Who chose the way of working.
    pub(crate) preset: Origin,
    /// Who set the operator's key, if anybody did.
    pub(crate) operator_key: Option<Origin>,
    pub(crate) on_stagnation: OnStagnation,
    /// What was ignored or is unwise, one line each.
    pub(crate) warnings: Vec<String>,
    /// What files set without effect.
    pub(crate) held: Vec<Held>,
    pub(super) cells: Cells,
}

impl InForce {
    /// With the threshold that a person set for the circuit itself. The machine's
    /// file stays a floor, and who names a number for this one run means it.
    pub(crate) fn with_own_threshold(mut self, threshold: u32) -> Self {
        let held = self.cells.cell(Key::SignalTrip(Signal::FailedSessions));
        let stays = held.is_some_and(|cell| match cell.origin.source {
            Source::Managed => cell.relaxes(cell.amount, u64::from(threshold)),
            Source::Environment | Source::Flag => true,
            _ => false,
        });
        if !stays && let Ok(policy) = self.policy.clone().with_stagnation_threshold(threshold) {
            self.policy = policy;
        }
        self
    }

    /// The longest an iteration may take.
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_millis(self.policy.iteration_limit_ms)
    }

    /// The longest an iteration may stand idle.
    pub(crate) fn idle_timeout(&self) -> Duration {
        let ms = self.cells.get(Key::IdleTimeout);
        ms.map_or(self.timeout(), Duration::from_millis)
    }

    /// How many iterations a run may have.
    pub(crate) fn max_iterations(&self) -> Option<u64> {
        self.cells.get(Key::MaxIterations)
    }

    /// How much of the past is kept.
    pub(crate) fn retention(&self) -> Retention {
        let age = self.cells.get(Key::RetentionAge);
        Retention {
            age: Duration::from_millis(age.unwrap_or(u64::MAX)),
            bytes: self.cells.get(Key::RetentionBytes).unwrap_or(u64::MAX),
        }
    }

    /// How long a run may take.
    pub(crate) fn max_time(&self) -> Option<Duration> {
        self.cells.get(Key::MaxTime).map(Duration::from_millis)
    }

    /// The longest that a run waits at a stretch.
    pub(crate) fn longest_wait(&self) -> Duration {
        Duration::from_millis(self.cells.get(Key::LongestWait).unwrap_or_default())
    }

    /// Whether a run waits where waiting helps.
    pub(crate) fn waits(&self) -> bool {
        self.cells.get(Key::Wait) == Some(1)
    }

    /// Whether notifications are shown on the desktop.
    pub(crate) fn notifies_desktop(&self) -> bool {
        self.cells.get(Key::NotifyDesktop) == Some(1)
    }

    /// Whether they may be sent into a private network.
    pub(crate) fn notifies_privately(&self) -> bool {
        self.cells.get(Key::NotifyPrivate) == Some(1)
    }

    /// What trips after ticks without progress, where anything does.
    pub(crate) fn stagnation(&self) -> Option<&Cell> {
        Self::threshold(&self.cells)
    }

    /// The same among any values.
    pub(super) fn threshold(cells: &Cells) -> Option<&Cell> {
        let signals = [Signal::NoProgress, Signal::FailedSessions];
        signals
            .into_iter()
            .find_map(|signal| cells.cell(Key::SignalTrip(signal)))
    }

    /// Every value with its origin.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter()
    }
}
