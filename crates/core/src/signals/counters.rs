//! The counters behind the signals.

use serde::{Deserialize, Serialize};

use super::{
    ErrorStreaks, Progress, TaskWork, circling, claims, denials, drift, environment, no_progress,
};
use crate::circuit::Row;
use crate::observation::{Observation, PhaseMetrics, WorkPhase};
use crate::policy::Policy;
use crate::signature::Identified;

/// What is counted from tick to tick.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Ticks since counting began; what lies before it is not looked at.
    pub ticks: u32,
    /// Ticks in a row without progress.
    #[serde(skip_serializing_if = "zero")]
    pub no_progress: u32,
    /// Errors seen in the last iterations, with how often in a row.
    #[serde(skip_serializing_if = "ErrorStreaks::is_empty")]
    pub errors: ErrorStreaks,
    /// The task under way, and how the ones before it went.
    pub task: TaskWork,
    /// Claims of completion in a row that the evidence contradicts.
    #[serde(skip_serializing_if = "zero")]
    pub unproven: u32,
    /// Claims of completion in a row with nothing completed.
    #[serde(skip_serializing_if = "zero")]
    pub done_claims: u32,
    /// Ticks in a row in which the agent asked for a person.
    #[serde(skip_serializing_if = "zero")]
    pub needs_person: u32,
    /// Ticks in a row in which a claim contradicts a measurement.
    #[serde(skip_serializing_if = "zero")]
    pub contradictions: u32,
    /// Ticks in a row lost to trouble outside.
    #[serde(skip_serializing_if = "zero")]
    pub environment: u32,
    /// Ticks in a row that were ended for going round in circles.
    #[serde(skip_serializing_if = "zero")]
    pub circling: u32,
    /// Tool calls denied in a row.
    #[serde(skip_serializing_if = "zero")]
    pub denials: u32,
    /// Edits without gain, in tenths of a point.
    #[serde(skip_serializing_if = "zero")]
    pub drift: u32,
    /// Iterations for which nothing was added to that though they repaired nothing, since the last
    /// repair.
    #[serde(skip_serializing_if = "zero")]
    pub excused: u32,
    /// Protected files that were emptied or replaced.
    #[serde(skip_serializing_if = "zero")]
    pub protected_lost: u32,
    /// The phase of the last tick.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<WorkPhase>,
    /// The last numbers of each phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Box<[PhaseMetrics; WorkPhase::ALL.len()]>>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn zero(count: &u32) -> bool {
    *count == 0
}

impl Counters {
    /// The counters after one more tick. `row` is that tick, scored, and `rows` are those before it.
    #[must_use]
    pub(crate) fn after(
        &self,
        facts: &Observation,
        errors: &Identified<'_>,
        (rows, row): (&[Row], &Row),
        policy: &Policy,
    ) -> Self {
        Self {
            ticks: self.ticks.saturating_add(1),
            no_progress: no_progress::count(self.no_progress, row.progress),
            errors: self.errors.after(facts, errors, policy.streaks),
            task: self.task.after(facts),
            unproven: claims::in_a_row(self.unproven, claims::unproven(facts)),
            done_claims: claims::in_a_row(
                self.done_claims,
                claims::done_with_nothing_completed(facts),
            ),
            needs_person: claims::in_a_row(self.needs_person, facts.claimed.needs_person),
            contradictions: claims::in_a_row(self.contradictions, claims::contradicted(facts)),
            environment: environment::count(self.environment, facts),
            circling: circling::count(self.circling, facts),
            denials: denials::count(self.denials, facts),
            drift: drift::add(self.drift, row.worth, policy.drift),
            excused: drift::excused((self, rows), errors, row, policy.drift),
            protected_lost: self.protected_lost,
            phase: facts.phase.or(self.phase),
            metrics: self.metrics_after(facts),
        }
    }

    /// The counters when another phase begins: what was counted belongs to the
    /// old one, its numbers stay.
    #[must_use]
    pub fn in_phase(&self, phase: WorkPhase) -> Self {
        Self {
            phase: Some(phase),
            metrics: self.metrics.clone(),
            ..Self::default()
        }
    }

    /// The counters when counting begins anew.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self {
            phase: self.phase,
            metrics: self.metrics.clone(),
            ..Self::default()
        }
    }

    /// The last numbers of `phase`.
    #[must_use]
    pub fn last_metrics(&self, phase: WorkPhase) -> PhaseMetrics {
        self.metrics
            .as_ref()
            .map_or_else(PhaseMetrics::default, |all| all[phase as usize])
    }

    /// Takes over the numbers of a phase that are harder to better.
    pub(crate) fn learn(&mut self, phase: WorkPhase, metrics: &PhaseMetrics) {
        let all = self.metrics.get_or_insert_default();
        all[phase as usize] = all[phase as usize].harder(metrics);
    }

    /// Whether the tick gained anything, in the policy's terms.
    #[must_use]
    pub fn judge(&self, facts: &Observation, policy: &Policy) -> Progress {
        Progress::of(
            facts,
            policy.progress,
            &self.last_metrics(facts.phase.or(self.phase).unwrap_or(WorkPhase::Red)),
        )
    }

    fn metrics_after(
        &self,
        facts: &Observation,
    ) -> Option<Box<[PhaseMetrics; WorkPhase::ALL.len()]>> {
        let Some(phase) = facts.phase.or(self.phase) else {
            return self.metrics.clone();
        };
        if facts.metrics == PhaseMetrics::default() {
            return self.metrics.clone();
        }
        let mut all = self.metrics.clone().unwrap_or_default();
        all[phase as usize] = facts.metrics.over(&all[phase as usize]);
        Some(all)
    }
}
