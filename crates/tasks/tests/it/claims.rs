//! Who has a task, when several want it.

use std::process::Command;
use std::sync::{Arc, Barrier};

use fusebox_tasks::{
    Capabilities, Desk, Kept, Move, Source, SourceError, Status, Task, TaskError, Verdict, Worker,
};

use crate::support::{HOUR, Place, at, process, ready, somebody};

const LIST: &str = r#"{"stories": [{"id": "S-1", "title": "a", "status": "open"}]}"#;

#[test]
fn two_at_once_and_exactly_one_wins_ten_thousand_times() {
    const ROUNDS: u32 = 10_000;
    let place = Place::in_memory();
    place.write("prd.json", LIST);
    let gate = Barrier::new(2);
    let run = |name: &str| {
        let mut desk = place.desk();
        let mut won = Vec::new();
        for round in 0..ROUNDS {
            gate.wait();
            let claimed = desk.claim("S-1", &somebody(name), &at(0));
            won.push(claimed.is_ok());
            gate.wait();
            if let Ok(claimed) = claimed {
                desk.release("S-1", Some(claimed.fence), "next round", &at(0))
                    .unwrap();
            }
            assert!(round < ROUNDS);
        }
        won
    };
    let (one, other) = std::thread::scope(|scope| {
        let one = scope.spawn(|| run("one"));
        let other = scope.spawn(|| run("other"));
        (one.join().unwrap(), other.join().unwrap())
    });
    let both: Vec<_> = one.iter().zip(&other).collect();
    assert!(
        both.iter().all(|(one, other)| *one != *other),
        "one of the two, each time"
    );
    // Neither was kept out by the other all the time.
    let share = one.iter().filter(|won| **won).count();
    eprintln!(
        "two claimers: {share} to {} of {ROUNDS}",
        ROUNDS as usize - share
    );
    // What happened ten thousand times is kept in a bounded file.
    let kept = std::fs::metadata(place.own().join("claims.jsonl"))
        .unwrap()
        .len();
    assert!(kept < 2 << 20, "{kept} bytes");
    assert_eq!(place.read("prd.json").matches("S-1").count(), 1);
}

#[test]
fn a_number_alone_is_no_worker_nor_is_one_of_another_machine_or_boot() {
    let place = Place::with("fix_plan.md", "- [ ] T-1 a\n");
    let real = process("worker", std::process::id());
    let at_work = |change: fn(&mut Worker)| {
        let mut by = real.clone();
        by.worker.as_mut().map(change).unwrap();
        let mut desk = place.desk();
        let fence = desk.claim("T-1", &by, &at(0)).unwrap().fence;
        let item = desk.find("T-1", &at(0)).unwrap();
        let pid = desk.at_work(&item).map(|worker| worker.pid);
        desk.release("T-1", Some(fence), "next", &at(0)).unwrap();
        pid
    };
    assert_eq!(
        at_work(|_| ()),
        Some(i32::try_from(std::process::id()).unwrap())
    );
    // Without the time at which it began, or with another one.
    assert_eq!(at_work(|worker| worker.start = 0), None);
    assert_eq!(at_work(|worker| worker.start += 1), None);
    assert_eq!(at_work(|worker| worker.place.boot.push('x')), None);
    assert_eq!(at_work(|worker| worker.place.host.push('x')), None);
    assert_eq!(at_work(|worker| worker.place.namespace.push('x')), None);
    let named = place.desk().claim("T-1", &somebody("b"), &at(1));
    assert!(named.is_ok());
    let mut desk = place.desk();
    let item = desk.find("T-1", &at(1)).unwrap();
    assert_eq!(desk.at_work(&item), None, "no process was named");
}

#[test]
fn req_000_011_and_013_a_killed_worker_gives_its_task_back_and_not_a_moment_before() {
    for (file, text, id) in [
        ("prd.json", LIST, "S-1"),
        ("fix_plan.md", "- [ ] T-1 a\n", "T-1"),
        (
            "prd.json",
            r#"{"userStories": [{"id": "U", "title": "a", "passes": false}]}"#,
            "U",
        ),
    ] {
        let place = Place::with(file, text);
        let mut worker = Command::new("sleep").arg("600").spawn().unwrap();
        let mut desk = place.desk();
        desk.claim(id, &process("worker", worker.id()), &at(0))
            .unwrap();
        // However slow: 93 minutes, a day.
        for later in [1, 93 * 60, 24 * HOUR] {
            let items = desk.look(&at(later)).unwrap();
            assert!(ready(&items).is_empty(), "{file} after {later} s");
            assert!(matches!(items[0].verdict, Verdict::Alive { .. }));
            assert!(matches!(
                desk.claim(id, &somebody("thief"), &at(later)),
                Err(TaskError::Taken { .. })
            ));
            assert!(matches!(
                desk.reopen(id, "impatient", "x", &at(later)),
                Err(TaskError::Taken { .. })
            ));
            assert!(desk.recover("x", &at(later)).unwrap().is_empty());
        }
        worker.kill().unwrap();
        worker.wait().unwrap();
        let items = desk.look(&at(2)).unwrap();
        assert_eq!(ready(&items), [id], "{file}");
        assert!(items[0].is_stale());
        assert!(
            items[0].verdict.words().contains("is gone"),
            "{}",
            items[0].verdict.words()
        );
        let claimed = desk.claim(id, &somebody("heir"), &at(3)).unwrap();
        assert!(claimed.taken_for.unwrap().contains("is gone"));
        let item = desk.find(id, &at(4)).unwrap();
        assert_eq!((item.record.reopens, item.record.claims), (1, 2));
        assert_eq!(
            item.started_ms(),
            Some(at(3).wall_ms),
            "a new claim has a new start"
        );
    }
}

