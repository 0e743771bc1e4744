//! Pause, alert, abort or escalate after three loops without change.

use super::native;
use crate::calls::CallPolicy;
use crate::policy::Bound::{Above, AtLeast};
use crate::policy::{
    Capabilities, Companion, ErrorIdentity, Labels, Policy, Preset, ReleaseRules, SignalRule,
    SignalRules, StateCodes, StreakRule, TaskRules, VariableMeaning,
};
use crate::signals::Signal;

pub(super) fn policy() -> Policy {
    let rules = [
        (
            Signal::NoProgress,
            SignalRule::silent("000.37").trips(AtLeast(3)),
        ),
        (
            Signal::RepeatedError,
            SignalRule::silent("000.29").trips(AtLeast(3)),
        ),
        (
            Signal::TaskStuck,
            SignalRule::silent("000.30").trips(AtLeast(5)),
        ),
        (
            Signal::Unproven,
            SignalRule::silent("000.31").trips(AtLeast(1)),
        ),
        (Signal::DoneInARow, SignalRule::silent("000.6")),
        (
            Signal::TestsOnly,
            SignalRule::silent("000.5").warns(Above(30)),
        ),
    ];
    Policy {
        preset: Preset::Cub,
        labels: Labels {
            watching: None,
            probing: "HALF_OPEN",
            ..native::policy().labels
        },
        errors: ErrorIdentity::FirstLine,
        streaks: StreakRule::Unbroken,
        rules: SignalRules::only(rules),
        release: ReleaseRules {
            cooldown: false,
            correction: false,
            ..native::policy().release
        },
        capabilities: Capabilities {
            block_task: true,
            switch_model: true,
            notify: true,
            switch_off_signals: true,
            advise_only: true,
            ..Capabilities::default()
        },
        artifacts: Some(".cub/runs"),
        companion: Some(Companion {
            config: ".cub/config.json",
            open_event: "circuit_breaker_open",
            codes: StateCodes {
                closed: 0,
                open: 1,
                half_open: 2,
            },
        }),
        variables: &[
            ("CUB_STAGNATION_THRESHOLD", VariableMeaning::Threshold),
            ("CUB_ON_STAGNATION", VariableMeaning::Action),
            ("STALE_SECONDS", VariableMeaning::StaleSeconds),
        ],
        // Its document knows iterations alone.
        in_session: CallPolicy::observing(),
        tasks: TaskRules::LEFT_ALONE,
        patterns: None,
        ..native::policy()
    }
}
