//! How a fleet stands.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::terms::Unit;

/// The whole fleet at a glance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overview {
    /// The coordinator's clock, in milliseconds since 1970.
    pub now_ms: i64,
    /// Workers that gave a sign of life in the last two minutes.
    pub workers: u64,
    /// Workers that ever took part and are not forgotten.
    pub known_workers: u64,
    /// How many tasks are ready, running, done and blocked.
    pub tasks: BTreeMap<String, u64>,
    /// Leases that have ended with nobody having taken over yet.
    pub expired: u64,
    /// How far the journals of all workers together have arrived.
    pub events: u64,
    /// The budgets.
    pub budgets: Vec<BudgetView>,
    /// What is halted.
    pub halts: Vec<HaltView>,
    /// What was found and not yet resolved.
    pub incidents: Vec<IncidentView>,
}

/// One budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetView {
    /// Whose.
    pub scope: String,
    /// Of what.
    pub unit: Unit,
    /// The most in one window.
    pub most: u64,
    /// The length of the window.
    pub span_ms: u64,
    /// Used or reserved in the window that ends now.
    pub used: u64,
    /// What of it is reserved and not settled.
    pub reserved: u64,
    /// When something is free again: 0 for now, `None` for never.
    pub next_ms: Option<u64>,
}

/// One halt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HaltView {
    /// What it holds up.
    pub scope: String,
    /// Its number.
    pub epoch: u64,
    /// Why.
    pub reason: String,
    /// Who.
    pub by: String,
    /// Since when.
    pub since_ms: i64,
}

/// One incident.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncidentView {
    /// Its number.
    pub id: u64,
    /// Where.
    pub scope: String,
    /// Which pattern.
    pub pattern: String,
    /// What its members have in common.
    pub key: String,
    /// How far up the problem lies.
    pub severity: String,
    /// The members.
    pub members: Vec<String>,
    /// Since when.
    pub opened_ms: i64,
}

/// A task that somebody has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseView {
    /// Whose task.
    pub repository: String,
    /// Which.
    pub task: String,
    /// The worker that has it.
    pub owner: String,
    /// The machine of that worker, if it is still known.
    pub host: Option<String>,
    /// The number that every write of its holder carries.
    pub fence: u64,
    /// How often the task has been begun.
    pub attempt: u32,
    /// How long the lease lasts if nobody renews it; below 0 for how long it has been over.
    pub left_ms: i64,
}

/// From when on something that several workers meet is a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternView {
    /// Its name.
    pub name: String,
    /// From how many members on.
    pub threshold: u32,
    /// Within which time.
    pub span_ms: u64,
    /// How far up the problem lies.
    pub severity: String,
    /// Whether it halts the repository it is seen in.
    pub halts: bool,
    /// What it means.
    pub about: String,
}

/// One worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerView {
    /// Its name.
    pub id: String,
    /// The machine.
    pub host: String,
    /// The release it runs.
    pub version: String,
    /// What it works on.
    pub repository: String,
    /// With which agent.
    pub agent: Option<String>,
    /// How long ago it gave a sign of life.
    pub seen_ms: u64,
    /// How far its journal has arrived.
    pub delivered: u64,
    /// The tasks it has.
    pub tasks: Vec<String>,
}
