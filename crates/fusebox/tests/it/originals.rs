//! Where the loops that these ways of working come from are known to be wrong:
//! what the original does, and that this does not.

use std::fs;

use serde_json::{Value, json};

use crate::context::TestContext;
use crate::phases::Phased;

/// Records reports and gives the last exit code.
fn record(context: &TestContext, preset: &str, reports: &[Value]) -> i32 {
    let report = |report: &Value| {
        let call = context.fusebox(&["--preset", preset, "record", "-"]);
        call.input(report.to_string()).run().code
    };
    reports.iter().fold(0, |_, one| report(one))
}

fn failing(message: &str, files: u32) -> Value {
    json!({"files_changed": files, "errors": [{"type": "Error", "message": message}]})
}

#[test]
fn differs_only_the_same_error_is_the_same_error() {
    // The original counts any error as the same one in text mode, and none at
    // all where the agent answers in JSON.
    let different: Vec<Value> = ["the door", "a window", "some lock", "one key", "my hinge"]
        .iter()
        .map(|what| failing(&format!("cannot open {what}"), 1))
        .collect();
    assert_eq!(
        record(&TestContext::new(), "native", &different),
        0,
        "original: OPEN"
    );
    let same = vec![failing("cannot open the door", 1); 5];
    assert_eq!(
        record(&TestContext::new(), "native", &same),
        42,
        "original: CLOSED"
    );
}

#[test]
fn differs_a_fall_of_output_and_work_on_tests_alone_are_looked_at() {
    // The original sets both thresholds, documents them and reads neither.
    let output = |lines: u32| json!({"files_changed": 1, "output_lines": lines});
    let falling = [output(100), output(100), output(30)];
    assert_eq!(record(&TestContext::new(), "superkit", &falling), 42);
    let steady = [output(100), output(100), output(31)];
    assert_eq!(record(&TestContext::new(), "superkit", &steady), 0);
    let tests = json!({"files_changed": 1, "tasks_completed": 1, "work_type": "testing"});
    assert_eq!(record(&TestContext::new(), "superkit", &vec![tests; 3]), 42);
}

#[test]
fn differs_a_claim_of_completion_is_no_progress() {
    // The original resets its count at any claim, so that one that says "done"
    // each time is never stopped.
    let claim = json!({"files_changed": 0, "claimed":
        {"complete": true, "exit_signal": true, "files_modified": 7}});
    assert_eq!(record(&TestContext::new(), "native", &vec![claim; 3]), 42);
}

#[test]
fn differs_a_command_that_always_fails_is_stopped_and_not_reported_as_success() {
    // The original feeds its breaker after successful calls only, tries the others
    // again for ever, and exits 0 when it does stop.
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "echo x >> ../count; echo 'Error: no such thing' >&2; exit 1";
    let run = context.supervise(&["--max-iterations", "50"], script).run();
    run.expect(43);
    let runs = fs::read_to_string(context.path("count")).unwrap();
    assert_eq!(runs.lines().count(), 3);
}

#[test]
fn differs_new_files_are_progress_with_and_without_a_repository() {
    // The original never looks at untracked files, and sees nothing at all
    // without a repository: it opens after three productive loops.
    let script = "echo $FUSEBOX_ITERATION > new-$FUSEBOX_ITERATION";
    let options = ["--max-iterations", "4"];
    for context in [TestContext::with_repository(), Some(TestContext::new())] {
        let Some(context) = context else { return };
        context.supervise(&options, script).run().expect(45);
    }
}

#[test]
fn differs_a_dirty_tree_and_going_in_circles_are_no_progress() {
    // For the original, changes that were there before count in every loop, and
    // so do commits that undo one another.
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    fs::write(context.work().join("a.txt"), "changed before it began\n").unwrap();
    context
        .supervise(&["--max-iterations", "9"], "true")
        .run()
        .expect(43);

    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let commit = "git -c user.name=a -c user.email=a@b.c commit -qam x";
    let script = format!(
        "test $((FUSEBOX_ITERATION % 2)) = 0 && echo A > a.txt || echo B > a.txt; {commit}"
    );
    context
        .supervise(&["--max-iterations", "30"], &script)
        .run()
        .expect(43);
}

