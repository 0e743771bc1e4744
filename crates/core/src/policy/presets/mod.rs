//! The table of ways to work. One engine reads all of them.
//!
//! This directory and the seed systems' own room are the only places where a
//! preset is known by name.

mod bmad;
mod cub;
mod liza;
mod native;
mod prp;
mod superkit;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Policy, ScoreWeights};

const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 60 * MINUTE_MS;

/// A way to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// The default: the best of all the others, tuned on real sessions.
    #[default]
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

impl Preset {
    /// Whether its document names the model that work begins with. Elsewhere that is the
    /// agent's own, unless a person names others.
    #[must_use]
    pub fn names_the_first_model(self) -> bool {
        self == Self::Cub
    }

    /// Whether its document draws the screen of the pause, with everything that can ever be
    /// chosen. Elsewhere what means nothing at the moment is left out.
    #[must_use]
    pub fn draws_the_pause(self) -> bool {
        self == Self::Cub
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
            .ok_or_else(|| format!("unknown preset `{name}`; available: {}", names()))
    }
}

impl Policy {
    /// A row of the table.
    #[must_use]
    pub fn of(preset: Preset) -> Self {
        match preset {
            Preset::Native => native::policy(),
            Preset::Cub => cub::policy(),
            Preset::Prp => prp::policy(),
            Preset::Liza => liza::policy(),
            Preset::Bmad => bmad::policy(),
            Preset::Superkit => superkit::policy(),
        }
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
    use crate::signals::Signal;

    #[test]
    fn names_are_read_back_and_others_are_refused() {
        for preset in Preset::ALL {
            assert_eq!(preset.name().parse(), Ok(preset));
            assert_eq!(Policy::of(preset).preset, preset);
            let is_cub = preset == Preset::Cub;
            assert_eq!(preset.names_the_first_model(), is_cub, "{preset}");
            assert_eq!(preset.draws_the_pause(), is_cub, "{preset}");
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
