//! Projects that were begun with another loop, and changing the way of working.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::context::{KEY, TestContext, nobody_can_play_a_person};

pub(crate) fn put(context: &TestContext, path: &str, text: &str) {
    let place = context.work().join(path);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(place, text).unwrap();
}

/// Every file of the work tree with its bytes.
fn bytes(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut left = vec![directory.to_owned()];
    while let Some(directory) = left.pop() {
        for path in fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if path.is_dir() {
                left.push(path);
            } else {
                all.push((path.display().to_string(), fs::read(&path).unwrap()));
            }
        }
    }
    all.sort();
    all
}

pub(crate) fn value(context: &TestContext, key: &str) -> String {
    let shown = context
        .fusebox(&["config", "show", "--json"])
        .run()
        .expect(0);
    let rows = shown.json_lines();
    let row = rows.iter().find(|row| row["key"] == key);
    row.unwrap()["written"].as_str().unwrap().to_owned()
}

pub(crate) const RALPH_OPEN: &str = r#"{"state":"OPEN","last_change":"2026-11-15T20:08:30+00:00",
  "consecutive_no_progress":3,"consecutive_same_error":0,"consecutive_permission_denials":0,
  "last_progress_loop":0,"total_opens":1,"reason":"No recovery, opening circuit after 3 loops",
  "current_loop":3,"opened_at":"2026-11-15T20:08:30+00:00"}"#;

#[test]
fn what_other_loops_left_is_understood_and_nothing_there_is_changed() {
    for (path, text, state, said) in [
        (
            ".ralph/.circuit_breaker_state",
            RALPH_OPEN,
            "Open",
            "the breaker is open: No recovery, opening circuit after 3 loops",
        ),
        (
            ".ralphrc",
            "MAX_CALLS_PER_HOUR=20\nALLOWED_TOOLS=Write\n",
            "Closed",
            "at most 20 calls in any hour",
        ),
        (
            ".prp-session/circuit-breaker.json",
            r#"{"state":"HALF_OPEN","no_progress_count":2,"same_error_count":0,
               "last_progress_metric":{"GREEN":{"tests_passing":3}},"last_error_hash":null,
               "opened_at":null,"open_reason":null,"history":[]}"#,
            "Watching",
            "HALF_OPEN, no progress 2 times, same error 0 times; last values of GREEN",
        ),
        (
            ".cub/config.json",
            r#"{"stagnation": {"threshold": 2, "stale_task_recovery": {"stale_seconds": 60}}}"#,
            "Closed",
            "stagnation.threshold = 2",
        ),
    ] {
        let context = TestContext::new();
        put(&context, path, text);
        let before = bytes(&context.work());
        let imported = context.fusebox(&["import"]).run().expect(0);
        assert!(imported.out().contains(said), "{path}: {}", imported.out());
        assert_eq!(bytes(&context.work()), before, "{path}");
        assert_eq!(context.state(), state, "{path}");
        if path == ".ralphrc" {
            // What holds from now on is what is told.
            imported.says("20 of 20 calls left");
        }
        // Doing it again changes nothing.
        context.fusebox(&["import"]).run().expect(0);
        assert_eq!(context.state(), state, "{path}");
    }
}

#[test]
fn what_is_not_there_or_broken_or_ambiguous_is_said_with_its_own_code() {
    let context = TestContext::new();
    context
        .fusebox(&["import"])
        .run()
        .expect(6)
        .complains_once();
    put(&context, ".ralph/.circuit_breaker_state", &RALPH_OPEN[..40]);
    // The original takes half a file for a closed breaker.
    context
        .fusebox(&["import"])
        .run()
        .expect(4)
        .complains_once();
    put(&context, ".ralph/.circuit_breaker_state", RALPH_OPEN);
    put(&context, ".cub/config.json", "{}");
    context
        .fusebox(&["import"])
        .run()
        .expect(2)
        .says("several are there: .ralph/ and .ralphrc, .cub/");
    context
        .fusebox(&["--preset", "cub", "import"])
        .run()
        .expect(0);
    assert_eq!(context.state(), "Closed");
    context
        .fusebox(&["--circuit", "b", "--preset", "prp", "import"])
        .run()
        .expect(5);
}

