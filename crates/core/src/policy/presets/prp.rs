//! Phases with thresholds and measures of their own; only a person releases.

use super::native;
use crate::calls::CallPolicy;
use crate::policy::Bound::AtLeast;
use crate::policy::{
    Capabilities, ErrorIdentity, HaltMode, Labels, MovedDirectory, Policy, Preset, ProgressRule,
    ReleaseRules, SignalRule, SignalRules, StreakRule, TaskRules, TickUnit, VariableMeaning,
};
use crate::signals::Signal;

pub(super) fn policy() -> Policy {
    let rules = [
        (
            Signal::NoProgress,
            SignalRule::silent("001.15")
                .warns(AtLeast(2))
                .trips(AtLeast(3))
                .by_phase([3, 2, 5, 3]),
        ),
        (
            Signal::RepeatedError,
            SignalRule::silent("001.57")
                .trips(AtLeast(5))
                .by_phase([5, 3, 5, 5]),
        ),
    ];
    Policy {
        preset: Preset::Prp,
        labels: Labels {
            watching: Some("HALF_OPEN"),
            probing: "OPEN",
            ..native::policy().labels
        },
        unit: TickUnit::PhaseAction,
        progress: ProgressRule::PhaseMetrics,
        errors: ErrorIdentity::Exact,
        streaks: StreakRule::Unbroken,
        rules: SignalRules::only(rules),
        release: ReleaseRules {
            cooldown: false,
            correction: false,
            retry: false,
            ..native::policy().release
        },
        halt: HaltMode::Prompt,
        capabilities: Capabilities {
            skip_phase: true,
            ..Capabilities::default()
        },
        variables: &[("BP_RATE_LIMIT_HOURLY", VariableMeaning::CallsPerHour)],
        directory: Some(MovedDirectory {
            usual: ".prp-session",
            variable: "PRP_SESSION_DIR",
        }),
        // Its document knows iterations alone.
        in_session: CallPolicy::observing(),
        tasks: TaskRules::LEFT_ALONE,
        patterns: None,
        ..native::policy()
    }
}
