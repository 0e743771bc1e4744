//! The table of ways to work. One engine reads all of them.
//!
//! This file and the seed systems' own room are the only places where a preset
//! is known by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{
    Bound, CallLimit, Capabilities, Enforcement, ErrorIdentity, ExitMap, HaltMode, Labels, Policy,
    ProbeRule, ProgressRule, Recovery, ReleaseRules, ScoreWeights, SignalRule, SignalRules,
    ThresholdEdits, TickUnit,
};
use crate::patterns::PatternRules;
use crate::signals::Signal;

use Bound::{Above, AtLeast};

const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 60 * MINUTE_MS;

/// A way to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// The default: the best of all the others, tuned on real sessions.
    Native,
    /// Pause, alert, abort or escalate after three loops without change.
    Cub,
    /// Phases with thresholds of their own.
    Prp,
    /// Patterns across the anomalies of a sprint.
    Liza,
    /// Sessions that must let a feature pass.
    Bmad,
    /// Six conditions, a score, and a cooldown nobody can override.
    Superkit,
}

impl Preset {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 6] = [
        Self::Native,
        Self::Cub,
        Self::Prp,
        Self::Liza,
        Self::Bmad,
        Self::Superkit,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Cub => "cub",
            Self::Prp => "prp",
            Self::Liza => "liza",
            Self::Bmad => "bmad",
            Self::Superkit => "superkit",
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|preset| preset.name() == name)
            .ok_or_else(|| format!("there is no preset `{name}`; there are {}", names()))
    }
}

impl Policy {
    /// A row of the table.
    #[must_use]
    pub fn of(preset: Preset) -> Self {
        match preset {
            Preset::Native => native(),
            Preset::Cub => cub(),
            Preset::Prp => prp(),
            Preset::Liza => liza(),
            Preset::Bmad => bmad(),
            Preset::Superkit => superkit(),
        }
    }
}

fn native() -> Policy {
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
    ];
    Policy {
        preset: Preset::Native,
        labels: Labels {
            closed: "CLOSED",
            watching: Some("WATCHING"),
            open: "OPEN",
            probing: "PROBING",
            complete: "COMPLETE",
        },
        unit: TickUnit::Iteration,
        progress: ProgressRule::AnyGain,
        errors: ErrorIdentity::Normalised,
        rules: SignalRules::only(rules),
        score: ScoreWeights {
            per_file: false,
            ..SCORE
        },
        release: ReleaseRules {
            person: true,
            cooldown: true,
            correction: false,
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
        tokens: None,
        micro_usd: None,
        patterns: None,
        exits: ExitMap {
            open: 42,
            paused: 43,
            shift: 0,
        },
        enforcement: Enforcement::Halt,
        artifacts: None,
    }
}

fn cub() -> Policy {
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
            ..native().labels
        },
        errors: ErrorIdentity::FirstLine,
        rules: SignalRules::only(rules),
        release: ReleaseRules {
            cooldown: false,
            ..native().release
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
        ..native()
    }
}

fn prp() -> Policy {
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
            ..native().labels
        },
        unit: TickUnit::PhaseAction,
        progress: ProgressRule::PhaseMetrics,
        errors: ErrorIdentity::Exact,
        rules: SignalRules::only(rules),
        release: ReleaseRules {
            cooldown: false,
            retry: false,
            ..native().release
        },
        halt: HaltMode::Prompt,
        capabilities: Capabilities {
            skip_phase: true,
            ..Capabilities::default()
        },
        ..native()
    }
}

fn liza() -> Policy {
    Policy {
        preset: Preset::Liza,
        labels: Labels {
            closed: "OK",
            watching: None,
            open: "TRIGGERED",
            probing: "TRIGGERED",
            complete: "OK",
        },
        unit: TickUnit::Analysis,
        rules: SignalRules::only([]),
        release: ReleaseRules {
            person: false,
            cooldown: false,
            correction: true,
            retry: false,
            ..native().release
        },
        halt: HaltMode::Checkpoint,
        patterns: Some(PatternRules::default()),
        capabilities: Capabilities {
            report: true,
            ..Capabilities::default()
        },
        exits: ExitMap {
            open: 48,
            ..native().exits
        },
        ..native()
    }
}

