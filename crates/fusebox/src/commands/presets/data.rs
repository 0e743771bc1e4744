//! A way of working as typed data.

use fusebox_core::observation::WorkPhase;
use fusebox_core::policy::{
    Bound, ErrorIdentity, HaltMode, Labels, Policy, ProgressRule, SignalRule, StreakRule,
    ThresholdEdits, TickUnit,
};
use fusebox_core::signals::Signal;
use serde::Serialize;

/// What a preset decides by.
#[derive(Serialize)]
pub(super) struct PresetData {
    states: States,
    tick: &'static str,
    progress: &'static str,
    same_error: &'static str,
    error_streak: &'static str,
    /// Where a gain ends a streak: how many iterations are excused for gains.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_streak_excuses: Option<StreakExcuses>,
    /// Where edits without gain are looked at: what they are held against.
    #[serde(skip_serializing_if = "Option::is_none")]
    drift: Option<DriftData>,
    on_trip: &'static str,
    threshold_edits: &'static str,
    exit_when_open: u8,
    exit_when_paused: u8,
    /// What is added to the exit codes 1 to 6.
    exit_shift: u8,
    release: ReleaseData,
    calls: Calls,
    signals: Vec<SignalData>,
}

/// What the states are called; `null` where there is no such state.
#[derive(Serialize)]
struct States {
    closed: &'static str,
    watching: Option<&'static str>,
    open: &'static str,
    probing: &'static str,
    complete: Option<&'static str>,
}

#[derive(Serialize)]
struct StreakExcuses {
    /// For what there is no end to, such as tests that are added.
    growth: u32,
    /// For repairs.
    repairs: u32,
}

#[derive(Serialize)]
struct DriftData {
    /// What an iteration is expected to be worth, in tenths of a point.
    expected_tenths: i32,
    /// Iterations that are excused until a repair.
    excused: u32,
    /// With the best of how many iterations one is compared.
    compared: u32,
}

#[derive(Serialize)]
struct ReleaseData {
    person: bool,
    cooldown: bool,
    cooldown_ms: u64,
    longest_ms: Option<u64>,
    probes: Option<u32>,
}

#[derive(Serialize)]
struct Calls {
    limit: u32,
    window_ms: u64,
    warn_percent: u32,
}

#[derive(Serialize)]
struct SignalData {
    name: &'static str,
    rule: String,
    warn: Option<BoundData>,
    trip: Option<BoundData>,
    /// Where phases differ: what each of them trips at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    phases: Vec<PhaseBound>,
}

/// From which value on, or above which.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum BoundData {
    AtLeast(u32),
    Above(u32),
}

#[derive(Serialize)]
struct PhaseBound {
    phase: &'static str,
    trip: Option<BoundData>,
}

impl PresetData {
    pub(super) fn of(policy: &Policy) -> Self {
        let Policy {
            recovery,
            calls,
            exits,
            release,
            ..
        } = policy;
        let signals = policy.rules.iter();
        Self {
            states: States::of(&policy.labels),
            tick: tick(policy.unit),
            progress: progress(policy.progress),
            same_error: same_error(policy.errors),
            error_streak: streak(policy.streaks),
            error_streak_excuses: excuses(policy.streaks),
            drift: policy.rules.get(Signal::Drift).map(|_| DriftData {
                expected_tenths: policy.drift.expected,
                excused: policy.drift.excused,
                compared: policy.drift.compared,
            }),
            on_trip: on_trip(policy.halt),
            threshold_edits: edits(policy.edits),
            exit_when_open: exits.open,
            exit_when_paused: exits.paused,
            exit_shift: exits.shift,
            release: ReleaseData {
                person: release.person,
                cooldown: release.cooldown,
                cooldown_ms: recovery.cooldown_ms,
                longest_ms: recovery.longest_ms,
                probes: recovery.probes,
            },
            calls: Calls {
                limit: calls.limit,
                window_ms: calls.window_ms,
                warn_percent: calls.warn_percent,
            },
            signals: signals
                .map(|(signal, rule)| SignalData::of(signal, rule))
                .collect(),
        }
    }
}

impl States {
    fn of(labels: &Labels) -> Self {
        Self {
            closed: labels.closed,
            watching: labels.watching,
            open: labels.open,
            probing: labels.probing,
            complete: labels.complete,
        }
    }
}

impl SignalData {
    fn of(signal: Signal, rule: &SignalRule) -> Self {
        let phases = WorkPhase::ALL.into_iter();
        let phases = phases.filter(|_| rule.phases.is_some());
        Self {
            name: signal.name(),
            rule: rule.rule.to_string(),
            warn: rule.warn.map(BoundData::of),
            trip: rule.trip.map(BoundData::of),
            phases: phases
                .map(|phase| PhaseBound {
                    phase: phase.name(),
                    trip: rule.trip_at(Some(phase)).map(BoundData::of),
                })
                .collect(),
        }
    }
}

impl BoundData {
    fn of(bound: Bound) -> Self {
        match bound {
            Bound::AtLeast(value) => Self::AtLeast(value),
            Bound::Above(value) => Self::Above(value),
        }
    }
}

fn tick(unit: TickUnit) -> &'static str {
    match unit {
        TickUnit::Iteration => "iteration",
        TickUnit::PhaseAction => "phase_action",
        TickUnit::Session => "session",
        TickUnit::Analysis => "analysis",
    }
}

fn progress(rule: ProgressRule) -> &'static str {
    match rule {
        ProgressRule::AnyGain => "any_gain",
        ProgressRule::BeyondTests => "beyond_tests",
        ProgressRule::PhaseMetrics => "phase_metrics",
        ProgressRule::Features => "features",
    }
}

fn same_error(identity: ErrorIdentity) -> &'static str {
    match identity {
        ErrorIdentity::Normalised => "normalised",
        ErrorIdentity::Placed => "placed",
        ErrorIdentity::Exact => "exact",
        ErrorIdentity::FirstLine => "first_line",
    }
}

fn streak(rule: StreakRule) -> &'static str {
    match rule {
        StreakRule::Unbroken => "unbroken",
        StreakRule::SinceGain { .. } => "since_gain",
    }
}

fn excuses(rule: StreakRule) -> Option<StreakExcuses> {
    match rule {
        StreakRule::Unbroken => None,
        StreakRule::SinceGain { excused, mended } => Some(StreakExcuses {
            growth: excused,
            repairs: mended,
        }),
    }
}

fn on_trip(halt: HaltMode) -> &'static str {
    match halt {
        HaltMode::Pause => "pause",
        HaltMode::Prompt => "prompt",
        HaltMode::Checkpoint => "checkpoint",
        HaltMode::Exit => "exit",
        HaltMode::Wait => "wait",
    }
}

fn edits(edits: ThresholdEdits) -> &'static str {
    match edits {
        ThresholdEdits::Free => "free",
        ThresholdEdits::Reevaluate => "reevaluate",
        ThresholdEdits::TightenOnly => "tighten_only",
    }
}
