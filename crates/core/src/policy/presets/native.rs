//! The default: early warning, probes with a rising wait, a person in the end.
//!
//! Where the other ways of working leave something open, they take it from here.

use super::{HOUR_MS, MINUTE_MS, SCORE};
use crate::calls::CallPolicy;
use crate::patterns::PatternRules;
use crate::policy::Bound::{Above, AtLeast};
use crate::policy::{
    CallLimit, CallUnit, Capabilities, DriftRule, Enforcement, ErrorIdentity, ExitMap, HaltMode,
    Labels, Policy, Preset, ProbeRule, ProgressRule, Recovery, ReleaseRules, ScoreWeights,
    SignalRule, SignalRules, StreakRule, TaskRules, ThresholdEdits, TickUnit,
};
use crate::signals::Signal;

/// Iterations that are excused for what gained something that there is no end to.
const EXCUSED: u32 = 10;

pub(super) fn policy() -> Policy {
    let rules = [
        (
            Signal::NoProgress,
            SignalRule::silent("004.15")
                .warns(AtLeast(2))
                .trips(AtLeast(3)),
        ),
        (
            Signal::RepeatedError,
            SignalRule::silent("004.17")
                .warns(AtLeast(3))
                .trips(AtLeast(5)),
        ),
        (Signal::TaskStuck, SignalRule::silent("000.30")),
        (
            Signal::Unproven,
            SignalRule::silent("000.31")
                .warns(AtLeast(2))
                .trips(AtLeast(3)),
        ),
        (
            Signal::DoneInARow,
            SignalRule::silent("000.6").warns(AtLeast(3)),
        ),
        (
            Signal::OutputDecline,
            SignalRule::silent("004.19").warns(AtLeast(70)),
        ),
        (
            Signal::Denials,
            SignalRule::silent("004.21")
                .warns(AtLeast(2))
                .trips(AtLeast(3)),
        ),
        (
            Signal::TestsOnly,
            SignalRule::silent("000.5").warns(Above(30)),
        ),
        (
            Signal::Circular,
            SignalRule::silent("004.24").trips(AtLeast(2)),
        ),
        (
            Signal::Score,
            SignalRule::silent("004.34").warns(AtLeast(4)),
        ),
        (
            Signal::TaskLoops,
            SignalRule::silent("004.77").warns(Above(20)),
        ),
        (
            Signal::FailedTasks,
            SignalRule::silent("004.117").warns(AtLeast(2)),
        ),
        (
            Signal::Returns,
            SignalRule::silent("native.returns")
                .warns(AtLeast(1))
                .trips(AtLeast(2)),
        ),
        (
            Signal::Drift,
            SignalRule::silent("native.drift")
                .warns(AtLeast(30))
                .trips(AtLeast(40)),
        ),
        (
            Signal::NeedsPerson,
            SignalRule::silent("native.person")
                .warns(AtLeast(1))
                .trips(AtLeast(2)),
        ),
        (
            Signal::Contradiction,
            SignalRule::silent("D62").warns(AtLeast(2)),
        ),
        (
            Signal::Environment,
            SignalRule::silent("native.environment"),
        ),
        (
            Signal::ProtectedLost,
            SignalRule::silent("D79")
                .warns(AtLeast(1))
                .trips(AtLeast(2)),
        ),
        (
            Signal::Circling,
            SignalRule::silent("native.circling")
                .warns(AtLeast(1))
                .trips(AtLeast(2)),
        ),
    ];
    Policy {
        preset: Preset::Native,
        labels: Labels {
            closed: "CLOSED",
            watching: Some("WATCHING"),
            open: "OPEN",
            probing: "PROBING",
            complete: None,
        },
        unit: TickUnit::Iteration,
        progress: ProgressRule::AnyGain,
        errors: ErrorIdentity::Placed,
        streaks: StreakRule::SinceGain {
            excused: EXCUSED,
            mended: 5 * EXCUSED,
        },
        rules: SignalRules::only(rules),
        score: ScoreWeights {
            per_file: false,
            ..SCORE
        },
        drift: DriftRule {
            expected: 15,
            excused: EXCUSED,
            compared: 6,
        },
        output_floor: 20,
        commands_may_append: true,
        release: ReleaseRules {
            person: true,
            cooldown: true,
            correction: true,
            retry: true,
            probe: ProbeRule::Progress,
        },
        recovery: Recovery {
            cooldown_ms: 30 * MINUTE_MS,
            longest_ms: Some(24 * HOUR_MS),
            probes: Some(3),
            watched: 3,
        },
        halt: HaltMode::Pause,
        capabilities: Capabilities {
            block_task: true,
            switch_model: true,
            notify: true,
            skip_phase: true,
            report: true,
            restore_files: true,
            switch_off_signals: false,
            advise_only: true,
        },
        edits: ThresholdEdits::Free,
        iteration_limit_ms: 30 * MINUTE_MS,
        calls: CallLimit {
            limit: 100,
            window_ms: HOUR_MS,
            warn_percent: 80,
        },
        calls_unit: CallUnit::Invocation,
        tokens: None,
        micro_usd: None,
        patterns: Some(PatternRules::default()),
        exits: ExitMap {
            open: 42,
            paused: 43,
            shift: 0,
        },
        enforcement: Enforcement::Halt,
        announcement: None,
        artifacts: None,
        tasks: TaskRules {
            recover: true,
            ..TaskRules::LEFT_ALONE
        },
        companion: None,
        variables: &[],
        directory: None,
        in_session: CallPolicy::native(),
    }
}
