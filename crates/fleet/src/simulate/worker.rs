//! A virtual worker: it claims, works, takes, tells and finishes, and things happen to it.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::json;

use super::Plan;
use super::chance::Chance;
use super::machine::Stage;
use crate::boot_clock::BootInstant;
use crate::coordinator::{Coordinator, Worker};
use crate::error::FleetError;
use crate::identity::Id;
use crate::postgres::Postgres;
use crate::terms::{Amounts, Claimed, Event, Held, LeaseEnd, Take, Taken};

/// Events wait for this many others, or for this long.
const BATCH: usize = 10;
const PATIENCE: Duration = Duration::from_secs(3);
/// How long somebody without work waits before looking again.
const IDLE: Duration = Duration::from_millis(700);

/// One worker.
pub(super) struct Virtual {
    worker: Worker,
    enrolled: bool,
    doing: Doing,
    journal: u64,
    outbox: Vec<Event>,
    sent: Instant,
    /// How wrong its wall clock is, in milliseconds.
    clock_off: i64,
    /// A take whose answer was lost.
    pending: Option<Take>,
}

enum Doing {
    Nothing,
    Working {
        held: Held,
        good_until: BootInstant,
        until: Instant,
        /// It does not know that time passes: no signs of life, no look at the deadline.
        stalled: bool,
        taken: bool,
    },
}

impl Virtual {
    pub(super) fn new(plan: &Plan, chance: &mut Chance) -> Self {
        let hour = 3_600_000;
        Self {
            worker: Worker {
                id: Id::random(),
                host: "simulated".into(),
                version: "0".into(),
                repository: plan.repository.clone(),
                agent: None,
            },
            enrolled: false,
            doing: Doing::Nothing,
            journal: 0,
            outbox: Vec::new(),
            sent: Instant::now(),
            clock_off: [-hour, 0, hour][usize::try_from(chance.number() % 3).unwrap_or(0)],
            pending: None,
        }
    }

    /// Does what is next, and says how long it will be busy with it.
    pub(super) fn turn(
        &mut self,
        stage: &Stage<'_>,
        coordinator: &mut Postgres,
        chance: &mut Chance,
    ) -> Duration {
        stage.tally.lock().operations += 1;
        match self.act(stage, coordinator, chance) {
            Ok(pause) => pause,
            Err(error) if error.is_passing() => {
                stage.tally.lock().unreachable += 1;
                chance.between(Duration::from_millis(200), IDLE)
            }
            Err(error) => {
                // A server that says no for another reason is a finding; it shows as a loss.
                self.write("trouble", &error.to_string());
                IDLE
            }
        }
    }

    fn act(
        &mut self,
        stage: &Stage<'_>,
        coordinator: &mut Postgres,
        chance: &mut Chance,
    ) -> Result<Duration, FleetError> {
        if !self.enrolled {
            coordinator.enrol(&self.worker)?;
            self.enrolled = true;
        }
        if self.outbox.len() >= BATCH || self.sent.elapsed() >= PATIENCE {
            self.deliver(coordinator)?;
        }
        match &self.doing {
            Doing::Nothing => self.begin(stage, coordinator, chance),
            Doing::Working { until, .. } if Instant::now() < *until => {
                self.go_on(stage, coordinator)
            }
            Doing::Working { .. } => self.finish(stage, coordinator),
        }
    }

    fn begin(
        &mut self,
        stage: &Stage<'_>,
        coordinator: &mut Postgres,
        chance: &mut Chance,
    ) -> Result<Duration, FleetError> {
        let plan = stage.plan;
        let claimed = coordinator.claim(&self.worker, None, plan.lease)?;
        let Claimed::Yours {
            held,
            overdue,
            good_until,
            ..
        } = claimed
        else {
            return Ok(chance.between(IDLE / 2, IDLE));
        };
        let mut seen = stage.tally.lock();
        seen.taken_over(overdue);
        let trouble = !plan.calm && !stage.calm.load(Ordering::Relaxed);
        if trouble && chance.happens(20) {
            // Killed: nobody says anything. Its journal outlives it, and whoever is started
            // in its place goes on with that, and with nothing else.
            seen.kills += 1;
            self.pending = None;
            return Ok(Duration::from_secs(1));
        }
        let (mut time, mut stalled) = (chance.between(plan.lease / 8, plan.lease / 2), false);
        if trouble && chance.happens(20) {
            seen.stalls += 1;
            stalled = true;
            time = plan.lease + chance.between(Duration::from_millis(100), Duration::from_secs(3));
        } else if chance.happens(30) {
            seen.slow += 1;
            time = plan.lease * 2;
        }
        drop(seen);
        let task = held.task.clone();
        self.doing = Doing::Working {
            held,
            good_until,
            until: Instant::now() + time,
            stalled,
            taken: false,
        };
        self.write("claimed", &task);
        Ok(time.min(plan.lease / 4))
    }

