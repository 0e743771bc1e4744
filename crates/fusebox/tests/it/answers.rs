//! The shape of every answer, field by field.

use serde_json::{Value, json};

use crate::context::TestContext;

const ANSWER: [&str; 17] = [
    "alerts",
    "gate",
    "grant",
    "iterations",
    "label",
    "limits",
    "notes",
    "preset",
    "reason",
    "release",
    "retry_at",
    "risk",
    "rule",
    "schema",
    "signals",
    "state",
    "totals",
];

#[track_caller]
fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}

/// Whether every signal is told, and none has counted anything.
pub(crate) fn all_quiet(answer: &Value) -> bool {
    let signals = answer["signals"].as_array().unwrap();
    signals.len() > 1 && signals.iter().all(|signal| signal["value"] == 0)
}

#[test]
fn req_004_123_and_x_006_an_answer_has_every_field_with_its_proof() {
    let context = TestContext::new();
    let noon = "2026-01-01T12:00:00Z";
    let report = ["record", "--json", "--files-changed", "0"];
    let error = ["--error", "boom", "--duration-ms", "1500"];
    let args: Vec<&str> = report.into_iter().chain(error).collect();
    context.at(noon, &["check"]).run().expect(0);
    context.at(noon, &args).run().expect(0);
    context.at(noon, &args).run().expect(0);
    let answer = context.at(noon, &args).run().expect(42).json();
    assert_eq!(keys(&answer), ANSWER);
    for (field, expected) in [
        ("/schema", json!(1)),
        ("/state", json!("Open")),
        ("/label", json!("OPEN")),
        ("/gate", json!("deny")),
        ("/reason", json!("No progress for 3 iterations")),
        ("/rule", json!("004.15")),
        ("/retry_at", json!("2026-01-01T12:30:00Z")),
        ("/risk", json!("HIGH")),
        ("/release", json!("cooldown")),
        ("/grant", json!(null)),
        ("/iterations", json!(3)),
        ("/notes", json!([])),
        ("/totals/reported", json!(3)),
        ("/totals/progress", json!(0)),
        ("/totals/trips", json!(1)),
        ("/totals/duration_ms", json!(4500)),
        ("/totals/tokens", json!(0)),
        ("/totals/cost_micro_usd", json!(0)),
        ("/limits/calls/limit", json!(100)),
        ("/limits/calls/window_seconds", json!(3600)),
        ("/limits/calls/used", json!(1)),
        ("/limits/calls/left", json!(99)),
        ("/limits/calls/warning", json!(false)),
        ("/limits/calls/next_slot", json!(null)),
        ("/signals/0/name", json!("no_progress")),
        ("/signals/0/value", json!(3)),
        ("/signals/0/threshold", json!(3)),
        ("/signals/0/rule", json!("004.15")),
        (
            "/signals/0/evidence/2",
            json!({"iteration": 3, "found": "no file changed"}),
        ),
        ("/signals/1/name", json!("repeated_error")),
        ("/signals/1/value", json!(3)),
        ("/signals/1/threshold", json!(5)),
        ("/signals/1/rule", json!("004.17")),
    ] {
        assert_eq!(answer.pointer(field), Some(&expected), "{field}");
    }
    // Everybody else tells the same story.
    for args in [&["check", "--json"][..], &["check", "--json", "--peek"]] {
        let other = context.at(noon, args).run().expect(42).json();
        assert_eq!(other, answer, "{args:?}");
    }
    for (args, running) in [
        (&["status", "--json"][..], Some(json!(false))),
        (&["explain", "--json"], None),
    ] {
        let mut other = context.at(noon, args).run().expect(0).json();
        let own = other.as_object_mut().unwrap().remove("running");
        assert_eq!(own, running, "{args:?}");
        assert_eq!(other, answer, "{args:?}");
    }
}

#[test]
fn an_open_gate_is_told_with_the_same_fields_and_a_grant() {
    let context = TestContext::new();
    let answer = context.fusebox(&["check", "--json"]).run().expect(0).json();
    assert_eq!(keys(&answer), ANSWER);
    for (field, expected) in [
        ("state", json!("Closed")),
        ("gate", json!("allow")),
        ("grant", json!("g-1")),
        ("rule", json!(null)),
        ("retry_at", json!(null)),
        ("risk", json!("LOW")),
        ("release", json!(null)),
    ] {
        assert_eq!(answer[field], expected, "{field}");
    }
    assert!(all_quiet(&answer), "{answer}");
    let note = answer["notes"][0].as_str().unwrap();
    assert!(note.starts_with("new workspace "), "{note}");
    let second = context.fusebox(&["check", "--json"]).run().expect(0).json();
    let silent = "iteration 1 was never reported, and counts as one without progress";
    assert_eq!(
        (&second["notes"], &second["grant"]),
        (&json!([silent]), &json!("g-2"))
    );
}

