//! Six conditions, a score, and a cooldown that nobody can override.

use super::{SCORE, native};
use crate::calls::CallPolicy;
use crate::policy::Bound::{Above, AtLeast};
use crate::policy::{
    CallUnit, Capabilities, ErrorIdentity, HaltMode, Labels, Policy, Preset, ProbeRule,
    ProgressRule, Recovery, ReleaseRules, SignalRule, SignalRules, StreakRule, TaskRules,
    ThresholdEdits, VariableMeaning,
};
use crate::signals::Signal;

pub(super) fn policy() -> Policy {
    let rules = [
        (
            Signal::NoProgress,
            SignalRule::silent("004.15").trips(AtLeast(3)),
        ),
        (
            Signal::RepeatedError,
            SignalRule::silent("004.17").trips(AtLeast(5)),
        ),
        (
            Signal::OutputDecline,
            SignalRule::silent("004.19").trips(AtLeast(70)),
        ),
        (
            Signal::Denials,
            SignalRule::silent("004.21").trips(AtLeast(3)),
        ),
        (
            Signal::TestsOnly,
            SignalRule::silent("004.22")
                .warns(Above(30))
                .trips(Above(80)),
        ),
        (
            Signal::Circular,
            SignalRule::silent("004.24").trips(AtLeast(2)),
        ),
        (
            Signal::Score,
            SignalRule::silent("004.34").trips(AtLeast(1)),
        ),
        (
            Signal::TaskLoops,
            SignalRule::silent("004.77").warns(Above(20)),
        ),
        (
            Signal::FailedTasks,
            SignalRule::silent("004.117").trips(AtLeast(2)),
        ),
        (
            Signal::ProtectedLost,
            SignalRule::silent("D79").trips(AtLeast(2)),
        ),
    ];
    Policy {
        preset: Preset::Superkit,
        labels: Labels {
            watching: None,
            probing: "HALF-OPEN",
            ..native::policy().labels
        },
        progress: ProgressRule::BeyondTests,
        // Its document compares messages, and knows of nothing that ends a streak.
        errors: ErrorIdentity::Normalised,
        streaks: StreakRule::Unbroken,
        rules: SignalRules::only(rules),
        score: SCORE,
        output_floor: 0,
        commands_may_append: false,
        release: ReleaseRules {
            person: false,
            cooldown: true,
            correction: false,
            retry: false,
            probe: ProbeRule::PositiveScore,
        },
        recovery: Recovery {
            longest_ms: None,
            probes: None,
            ..native::policy().recovery
        },
        halt: HaltMode::Wait,
        capabilities: Capabilities {
            restore_files: true,
            ..Capabilities::default()
        },
        edits: ThresholdEdits::TightenOnly,
        calls_unit: CallUnit::Request,
        announcement: Some(
            "Circuit breaker is active — monitoring for stagnation, rate limits, and file protection.",
        ),
        variables: &[
            ("MAX_CALLS_PER_HOUR", VariableMeaning::CallsPerHour),
            ("NO_PROGRESS_THRESHOLD", VariableMeaning::NoProgress),
            ("IDENTICAL_ERROR_THRESHOLD", VariableMeaning::SameError),
            ("OUTPUT_DECLINE_THRESHOLD", VariableMeaning::OutputDecline),
            ("COOLDOWN_SECONDS", VariableMeaning::CooldownSeconds),
            ("CLAUDE_TIMEOUT", VariableMeaning::IterationSeconds),
        ],
        // Its document knows iterations alone.
        in_session: CallPolicy::observing(),
        tasks: TaskRules {
            attempts: Some(3),
            ..TaskRules::LEFT_ALONE
        },
        patterns: None,
        ..native::policy()
    }
}
