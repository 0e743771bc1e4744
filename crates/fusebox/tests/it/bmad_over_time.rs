//! Sessions over time: what is learned from them, who ends a halt, what was there before.

use std::fs;

use serde_json::Value;

use crate::bmad::{Bmad, IN_VAIN, passes};
use crate::context::{KEY, TestContext, nobody_can_play_a_person};
use crate::terminal::Terminal;

#[test]
fn req_003_081_to_088_metrics_over_time() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.run(&["--once"], &passes("F2")).expect(0);
    bmad.trigger();
    bmad.edit("C,A,why,X").expect(0);
    bmad.trigger();
    let metrics = bmad.call(&["history", "--metrics", "--json"]).json();
    assert_eq!(
        (&metrics["sessions"], &metrics["triggers"]),
        (&11.into(), &2.into())
    );
    assert_eq!(
        metrics["failures_trend"],
        serde_json::json!([0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
    );
    let first = &metrics["openings"][0];
    assert_eq!(
        (&first["gains_before"], &first["features_completed"]),
        (&1.into(), &2.into())
    );
    assert_eq!(first["consecutive_failures"], 5);
    assert!(first["resolved_after_ms"].as_i64().is_some());
    assert_eq!(metrics["openings"][1]["resolved_after_ms"], Value::Null);
    let told = bmad.call(&["history", "--metrics"]).out();
    for hint in [
        "High trigger rate: threshold too low or features too complex",
        "Low consecutive failures at trigger: threshold working correctly",
    ] {
        assert!(told.contains(hint), "{told}");
    }
}

#[test]
fn req_003_087_a_resolution_that_took_long_is_told() {
    if nobody_can_play_a_person() {
        return;
    }
    let context = TestContext::new();
    context.hold_key();
    let at = |day: u32, args: &[&str]| {
        let now = format!("2026-03-0{day}T10:00:00Z");
        let args: Vec<&str> = ["--preset", "bmad"].iter().chain(args).copied().collect();
        context
            .at(&now, &args)
            .env("FUSEBOX_OPERATOR_KEY", KEY)
            .run()
    };
    at(1, &["trip", "--reason", "x"]).expect(0);
    at(4, &["reset", "--reason", "y"]).expect(0);
    let told = at(4, &["history", "--metrics"]).out();
    assert!(
        told.contains("resolved after 3 d") && told.contains("root causes hard to diagnose"),
        "{told}"
    );
}

#[test]
fn req_003_048_to_051_and_102_to_103_the_menu_on_a_terminal() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.trigger();
    let Some(terminal) = Terminal::open(&bmad.0, "$FUSEBOX run --mode edit") else {
        return;
    };
    terminal.wait_for("[C] Circuit Breaker");
    terminal.enter("c");
    terminal.wait_for("[T] Change Threshold");
    terminal.enter("r");
    terminal.wait_for("DO NOT restart without addressing issues.");
    terminal.enter("F");
    terminal.wait_for("What was the root cause, and what was done about it?");
    terminal.enter("set up the key");
    terminal.wait_for("✓ HEALTHY");
    terminal.enter("x");
    terminal.wait_for("[exit 0]");
    bmad.says(&["circuit_breaker_status=HEALTHY"]);
}

#[test]
fn an_existing_project_is_taken_over_as_it_stands() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    let text = "circuit_breaker_threshold=8\nsession_count=12\nconsecutive_failures=4\n# mine\n## Session 12: x\n";
    bmad.write("claude-progress.txt", text);
    let told = bmad.call(&["import"]).expect(0).out();
    assert!(
        told.contains("taken   4 failed sessions in a row") && told.contains("left    threshold 8"),
        "{told}"
    );
    assert_eq!(
        bmad.read("claude-progress.txt"),
        text,
        "nothing is changed there"
    );
    // One more, and the usual threshold is reached.
    bmad.run(&["--once"], IN_VAIN).expect(42);
    bmad.says(&["session_count=13", "# mine", "## Session 12: x"]);
    // A blackboard too.
    let liza = TestContext::new();
    fs::create_dir(liza.work().join(".liza")).unwrap();
    let board = format!(
        "{}circuit_breaker:\n  status: TRIGGERED\n  current_trigger: {{pattern: retry_cluster}}\n",
        crate::liza::board("")
    );
    fs::write(liza.work().join(".liza/state.yaml"), &board).unwrap();
    let told = liza.fusebox(&["import"]).run().expect(0);
    assert!(
        told.out().contains("taken   TRIGGERED (retry_cluster)"),
        "{}",
        told.out()
    );
    assert_eq!(
        fs::read_to_string(liza.work().join(".liza/state.yaml")).unwrap(),
        board
    );
    liza.fusebox(&["check"]).run().expect(48);
}
