//! Many processes at once on one circuit.

use std::collections::BTreeSet;

use crate::context::TestContext;

const PROCESSES: usize = 8;

/// Runs `work` in eight threads at once and gathers what each gives.
fn at_once<T: Send>(work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..PROCESSES)
            .map(|number| scope.spawn(move || work(number)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

#[test]
fn req_x_005_no_record_of_many_writers_is_lost() {
    let context = TestContext::new();
    at_once(|writer| {
        for report in 0..25 {
            let task = format!("{writer}-{report}");
            context
                .fusebox(&["record", "--files-changed", "1", "--task", &task])
                .run()
                .expect(0);
        }
    });
    let rows = context
        .fusebox(&["history", "--json", "-n", "1000"])
        .run()
        .expect(0)
        .json_lines();
    let seqs: Vec<u64> = rows
        .iter()
        .map(|row| row["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(seqs, (1..=200).collect::<Vec<_>>());
    let tasks: BTreeSet<&str> = rows
        .iter()
        .map(|row| row["task"].as_str().unwrap())
        .collect();
    assert_eq!(tasks.len(), 200);
    let status = context
        .fusebox(&["status", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(status["totals"]["reported"], 200);
    assert_eq!(status["totals"]["progress"], 200);
    context.fusebox(&["doctor"]).run().expect(0);
}

#[test]
fn many_ask_about_the_past_while_others_write_and_the_index_is_removed() {
    let context = TestContext::new();
    context.fusebox(&["record"]).run().expect(0);
    let index = context.store().workspace.join("history.db");
    at_once(|number| {
        for _ in 0..6 {
            match number {
                0 => drop(
                    context
                        .fusebox(&["record", "--files-changed", "1"])
                        .run()
                        .expect(0),
                ),
                1 => drop(std::fs::remove_file(&index)),
                _ => {
                    let told = context.fusebox(&["history", "--json"]).run().expect(0);
                    assert!(!told.json_lines().is_empty());
                }
            }
        }
    });
}

#[test]
fn req_004_052_many_callers_never_exceed_the_limit() {
    let context = TestContext::new();
    let codes = at_once(|_| {
        let take = |_| context.fusebox(&["limit", "take"]).run().code;
        (0..20).map(take).collect::<Vec<_>>()
    })
    .concat();
    let granted = codes.iter().filter(|code| **code == 0).count();
    let refused = codes.iter().filter(|code| **code == 44).count();
    assert_eq!((granted, refused), (100, 60));
}

#[test]
fn req_004_009_of_many_checks_one_gets_the_probe() {
    let context = TestContext::new();
    for code in [0, 0, 42] {
        context
            .at("2026-01-01T12:00:00Z", &["record"])
            .run()
            .expect(code);
    }
    let mut codes = at_once(|_| context.at("2026-01-01T12:30:00Z", &["check"]).run().code);
    codes.sort_unstable();
    assert_eq!(codes, [0, 42, 42, 42, 42, 42, 42, 42]);
}
