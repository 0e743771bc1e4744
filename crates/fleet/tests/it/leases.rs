//! Leases between machines: taken over in time, and never worked on twice with effect.

use std::collections::HashSet;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use fusebox_fleet::{Claimed, Coordinator, LeaseEnd};

use super::support::{Fleet, TTL, enrolled, yours};

/// Requirement 000.14: one worker of several machines dies, and its clock was never
/// right to begin with. Workers send no times, so nothing in here could be set wrong;
/// what is shown is that the takeover follows from the server's clock alone, in time.
#[test]
fn req_000_014_a_worker_on_another_machine_that_dies_loses_its_task_and_its_voice() {
    let Some(fleet) = Fleet::new() else { return };
    let mut dying = fleet.coordinator();
    let mut other = fleet.coordinator();
    let (ann, bob) = (enrolled(&mut dying, "r"), enrolled(&mut other, "r"));
    let ttl = Duration::from_secs(1);
    let held = yours(dying.claim(&ann, Some("T-1"), ttl).unwrap());
    let claimed_at = Instant::now();
    // Ann is suspended here. Bob asks as he would, and is told how long to wait.
    let next = loop {
        match other.claim(&bob, Some("T-1"), ttl).unwrap() {
            Claimed::Yours { held, .. } => break held,
            Claimed::Taken { wait, .. } => {
                assert!(wait <= ttl, "{wait:?}");
                thread::sleep(wait + Duration::from_millis(2));
            }
            unexpected => panic!("{unexpected:?}"),
        }
    };
    let took = claimed_at.elapsed();
    assert!(
        took >= ttl - Duration::from_millis(50),
        "taken from somebody who lives: {took:?}"
    );
    assert!(took < ttl + Duration::from_secs(5), "{took:?}");
    // Ann wakes up and says that she is done. Nothing comes of it.
    assert!(
        !dying
            .finish(&ann, &held, LeaseEnd::Done, "too late")
            .unwrap()
    );
    assert!(dying.beat(&ann, &[held], TTL).unwrap().is_empty());
    assert!(other.finish(&bob, &next, LeaseEnd::Done, "done").unwrap());
}

#[test]
fn the_holder_stops_before_anybody_else_can_begin() {
    let Some(fleet) = Fleet::new() else { return };
    let mut coordinator = fleet.coordinator();
    let worker = enrolled(&mut coordinator, "r");
    let before = fusebox_fleet::BootInstant::now();
    let ttl = Duration::from_secs(10);
    let Claimed::Yours { good_until, .. } = coordinator.claim(&worker, Some("T-1"), ttl).unwrap()
    else {
        panic!("not claimed");
    };
    let mine = good_until.since(before);
    assert!(mine < ttl && mine >= Duration::from_secs(9), "{mine:?}");
}

#[test]
fn a_hundred_tasks_are_claimed_once_each_by_eight_workers() {
    let Some(fleet) = Fleet::new() else { return };
    let names: Vec<String> = (0..100).map(|n| format!("T-{n:03}")).collect();
    assert_eq!(fleet.coordinator().offer("r", &names).unwrap(), 100);
    let claimed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut mine = fleet.coordinator();
                let worker = enrolled(&mut mine, "r");
                while let Claimed::Yours { held, .. } = mine.claim(&worker, None, TTL).unwrap() {
                    assert!(mine.finish(&worker, &held, LeaseEnd::Done, "").unwrap());
                    claimed.lock().unwrap().push(held.task);
                }
            });
        }
    });
    let claimed = claimed.into_inner().unwrap();
    let different: HashSet<&String> = claimed.iter().collect();
    assert_eq!((claimed.len(), different.len()), (100, 100));
}
