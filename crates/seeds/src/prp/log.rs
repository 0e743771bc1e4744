//! The sentences that go with changes of state.

use fusebox_core::circuit::{self, State};
use fusebox_core::decision::Transition;
use fusebox_core::journal::{Entry, Event};
use fusebox_core::observation::WorkPhase;
use fusebox_core::signals::Signal;

use crate::Scene;

/// What is suggested when the breaker opens in the phase that loops most.
const SUGGESTION: &str = "Consider refactoring approach or splitting the feature";

/// The word that stands for a state.
pub(super) fn label(scene: &Scene<'_>, state: State) -> &'static str {
    let labels = &scene.policy.labels;
    match state {
        State::Closed | State::Complete => labels.closed,
        State::Watching => labels.watching.unwrap_or(labels.closed),
        State::Open => labels.open,
        State::Probing => labels.probing,
    }
}

/// What has just happened, line by line.
pub(super) fn lines(scene: &Scene<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in scene.entries {
        for Transition { from, to } in &entry.outcome.transitions {
            lines.push(Cause::of(entry, *from, *to).line(entry));
            let green = entry.outcome.core.counters.phase == Some(WorkPhase::Green);
            if green && *to == State::Open {
                lines.push(SUGGESTION.to_owned());
            }
        }
        if let Event::PhaseSkipped { phase, next, .. } = &entry.event {
            let next = next.map_or("nothing", WorkPhase::name);
            lines.push(format!(
                "{} skipped by user, its failing tests are known failures; {next} follows",
                phase.name()
            ));
        }
    }
    lines
}

/// Why the state changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// So many actions in a row gained nothing that it is worth a warning.
    Stagnates,
    /// The breaker opened.
    Opened,
    /// Something was gained.
    Progress,
    /// Another phase began.
    OtherPhase,
    /// A person closed it.
    Person,
}

impl Cause {
    pub(super) fn of(entry: &Entry, from: State, to: State) -> Self {
        match (&entry.event, from, to) {
            (_, _, State::Open | State::Probing) => Self::Opened,
            (_, _, State::Watching) => Self::Stagnates,
            (Event::PhaseEntered { .. }, ..) => Self::OtherPhase,
            (Event::Reported(_), State::Watching, _) => Self::Progress,
            _ => Self::Person,
        }
    }

    /// The line in the log.
    fn line(self, entry: &Entry) -> String {
        let core = &entry.outcome.core;
        match self {
            Self::Stagnates => format!(
                "WARNING: No progress detected for {} iterations",
                core.counters.no_progress
            ),
            Self::Opened => match core.phase.opening().map(|opening| opening.cause) {
                Some(circuit::Cause::Signal(Signal::NoProgress)) => format!(
                    "CIRCUIT OPEN: Execution halted after {} no-progress iterations",
                    core.counters.no_progress
                ),
                _ => format!("CIRCUIT OPEN: {}", self.reason(entry)),
            },
            Self::Progress => "Progress detected, circuit closing".to_owned(),
            Self::OtherPhase => "Another phase began, counters are reset".to_owned(),
            Self::Person => "Circuit reset by user".to_owned(),
        }
    }

    /// The reason in the history.
    pub(super) fn reason(self, entry: &Entry) -> String {
        let core = &entry.outcome.core;
        let opening = core.phase.opening();
        match self {
            Self::Stagnates => Signal::NoProgress.sentence(core.counters.no_progress),
            Self::Opened => opening.map_or_else(String::new, |opening| opening.reason.clone()),
            Self::Progress => "Progress detected, circuit closing".to_owned(),
            Self::OtherPhase => "Another phase began".to_owned(),
            Self::Person => "Circuit reset by user".to_owned(),
        }
    }
}
