//! The six patterns: which anomalies they count, and by what they group them.

use serde::{Deserialize, Serialize};

use super::anomaly::{Anomaly, AnomalyKind};
use super::severity::Severity;
use crate::policy::RuleId;

/// A pattern that points to a problem upstream of single tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// The same error in one task after another.
    RetryCluster,
    /// Debt upon debt.
    DebtAccumulation,
    /// The same assumption fails again and again.
    AssumptionCascade,
    /// One problem is avoided in several places.
    WorkaroundPattern,
    /// One place in the specification puzzles several tasks.
    SpecGapCluster,
    /// One outside service blocks several tasks.
    ExternalServiceOutage,
}

/// What the anomalies of one pattern are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Factor<'a> {
    /// Being there is enough.
    Presence,
    /// This text has to be the same.
    Text(&'a str),
    /// Nobody said. What is missing twice is not the same thing.
    Missing,
}

impl Pattern {
    /// All of them, in the order of the rules.
    pub const ALL: [Self; 6] = [
        Self::RetryCluster,
        Self::DebtAccumulation,
        Self::AssumptionCascade,
        Self::WorkaroundPattern,
        Self::SpecGapCluster,
        Self::ExternalServiceOutage,
    ];

    /// Its name in data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::RetryCluster => "retry_cluster",
            Self::DebtAccumulation => "debt_accumulation",
            Self::AssumptionCascade => "assumption_cascade",
            Self::WorkaroundPattern => "workaround_pattern",
            Self::SpecGapCluster => "spec_gap_cluster",
            Self::ExternalServiceOutage => "external_service_outage",
        }
    }

    /// What it means, in a few words.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::RetryCluster => "Same error type recurring across tasks",
            Self::DebtAccumulation => "Multiple trade-offs creating debt",
            Self::AssumptionCascade => "Same assumption failing across tasks",
            Self::WorkaroundPattern => "Multiple workarounds for similar issues",
            Self::SpecGapCluster => "Multiple tasks hitting spec ambiguity",
            Self::ExternalServiceOutage => "Same external service blocking multiple tasks",
        }
    }

    /// When it is there, in the words of its rule, with the number that is asked for.
    #[must_use]
    pub fn condition(self, threshold: u32) -> String {
        let what = match self {
            Self::RetryCluster => "type=retry_loop, similar(error_pattern)",
            Self::DebtAccumulation => "type=trade_off, debt_created=true",
            Self::AssumptionCascade => "type=assumption_violated, same(assumption)",
            Self::WorkaroundPattern => "type IN [workaround, trade_off], similar(root_cause)",
            Self::SpecGapCluster => "type=spec_ambiguity, same(spec_ref)",
            Self::ExternalServiceOutage => "type=external_blocker, same(blocker_service)",
        };
        format!("count({what}) >= {threshold}")
    }

    /// How far upstream it points.
    #[must_use]
    pub fn severity(self) -> Severity {
        match self {
            Self::RetryCluster | Self::WorkaroundPattern => Severity::ArchitectureFlaw,
            Self::DebtAccumulation => Severity::ScopeFlaw,
            Self::AssumptionCascade | Self::SpecGapCluster => Severity::SpecFlaw,
            Self::ExternalServiceOutage => Severity::ExternalDependency,
        }
    }

    /// The written rule behind it.
    #[must_use]
    pub fn rule(self) -> RuleId {
        RuleId::Borrowed(match self {
            Self::RetryCluster => "002.31",
            Self::DebtAccumulation => "002.32",
            Self::AssumptionCascade => "002.33",
            Self::WorkaroundPattern => "002.34",
            Self::SpecGapCluster => "002.35",
            Self::ExternalServiceOutage => "002.36",
        })
    }

    /// How many anomalies it takes, unless somebody set another number.
    #[must_use]
    pub(super) const fn usual_threshold(self) -> u32 {
        match self {
            Self::RetryCluster | Self::DebtAccumulation => 3,
            Self::AssumptionCascade
            | Self::WorkaroundPattern
            | Self::SpecGapCluster
            | Self::ExternalServiceOutage => 2,
        }
    }

    /// Whether its condition names this kind.
    pub(super) fn counts(self, kind: AnomalyKind) -> bool {
        match self {
            Self::RetryCluster => kind == AnomalyKind::RetryLoop,
            Self::DebtAccumulation => kind == AnomalyKind::TradeOff,
            Self::AssumptionCascade => kind == AnomalyKind::AssumptionViolated,
            Self::WorkaroundPattern => {
                matches!(kind, AnomalyKind::Workaround | AnomalyKind::TradeOff)
            }
            Self::SpecGapCluster => kind == AnomalyKind::SpecAmbiguity,
            Self::ExternalServiceOutage => kind == AnomalyKind::ExternalBlocker,
        }
    }

    /// Whether this kind is said to point to it, although its condition does not
    /// name it.
    pub(super) fn relates_to(self, kind: AnomalyKind) -> bool {
        matches!(
            (self, kind),
            (Self::WorkaroundPattern, AnomalyKind::ScopeDeviation)
                | (Self::DebtAccumulation, AnomalyKind::DebtCreated)
                | (Self::SpecGapCluster, AnomalyKind::SpecGap)
        )
    }

    /// Whether likeness would be enough to group by, where likeness counts.
    pub(super) fn groups_alike(self) -> bool {
        matches!(self, Self::RetryCluster | Self::WorkaroundPattern)
    }

    /// The text `anomaly` is grouped by, where it has one.
    #[must_use]
    pub fn words(self, anomaly: &Anomaly) -> Option<&str> {
        match self.factor(anomaly) {
            Factor::Text(text) => Some(text),
            Factor::Presence | Factor::Missing => None,
        }
    }

    /// What `anomaly` would have in common with others of this pattern; `None` if it
    /// does not count for it.
    #[must_use]
    pub fn common(self, anomaly: &Anomaly) -> Option<&str> {
        if !self.counts(anomaly.kind) {
            return None;
        }
        match self.factor(anomaly) {
            Factor::Text(text) => Some(text),
            Factor::Presence => Some(""),
            Factor::Missing => None,
        }
    }

    /// What `anomaly` is grouped by.
    pub(super) fn factor(self, anomaly: &Anomaly) -> Factor<'_> {
        let details = &anomaly.details;
        let text = match self {
            Self::RetryCluster => &details.error_pattern,
            Self::DebtAccumulation => {
                let owed =
                    anomaly.kind == AnomalyKind::DebtCreated || details.debt_created == Some(true);
                return if owed {
                    Factor::Presence
                } else {
                    Factor::Missing
                };
            }
            Self::AssumptionCascade => &details.assumption,
            Self::WorkaroundPattern => &details.root_cause,
            Self::SpecGapCluster => &details.spec_ref,
            Self::ExternalServiceOutage => &details.blocker_service,
        };
        match text.as_deref() {
            Some(text) if !text.trim().is_empty() => Factor::Text(text),
            _ => Factor::Missing,
        }
    }
}
