//! Other ways to find patterns: configured, continuously, in memory, at once.

use std::fs;

use crate::call::wait_for;
use crate::context::{Files, KEY, TestContext, nobody_can_play_a_person};
use crate::liza::{Liza, NOW, anomaly, board, retries};

#[test]
fn req_002_043_to_044_and_047_thresholds_and_likeness_are_configurable() {
    let configured = |lines: &str, anomalies: &str| {
        let liza = Liza::new(&board(anomalies));
        let directory = liza.0.path("config/fusebox");
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("config.toml"), lines).unwrap();
        liza.at(NOW, &["analyze"]).code
    };
    let alike = retries(&[
        "serialization failure",
        "serialisation failure",
        "serialization failures",
    ]);
    assert_eq!(configured("", &alike), 0);
    assert_eq!(configured("[patterns]\nsimilar = true\n", &alike), 48);
    let two = retries(&["e", "e"]);
    assert_eq!(configured("", &two), 0);
    assert_eq!(configured("[patterns]\nretry_cluster = 2\n", &two), 48);
    assert_eq!(
        configured("[patterns]\nretry_cluster = 4\n", &retries(&["e"; 3])),
        0
    );
    assert_eq!(configured("[patterns]\nretry_cluster = 0\n", &two), 3);
    let one_task = anomaly(1, "t", "retry_loop", "error_pattern: e").repeat(3);
    assert_eq!(configured("", &one_task), 48);
    assert_eq!(
        configured("[patterns]\ndistinct_tasks = true\n", &one_task),
        0
    );
    let gaps = anomaly(1, "t", "spec_gap", "spec_ref: s").repeat(2);
    assert_eq!(configured("", &gaps), 0);
    assert_eq!(configured("[patterns]\ncount_related = true\n", &gaps), 48);
    // A repository may make it stricter, and nothing else.
    let liza = Liza::new(&board(&retries(&["e"; 3])));
    fs::write(
        liza.0.work().join("fusebox.toml"),
        "[patterns]\nretry_cluster = 9\n",
    )
    .unwrap();
    liza.at(NOW, &["analyze"]).expect(48);
}

#[test]
fn req_002_069_a_watcher_triggers_by_itself_when_something_is_written() {
    let liza = Liza::new(&board(""));
    let args = [
        "--preset",
        "liza",
        "watch",
        "--interval",
        "1s",
        "--until-triggered",
    ];
    let mut watching = liza.0.fusebox(&args).start();
    watching.wait_to_say("no pattern");
    let unchanged = liza.text();
    let entries = |text: &str| text.matches("result: OK").count();
    // What roles write beside the anomalies is nothing to analyse.
    let unchanged = unchanged.replace("status: BLOCKED", "status: CLAIMED");
    liza.write(&unchanged);
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    assert_eq!(
        entries(&liza.text()),
        1,
        "nothing new, nothing said: {}",
        liza.text()
    );
    // Half a board is waited out.
    liza.write("anomalies:\n  - \"half");
    watching.wait_to_say("line 2");
    let found = unchanged.replace(
        "anomalies:\n",
        &format!("anomalies:\n{}", retries(&["e"; 3])),
    );
    liza.write(&found);
    watching.finish().expect(48).says("TRIGGERED");
    assert!(liza.has("CHECKPOINT"));
}