#[test]
fn req_004_047_and_049_to_050_limits_are_data_and_warn_at_eighty_percent() {
    let context = TestContext::new();
    let noon = "2026-01-01T12:00:00Z";
    for (args, code, used, left, warning, next) in [
        (&["limit", "--json"][..], 0, 0, 100, false, json!(null)),
        (
            &["limit", "take", "79", "--json"],
            0,
            79,
            21,
            false,
            json!(null),
        ),
        (&["limit", "take", "--json"], 0, 80, 20, true, json!(null)),
        (
            &["limit", "take", "21", "--json"],
            44,
            80,
            20,
            true,
            json!(null),
        ),
        (
            &["limit", "take", "20", "--json"],
            0,
            100,
            0,
            true,
            json!("2026-01-01T13:00:00Z"),
        ),
        (
            &["limit", "status", "--json"],
            0,
            100,
            0,
            true,
            json!("2026-01-01T13:00:00Z"),
        ),
    ] {
        let told = context.at(noon, args).run().expect(code).json();
        let expected = json!({"calls": {"limit": 100, "window_seconds": 3600, "used": used,
            "left": left, "warning": warning, "next_slot": next}});
        assert_eq!(told, expected, "{args:?}");
    }
}

#[test]
fn req_000_004_and_090_and_096_and_100_and_001_078_and_111_history_is_one_object_a_line_and_can_be_narrowed()
 {
    let context = TestContext::new();
    let noon = "2026-01-01T12:00:00Z";
    for (args, code) in [
        (&["check"][..], 0),
        (
            &[
                "record",
                "--files-changed",
                "2",
                "--task",
                "T-1",
                "--duration-ms",
                "70",
            ],
            0,
        ),
        (
            &[
                "record",
                "--files-changed",
                "0",
                "--task",
                "T-2",
                "--error",
                "boom",
            ],
            0,
        ),
        (&["limit", "take", "3"], 0),
        (&["trip", "--reason", "enough"], 0),
    ] {
        context.at(noon, args).run().expect(code);
    }
    let lines = |args: &[&str]| {
        let all: Vec<&str> = ["history", "--json"].iter().chain(args).copied().collect();
        context.fusebox(&all).run().expect(0).json_lines()
    };
    let all = lines(&[]);
    let at = noon;
    let line = |seq: u64, kind: &str, state: &str| {
        json!({"seq": seq, "at": at, "kind": kind, "name": kind, "state": state, "iteration": null, "task": null,
            "reason": null, "files_changed": null, "error": null, "duration_ms": null})
    };
    let mut expected = [
        line(1, "granted", "Closed"),
        line(2, "reported", "Closed"),
        line(3, "reported", "Closed"),
        line(4, "taken", "Closed"),
        line(5, "tripped", "Open"),
    ];
    for (row, field, value) in [
        (0, "iteration", json!(1)),
        (1, "iteration", json!(1)),
        (1, "task", json!("T-1")),
        (1, "files_changed", json!(2)),
        (1, "duration_ms", json!(70)),
        (2, "iteration", json!(2)),
        (2, "task", json!("T-2")),
        (2, "files_changed", json!(0)),
        (2, "error", json!("boom")),
        (3, "reason", json!("3 calls")),
        (4, "reason", json!("enough")),
    ] {
        expected[row][field] = value;
    }
    assert_eq!(all, expected);
    assert_eq!(lines(&["-n", "2"]), expected[3..]);
    assert_eq!(lines(&["--task", "T-2"]), expected[2..3]);
    assert_eq!(lines(&["--kind", "reported"]), expected[1..3]);
    // The index is disposable: without it the answer is the same.
    std::fs::remove_file(context.store().workspace.join("history.db")).unwrap();
    assert_eq!(lines(&[]), expected);
}

