//! A task with everything that is known of it.

use std::collections::HashSet;
use std::sync::Arc;

use super::Rules;
use crate::history::Expectation;
use crate::journal::Record;
use crate::source::Capabilities;
use crate::status::Status;
use crate::task::Task;
use crate::time::Now;
use crate::verdict::{Known, Verdict, judge};
use crate::worker::Here;

/// A task with everything that is known of it.
#[derive(Clone, Debug)]
pub struct Item {
    /// What its list says.
    pub task: Task,
    /// How far it is, all in all.
    pub status: Status,
    /// What is known of whoever has it.
    pub verdict: Verdict,
    /// What we have written down. Of most tasks that is nothing, and the same nothing.
    pub record: Arc<Record>,
    /// What must be done before.
    pub waits_for: Vec<String>,
    /// How long such a task takes, if enough of them are known.
    pub expected: Option<Expectation>,
}

impl Item {
    /// Whether somebody may begin with it. A task whose worker is gone is one of
    /// them: that is what brings it back.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        match self.status {
            Status::Open => self.waits_for.is_empty(),
            Status::InProgress => self.verdict.is_gone(),
            Status::Blocked | Status::Deferred | Status::Done => false,
        }
    }

    /// Whether whoever has it is gone.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.status == Status::InProgress && self.verdict.is_gone()
    }

    /// What kind of work it is.
    #[must_use]
    pub fn kind(&self) -> Option<&str> {
        self.task.kind.as_deref().or(self.record.kind.as_deref())
    }

    /// Since when somebody has it, in milliseconds of the wall clock.
    #[must_use]
    pub fn started_ms(&self) -> Option<i64> {
        if self.status != Status::InProgress {
            return None;
        }
        let ours = self.record.claim.as_ref().map(|claim| claim.at.wall_ms);
        let seen = self.record.seen.as_ref().map(|seen| seen.wall_ms);
        ours.or(self.task.holder.since_ms).or(seen)
    }

    /// The time that has gone into it: what was measured, or the time since somebody
    /// has it where that is longer.
    #[must_use]
    pub fn worked_ms(&self, now: &Now) -> u64 {
        let claimed = self
            .record
            .claim
            .as_ref()
            .filter(|_| self.status == Status::InProgress);
        let since = claimed.map_or(0, |claim| now.since(&claim.at));
        self.record.worked_ms.max(since)
    }
}

/// What a task is looked at with.
pub(super) struct View<'a> {
    pub(super) capabilities: Capabilities,
    pub(super) here: &'a Here,
    pub(super) rules: Rules,
    pub(super) now: &'a Now,
}

impl View<'_> {
    pub(super) fn item(&self, task: Task, record: Arc<Record>) -> Item {
        let held = match task.status {
            Status::InProgress => true,
            // Done is done, whoever had it; what was given up or put off is nobody's.
            Status::Done | Status::Blocked | Status::Deferred => false,
            Status::Open => record.claim.is_some(),
        };
        let known = Known {
            task: &task,
            claim: record.claim.as_deref(),
            seen: record.seen.as_ref(),
        };
        let verdict = if held {
            judge(
                &known,
                |worker| worker.life(self.here),
                self.rules.stale_ms,
                self.now,
            )
        } else {
            Verdict::Free
        };
        let status = self.status(&task, &record, &verdict);
        Item {
            status,
            verdict,
            record,
            waits_for: Vec::new(),
            expected: None,
            task,
        }
    }

    fn status(&self, task: &Task, record: &Record, verdict: &Verdict) -> Status {
        if task.status == Status::Open {
            if record.blocked.is_some() && !self.capabilities.block {
                return Status::Blocked;
            }
            // A list that can tell and says that nobody has it is right about workers
            // that are gone, and wrong about those that are not.
            let taken_back = self.capabilities.claim && verdict.is_gone();
            if record.claim.is_some() && !taken_back {
                return Status::InProgress;
            }
        }
        task.status
    }
}

/// Notes what each task waits for. What a list does not hold, nobody can wait for.
pub(super) fn hold_back(items: &mut [Item]) {
    if items.iter().all(|item| item.task.depends_on.is_empty()) {
        return;
    }
    let open: HashSet<&str> = items
        .iter()
        .filter(|item| item.status != Status::Done)
        .map(|item| item.task.id.as_str())
        .collect();
    let held_back: Vec<Vec<String>> = items
        .iter()
        .map(|item| {
            let own = &item.task.id;
            let waits =
                |id: &&String| (open.contains(id.as_str()) && *id != own) || id.starts_with('(');
            item.task.depends_on.iter().filter(waits).cloned().collect()
        })
        .collect();
    for (item, waits_for) in items.iter_mut().zip(held_back) {
        item.waits_for = waits_for;
    }
}