#[test]
fn req_d_077_an_anomaly_is_reported_to_the_memory_and_printed_for_the_board() {
    let liza = Liza::new(&board(""));
    let before: Files = liza.0.memory();
    let args = [
        "anomaly",
        "add",
        "--type",
        "retry_loop",
        "--task",
        "task-3",
        "--reporter",
        "coder-1",
    ];
    let details = [
        "--detail",
        "count=3",
        "--detail",
        "error_pattern=no \"nesting\"",
    ];
    let all: Vec<&str> = args.iter().chain(&details).copied().collect();
    let printed = liza.at(NOW, &all).expect(0).out();
    assert_eq!(
        printed,
        "  - timestamp: 2025-01-18T17:30:00Z\n    task: task-3\n    reporter: coder-1\n    type: retry_loop\n    details:\n      count: 3\n      error_pattern: \"no \\\"nesting\\\"\"\n"
    );
    assert_ne!(liza.0.memory(), before);
    assert_eq!(liza.text(), board(""), "the board is not ours to add to");
    let listed = liza.at(NOW, &["anomaly", "list", "--json"]).json();
    assert_eq!(
        (&listed["task"], &listed["details"]["count"]),
        (&"task-3".into(), &3.into())
    );
    liza.at(NOW, &args)
        .expect(2)
        .says("needs the details count, error_pattern");
    liza.at(
        NOW,
        &[
            "anomaly", "add", "--type", "spec_gap", "--task", "t", "--detail", "x=1",
        ],
    )
    .expect(2)
    .says("no detail `x`");
    let ambiguous = [
        "anomaly",
        "add",
        "--type",
        "system_ambiguity",
        "--task",
        "t",
    ];
    liza.at(NOW, &ambiguous)
        .expect(2)
        .says("needs the details protocol_section, question");
    let details = [
        "--detail",
        "protocol_section=4",
        "--detail",
        "question=who?",
    ];
    let told = liza.at(NOW, &[&ambiguous[..], &details].concat()).expect(0);
    assert!(told.out().contains("protocol_section:"), "{}", told.out());
    liza.at(
        NOW,
        &["anomaly", "add", "--type", "spec_changed", "--task", "t"],
    )
    .expect(0);
    // Put onto the board, it counts as any other.
    liza.write(&board(&printed.repeat(3)));
    liza.at(NOW, &["analyze"]).expect(48);
}

/// Without a blackboard the project's own records are looked at.
#[test]
fn native_projects_get_the_same_detection_over_their_own_records() {
    if nobody_can_play_a_person() {
        return;
    }
    let context = TestContext::new();
    for task in ["a", "b", "c"] {
        for _ in 0..3 {
            let args = [
                "record",
                "--task",
                task,
                "--files-changed",
                "1",
                "--error",
                "TypeError: x is undefined",
            ];
            context.fusebox(&args).run();
        }
    }
    // Three times the same error in each of three tasks opens by itself; a person
    // looked, and the pattern is still there to be seen.
    context.reset();
    let found = context.fusebox(&["analyze"]).run().expect(42);
    assert!(
        found.out().contains("● retry_cluster            3 of 3"),
        "{}",
        found.out()
    );
    context.hold_key();
    let resolve = ["resolve", "--resolution", "ADR-1"];
    context
        .fusebox(&resolve)
        .env("FUSEBOX_OPERATOR_KEY", KEY)
        .run()
        .expect(0);
    context.fusebox(&["analyze"]).run().expect(0);
    for task in ["d", "e"] {
        let args = [
            "anomaly",
            "add",
            "--type",
            "external_blocker",
            "--task",
            task,
            "--detail",
            "blocker_service=api",
        ];
        assert_eq!(context.fusebox(&args).run().expect(0).out(), "");
    }
    let found = context
        .fusebox(&["analyze", "--json"])
        .run()
        .expect(42)
        .json();
    assert_eq!(found["matched"][0]["pattern"], "external_service_outage");
    assert_eq!(found["matched"][0]["severity"], "EXTERNAL_DEPENDENCY");
    assert_eq!(
        found["patterns"][5]["groups"][0]["tasks"],
        serde_json::json!(["d", "e"])
    );
}

/// Two analyses at once and somebody else who writes: whatever comes out is sound,
/// and nothing of anybody is lost.
#[test]
fn writers_wait_for_one_another() {
    let liza = Liza::new(&board(""));
    let calls: Vec<_> = (0..4)
        .map(|_| liza.0.fusebox(&["--preset", "liza", "analyze"]).start())
        .collect();
    for call in calls {
        call.finish().expect(0);
    }
    assert_eq!(
        liza.text().matches("result: OK").count(),
        4,
        "{}",
        liza.text()
    );
    let lock = fs::File::options()
        .write(true)
        .open(liza.0.work().join(".liza/state.yaml.lock"))
        .unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let waiting = liza.0.fusebox(&["--preset", "liza", "analyze"]).start();
    wait_for("a moment", || true);
    let text = liza
        .text()
        .replace("# last words", "# last words, and more");
    liza.write(&text);
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::Unlock).unwrap();
    waiting.finish().expect(0);
    assert!(liza.text().contains("and more") && liza.text().matches("result: OK").count() == 5);
}
