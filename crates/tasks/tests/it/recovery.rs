//! What was begun by somebody who is gone, and how it comes back.

use std::process::Command;

use fusebox_tasks::{Attempt, AttemptEnd, Desk, Here, Journal, Places, Settled, Status, find};

use crate::support::{HOUR, Place, RULES, at, here, process, ready, somebody};

const LIST: &str = r#"{"stories": [
  {"id": "S-1", "title": "a", "status": "open"},
  {"id": "S-2", "title": "b", "status": "in_progress", "startedAt": "2026-01-31T12:00:00Z"},
  {"id": "S-3", "title": "c", "status": "in_progress"}
]}"#;

/// The same list, looked at from another machine, boot or container.
fn desk_at(place: &Place, here: Here) -> Desk {
    let (root, own) = (place.root(), place.own());
    let places = Places {
        root: &root,
        own: &own,
        path: None,
        actor: "x",
    };
    let source = find(&places, None).unwrap().unwrap().source;
    let journal = Journal::open(&place.own(), &place.witness()).unwrap();
    Desk::new(source, journal, here, RULES)
}

#[test]
fn req_000_009_and_010_and_016_and_106_what_is_older_than_the_limit_is_ready_again_and_reopened() {
    let place = Place::with("prd.json", LIST);
    let mut desk = place.desk();
    assert_eq!(ready(&desk.look(&at(0)).unwrap()), ["S-1"]);
    // Exactly the limit is not beyond it. Of S-3 nobody knows the start, so it is as
    // old as our first sight of it.
    assert_eq!(ready(&desk.look(&at(HOUR)).unwrap()), ["S-1"]);
    let items = desk.look(&at(HOUR + 1)).unwrap();
    assert_eq!(ready(&items), ["S-1", "S-2", "S-3"]);
    let stale: Vec<_> = items.iter().map(fusebox_tasks::Item::is_stale).collect();
    assert_eq!(stale, [false, true, true], "and marked as stale");
    let recovered = desk.recover("the test", &at(HOUR + 1)).unwrap();
    let told: Vec<_> = recovered
        .iter()
        .map(|one| (one.id.as_str(), one.settled))
        .collect();
    assert_eq!(
        told,
        [("S-2", Settled::Reopened), ("S-3", Settled::Reopened)]
    );
    assert!(recovered[0].why.contains("3601 s"), "{}", recovered[0].why);
    // They are open for everybody, also for those who only know the list.
    let expected = LIST
        .replace(
            r#""in_progress", "startedAt": "2026-01-31T12:00:00Z""#,
            r#""open", "startedAt": null"#,
        )
        .replace(r#""in_progress""#, r#""open""#);
    assert_eq!(place.read("prd.json"), expected);
    let journal = std::fs::read_to_string(place.own().join("claims.jsonl")).unwrap();
    assert!(
        journal.contains("\"reopened\"") && journal.contains("3601 s"),
        "{journal}"
    );
}

#[test]
fn req_000_015_a_job_that_was_killed_with_its_machine_is_recovered_on_the_next_boot() {
    let place = Place::with("prd.json", LIST);
    let mut worker = Command::new("sleep").arg("600").spawn().unwrap();
    place
        .desk()
        .claim("S-1", &process("ci", worker.id()), &at(0))
        .unwrap();
    // The machine comes up again, and a process with that number happens to run.
    let mut rebooted = desk_at(
        &place,
        Here {
            boot: "another".into(),
            ..here()
        },
    );
    let mut now = at(60);
    now.boot = "another".into();
    now.boot_ms = 5_000;
    let recovered = rebooted.recover("ci", &now).unwrap();
    assert_eq!(recovered.len(), 1);
    assert_eq!(
        (recovered[0].id.as_str(), recovered[0].settled),
        ("S-1", Settled::Reopened)
    );
    assert!(recovered[0].why.contains("booted"), "{}", recovered[0].why);
    worker.kill().unwrap();
    worker.wait().unwrap();
}

#[test]
fn req_000_014_the_worker_of_another_machine_is_judged_by_age_alone() {
    let place = Place::with("prd.json", LIST);
    let mut worker = Command::new("sleep").arg("600").spawn().unwrap();
    place
        .desk()
        .claim("S-1", &process("there", worker.id()), &at(0))
        .unwrap();
    worker.kill().unwrap();
    worker.wait().unwrap();
    let elsewhere = Here {
        host: "other/2".into(),
        boot: "theirs".into(),
        ..here()
    };
    let mut desk = desk_at(&place, elsewhere);
    // Its clock is five minutes behind; nothing is older for that, and nothing new.
    let skewed = |seconds: i64| fusebox_tasks::Now {
        wall_ms: at(0).wall_ms + (seconds - 300) * 1_000,
        boot_ms: 0,
        boot: "theirs".into(),
    };
    assert!(!desk.find("S-1", &skewed(0)).unwrap().is_stale());
    assert!(!desk.find("S-1", &skewed(HOUR)).unwrap().is_stale());
    assert!(desk.find("S-1", &skewed(HOUR + 301)).unwrap().is_stale());
}

#[test]
fn recovery_has_an_end() {
    let place = Place::with(
        "prd.json",
        r#"{"stories": [{"id": "S-1", "title": "a", "status": "open"}]}"#,
    );
    let mut desk = place.desk();
    for round in 0..2 {
        let begun = round * 3 * HOUR;
        desk.claim("S-1", &somebody("w"), &at(begun)).unwrap();
        let recovered = desk.recover("x", &at(begun + 2 * HOUR)).unwrap();
        assert_eq!(recovered[0].settled, Settled::Reopened, "{round}");
    }
    desk.claim("S-1", &somebody("w"), &at(6 * HOUR)).unwrap();
    let recovered = desk.recover("x", &at(8 * HOUR)).unwrap();
    assert_eq!(
        recovered[0].settled,
        Settled::Blocked,
        "the third time it is given up"
    );
    let item = desk.find("S-1", &at(9 * HOUR)).unwrap();
    assert_eq!(item.status, Status::Blocked);
    assert!(
        item.record
            .blocked
            .as_deref()
            .unwrap()
            .contains("2 times already")
    );
    // Whoever reopens it has looked at it, and it begins anew.
    desk.reopen("S-1", "looked at it", "person", &at(9 * HOUR))
        .unwrap();
    assert_eq!(desk.find("S-1", &at(9 * HOUR)).unwrap().record.reopens, 0);
    assert!(
        place.read("prd.json").contains("\"open\""),
        "a list without the word shows it as open"
    );
}

#[test]
fn a_list_that_somebody_else_keeps_is_believed_when_it_takes_a_task_back() {
    let place = Place::with("prd.json", LIST);
    let mut worker = Command::new("sleep").arg("600").spawn().unwrap();
    let mut desk = place.desk();
    desk.claim("S-1", &process("w", worker.id()), &at(0))
        .unwrap();
    // Somebody reopens it over the head of a worker that lives: it stays theirs.
    place.write("prd.json", LIST);
    assert!(!desk.find("S-1", &at(1)).unwrap().is_ready());
    worker.kill().unwrap();
    worker.wait().unwrap();
    let item = desk.find("S-1", &at(2)).unwrap();
    assert_eq!((item.status, item.is_stale()), (Status::Open, false));
}

#[test]
fn what_tasks_took_says_what_the_next_will_take() {
    let list: Vec<String> = (1..=5)
        .map(|n| format!(r#"{{"id": "T{n}", "title": "t", "kind": "bug", "status": "pending"}}"#))
        .collect();
    let place = Place::with("feature_list.json", &format!("[{}]", list.join(",")));
    let mut desk = place.desk();
    let attempt = |duration_ms, end| Attempt {
        iteration: 1,
        duration_ms,
        micro_usd: Some(10),
        end,
        tripped: None,
    };
    for (id, minutes) in [("T1", 4), ("T2", 5), ("T3", 30)] {
        assert_eq!(desk.find(id, &at(0)).unwrap().expected, None);
        desk.claim(id, &somebody("w"), &at(0)).unwrap();
        desk.attempted(id, attempt(60_000 * minutes, AttemptEnd::Completed), &at(0))
            .unwrap();
        desk.done(id, None, "shown", &at(0)).unwrap();
    }
    desk.claim("T4", &somebody("w"), &at(0)).unwrap();
    let tripped = Attempt {
        tripped: Some("no_progress".into()),
        ..attempt(60_000, AttemptEnd::Failed)
    };
    desk.attempted("T4", tripped, &at(60)).unwrap();
    let expected = |seconds, id: &str, desk: &mut Desk| {
        let items = desk.look(&at(seconds)).unwrap();
        items
            .into_iter()
            .find(|item| item.task.id == id)
            .unwrap()
            .expected
            .unwrap()
    };
    let now = expected(60, "T4", &mut desk);
    assert_eq!((now.median_ms, now.of, now.outlier), (300_000, 3, false));
    assert!(!expected(900, "T4", &mut desk).outlier && expected(901, "T4", &mut desk).outlier);
    let mut journal = Journal::open(&place.own(), &place.witness()).unwrap();
    let patterns = fusebox_tasks::patterns(&mut journal).unwrap();
    assert_eq!(patterns.len(), 1);
    let bugs = &patterns[0];
    assert_eq!(
        (bugs.kind.as_deref(), bugs.tasks, bugs.done, bugs.attempts),
        (Some("bug"), 4, 3, 4)
    );
    assert_eq!(
        (bugs.median_ms, bugs.micro_usd, bugs.trips["no_progress"]),
        (Some(300_000), 40, 1)
    );
}