/// A list whose tool takes its time: while it changes something, the task is taken over.
struct Slow {
    list: Box<dyn Source>,
    meanwhile: Box<dyn Fn() + Send + Sync>,
}

impl Source for Slow {
    fn name(&self) -> &str {
        self.list.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.list.capabilities()
    }

    fn list(&self) -> Result<Vec<Task>, SourceError> {
        self.list.list()
    }

    fn apply(&self, seen: &Task, to: &Move<'_>) -> Result<Kept, SourceError> {
        let kept = self.list.apply(seen, to)?;
        (self.meanwhile)();
        Ok(kept)
    }
}

#[test]
fn a_task_that_is_taken_over_while_its_list_is_changed_stays_with_its_heir() {
    type Says = fn(&mut Desk, u64) -> Result<(), TaskError>;
    let late = || at(2 * HOUR);
    let says: [Says; 3] = [
        |desk, fence| desk.heartbeat("S-1", Some(fence), &at(2 * HOUR)),
        |desk, fence| desk.release("S-1", Some(fence), "", &at(2 * HOUR)),
        |desk, fence| desk.block("S-1", Some(fence), "", &at(2 * HOUR)),
    ];
    for say in says {
        let place = Arc::new(Place::with("prd.json", LIST));
        let first = place.desk().claim("S-1", &somebody("a"), &at(0)).unwrap();
        let there = Arc::clone(&place);
        let heir = move || {
            // Whatever the list says by now, our own record is what counts. Where a list is
            // changed twice, it is taken over the first time.
            there.write("prd.json", LIST);
            let _ = there.desk().claim("S-1", &somebody("b"), &at(2 * HOUR));
        };
        let mut slow = place.desk_of(Box::new(Slow {
            list: place.source(None).unwrap().unwrap(),
            meanwhile: Box::new(heir),
        }));
        let said = say(&mut slow, first.fence);
        assert!(matches!(said, Err(TaskError::NotYours { .. })), "{said:?}");
        let item = place.desk().find("S-1", &late()).unwrap();
        let claim = item.record.claim.as_deref().unwrap();
        assert_eq!(claim.actor, "b");
    }
}

#[test]
fn whoever_lost_a_task_cannot_speak_for_it() {
    let place = Place::with("prd.json", LIST);
    let mut desk = place.desk();
    let first = desk.claim("S-1", &somebody("a"), &at(0)).unwrap();
    let late = at(2 * HOUR);
    let second = desk.claim("S-1", &somebody("b"), &late).unwrap();
    assert!(second.fence > first.fence);
    let not_yours = |result: Result<(), TaskError>| {
        assert!(
            matches!(result, Err(TaskError::NotYours { .. })),
            "{result:?}"
        );
    };
    not_yours(desk.heartbeat("S-1", Some(first.fence), &late));
    not_yours(desk.release("S-1", Some(first.fence), "", &late));
    not_yours(desk.block("S-1", Some(first.fence), "", &late));
    not_yours(desk.done("S-1", Some(first.fence), "tests pass", &late));
    desk.heartbeat("S-1", Some(second.fence), &late).unwrap();
    desk.done("S-1", Some(second.fence), "tests pass", &late)
        .unwrap();
    // A live worker's claim is spoken for by its number or from inside of it.
    let place = Place::with("prd.json", LIST);
    let mut desk = place.desk();
    let mut worker = Command::new("sleep").arg("600").spawn().unwrap();
    let claimed = desk
        .claim("S-1", &process("w", worker.id()), &at(0))
        .unwrap();
    not_yours(desk.release("S-1", None, "", &at(1)));
    desk.release("S-1", Some(claimed.fence), "", &at(1))
        .unwrap();
    desk.claim("S-1", &process("w", std::process::id()), &at(1))
        .unwrap();
    desk.release("S-1", None, "", &at(1)).unwrap();
    worker.kill().unwrap();
    worker.wait().unwrap();
}

#[test]
fn nothing_is_done_without_evidence() {
    let place = Place::with("prd.json", LIST);
    let mut desk = place.desk();
    desk.claim("S-1", &somebody("a"), &at(0)).unwrap();
    assert!(desk.done("S-1", None, "  ", &at(1)).is_err());
    assert_eq!(desk.find("S-1", &at(1)).unwrap().status, Status::InProgress);
}

#[test]
fn next_passes_over_what_cannot_be_had() {
    let place = Place::with(
        "feature_list.json",
        r#"[{"id": "a", "title": "a", "status": "done"}, {"id": "b", "title": "b", "status": "pending", "depends_on": ["c"]},
            {"id": "c", "title": "c", "status": "pending", "priority": 2}, {"id": "d", "title": "d", "status": "pending", "priority": 1}]"#,
    );
    let mut desk = place.desk();
    let mut next = |at_s| {
        desk.next(&somebody("a"), |_| true, &at(at_s))
            .unwrap()
            .map(|claimed| claimed.item.task.id)
    };
    assert_eq!(next(0).as_deref(), Some("d"));
    assert_eq!(next(1).as_deref(), Some("c"));
    assert_eq!(next(2), None, "b waits for c");
    let waits = desk.claim("b", &somebody("a"), &at(2)).unwrap_err();
    assert!(waits.to_string().contains("it waits for c"), "{waits}");
    desk.done("c", None, "shown", &at(3)).unwrap();
    assert_eq!(
        desk.next(&somebody("a"), |_| true, &at(4))
            .unwrap()
            .unwrap()
            .item
            .task
            .id,
        "b"
    );
}
