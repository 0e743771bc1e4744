//! Patterns across the anomalies of a sprint; a correction releases.

use super::native;
use crate::calls::CallPolicy;
use crate::patterns::PatternRules;
use crate::policy::{
    Capabilities, ErrorIdentity, ExitMap, HaltMode, Labels, Policy, Preset, ReleaseRules,
    SignalRules, StreakRule, TaskRules, TickUnit,
};

pub(super) fn policy() -> Policy {
    Policy {
        preset: Preset::Liza,
        labels: Labels {
            closed: "OK",
            watching: None,
            open: "TRIGGERED",
            probing: "TRIGGERED",
            complete: None,
        },
        unit: TickUnit::Analysis,
        errors: ErrorIdentity::Normalised,
        streaks: StreakRule::Unbroken,
        rules: SignalRules::only([]),
        release: ReleaseRules {
            person: false,
            cooldown: false,
            correction: true,
            retry: false,
            ..native::policy().release
        },
        halt: HaltMode::Checkpoint,
        patterns: Some(PatternRules::default()),
        capabilities: Capabilities {
            report: true,
            ..Capabilities::default()
        },
        exits: ExitMap {
            open: 48,
            ..native::policy().exits
        },
        // Its document knows iterations alone.
        in_session: CallPolicy::observing(),
        tasks: TaskRules::LEFT_ALONE,
        ..native::policy()
    }
}