#[test]
fn a_sound_memory_is_told_as_data() {
    let context = TestContext::new();
    let told = |records: u64| {
        let doctor = context
            .fusebox(&["doctor", "--json"])
            .run()
            .expect(0)
            .json();
        assert_eq!(doctor["schema"], 1);
        assert_eq!(doctor["workspace"], context.work().to_str().unwrap());
        assert_eq!(doctor["circuit"], "default");
        assert_eq!(doctor["records"], records);
        doctor
    };
    told(0);
    context.fusebox(&["check"]).run().expect(0);
    context.fusebox(&["record"]).run().expect(0);
    let store = context.store();
    let doctor = told(2);
    assert_eq!(doctor["directory"], store.circuit.to_str().unwrap());
    assert_eq!(doctor["head"], store.head.to_str().unwrap());
}

#[test]
fn req_x_004_distrust_is_data_too() {
    let context = TestContext::new();
    context.fusebox(&["check"]).run().expect(0);
    std::fs::remove_file(context.store().log).unwrap();
    let answer = context.fusebox(&["check", "--json"]).run().expect(4).json();
    for (field, expected) in [
        ("schema", json!(1)),
        ("state", json!("Open")),
        ("label", json!("OPEN")),
        ("gate", json!("deny")),
        ("rule", json!("X.4")),
        ("signals", json!([])),
        ("retry_at", json!(null)),
        ("risk", json!("HIGH")),
        ("release", json!("person")),
    ] {
        assert_eq!(answer[field], expected, "{field}");
    }
    assert!(answer["reason"].as_str().unwrap().contains("log"));
    let doctor = context.fusebox(&["doctor", "--json"]).run().expect(4);
    assert_eq!(doctor.json()["state"], "Open");
}

#[test]
fn req_000_087_a_run_tells_each_iteration_and_its_end() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "echo to the agent\\'s stdout; echo $FUSEBOX_ITERATION >> a.txt";
    let run = context
        .supervise(&["--json", "--max-iterations", "2"], script)
        .run()
        .expect(45)
        .says("to the agent's stdout");
    let lines = run.json_lines();
    assert_eq!(lines.len(), 3, "{lines:?}");
    for (line, iteration) in lines.iter().zip(1..=2) {
        assert_eq!(line["event"], "iteration");
        assert_eq!(line["iteration"], iteration);
        assert_eq!(line["files_changed"], 1);
        assert_eq!(line["lines_added"], 1);
        assert_eq!(line["lines_deleted"], 0);
        assert_eq!(line["processes_killed"], 0);
        assert_eq!(line["end"], json!({"kind": "exited", "code": 0}));
        assert!(line["duration_ms"].is_u64());
        assert_eq!(keys(&line["answer"]), ANSWER);
    }
    let end = &lines[2];
    let fields = [
        "answer",
        "cost_micro_usd",
        "duration_ms",
        "event",
        "exit_code",
        "files_changed",
        "iterations",
        "kept",
        "reason",
        "tokens",
        "with_progress",
    ];
    assert_eq!(keys(end), fields);
    for (field, expected) in [
        ("event", json!("ended")),
        ("reason", json!("iterations_used_up")),
        ("exit_code", json!(45)),
        ("iterations", json!(2)),
        ("with_progress", json!(2)),
        // The same file, twice.
        ("files_changed", json!(1)),
        ("answer", json!(null)),
    ] {
        assert_eq!(end[field], expected, "{field}");
    }
    assert!(std::path::Path::new(end["kept"].as_str().unwrap()).is_dir());
}

/// A score is better the higher it is, wherever it is shown.
#[test]
fn a_score_is_shown_with_its_sign() {
    let context = TestContext::new();
    context.open_breaker();
    let explained = context.fusebox(&["explain"]).run().expect(0).out();
    let score = explained.lines().find(|line| line.contains("score "));
    assert!(score.unwrap().contains("-9 (warns at -4"), "{explained}");
    let status = context.fusebox(&["status"]).run().expect(0).out();
    assert!(status.contains("-9 (warns at -4)"), "{status}");
}

/// What opened for another reason is not said to wait for what patterns wait for.
#[test]
fn an_analysis_does_not_contradict_the_way_out() {
    let context = TestContext::new();
    context.open_breaker();
    let told = context.fusebox(&["analyze"]).run();
    let told = format!("{}{}", told.out(), told.err());
    assert!(told.contains("OPEN — not because of a pattern"), "{told}");
    assert!(!told.contains("until a person has resolved"), "{told}");
}
