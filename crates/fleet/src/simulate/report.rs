//! What a simulation came to.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::Plan;
use super::audit::Audit;
use super::cost::Costs;
use super::tally::Seen;

/// What a worker asks for, a second: an iteration every minute, a sign of life every 15 s,
/// a batch of events every 30 s, a task every 5 minutes. All of them draw on one budget,
/// which is the worst that can be asked.
const TAKES: f64 = 1.0 / 60.0;
const BEATS: f64 = 1.0 / 15.0;
const BATCHES: f64 = 1.0 / 30.0;
const CLAIMS: f64 = 1.0 / 300.0;
/// The fleets that are extrapolated to.
const FLEETS: [u32; 3] = [1_000, 10_000, 100_000];

/// Everything that was counted.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    workers: u32,
    machines: u32,
    seconds: f64,
    /// Tasks that were offered, and those that are done.
    offered: u64,
    done: u64,
    /// Tasks that were offered and never done.
    pub lost: u64,
    /// Tasks done twice with effect, and events that are there twice.
    pub duplicates: u64,
    /// By how much any window exceeded the budget.
    pub over_budget: u64,
    /// Events that were written and did not arrive.
    pub events_missing: u64,
    /// Grants that somebody was told of and that the server does not know.
    pub grants_lost: u64,
    events: u64,
    budget: u64,
    most_in_a_window: u64,
    granted: u64,
    refused: u64,
    kills: u64,
    stalls: u64,
    slow: u64,
    cuts: u64,
    unreachable: u64,
    given_up: u64,
    too_late: u64,
    takeovers: u64,
    /// From the last sign of life that arrived to the next worker's beginning, at the
    /// longest.
    pub longest_takeover_ms: u64,
    lease_ms: u64,
    operations_per_second: f64,
    /// Granted takes a second, all from one budget, with all connections at once.
    pub takes_per_second: f64,
    beats_per_second: f64,
    claims_per_second: f64,
    batches_per_second: f64,
    /// What fleets of several sizes would ask of this server.
    held: Vec<Held>,
}

/// How much of the server a fleet would need.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Held {
    /// How many workers.
    pub workers: u32,
    /// The share of the time that it would be busy; above 1 it is not enough.
    pub share: f64,
}

impl Report {
    pub(super) fn of(
        plan: &Plan,
        seen: &Seen,
        audit: &Audit,
        costs: Costs,
        offered: u64,
        ran: Duration,
    ) -> Self {
        let twice = seen.done.values().filter(|times| **times > 1).count() as u64;
        let share = |workers: u32| {
            let each = TAKES / costs.takes
                + BEATS / costs.beats
                + BATCHES / costs.batches
                + CLAIMS / costs.claims;
            f64::from(workers) * each
        };
        #[expect(clippy::cast_precision_loss, reason = "for people to read")]
        let operations = seen.operations as f64;
        Self {
            workers: plan.workers,
            machines: plan.machines,
            seconds: ran.as_secs_f64(),
            offered,
            done: audit.done,
            lost: offered.abs_diff(audit.done),
            duplicates: twice + audit.events_twice,
            over_budget: audit.most_in_a_window.saturating_sub(plan.budget()),
            events_missing: audit.events_missing,
            grants_lost: seen.granted.saturating_sub(audit.grants),
            events: audit.events,
            budget: plan.budget(),
            most_in_a_window: audit.most_in_a_window,
            granted: seen.granted,
            refused: seen.refused,
            kills: seen.kills,
            stalls: seen.stalls,
            slow: seen.slow,
            cuts: seen.cuts,
            unreachable: seen.unreachable,
            given_up: seen.given_up,
            too_late: seen.too_late,
            takeovers: seen.takeovers,
            longest_takeover_ms: u64::try_from((plan.lease + seen.longest_overdue).as_millis())
                .unwrap_or(u64::MAX),
            lease_ms: u64::try_from(plan.lease.as_millis()).unwrap_or(u64::MAX),
            operations_per_second: operations / ran.as_secs_f64(),
            takes_per_second: costs.takes,
            beats_per_second: costs.beats,
            claims_per_second: costs.claims,
            batches_per_second: costs.batches,
            held: FLEETS
                .map(|workers| Held {
                    workers,
                    share: share(workers),
                })
                .to_vec(),
        }
    }

    /// Whether everything held that must.
    #[must_use]
    pub fn holds(&self) -> bool {
        let takeover_in_time = self.longest_takeover_ms <= self.lease_ms + 5_000;
        self.lost + self.duplicates + self.over_budget + self.events_missing + self.grants_lost == 0
            && takeover_in_time
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut row = |name: &str, words: String| writeln!(out, "{name:<15} {words}");
        row(
            "load",
            format!(
                "{} workers over {} connections for {:.0} s, {:.0} turns/s",
                self.workers, self.machines, self.seconds, self.operations_per_second
            ),
        )?;
        row(
            "trouble",
            format!(
                "{} killed, {} stalled, {} slow, {} cut off ({} turns without a coordinator), a third of the clocks an hour ahead, a third behind",
                self.kills, self.stalls, self.slow, self.cuts, self.unreachable
            ),
        )?;
        row(
            "tasks",
            format!("{} of {} done, {} lost", self.done, self.offered, self.lost),
        )?;
        row(
            "leases",
            format!(
                "{} taken over, the longest {:.1} s after the last sign of life (lease {:.1} s); {} given up in time, {} late ends without effect",
                self.takeovers,
                Duration::from_millis(self.longest_takeover_ms).as_secs_f64(),
                Duration::from_millis(self.lease_ms).as_secs_f64(),
                self.given_up,
                self.too_late
            ),
        )?;
        row("duplicates", self.duplicates.to_string())?;
        row(
            "budget",
            format!(
                "{} granted, {} refused, {} lost; at most {} of {} in any window, {} over",
                self.granted,
                self.refused,
                self.grants_lost,
                self.most_in_a_window,
                self.budget,
                self.over_budget
            ),
        )?;
        row(
            "events",
            format!("{} delivered, {} missing", self.events, self.events_missing),
        )?;
        row(
            "cost",
            format!(
                "{:.0} takes/s from one budget, {:.0} signs of life/s, {:.0} claims with their ends/s, {:.0} batches of 10 events/s",
                self.takes_per_second,
                self.beats_per_second,
                self.claims_per_second,
                self.batches_per_second
            ),
        )?;
        for held in &self.held {
            let enough = if held.share <= 0.7 {
                "held"
            } else {
                "too much for it"
            };
            row(
                "would hold",
                format!(
                    "{} workers: {:.0} % of this server, {enough}",
                    held.workers,
                    held.share * 100.0
                ),
            )?;
        }
        Ok(())
    }
}
