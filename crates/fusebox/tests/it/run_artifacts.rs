//! What is written down of each iteration.

use std::fs;

use serde_json::{Value, json};

use crate::context::TestContext;

/// Two iterations: the first changes, adds and removes, the second fails.
const SCRIPT: &str = r"if [ $FUSEBOX_ITERATION = 1 ]; then
    echo three >> a.txt; mkdir -p src; echo new > src/new.txt; printf 'a\0b' > image.bin
    succeed 'make'
else
    fail 'npm test' 'TypeError: undefined is not a function'
fi
finish 'Done for now.'";

fn read(context: &TestContext, iteration: u64, name: &str) -> Value {
    serde_json::from_slice(&context.kept(iteration, name)).unwrap()
}

#[test]
fn req_000_004_and_083_and_096_a_patch_holds_exactly_what_an_iteration_changed() {
    let Some(context) = TestContext::with_claude(SCRIPT) else {
        return;
    };
    context
        .run_claude(&["--max-iterations", "2"])
        .run()
        .expect(45);
    let patch = context.path("changes.patch");
    fs::write(&patch, context.kept(1, "changes.patch")).unwrap();
    let clone = context.path("clone");
    let work = context.work();
    context.git(&[
        "clone",
        "-q",
        work.to_str().unwrap(),
        clone.to_str().unwrap(),
    ]);
    context.git_in(&clone, &["apply", patch.to_str().unwrap()]);
    for name in ["a.txt", "src/new.txt", "image.bin"] {
        let (applied, real) = (fs::read(clone.join(name)), fs::read(work.join(name)));
        assert_eq!(applied.unwrap(), real.unwrap(), "{name}");
    }
    let kept = context.kept(1, "changes.patch");
    assert!(
        !String::from_utf8_lossy(&kept).contains("calls"),
        "nothing else"
    );
}

#[test]
fn req_000_003_and_084_to_087_errors_metrics_and_claims_stand_beside_it() {
    let Some(context) = TestContext::with_claude(SCRIPT) else {
        return;
    };
    context
        .run_claude(&["--max-iterations", "2", "--test", "exit 1"])
        .run()
        .expect(45);
    let errors = read(&context, 2, "errors.json");
    let messages = errors["errors"].to_string();
    assert!(
        messages.contains("TypeError: undefined is not a function"),
        "{errors}"
    );
    assert!(messages.contains("the test command failed"), "{errors}");
    let metrics = read(&context, 1, "metrics.json");
    for (name, value) in [
        ("input_tokens", json!(1000)),
        ("cached_tokens", json!(200)),
        ("output_tokens", json!(50)),
        ("cost_micro_usd", json!(250_000)),
        ("files_changed", json!(3)),
        ("ended", json!("finished")),
        ("usage_is_complete", json!(true)),
    ] {
        assert_eq!(metrics[name], value, "{name}: {metrics}");
    }
    assert!(metrics["duration_ms"].is_u64(), "{metrics}");
    let signals = read(&context, 1, "completion_signals.json");
    assert_eq!(signals["claimed_complete"], json!(null), "{signals}");
    assert_eq!(signals["measured_files"], 3, "{signals}");
    assert_eq!(signals["tests_failed"], json!(null), "{signals}");
    assert_eq!(signals["checks_failed"], 1, "{signals}");
    let decision = read(&context, 2, "decision.json");
    assert_eq!(decision["gate"], "allow", "{decision}");
}

#[test]
fn req_004_085_to_093_the_log_of_an_iteration_line_by_line() {
    let Some(context) = TestContext::with_claude(SCRIPT) else {
        return;
    };
    let test = "printf '==== 1 failed, 3 passed, 2 skipped in 0.01s ====\\n'; exit 1";
    context
        .run_claude(&[
            "--preset",
            "superkit",
            "--max-iterations",
            "1",
            "--test",
            test,
        ])
        .run()
        .expect(45);
    let status = String::from_utf8(context.kept(1, "status.md")).unwrap();
    let (heading, rest) = status.split_once("\n\n").unwrap();
    assert!(heading.starts_with("## Iteration 1 — 20"), "{status}");
    let lines: Vec<&str> = rest.lines().collect();
    assert_eq!(
        lines[..4],
        [
            "- Circuit state: CLOSED",
            "- Tasks completed: unknown",
            "- Files modified: a.txt, image.bin, src/new.txt",
            "- Tests: 3 passed, 1 failed, 2 skipped",
        ]
    );
    assert!(lines[4].starts_with("- Errors encountered: "), "{status}");
    assert_eq!(lines[5], "- Progress score: +3");
    assert_eq!(lines[6], "- API calls remaining: 99");
    let risk = lines[7].strip_prefix("- Stagnation risk: ").unwrap();
    assert!(["LOW", "MEDIUM", "HIGH"].contains(&risk), "{status}");
    assert_eq!(lines.len(), 8);
}

#[test]
fn req_004_085_to_086_and_091_the_log_of_a_probe_is_of_the_probe() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let idle = "true";
    let work = "echo more >> a.txt";
    for (iteration, time, script, code, state, files, score) in [
        (1, "00:00", idle, 0, "CLOSED", "0", "-3"),
        (2, "00:01", idle, 0, "CLOSED", "0", "-3"),
        (3, "00:02", idle, 42, "CLOSED", "0", "-3"),
        (4, "00:32", idle, 42, "HALF-OPEN", "0", "-3"),
        (5, "01:32", work, 0, "HALF-OPEN", "a.txt", "+1"),
        (6, "01:33", work, 0, "CLOSED", "a.txt", "+1"),
    ] {
        let now = format!("2026-01-01T{time}:00Z");
        let run = [
            "--preset",
            "superkit",
            "run",
            "--no-wait",
            "--skip-preflight",
        ];
        let args = [&run[..], &["--once", "--", "sh", "-c", script]].concat();
        context.at(&now, &args).run().expect(code);
        let status = String::from_utf8(context.kept(iteration, "status.md")).unwrap();
        let heading = format!("## Iteration {iteration} — 2026-01-01T{time}");
        assert!(status.starts_with(&heading), "{status}");
        for line in [
            format!("- Circuit state: {state}\n"),
            format!("- Files modified: {files}\n"),
            format!("- Progress score: {score}\n"),
        ] {
            assert!(status.contains(&line), "{line}: {status}");
        }
    }
}

/// Somebody else's loop has no directory of ours to look into.
#[test]
fn req_004_085_to_093_a_recorded_iteration_is_told_as_the_log_of_an_iteration() {
    let context = TestContext::new();
    let record = |preset: &str, more: &[&str]| {
        let all = [
            &["--preset", preset, "record", "--files-changed", "2"],
            more,
        ]
        .concat();
        context.at("2026-01-01T00:00:00Z", &all).run().expect(0)
    };
    context
        .at("2026-01-01T00:00:00Z", &["--preset", "superkit", "check"])
        .run()
        .expect(0);
    let told = record(
        "superkit",
        &["--tasks-completed", "1", "--error", "E: no key"],
    );
    assert_eq!(
        told.out(),
        "## Iteration 1 — 2026-01-01T00:00:00Z\n\n- Circuit state: CLOSED\n- Tasks completed: 1\n\
         - Files modified: 2\n- Tests: unknown\n- Errors encountered: E: no key\n\
         - Progress score: +7\n- API calls remaining: 99\n- Stagnation risk: LOW\n"
    );
    assert_eq!(record("superkit", &["--json"]).out().lines().count(), 1);
    let other = TestContext::new();
    let native = other.fusebox(&["record", "--files-changed", "1"]).run();
    assert_eq!(native.expect(0).out(), "");
}