#[test]
fn req_d_024_settings_of_a_repository_tighten_unasked_and_relax_only_when_a_person_vouches() {
    let context = TestContext::new();
    put(
        &context,
        ".ralphrc",
        "CB_NO_PROGRESS_THRESHOLD=9\nMAX_CALLS_PER_HOUR=20\n",
    );
    assert_eq!(
        value(&context, "limits.calls.limit"),
        "100",
        "nobody imported it"
    );
    context.fusebox(&["import"]).run().expect(0);
    assert_eq!(value(&context, "limits.calls.limit"), "20");
    assert_eq!(value(&context, "signals.no_progress.trip"), "3");
    context.fusebox(&["import", "--trust"]).run().expect(5);
    assert_eq!(value(&context, "signals.no_progress.trip"), "3");
    if nobody_can_play_a_person() {
        return;
    }
    context.hold_key();
    let trust = context
        .fusebox(&["import", "--trust"])
        .env("FUSEBOX_OPERATOR_KEY", KEY);
    trust.run().expect(0);
    assert_eq!(value(&context, "signals.no_progress.trip"), "9");
    // The person's word was for the file that they saw.
    put(
        &context,
        ".ralphrc",
        "CB_NO_PROGRESS_THRESHOLD=90\nMAX_CALLS_PER_HOUR=20\n",
    );
    assert_eq!(value(&context, "signals.no_progress.trip"), "3");
}

#[test]
fn req_d_024_the_block_of_a_repository_relaxes_once_a_person_vouches_for_it() {
    if nobody_can_play_a_person() {
        return;
    }
    let context = TestContext::new();
    put(
        &context,
        ".cub/config.json",
        r#"{"stagnation": {"threshold": 9}}"#,
    );
    context.hold_key();
    context.fusebox(&["import"]).run().expect(0);
    assert_eq!(value(&context, "signals.no_progress.trip"), "3");
    let trust = context
        .fusebox(&["import", "--trust"])
        .env("FUSEBOX_OPERATOR_KEY", KEY);
    trust.run().expect(0);
    assert_eq!(value(&context, "signals.no_progress.trip"), "9");
    put(
        &context,
        ".cub/config.json",
        r#"{"stagnation": {"threshold": 9 }}"#,
    );
    assert_eq!(
        value(&context, "signals.no_progress.trip"),
        "3",
        "a byte was changed"
    );
}

#[test]
fn differs_settings_are_read_where_the_original_executes_them() {
    let context = TestContext::new();
    let marker = context.path("executed");
    let line = format!("MAX_CALLS_PER_HOUR=$(touch {}; echo 5)\n", marker.display());
    put(&context, ".ralphrc", &line);
    let imported = context.fusebox(&["import"]).run().expect(0);
    assert!(
        imported.out().contains("only a shell could tell its value"),
        "{}",
        imported.out()
    );
    assert_eq!(value(&context, "limits.calls.limit"), "100");
    assert!(!marker.exists());
}