    fn go_on(
        &mut self,
        stage: &Stage<'_>,
        coordinator: &mut Postgres,
    ) -> Result<Duration, FleetError> {
        let lease = stage.plan.lease;
        let Doing::Working {
            held,
            good_until,
            until,
            stalled,
            ..
        } = &mut self.doing
        else {
            return Ok(IDLE);
        };
        let left = until.saturating_duration_since(Instant::now());
        if *stalled {
            return Ok(left);
        }
        if good_until.is_over() {
            stage.tally.lock().given_up += 1;
            self.doing = Doing::Nothing;
            return Ok(IDLE);
        }
        let asked = BootInstant::now();
        let still = coordinator.beat(&self.worker, std::slice::from_ref(held), lease)?;
        if still.contains(&held.task) {
            *good_until = asked.after(lease.saturating_sub(Duration::from_millis(500)));
            return Ok(left.min(lease / 4));
        }
        stage.tally.lock().given_up += 1;
        self.doing = Doing::Nothing;
        Ok(IDLE)
    }

    fn finish(
        &mut self,
        stage: &Stage<'_>,
        coordinator: &mut Postgres,
    ) -> Result<Duration, FleetError> {
        let Doing::Working {
            held,
            good_until,
            stalled,
            taken,
            ..
        } = &mut self.doing
        else {
            return Ok(IDLE);
        };
        if good_until.is_over() && !*stalled {
            stage.tally.lock().given_up += 1;
            self.doing = Doing::Nothing;
            return Ok(IDLE);
        }
        if !*taken {
            let take = self.pending.get_or_insert_with(|| Take {
                name: Id::random(),
                worker: self.worker.id.clone(),
                scopes: vec![stage.plan.scope()],
                amounts: Amounts::calls(1),
                lease: Some(held.clone()),
            });
            let answer = coordinator.take(take)?;
            self.pending = None;
            match answer {
                Taken::Granted(_) => {
                    stage.tally.lock().granted += 1;
                    *taken = true;
                }
                Taken::Refused(refusal) => {
                    stage.tally.lock().refused += 1;
                    let wait = refusal.wait.unwrap_or(IDLE).min(stage.plan.lease / 4);
                    // Work goes on meanwhile: the lease is kept.
                    return self.go_on(stage, coordinator).map(|_| wait);
                }
                Taken::Halted { .. } => return Ok(IDLE),
            }
        }
        let ours = coordinator.finish(&self.worker, held, LeaseEnd::Done, "simulated")?;
        let task = held.task.clone();
        let mut seen = stage.tally.lock();
        if ours {
            *seen.done.entry(task.clone()).or_default() += 1;
        } else {
            seen.too_late += 1;
        }
        drop(seen);
        self.doing = Doing::Nothing;
        self.write(if ours { "done" } else { "too_late" }, &task);
        Ok(Duration::from_millis(50))
    }

    fn write(&mut self, kind: &str, task: &str) {
        self.journal += 1;
        let wall = std::time::SystemTime::UNIX_EPOCH
            .elapsed()
            .unwrap_or_default();
        let at_ms = i64::try_from(wall.as_millis()).unwrap_or(0) + self.clock_off;
        self.outbox.push(Event {
            number: self.journal,
            kind: kind.to_owned(),
            task: Some(task.chars().take(100).collect()),
            fence: None,
            fields: json!({ "at_ms": at_ms }),
            marks: Vec::new(),
        });
    }

    fn deliver(&mut self, coordinator: &mut Postgres) -> Result<(), FleetError> {
        if !self.outbox.is_empty() {
            coordinator.deliver(&self.worker, self.journal, &self.outbox)?;
        }
        self.outbox.clear();
        self.sent = Instant::now();
        Ok(())
    }

    /// Tells what is left to tell.
    pub(super) fn farewell(&mut self, stage: &Stage<'_>, coordinator: &mut Postgres) {
        if !self.enrolled {
            return;
        }
        let until = Instant::now() + Duration::from_secs(40);
        while self.deliver(coordinator).is_err() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(100));
        }
        let mut seen = stage.tally.lock();
        seen.written
            .insert(self.worker.id.to_string(), self.journal);
    }
}
