//! A virtual machine: one connection, and many workers that have their turns on it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::Plan;
use super::chance::Chance;
use super::proxy::Proxy;
use super::tally::Tally;
use super::worker::Virtual;
use crate::postgres::Postgres;

/// What all machines know of the simulation.
pub(super) struct Stage<'a> {
    pub(super) plan: &'a Plan,
    pub(super) tally: &'a Tally,
    /// No more trouble: what is begun is to come to its end.
    pub(super) calm: &'a AtomicBool,
    /// Everything is over.
    pub(super) over: &'a AtomicBool,
}

/// Runs a machine with its workers until everything is over.
pub(super) fn run(
    stage: &Stage<'_>,
    mut coordinator: Postgres,
    proxy: Option<&Proxy>,
    number: u64,
) {
    let plan = stage.plan;
    let mut chance = Chance::new(plan.seed.wrapping_mul(1_000_003).wrapping_add(number));
    let share = u64::from(plan.workers).div_ceil(u64::from(plan.machines));
    let first = number * share;
    let mine = u64::from(plan.workers).saturating_sub(first).min(share);
    let mut workers: Vec<Virtual> = (0..mine).map(|_| Virtual::new(plan, &mut chance)).collect();
    let began = Instant::now();
    let mut due: BinaryHeap<Reverse<(Instant, usize)>> = (0..workers.len())
        .map(|at| {
            Reverse((
                began + chance.between(Duration::ZERO, Duration::from_secs(2)),
                at,
            ))
        })
        .collect();
    let mut next_cut = began + chance.between(plan.lease, plan.lease * 12);
    let mut mended: Option<Instant> = None;
    while !stage.over.load(Ordering::Relaxed) {
        let now = Instant::now();
        if let Some(proxy) = proxy {
            let calm = stage.calm.load(Ordering::Relaxed);
            if mended.is_some_and(|at| now >= at || calm) {
                proxy.cut(false);
                mended = None;
            } else if now >= next_cut && !calm {
                proxy.cut(true);
                stage.tally.lock().cuts += 1;
                mended = Some(now + chance.between(plan.lease / 4, plan.lease * 2));
                next_cut = now + chance.between(plan.lease * 4, plan.lease * 24);
            }
        }
        let Some(Reverse((at, which))) = due.peek().copied() else {
            thread::sleep(Duration::from_millis(20));
            continue;
        };
        if at > now {
            thread::sleep((at - now).min(Duration::from_millis(20)));
            continue;
        }
        due.pop();
        let pause = workers[which].turn(stage, &mut coordinator, &mut chance);
        due.push(Reverse((Instant::now() + pause, which)));
    }
    if let Some(proxy) = proxy {
        proxy.cut(false);
    }
    for worker in &mut workers {
        worker.farewell(stage, &mut coordinator);
    }
}
