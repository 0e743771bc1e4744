//! Sessions that must let a feature pass.

use super::native;
use crate::calls::CallPolicy;
use crate::policy::Bound::AtLeast;
use crate::policy::{
    Capabilities, ErrorIdentity, ExitMap, HaltMode, Labels, Policy, Preset, ProgressRule,
    ReleaseRules, SignalRule, SignalRules, StreakRule, TaskRules, ThresholdEdits, TickUnit,
};
use crate::signals::Signal;

pub(super) fn policy() -> Policy {
    let rules = [(
        Signal::FailedSessions,
        SignalRule::silent("003.30").trips(AtLeast(5)),
    )];
    Policy {
        preset: Preset::Bmad,
        labels: Labels {
            closed: "HEALTHY",
            watching: None,
            open: "TRIGGERED",
            probing: "TRIGGERED",
            complete: Some("COMPLETE"),
        },
        unit: TickUnit::Session,
        progress: ProgressRule::Features,
        errors: ErrorIdentity::Normalised,
        streaks: StreakRule::Unbroken,
        rules: SignalRules::only(rules),
        release: ReleaseRules {
            cooldown: false,
            correction: false,
            retry: false,
            ..native::policy().release
        },
        halt: HaltMode::Exit,
        capabilities: Capabilities {
            block_task: true,
            report: true,
            ..Capabilities::default()
        },
        edits: ThresholdEdits::Reevaluate,
        exits: ExitMap {
            open: 42,
            paused: 42,
            shift: 30,
        },
        // Its document knows iterations alone.
        in_session: CallPolicy::observing(),
        tasks: TaskRules::LEFT_ALONE,
        patterns: None,
        ..native::policy()
    }
}
