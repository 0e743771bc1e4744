//! What users of preset cub find where their own tools look for it: the numbers
//! of states, the name of an event, the artifacts.

use std::fs;

use serde_json::{Value, json};

use crate::context::{FUSEBOX, TestContext};

impl TestContext {
    /// A call in this preset.
    pub(crate) fn cub(&self, args: &[&str]) -> crate::call::Call {
        self.fusebox(&[&["--preset", "cub"], args].concat())
    }
}

#[test]
fn req_000_034_to_036_states_have_the_documented_numbers() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let status = format!("{FUSEBOX} status --json >> ../states");
    context.script("claude", &format!("#!/bin/sh\n{status}\n"));
    let path = format!(
        "{}:{}",
        context.path("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let agent = [
        "run", "--agent", "claude", "--model", "a,b", "--prompt", "x",
    ];
    let options = ["--skip-preflight", "--on-stagnation", "escalate"];
    let run = context.cub(&[&agent[..], &options].concat());
    run.env("PATH", path).run().expect(43);
    let open = context
        .fusebox(&["status", "--json"])
        .run()
        .expect(0)
        .json();
    let inside = fs::read_to_string(context.path("states")).unwrap();
    let inside = inside
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let states: Vec<_> = inside
        .chain([open])
        .map(|status: Value| (status["label"].clone(), status["state_code"].clone()))
        .collect();
    let closed = (json!("CLOSED"), json!(0));
    let expected = [
        closed.clone(),
        closed.clone(),
        closed,
        (json!("HALF_OPEN"), json!(2)),
        (json!("OPEN"), json!(1)),
    ];
    assert_eq!(states, expected);

    let other = TestContext::new();
    let status = other.fusebox(&["status", "--json"]).run().expect(0).json();
    assert_eq!(status.get("state_code"), None);
}

#[test]
fn req_000_042_and_090_an_opening_is_logged_under_its_documented_name() {
    let reason = "No progress for 3 iterations";
    for (preset, times) in [("cub", 1), ("native", 0)] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let options = ["--preset", preset, "--json", "--on-stagnation", "abort"];
        let run = context.supervise(&options, "true").run().expect(42);
        let line = format!("circuit_breaker_open reason={reason}");
        assert_eq!(run.err().matches(&line).count(), times, "{}", run.err());
        let events = run.json_lines().into_iter();
        let events: Vec<_> = events
            .filter(|line| line["event"] == "circuit_breaker_open")
            .collect();
        let event = json!({"event": "circuit_breaker_open", "iteration": 3, "reason": reason});
        assert_eq!(events, vec![event; times]);

        let history = context.fusebox(&["history", "--json"]).run().expect(0);
        let rows = history.json_lines().into_iter();
        let opened: Vec<_> = rows.filter(|row| row.get("event").is_some()).collect();
        assert_eq!(opened.len(), times);
        for row in opened {
            assert_eq!(row["event"], "circuit_breaker_open");
            assert_eq!(
                (&row["kind"], &row["reason"]),
                (&json!("reported"), &json!(reason))
            );
        }
    }
    // Somebody else's loop is told the same, once.
    let context = TestContext::new();
    let line = format!("circuit_breaker_open reason={reason}");
    for (code, times) in [(0, 0), (0, 0), (42, 1), (42, 0)] {
        let told = context.cub(&["record", "--files-changed", "0"]).run();
        assert_eq!(told.expect(code).err().matches(&line).count(), times);
    }
    let events = context.fusebox(&["events"]).run().expect(0).json_lines();
    let named = |row: &&Value| row["companion_event"] == "circuit_breaker_open";
    let opened: Vec<&Value> = events.iter().filter(named).collect();
    assert_eq!(opened.len(), 1);
    assert_eq!(opened[0]["opened"]["reason"], reason);
    let context = TestContext::new();
    context
        .cub(&["trip", "--reason", "by hand"])
        .run()
        .expect(0);
    let history = context.fusebox(&["history"]).run().expect(0).out();
    assert!(
        history.contains("circuit_breaker_open · by hand"),
        "{history}"
    );
}

#[test]
fn req_000_082_artifacts_lie_where_the_documentation_puts_them() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let options = ["--preset", "cub", "--max-iterations", "2"];
    let script = "echo $FUSEBOX_ITERATION >> a.txt";
    context.supervise(&options, script).run().expect(45);
    let sessions = fs::read_dir(context.work().join(".cub/runs")).unwrap();
    let sessions: Vec<_> = sessions.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(sessions.len(), 1);
    for iteration in ["1", "2"] {
        let files = fs::read_dir(sessions[0].join("iterations").join(iteration)).unwrap();
        let mut names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
        names.sort();
        let expected = [
            "changes.patch",
            "completion_signals.json",
            "errors.json",
            "metrics.json",
        ];
        assert_eq!(names, expected, "{iteration}");
    }
}

