//! A coordinator in a directory, for several loops on one machine.
//!
//! The same rules as on a server, with a file and a lock in place of a database. Events
//! are counted for patterns and not kept: on one machine the journals themselves are at
//! hand.

mod budget;
mod file;
mod moves;
pub(crate) mod patterns;
mod seen;
mod state;
mod witness;

use std::time::{Duration, SystemTime};

use self::budget::Budget;
use self::file::Place;
use self::state::{Task, TaskState};
use crate::address::Directory;
use crate::boot_clock::BootInstant;
use crate::coordinator::{Coordinator, Worker};
use crate::error::FleetError;
use crate::identity::Id;
use crate::terms::{Claimed, Event, Held, LeaseEnd, PatternChange, Scope, Take, Taken, Unit, Used};
use crate::views::{LeaseView, Overview, PatternView, WorkerView};

/// A coordinator in a directory.
#[derive(Debug)]
pub struct Local {
    place: Place,
}

impl Local {
    /// The one in this directory.
    ///
    /// # Errors
    /// If there is none, or it cannot be used.
    pub fn open(directory: &Directory) -> Result<Self, FleetError> {
        let place = Place::open(directory)?;
        Ok(Self { place })
    }

    /// The same, for whoever may found one: the directory is made if need be, and the fleet
    /// begins with its first change.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn found(directory: &Directory) -> Result<Self, FleetError> {
        let place = Place::found(directory)?;
        Ok(Self { place })
    }

    /// Sees to it that there is a state that others can join.
    ///
    /// # Errors
    /// If it cannot be written, or what is there cannot be believed.
    pub fn begin(&self) -> Result<(), FleetError> {
        self.place.change(|_| ())
    }

    /// Whether it can be believed.
    ///
    /// # Errors
    /// If it cannot be read, or is not what it was.
    pub fn look(&self) -> Result<(), FleetError> {
        self.place.look(|_| ())
    }

    /// Takes the state for the fleet's as it is now, whatever is remembered of it, and a new
    /// one where there is none that can be read. A person's.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn accept(&self) -> Result<(), FleetError> {
        self.place.accept()
    }
}

impl Coordinator for Local {
    fn enrol(&mut self, worker: &Worker) -> Result<(), FleetError> {
        self.place.change(|state| state.see(worker, now()))
    }

    fn take(&mut self, take: &Take) -> Result<Taken, FleetError> {
        self.place.change(|state| state.take(take))
    }

    fn settle(&mut self, name: &Id, used: &Used) -> Result<(), FleetError> {
        self.place.change(|state| {
            for budget in &mut state.budgets {
                let actual = match budget.unit {
                    Unit::Calls => continue,
                    Unit::Tokens => used.tokens,
                    Unit::MicroUsd => used.micro_usd,
                };
                budget.settle(name, actual, now());
            }
        })
    }

    fn offer(&mut self, repository: &str, tasks: &[String]) -> Result<u64, FleetError> {
        self.place.change(|state| {
            let known = state.tasks.entry(repository.to_owned()).or_default();
            let before = known.len();
            for task in tasks {
                known.entry(task.clone()).or_default();
            }
            u64::try_from(known.len() - before).unwrap_or(0)
        })
    }

    fn claim(
        &mut self,
        worker: &Worker,
        task: Option<&str>,
        ttl: Duration,
    ) -> Result<Claimed, FleetError> {
        self.place.change(|state| state.claim(worker, task, ttl))
    }

    fn beat(
        &mut self,
        worker: &Worker,
        held: &[Held],
        ttl: Duration,
    ) -> Result<Vec<String>, FleetError> {
        self.place.change(|state| {
            state.see(worker, now());
            let until = BootInstant::now().after(ttl).millis();
            let mut kept = Vec::new();
            for one in held {
                if let Some(task) = state.held(worker, one) {
                    task.lease_until = until;
                    kept.push(one.task.clone());
                }
            }
            kept
        })
    }

    fn finish(
        &mut self,
        worker: &Worker,
        held: &Held,
        end: LeaseEnd,
        note: &str,
    ) -> Result<bool, FleetError> {
        let ended = match end {
            LeaseEnd::Ready => TaskState::Ready,
            LeaseEnd::Done => TaskState::Done,
            LeaseEnd::Blocked => TaskState::Blocked,
        };
        self.place.change(|state| {
            if let Some(task) = state.held(worker, held) {
                task.state = ended;
                note.clone_into(&mut task.note);
                return true;
            }
            let task = state
                .tasks
                .get(&worker.repository)
                .and_then(|tasks| tasks.get(&held.task));
            task.is_some_and(|task| {
                task.fence == held.fence
                    && task.owner.as_ref() == Some(&worker.id)
                    && task.state == ended
            })
        })
    }