#[test]
fn the_way_of_working_is_changed_by_a_person_and_not_while_the_breaker_is_open() {
    let context = TestContext::new();
    context
        .fusebox(&["record", "--files-changed", "0"])
        .run()
        .expect(0);
    context
        .fusebox(&["--preset", "cub", "check"])
        .run()
        .expect(3)
        .says("presets use");
    context.fusebox(&["presets", "use", "cub"]).run().expect(5);
    if nobody_can_play_a_person() {
        return;
    }
    context.hold_key();
    let change = |preset: &str| {
        let call = context.fusebox(&["presets", "use", preset]);
        call.env("FUSEBOX_OPERATOR_KEY", KEY).run()
    };
    change("cub").expect(0);
    let status = context
        .fusebox(&["status", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(
        (&status["preset"], &status["label"]),
        (&json!("cub"), &json!("CLOSED"))
    );
    let history = context.fusebox(&["history"]).run().expect(0).out();
    assert!(history.contains("native to cub"), "{history}");
    context.open_breaker();
    change("native")
        .expect(5)
        .says("its rules do not change while it is");
    let status = context
        .fusebox(&["status", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(
        (&status["preset"], &status["state"]),
        (&json!("cub"), &json!("Open"))
    );
}

#[test]
fn req_d_024_the_settings_of_a_shell_loop_tighten_the_one_that_waits_and_nobody_relaxes_it() {
    let context = TestContext::new();
    let rc = "NO_PROGRESS_THRESHOLD=2\nIDENTICAL_ERROR_THRESHOLD=50\n";
    put(&context, ".ralphrc", rc);
    let import = ["--preset", "superkit", "import"];
    context.fusebox(&import).run().expect(0);
    assert_eq!(value(&context, "signals.no_progress.trip"), "2");
    assert_eq!(value(&context, "signals.repeated_error.trip"), "5");
    context.hold_key();
    let trust = context
        .fusebox(&["import", "--trust"])
        .env("FUSEBOX_OPERATOR_KEY", KEY);
    trust.run().expect(5).says("can only be tightened");
    assert_eq!(value(&context, "signals.repeated_error.trip"), "5");
}

#[test]
fn req_000_074_and_080_models_are_taken_once_a_person_vouches_for_them() {
    let context = TestContext::new();
    put(
        &context,
        ".cub/config.json",
        r#"{"stagnation": {"action": "escalate", "escalation":
            {"enabled": true, "model_progression": ["haiku", "opus"]}}}"#,
    );
    let models = || {
        let dry = [
            "run",
            "--agent",
            "claude",
            "--prompt",
            "x",
            "--dry-run",
            "--json",
        ];
        let told = context.fusebox(&dry).run().expect(0);
        told.json()["models"].to_string()
    };
    let import = context.fusebox(&["import"]).run().expect(0);
    let left = "left    stagnation.escalation.model_progression";
    assert!(import.out().contains(left), "{}", import.out());
    assert_eq!(models(), r#"["haiku","sonnet","opus"]"#);
    if nobody_can_play_a_person() {
        return;
    }
    context.hold_key();
    let trust = context
        .fusebox(&["import", "--trust"])
        .env("FUSEBOX_OPERATOR_KEY", KEY);
    let trust = trust.run().expect(0);
    let taken = "taken   stagnation.escalation.model_progression";
    assert!(trust.out().contains(taken), "{}", trust.out());
    assert_eq!(models(), r#"["haiku","opus"]"#);
    let ladder = r#"["haiku", "opus"]"#;
    assert_eq!(value(&context, "agent.models"), ladder);
}

/// A repository's file may only tighten; whoever imports one is told what of it that leaves.
#[test]
fn req_d_024_what_an_imported_file_sets_without_effect_is_not_called_taken() {
    for (path, text, taken, ignored) in [
        (
            ".ralphrc",
            "CB_NO_PROGRESS_THRESHOLD=9\nCB_SAME_ERROR_THRESHOLD=4\nMAX_CALLS_PER_HOUR=500\n",
            vec!["trips after 4 iterations with one error"],
            vec![
                "trips after 9 iterations without progress: it would relax the limit in effect; 3 (preset) stays in effect",
                "at most 500 calls in any hour: it would relax the limit in effect; 100 (preset) stays in effect",
            ],
        ),
        (
            ".cub/config.json",
            r#"{"stagnation": {"threshold": 9, "signals": {"task_timeout_iterations": 4}}}"#,
            vec!["stagnation.signals.task_timeout_iterations = 4"],
            vec![
                "stagnation.threshold = 9: it would relax the limit in effect; 3 (preset) stays in effect",
            ],
        ),
    ] {
        let context = TestContext::new();
        put(&context, path, text);
        let told = context.fusebox(&["import"]).run().expect(0).out();
        for (word, lines) in [("taken  ", &taken), ("ignored", &ignored)] {
            let begin = format!("  {word} ");
            let shown: Vec<&str> = told
                .lines()
                .filter_map(|line| line.strip_prefix(&begin))
                .collect();
            assert_eq!(shown, *lines, "{told}");
        }
        let context = TestContext::new();
        put(&context, path, text);
        let data = context.fusebox(&["import", "--json"]).run().expect(0);
        let row = data.json_lines().remove(0);
        assert_eq!(
            (&row["taken"], &row["ignored"]),
            (&json!(taken), &json!(ignored))
        );
        if nobody_can_play_a_person() {
            continue;
        }
        context.hold_key();
        let trust = context.fusebox(&["import", "--trust"]);
        let trust = trust.env("FUSEBOX_OPERATOR_KEY", KEY).run().expect(0).out();
        assert!(!trust.contains("ignored"), "{trust}");
    }
}