#[test]
fn req_000_027_to_028_and_d_076_the_errors_of_a_run_have_a_history() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let options = ["--preset", "cub", "--max-iterations", "2"];
    let script = "echo $FUSEBOX_ITERATION >> a.txt; \
        echo 'TypeError: undefined is not a function at src/auth.js:42:7' >&2; exit 1";
    context.supervise(&options, script).run().expect(45);
    let mut sessions = fs::read_dir(context.work().join(".cub/runs")).unwrap();
    let session = sessions.next().unwrap().unwrap().path();
    let text = fs::read_to_string(session.join("error_history.json")).unwrap();
    let history: Value = serde_json::from_str(&text).unwrap();
    for (at, iteration) in [(0, 1), (1, 2)] {
        let entry = &history["error_history"][at];
        assert_eq!(entry["iteration"], iteration, "{history}");
        let signature = entry["signature"].as_str().unwrap();
        assert!(
            signature.starts_with("TypeError: undefined is not a function"),
            "{history}"
        );
        assert_eq!(entry["file"], "src/auth.js:42", "{history}");
    }
}

#[test]
fn req_000_029_and_091_to_092_and_097_errors_on_both_streams_are_the_same_error_each_time() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let options = ["--preset", "cub", "--max-iterations", "20"];
    let tripped = [&options[..], &["--on-stagnation", "abort"]].concat();
    // The last line has no end, and is one all the same.
    let script = "echo $FUSEBOX_ITERATION >> a.txt; echo 'ReferenceError: b at src/b.js:7'; \
        printf 'TypeError: a' >&2; exit 1";
    context
        .supervise(&tripped, script)
        .run()
        .says("Same error repeated 3 times");
    let mut sessions = fs::read_dir(context.work().join(".cub/runs")).unwrap();
    let session = sessions.next().unwrap().unwrap().path();
    let text = fs::read_to_string(session.join("error_history.json")).unwrap();
    let history: Value = serde_json::from_str(&text).unwrap();
    let entries = history["error_history"].as_array().unwrap();
    assert_eq!(entries.len(), 3, "{history}");
    for entry in entries {
        assert_eq!(entry["signature"], "TypeError: a", "{history}");
        assert_eq!(
            entry["file"],
            Value::Null,
            "no place of another stream: {history}"
        );
    }
}

#[test]
fn req_000_030_to_031_and_046_and_d_076_its_sentences() {
    let context = TestContext::new();
    let report = [
        "record",
        "--files-changed",
        "1",
        "--task",
        "T9",
        "--no-errors",
    ];
    for _ in 0..4 {
        context.cub(&report).run().expect(0);
    }
    let opened = context.cub(&report).run().expect(42);
    opened.says("Task T9 in progress for 5 iterations\n");
    let context = TestContext::new();
    let claim = r#"{"files_changed": 3, "claimed": {"complete": true}, "tests": {"passed": 1, "failed": 2}}"#;
    let opened = context.cub(&["record", "-"]).input(claim).run().expect(42);
    opened.says("Completion claimed without evidence\n");
}

#[test]
fn req_000_048_and_092_of_a_long_report_the_line_that_counts_is_shown() {
    let context = TestContext::new();
    let report = r#"{"files_changed": 1, "errors": [{"message": "building\nstep 2\nTypeError: x\nError: y"}]}"#;
    for code in [0, 0, 42] {
        context
            .cub(&["record", "-"])
            .input(report)
            .run()
            .expect(code);
    }
    let explained = context.cub(&["explain"]).run().expect(0).out();
    assert!(explained.contains("TypeError: x\n"), "{explained}");
    assert!(!explained.contains("building"), "{explained}");
}

#[test]
fn req_000_046_to_048_the_log_of_a_run_that_nobody_watches_tells_what_was_asked() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let run = context
        .supervise(&["--preset", "cub", "--task", "T9"], "true")
        .run()
        .expect(43);
    run.says("[STAGNATION DETECTED] No progress for 3 iterations\nTask: T9\n")
        .says("  [c] Continue (reset counter)\n");
}

#[test]
fn req_000_082_artifacts_never_follow_a_link_out_of_the_work_tree() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let elsewhere = context.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let options = ["--preset", "cub", "--max-iterations", "1"];
    let script = "ln -s ../elsewhere .cub";
    let run = context.supervise(&options, script).run().expect(45);
    run.says("the artifacts could not be put into .cub/runs");
    assert_eq!(fs::read_dir(elsewhere).unwrap().count(), 0);
}

/// The breaker is no part of any loop: a loop of one's own asks it, and so does
/// ours.
#[test]
fn req_000_089_any_loop_can_ask_the_same_breaker() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = format!(
        "while {FUSEBOX} --preset cub check -q; do echo x >> ../count; \
         {FUSEBOX} record -q --files-changed 0; done"
    );
    let looped = context.call("/bin/sh".as_ref(), &["-c", &script]);
    looped.run().expect(42);
    let count = fs::read_to_string(context.path("count")).unwrap();
    assert_eq!(count.lines().count(), 3);
    context.supervise(&["--once"], "touch ran").run().expect(42);
    assert!(!context.work().join("ran").exists());
}