    fn reopen(&mut self, repository: &str, task: &str) -> Result<bool, FleetError> {
        self.place.change(|state| {
            let tasks = state.tasks.get_mut(repository);
            let Some(task) = tasks.and_then(|tasks| tasks.get_mut(task)) else {
                return false;
            };
            *task = Task {
                fence: task.fence.saturating_add(1),
                attempt: task.attempt,
                ..Task::default()
            };
            true
        })
    }

    fn deliver(
        &mut self,
        worker: &Worker,
        through: u64,
        events: &[Event],
    ) -> Result<u64, FleetError> {
        self.place.change(|state| {
            state.see(worker, now());
            let Some(seen) = state.workers.get_mut(&worker.id) else {
                return 0;
            };
            let delivered = seen.view.delivered;
            seen.view.delivered = delivered.max(through);
            let fresh = events.iter().filter(|event| event.number > delivered);
            for mark in fresh.flat_map(|event| &event.marks) {
                state.mark(&worker.id, &worker.repository, mark, now(), wall_ms());
            }
            delivered.max(through)
        })
    }

    fn halt(&mut self, scope: &Scope, reason: &str, by: &str) -> Result<(), FleetError> {
        let scope = scope.to_string();
        self.place
            .change(|state| state.halt(&scope, reason, by, wall_ms()))
    }

    fn resume(&mut self, scope: &Scope, _resolution: &str, _by: &str) -> Result<bool, FleetError> {
        let scope = scope.to_string();
        self.place.change(|state| state.resume(&scope))
    }

    fn set_budget(
        &mut self,
        scope: &Scope,
        unit: Unit,
        most: Option<u64>,
        span: Duration,
    ) -> Result<(), FleetError> {
        let span_ms = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        let name = scope.to_string();
        self.place.change(|state| {
            let at = state
                .budgets
                .iter()
                .position(|one| one.scope == name && one.unit == unit);
            match (at, most) {
                (Some(at), None) => drop(state.budgets.remove(at)),
                (Some(at), Some(most)) => {
                    let budget = &mut state.budgets[at];
                    (budget.most, budget.span_ms) = (most, span_ms);
                }
                (None, Some(most)) => state.budgets.push(Budget::new(scope, unit, most, span_ms)),
                (None, None) => {}
            }
        })
    }

    fn set_pattern(&mut self, name: &str, change: &PatternChange) -> Result<bool, FleetError> {
        if patterns::rule_of(name).is_none() {
            return Ok(false);
        }
        self.place.change(|state| {
            let known = state.patterns.entry(name.to_owned()).or_default();
            *known = PatternChange {
                threshold: change.threshold.or(known.threshold),
                span_ms: change.span_ms.or(known.span_ms),
                halts: change.halts.or(known.halts),
            };
            true
        })
    }

    fn patterns(&mut self) -> Result<Vec<PatternView>, FleetError> {
        self.place.look(|state| {
            let known = patterns::RULES.iter();
            let mut known: Vec<_> = known.filter_map(|rule| state.pattern(rule.name)).collect();
            known.sort_by(|one, other| one.name.cmp(&other.name));
            known
        })
    }

    fn overview(&mut self) -> Result<Overview, FleetError> {
        self.place.look(|state| state.overview(now()))
    }

    fn workers(&mut self) -> Result<Vec<WorkerView>, FleetError> {
        self.place.look(|state| state.roll(now()))
    }

    fn leases(&mut self) -> Result<Vec<LeaseView>, FleetError> {
        self.place.look(|state| state.leases(now()))
    }

    fn tend(&mut self) -> Result<(), FleetError> {
        self.place.change(|state| state.tend(now()))
    }
}

fn now() -> u64 {
    BootInstant::now().millis()
}

/// The sum of numbers that anybody may have written.
fn total(amounts: impl Iterator<Item = u64>) -> u64 {
    amounts.fold(0, u64::saturating_add)
}

fn wall_ms() -> i64 {
    let since_1970 = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
}