fn bmad() -> Policy {
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
            complete: "COMPLETE",
        },
        unit: TickUnit::Session,
        progress: ProgressRule::Features,
        rules: SignalRules::only(rules),
        release: ReleaseRules {
            cooldown: false,
            retry: false,
            ..native().release
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
        ..native()
    }
}

fn superkit() -> Policy {
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
    ];
    Policy {
        preset: Preset::Superkit,
        labels: Labels {
            watching: None,
            probing: "HALF-OPEN",
            ..native().labels
        },
        progress: ProgressRule::BeyondTests,
        rules: SignalRules::only(rules),
        score: SCORE,
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
            ..native().recovery
        },
        halt: HaltMode::Wait,
        capabilities: Capabilities {
            restore_files: true,
            ..Capabilities::default()
        },
        edits: ThresholdEdits::TightenOnly,
        ..native()
    }
}

/// The seven weights, as written.
const SCORE: ScoreWeights = ScoreWeights {
    test_fixed: 3,
    task: 5,
    files: 1,
    per_file: true,
    build_fixed: 2,
    same_error: -2,
    no_files: -3,
    reverted: -1,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::WorkPhase;

    #[test]
    fn names_are_read_back_and_others_are_refused() {
        for preset in Preset::ALL {
            assert_eq!(preset.name().parse(), Ok(preset));
            assert_eq!(Policy::of(preset).preset, preset);
        }
        assert!("Native".parse::<Preset>().unwrap_err().contains("superkit"));
    }

    #[test]
    fn req_001_033_to_040_and_112_each_phase_has_its_own_thresholds() {
        let rules = Policy::of(Preset::Prp).rules;
        let at = |signal, phase| {
            rules
                .get(signal)
                .unwrap()
                .trip_at(Some(phase))
                .unwrap()
                .number()
        };
        for (phase, no_progress, same_error) in [
            (WorkPhase::Red, 3, 5),
            (WorkPhase::Green, 2, 3),
            (WorkPhase::Refactor, 5, 5),
            (WorkPhase::Document, 3, 5),
        ] {
            assert_eq!(at(Signal::NoProgress, phase), no_progress);
            assert_eq!(at(Signal::RepeatedError, phase), same_error);
        }
    }

    #[test]
    fn req_001_003_and_004_008_and_x_001_each_preset_spells_its_states_as_its_document_does() {
        for (preset, closed, watching, open, probing) in [
            (
                Preset::Native,
                "CLOSED",
                Some("WATCHING"),
                "OPEN",
                "PROBING",
            ),
            (Preset::Cub, "CLOSED", None, "OPEN", "HALF_OPEN"),
            (Preset::Prp, "CLOSED", Some("HALF_OPEN"), "OPEN", "OPEN"),
            (Preset::Liza, "OK", None, "TRIGGERED", "TRIGGERED"),
            (Preset::Bmad, "HEALTHY", None, "TRIGGERED", "TRIGGERED"),
            (Preset::Superkit, "CLOSED", None, "OPEN", "HALF-OPEN"),
        ] {
            let labels = Policy::of(preset).labels;
            assert_eq!(
                (labels.closed, labels.watching, labels.open, labels.probing),
                (closed, watching, open, probing)
            );
        }
    }

    #[test]
    fn req_x_010_forty_two_means_a_trip_and_liza_never_says_it() {
        for preset in Preset::ALL {
            let exits = Policy::of(preset).exits;
            assert_eq!(exits.open == 48, preset == Preset::Liza);
            assert_eq!(exits.paused == exits.open, preset == Preset::Bmad);
        }
    }
}
