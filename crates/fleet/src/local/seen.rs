//! How a fleet on one machine stands.

use std::collections::BTreeMap;

use super::budget::Budget;
use super::state::{State, Task, TaskState};
use super::{total, wall_ms};
use crate::identity::Id;
use crate::views::{BudgetView, LeaseView, Overview, WorkerView};

/// Since when a worker without a sign of life is not counted as one.
const PRESENT_MS: u64 = 120_000;
/// The most tasks of one worker that are listed.
const TASKS: usize = 20;

impl State {
    pub(super) fn overview(&self, now: u64) -> Overview {
        let all: Vec<&Task> = self.tasks.values().flat_map(BTreeMap::values).collect();
        let mut tasks = BTreeMap::new();
        for task in &all {
            let name = match task.state {
                TaskState::Ready => "ready",
                TaskState::Running => "running",
                TaskState::Done => "done",
                TaskState::Blocked => "blocked",
            };
            *tasks.entry(name.to_owned()).or_default() += 1;
        }
        let expired = all
            .iter()
            .filter(|task| task.state == TaskState::Running && task.lease_until < now);
        let present = self
            .workers
            .values()
            .filter(|seen| seen.at.saturating_add(PRESENT_MS) > now);
        Overview {
            now_ms: wall_ms(),
            workers: present.count() as u64,
            known_workers: self.workers.len() as u64,
            expired: expired.count() as u64,
            tasks,
            events: total(self.workers.values().map(|seen| seen.view.delivered)),
            budgets: self
                .budgets
                .iter()
                .map(|budget| view(budget, now))
                .collect(),
            halts: self.halts.values().cloned().collect(),
            incidents: self.incidents.clone(),
        }
    }

    /// Who takes part, the latest sign of life first.
    pub(super) fn roll(&self, now: u64) -> Vec<WorkerView> {
        let held = |id: &Id| {
            let theirs = self
                .running()
                .filter(|one| one.2.owner.as_ref() == Some(id));
            let names = theirs.map(|(_, name, _)| name.to_owned());
            names.take(TASKS).collect()
        };
        let workers = self.workers.iter().map(|(id, seen)| WorkerView {
            seen_ms: now.saturating_sub(seen.at),
            tasks: held(id),
            ..seen.view.clone()
        });
        let mut workers: Vec<WorkerView> = workers.collect();
        workers.sort_by_key(|worker| worker.seen_ms);
        workers
    }

    /// Who has which task, the lease that ends first first.
    pub(super) fn leases(&self, now: u64) -> Vec<LeaseView> {
        let mut leases: Vec<LeaseView> = self
            .running()
            .map(|(repository, name, task)| {
                let owner = task.owner.as_ref();
                let seen = owner.and_then(|id| self.workers.get(id));
                LeaseView {
                    repository: repository.to_owned(),
                    task: name.to_owned(),
                    owner: owner.map(ToString::to_string).unwrap_or_default(),
                    host: seen.map(|seen| seen.view.host.clone()),
                    fence: task.fence,
                    attempt: task.attempt,
                    left_ms: signed(task.lease_until) - signed(now),
                }
            })
            .collect();
        leases.sort_by_key(|lease| lease.left_ms);
        leases
    }

    /// The tasks that somebody has, with their repositories and names.
    fn running(&self) -> impl Iterator<Item = (&str, &str, &Task)> {
        let all = self.tasks.iter().flat_map(|(repository, tasks)| {
            let tasks = tasks.iter();
            tasks.map(move |(name, task)| (repository.as_str(), name.as_str(), task))
        });
        all.filter(|(_, _, task)| task.state == TaskState::Running)
    }
}

fn signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

fn view(budget: &Budget, now: u64) -> BudgetView {
    BudgetView {
        scope: budget.scope.clone(),
        unit: budget.unit,
        most: budget.most,
        span_ms: budget.span_ms,
        used: budget.used(now),
        reserved: budget.reserved(now),
        next_ms: budget.wait_for(1, now),
    }
}