#[test]
fn differs_the_limit_holds_at_every_minute_of_the_hour() {
    // The original counts by the clock's hour, so that twice the limit fits around
    // a full one, and its wait dies at eight and nine minutes past.
    let context = TestContext::new();
    let take = |now: &str, count: &str| context.at(now, &["limit", "take", count]).run();
    take("2026-01-31T10:59:00Z", "100").expect(0);
    for now in [
        "2026-01-31T11:00:00Z",
        "2026-01-31T11:08:08Z",
        "2026-01-31T11:09:09Z",
    ] {
        take(now, "1").expect(44).says("2026-01-31T11:59:00Z");
    }
    take("2026-01-31T11:59:01Z", "1").expect(0);
}

/// A status block as the documents of that system print it. Its own parser stops
/// at `TESTS:`, which has no value, with a `TypeError`.
const PRINTED_BLOCK: &str = "Some prose.
---PRP_PHASE_STATUS---
TIMESTAMP: 2026-01-13T11:00:00Z
PHASE: GREEN
STATUS: BLOCKED
ITERATION: 8
PROGRESS_PERCENT: 60

TESTS:
  TOTAL: 10
  PASSING: 6
  FAILING: 4
  SKIPPED: 0

FILES:
  CREATED: 3
  MODIFIED: 5
  DELETED: 0

CIRCUIT_BREAKER:
  STATE: OPEN
  NO_PROGRESS_COUNT: 3

RATE_LIMIT:
  HOURLY: 3/100

DUAL_GATE:
  GATE_1: false
  GATE_2: false
  CAN_EXIT: false

BLOCKERS:
  - No progress for 3 iterations on test: should_handle_edge_case

EXIT_SIGNAL: false
RECOMMENDATION: Circuit breaker open - consider alternative implementation approach or split feature
---END_PRP_PHASE_STATUS---
";

#[test]
fn differs_a_printed_status_block_is_read_where_the_original_parser_crashes() {
    let it = Phased::new();
    let end = ["--preset", "prp", "phase", "end", "GREEN", "-"];
    let given = it
        .context
        .fusebox(&end)
        .input(PRINTED_BLOCK)
        .run()
        .expect(0);
    let metrics = &it.json()["last_progress_metric"]["GREEN"];
    assert_eq!(
        *metrics,
        json!({"tests_passing": 6, "tests_failing": 4, "tests_total": 10})
    );
    // What is given out is read back.
    let again = it.context.fusebox(&end).input(given.out()).run().expect(0);
    assert_eq!(
        it.json()["no_progress_count"],
        1,
        "the same numbers are no progress"
    );
    assert!(
        again.out().contains("NO_PROGRESS_COUNT: 1"),
        "{}",
        again.out()
    );
    for input in ["", "no block", "---PRP_PHASE_STATUS---\nPHASE: GREEN\n"] {
        let refused = it.context.fusebox(&end).input(input).run();
        refused.expect(2).complains_once();
    }
}

#[test]
fn differs_green_opens_at_two_where_the_printed_example_counts_three() {
    let it = Phased::new();
    it.idle("GREEN").expect(0);
    it.idle("GREEN").expect(42);
    assert_eq!(it.json()["no_progress_count"], 2);
}

#[test]
fn differs_the_same_error_opens_with_its_time_which_the_original_forgets() {
    let it = Phased::new();
    for (written, code) in [("1", 0), ("2", 0), ("3", 42)] {
        let args = [
            "end",
            "GREEN",
            "--tests-passing",
            written,
            "--error",
            "E: boom",
        ];
        it.phase(&args).expect(code);
    }
    let file = it.json();
    assert_eq!(file["open_reason"], "Same error repeated 3 times");
    assert!(file["opened_at"].is_string(), "{file}");
    assert_eq!(file["no_progress_count"], 0);
}
