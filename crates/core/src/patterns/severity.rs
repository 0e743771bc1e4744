//! How far upstream a problem lies.

use serde::{Deserialize, Serialize};

/// The layer that is flawed, the one that decides most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Severity {
    /// The goal. No rule finds this; a person may say so.
    VisionFlaw,
    /// What belongs to the work.
    ScopeFlaw,
    /// What is required in detail.
    SpecFlaw,
    /// How it is built.
    ArchitectureFlaw,
    /// What it is built with. No rule finds this; a person may say so.
    TechStackFlaw,
    /// What it depends on outside.
    ExternalDependency,
}

impl Severity {
    /// All of them, by rank.
    pub const ALL: [Self; 6] = [
        Self::VisionFlaw,
        Self::ScopeFlaw,
        Self::SpecFlaw,
        Self::ArchitectureFlaw,
        Self::TechStackFlaw,
        Self::ExternalDependency,
    ];

    /// Its name in data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::VisionFlaw => "VISION_FLAW",
            Self::ScopeFlaw => "SCOPE_FLAW",
            Self::SpecFlaw => "SPEC_FLAW",
            Self::ArchitectureFlaw => "ARCHITECTURE_FLAW",
            Self::TechStackFlaw => "TECH_STACK_FLAW",
            Self::ExternalDependency => "EXTERNAL_DEPENDENCY",
        }
    }

    /// The layer that is affected.
    #[must_use]
    pub fn layer(self) -> &'static str {
        match self {
            Self::VisionFlaw => "Why we're building",
            Self::ScopeFlaw => "What we're building (MVP)",
            Self::SpecFlaw => "Requirements detail",
            Self::ArchitectureFlaw => "How we're building",
            Self::TechStackFlaw => "Tools/frameworks",
            Self::ExternalDependency => "External services",
        }
    }

    /// How wide the correction has to reach.
    #[must_use]
    pub fn scope(self) -> &'static str {
        match self {
            Self::VisionFlaw => "Stop, revisit goal and brief",
            Self::ScopeFlaw => "Pause, revise PRD/requirements",
            Self::SpecFlaw => "Pause, update specs",
            Self::ArchitectureFlaw => "Pause, new ADR, possible refactor",
            Self::TechStackFlaw => "Spike needed, possible tech pivot",
            Self::ExternalDependency => {
                "Halt sprint — external issue, not agent problem; wait or escalate"
            }
        }
    }
}
