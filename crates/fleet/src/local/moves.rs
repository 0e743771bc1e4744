//! What can be done to the state of a fleet on one machine.

use std::time::Duration;

use super::budget::Budget;
use super::state::{Granted, Seen, State, Task, TaskState};
use super::wall_ms;
use crate::boot_clock::BootInstant;
use crate::coordinator::Worker;
use crate::terms::{Claimed, Grant, Held, Refusal, Take, Taken};
use crate::views::WorkerView;

/// What a lease is shorter by for its holder than for everybody else.
const MARGIN: Duration = Duration::from_millis(500);

impl State {
    pub(super) fn see(&mut self, worker: &Worker, now: u64) {
        let delivered = self
            .workers
            .get(&worker.id)
            .map_or(0, |seen| seen.view.delivered);
        let view = WorkerView {
            id: worker.id.to_string(),
            host: worker.host.clone(),
            version: worker.version.clone(),
            repository: worker.repository.clone(),
            agent: worker.agent.clone(),
            seen_ms: 0,
            delivered,
            tasks: Vec::new(),
        };
        self.workers
            .insert(worker.id.clone(), Seen { view, at: now });
    }

    pub(super) fn take(&mut self, take: &Take) -> Taken {
        let scopes: Vec<String> = take.scopes.iter().map(ToString::to_string).collect();
        if let Some(halt) = self.halt_over(&scopes) {
            return Taken::Halted {
                scope: halt.scope.clone(),
                reason: halt.reason.clone(),
                epoch: halt.epoch,
            };
        }
        let asked = BootInstant::now();
        let now = asked.millis();
        let granted = |good_for_ms| {
            Taken::Granted(Grant {
                good_until: asked.after(Duration::from_millis(good_for_ms)),
                at_us: wall_ms() * 1_000,
            })
        };
        self.granted.retain(|_, one| one.forget_at > now);
        if let Some(before) = self.granted.get(&take.name) {
            return granted(
                before
                    .at
                    .saturating_add(before.fresh_ms)
                    .saturating_sub(now),
            );
        }
        let concerned = |budget: &&mut Budget| {
            scopes.contains(&budget.scope) && take.amounts.of(budget.unit) > 0
        };
        let mut budgets: Vec<&mut Budget> = self.budgets.iter_mut().filter(concerned).collect();
        for budget in &budgets {
            let wait = budget.wait_for(take.amounts.of(budget.unit), now);
            if wait != Some(0) {
                return Taken::Refused(Refusal {
                    scope: budget.scope.clone(),
                    unit: budget.unit,
                    wait: wait.map(Duration::from_millis),
                });
            }
        }
        let fresh_ms = budgets.iter().map(|budget| budget.fresh_ms()).min();
        let longest = budgets.iter().map(|budget| budget.span_ms).max();
        for budget in &mut budgets {
            budget.grant(&take.name, take.amounts.of(budget.unit), now);
        }
        let fresh_ms = fresh_ms.unwrap_or(86_400_000);
        let kept = Granted {
            at: now,
            fresh_ms,
            forget_at: now.saturating_add(longest.unwrap_or(0).saturating_mul(2)),
        };
        self.granted.insert(take.name.clone(), kept);
        granted(fresh_ms)
    }

    pub(super) fn claim(&mut self, worker: &Worker, task: Option<&str>, ttl: Duration) -> Claimed {
        let scopes = ["fleet".to_owned(), format!("repo:{}", worker.repository)];
        if let Some(halt) = self.halt_over(&scopes) {
            return Claimed::Halted(halt.reason.clone());
        }
        let asked = BootInstant::now();
        let now = asked.millis();
        let tasks = self.tasks.entry(worker.repository.clone()).or_default();
        let to_be_had = |task: &Task| match task.state {
            TaskState::Ready => true,
            TaskState::Running => task.lease_until < now,
            TaskState::Done | TaskState::Blocked => false,
        };
        let name = match task {
            Some(name) => name.to_owned(),
            None => match tasks.iter().find(|(_, task)| to_be_had(task)) {
                Some((name, _)) => name.clone(),
                None => return Claimed::Nothing,
            },
        };
        let task = tasks.entry(name.clone()).or_default();
        let ours = task.owner.as_ref() == Some(&worker.id);
        match task.state {
            TaskState::Done => return Claimed::Over(format!("done: {}", task.note)),
            TaskState::Blocked => return Claimed::Over(format!("blocked: {}", task.note)),
            TaskState::Running if !to_be_had(task) && !ours => {
                return Claimed::Taken {
                    owner: task
                        .owner
                        .as_ref()
                        .map(ToString::to_string)
                        .unwrap_or_default(),
                    wait: Duration::from_millis(task.lease_until - now),
                };
            }
            TaskState::Running | TaskState::Ready => {}
        }
        let left_behind = task.state == TaskState::Running;
        let overdue = left_behind.then(|| now.saturating_sub(task.lease_until));
        *task = Task {
            state: TaskState::Running,
            owner: Some(worker.id.clone()),
            fence: task.fence.saturating_add(1),
            attempt: task.attempt.saturating_add(1),
            lease_until: asked.after(ttl).millis(),
            note: String::new(),
        };
        Claimed::Yours {
            held: Held {
                task: name,
                fence: task.fence,
            },
            attempt: task.attempt,
            overdue: overdue.map(Duration::from_millis),
            good_until: asked.after(ttl.saturating_sub(MARGIN)),
        }
    }

    /// A task, if that lease on it is still the worker's.
    pub(super) fn held(&mut self, worker: &Worker, held: &Held) -> Option<&mut Task> {
        let task = self
            .tasks
            .get_mut(&worker.repository)?
            .get_mut(&held.task)?;
        let theirs = task.state == TaskState::Running
            && task.fence == held.fence
            && task.owner.as_ref() == Some(&worker.id);
        theirs.then_some(task)
    }
}
