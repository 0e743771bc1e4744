//! A check gives a grant, a record answers it.

use serde_json::json;

use crate::context::TestContext;

/// What the counter of iterations without progress says now.
fn no_progress(context: &TestContext) -> u64 {
    let status = context
        .fusebox(&["status", "--json"])
        .run()
        .expect(0)
        .json();
    status["signals"][0]["value"].as_u64().unwrap_or(0)
}

#[test]
fn a_grant_is_answered_once_and_late_answers_count_for_nothing() {
    let context = TestContext::new();
    for grant in ["g-1", "g-2"] {
        let answer = context.fusebox(&["check", "--json"]).run().expect(0).json();
        assert_eq!(answer["grant"], grant);
    }
    assert_eq!(no_progress(&context), 1, "g-1 was never reported");
    let idle = |grant| ["record", "--files-changed", "0", "--grant", grant];
    for (grant, expected) in [
        ("g-1", 1),  // superseded by g-2
        ("g-99", 1), // never given
        ("g-2", 2),  // the one that is waiting
        ("g-2", 2),  // answered already
    ] {
        context.fusebox(&idle(grant)).run().expect(0);
        assert_eq!(no_progress(&context), expected, "after {grant}");
    }
    let busy = ["record", "--files-changed", "5", "--grant", "g-1"];
    context.fusebox(&busy).run().expect(0);
    assert_eq!(no_progress(&context), 2, "late progress is no progress");
    for wrong in ["7", "g-", "g--1", "g-x", ""] {
        context
            .fusebox(&["record", "--grant", wrong])
            .run()
            .expect(2)
            .complains_once()
            .says("g-12");
    }
    let report = r#"{"files_changed": 1, "grant": "seven"}"#;
    context
        .fusebox(&["record", "-"])
        .input(report)
        .run()
        .expect(2)
        .says("`grant`");
}

#[test]
fn iterations_that_are_never_reported_open_the_breaker() {
    let context = TestContext::new();
    for code in [0, 0, 0, 42] {
        context.fusebox(&["check"]).run().expect(code);
    }
    let told = context.fusebox(&["explain"]).run().expect(0).out();
    assert!(
        told.contains("iteration 3: started and never reported"),
        "{told}"
    );
}

#[test]
fn record_exits_as_the_next_check_would_unless_told_not_to() {
    let context = TestContext::new();
    let idle = ["record", "--files-changed", "0"];
    let forgiving = ["record", "--files-changed", "0", "--exit-zero"];
    context.fusebox(&idle).run().expect(0);
    context.fusebox(&idle).run().expect(0);
    context.fusebox(&forgiving).run().expect(0).says("OPEN");
    context.fusebox(&idle).run().expect(42);
    context.fusebox(&["check"]).run().expect(42);
}

/// Which facts of a report count as progress, and which neither way.
#[test]
fn req_004_016_progress_is_what_was_measured() {
    for (report, expected) in [
        (json!({}), 3),
        (json!({"files_changed": 0}), 3),
        (json!({"files_changed": []}), 3),
        (json!({"files_changed": ["a"]}), 0),
        (json!({"files_changed": 0, "tasks_completed": 1}), 0),
        (json!({"features_passed": 1}), 0),
        (
            json!({"claimed": {"complete": true, "files_modified": 9}}),
            3,
        ),
        (
            json!({"tests": {"passed": 9, "failed": 0, "skipped": 0}}),
            3,
        ),
        (json!({"files_changed": 4, "environment": "network"}), 2),
        (json!({"environment": "overload"}), 2),
    ] {
        let context = TestContext::new();
        for _ in 0..2 {
            context.fusebox(&["record"]).run().expect(0);
        }
        let code = if expected == 3 { 42 } else { 0 };
        context
            .fusebox(&["record", "-"])
            .input(report.to_string())
            .run()
            .expect(code);
        assert_eq!(no_progress(&context), expected, "{report}");
    }
}

#[test]
fn req_004_017_the_same_error_five_times_trips_although_files_change() {
    let context = TestContext::new();
    for (n, code) in [0, 0, 0, 0, 42].into_iter().enumerate() {
        let error = format!("src/a.rs:{}: cannot find `x`", n + 10);
        let args = ["record", "--files-changed", "1", "--error", &error];
        context.fusebox(&args).run().expect(code);
    }
    let answer = context
        .fusebox(&["status", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(answer["rule"], "004.17");
    assert_eq!(answer["signals"][1]["value"], 5);
}

#[test]
fn what_changed_can_be_measured_between_check_and_record() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let file = context.work().join("a.txt");
    for (content, expected) in [
        ("three\n", json!(1)),
        ("three\n", json!(0)),
        ("three \n", json!(0)),
    ] {
        context.fusebox(&["check", "--from-git"]).run().expect(0);
        std::fs::write(&file, content).unwrap();
        context.fusebox(&["record", "--from-git"]).run().expect(0);
        let rows = context
            .fusebox(&["history", "--json", "-n", "1"])
            .run()
            .expect(0)
            .json_lines();
        assert_eq!(rows[0]["files_changed"], expected, "{content:?}");
    }
}

#[test]
fn a_time_further_ahead_than_anything_is_waited_for_is_cut_short_and_told() {
    let context = TestContext::new();
    let record = |at: &str| {
        let args = ["record", "--environment", "limit", "--retry-at", at];
        context.at("2026-01-01T00:00:00Z", &args).run().expect(44)
    };
    record("2026-02-12T00:00:00Z").says("checks are denied until 2026-01-09");
    let near = record("2026-01-03T00:00:00Z");
    assert!(!near.err().contains("further ahead"), "{}", near.err());
}
