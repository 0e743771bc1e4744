//! What each operation costs: how many of them a second the server does when asked by
//! all connections at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;

use super::Plan;
use crate::coordinator::{Coordinator, Worker};
use crate::error::FleetError;
use crate::identity::Id;
use crate::postgres::Postgres;
use crate::terms::{Amounts, Claimed, Event, LeaseEnd, Scope, Take, Unit};

/// How long each is driven.
const TIME: Duration = Duration::from_secs(2);

/// Operations a second.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Costs {
    /// Takes that are granted, all from one budget.
    pub(super) takes: f64,
    /// Signs of life with a lease.
    pub(super) beats: f64,
    /// Claims, each with its end.
    pub(super) claims: f64,
    /// Batches of ten events.
    pub(super) batches: f64,
}

pub(super) fn measure(plan: &Plan) -> Result<Costs, FleetError> {
    let scope = Scope::Team(format!("{}-cost", plan.repository));
    let mut operator = Postgres::new(&plan.server);
    let hour = Duration::from_secs(3_600);
    operator.set_budget(&scope, Unit::Calls, Some(1_000_000_000), hour)?;
    let take = |coordinator: &mut Postgres, worker: &Worker, _: u64| {
        let take = Take {
            name: Id::random(),
            worker: worker.id.clone(),
            scopes: vec![scope.clone()],
            amounts: Amounts::calls(1),
            lease: None,
        };
        coordinator.take(&take).map(drop)
    };
    let beat = |coordinator: &mut Postgres, worker: &Worker, round: u64| {
        if round == 0 {
            let task = format!("beat-{}", worker.id);
            coordinator.claim(worker, Some(&task), hour)?;
        }
        let held = crate::terms::Held {
            task: format!("beat-{}", worker.id),
            fence: 1,
        };
        coordinator.beat(worker, &[held], hour).map(drop)
    };
    let claim = |coordinator: &mut Postgres, worker: &Worker, round: u64| {
        let task = format!("claim-{}-{round}", worker.id);
        if let Claimed::Yours { held, .. } = coordinator.claim(worker, Some(&task), hour)? {
            coordinator.finish(worker, &held, LeaseEnd::Done, "")?;
        }
        Ok(())
    };
    let batch = |coordinator: &mut Postgres, worker: &Worker, round: u64| {
        let events: Vec<Event> = (1..=10).map(|n| event(round * 10 + n)).collect();
        coordinator
            .deliver(worker, round * 10 + 10, &events)
            .map(drop)
    };
    let costs = Costs {
        takes: drive(plan, take)?,
        beats: drive(plan, beat)?,
        claims: drive(plan, claim)?,
        batches: drive(plan, batch)?,
    };
    operator.set_budget(&scope, Unit::Calls, None, hour)?;
    Ok(costs)
}

fn event(number: u64) -> Event {
    Event {
        number,
        kind: "reported".into(),
        task: Some("T".into()),
        fence: None,
        fields: json!({ "progress": true, "tokens": 48_210 }),
        marks: Vec::new(),
    }
}

/// How many a second all connections together do.
fn drive(
    plan: &Plan,
    operation: impl Fn(&mut Postgres, &Worker, u64) -> Result<(), FleetError> + Sync,
) -> Result<f64, FleetError> {
    let done = AtomicU64::new(0);
    let began = Instant::now();
    let results: Vec<Result<(), FleetError>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..plan.machines)
            .map(|_| scope.spawn(|| one(plan, &operation, &done)))
            .collect();
        let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
        joined.map(|end| end.unwrap_or(Ok(()))).collect()
    });
    results.into_iter().collect::<Result<(), FleetError>>()?;
    #[expect(clippy::cast_precision_loss, reason = "a count of seconds' work")]
    let done = done.into_inner() as f64;
    Ok(done / began.elapsed().as_secs_f64())
}

fn one(
    plan: &Plan,
    operation: &(impl Fn(&mut Postgres, &Worker, u64) -> Result<(), FleetError> + Sync),
    done: &AtomicU64,
) -> Result<(), FleetError> {
    let mut coordinator = Postgres::new(&plan.server);
    let worker = Worker {
        id: Id::random(),
        host: "simulated".into(),
        version: "0".into(),
        repository: format!("{}-cost", plan.repository),
        agent: None,
    };
    coordinator.enrol(&worker)?;
    let until = Instant::now() + TIME;
    let mut round = 0;
    while Instant::now() < until {
        operation(&mut coordinator, &worker, round)?;
        round += 1;
    }
    done.fetch_add(round, Ordering::Relaxed);
    Ok(())
}
