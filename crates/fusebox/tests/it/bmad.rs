//! Sessions that must let a feature pass, and the files that say so.

use std::fs;

use serde_json::Value;

use crate::call::Finished;
use crate::context::{KEY, TestContext, nobody_can_play_a_person};
use crate::terminal::Terminal;

const LIST: &str = r#"{"metadata": {"total_features": 3}, "features": [
  {"id": "F1", "name": "Login", "status": "pass", "attempts": 1},
  {"id": "F2", "name": "Cart", "status": "pending", "attempts": 0},
  {"id": "F3", "name": "Pay", "status": "fail", "attempts": 1, "implementation_notes": "Attempt 1 failed: no key"}
]}
"#;

/// A session that lets `id` pass.
fn passes(id: &str) -> String {
    format!(
        "sed -i 's/\\(\"id\": \"{id}\".*\"status\": \\)\"[a-z]*\"/\\1\"pass\"/' feature_list.json"
    )
}

/// A session that works and fails.
const IN_VAIN: &str =
    "echo x >> ../sessions; echo $FUSEBOX_ITERATION >> a.txt; echo 'Error: no API key' >&2; exit 1";

struct Bmad(TestContext);

impl Bmad {
    fn new() -> Option<Self> {
        let context = TestContext::with_repository()?;
        context.hold_key();
        let bmad = Self(context);
        bmad.write("feature_list.json", LIST);
        Some(bmad)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.work().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.work().join(name)).unwrap_or_default()
    }

    fn run(&self, options: &[&str], script: &str) -> Finished {
        let options: Vec<&str> = ["--preset", "bmad", "--skip-preflight"]
            .iter()
            .chain(options)
            .copied()
            .collect();
        self.0.supervise(&options, script).run()
    }

    /// Sessions in vain until it triggers.
    fn trigger(&self) {
        self.run(&["--max-iterations", "9"], IN_VAIN).expect(42);
    }

    fn call(&self, args: &[&str]) -> Finished {
        self.0.fusebox(args).env("FUSEBOX_OPERATOR_KEY", KEY).run()
    }

    fn edit(&self, answers: &str) -> Finished {
        self.call(&["edit", "--answer", answers])
    }

    fn says(&self, lines: &[&str]) {
        let text = self.read("claude-progress.txt");
        for line in lines {
            assert!(
                text.lines().any(|found| found == *line),
                "{line} is not in\n{text}"
            );
        }
    }

    fn sessions(&self) -> usize {
        fs::read_to_string(self.0.path("sessions"))
            .unwrap_or_default()
            .lines()
            .count()
    }
}

const BANNER: &str = "\
═══════════════════════════════════════════════════════
  CIRCUIT BREAKER TRIGGERED
  Human Intervention Required
═══════════════════════════════════════════════════════

Consecutive Failures: 5
Threshold: 5

Review autonomous_summary_report.md for details.
";

#[test]
fn req_003_007_and_030_to_043_and_056_to_057_and_079_the_fifth_failure_triggers_with_file_report_banner_and_code()
 {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    let run = bmad.run(&["--max-iterations", "9"], IN_VAIN).expect(42);
    assert_eq!(bmad.sessions(), 5);
    assert!(run.out().contains(BANNER), "{}", run.out());
    bmad.says(&[
        "consecutive_failures=5",
        "circuit_breaker_status=TRIGGERED",
        "circuit_breaker_threshold=5",
        "session_count=5",
        "last_session_success=false",
        "features_completed=1",
        "features_pending=1",
        "features_fail=1",
        "features_blocked=0",
    ]);
    let report = bmad.read("autonomous_summary_report.md");
    for part in [
        "# Circuit Breaker Report - Human Intervention Required\n",
        "**Consecutive Failures:** 5\n**Threshold:** 5\n",
        "| 3 | 1 (33%) | 1 | 1 | 0 | 2 |\n",
        "## Last 5 Sessions\n\n- Session 1 (",
        "): ❌ no feature passed",
        "- 5 × ",
        "no API key",
        "## Blocked Features\n\nNone.\n",
        "- **F3**: Pay | Attempts: 1/3 | Error: Attempt 1 failed: no key\n",
        "## Recommended Actions\n\n1. ",
        "- Missing external dependencies (APIs, credentials, tools)\n  - Install missing tools\n",
        "- Implementation agent limitations\n",
        "DO NOT restart without addressing issues.\n",
    ] {
        assert!(report.contains(part), "{part:?} is not in\n{report}");
    }
}

#[test]
fn req_003_044_to_046_and_033_a_triggered_breaker_is_told_and_nothing_begins() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.trigger();
    let again = bmad.run(&[], IN_VAIN).expect(42);
    assert!(
        again
            .out()
            .contains("Circuit breaker already TRIGGERED\nReset via EDIT mode before resuming\n"),
        "{}",
        again.out()
    );
    assert!(!again.out().contains("═══"), "once is enough");
    let check = bmad.call(&["check"]).expect(42);
    assert!(
        check
            .out()
            .starts_with("Circuit breaker already TRIGGERED\n"),
        "{}",
        check.out()
    );
    assert_eq!(bmad.sessions(), 5);
}

#[test]
fn req_003_005_and_021_to_029_one_newly_passing_feature_is_a_success_and_old_ones_are_none() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.run(&["--max-iterations", "4"], IN_VAIN).expect(45);
    bmad.says(&["consecutive_failures=4", "circuit_breaker_status=HEALTHY"]);
    // F1 passed before: writing that again is no success.
    bmad.run(&["--once"], &passes("F2")).expect(0);
    bmad.says(&[
        "consecutive_failures=0",
        "last_session_success=true",
        "features_completed=2",
        "session_count=5",
    ]);
    bmad.run(&["--once"], &passes("F1")).expect(0);
    bmad.says(&["consecutive_failures=1", "last_session_success=false"]);
    bmad.0.fusebox(&["status"]).run().expect(0);
    let status = bmad.call(&["status"]).out();
    assert!(status.contains("✓ HEALTHY"), "{status}");
}

#[test]
fn req_003_008_to_011_and_063_and_066_and_089_complete_when_nothing_is_left_and_nothing_else_is_wrong()
 {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    let list = LIST.replace("\"fail\", \"attempts\": 1", "\"blocked\", \"attempts\": 3");
    bmad.write("feature_list.json", &list);
    let run = bmad
        .run(
            &["--max-iterations", "9"],
            &format!("echo x >> ../sessions; {}", passes("F2")),
        )
        .expect(0);
    assert!(
        run.err().contains("complete · 2 features pass, 1 blocked"),
        "{}",
        run.err()
    );
    assert_eq!(bmad.sessions(), 1);
    bmad.says(&["circuit_breaker_status=COMPLETE", "consecutive_failures=0"]);
    assert!(bmad.call(&["status"]).out().contains("✓ COMPLETE"));
    bmad.run(&[], "echo x >> ../sessions").expect(0);
    assert_eq!(bmad.sessions(), 1, "there is no work");
    // What has triggered stays so, whatever the list says.
    let Some(other) = Bmad::new() else {
        return;
    };
    other.trigger();
    other.write(
        "feature_list.json",
        "[{\"id\": \"F1\", \"status\": \"pass\"}]",
    );
    other.run(&[], IN_VAIN).expect(42);
    other.says(&["circuit_breaker_status=TRIGGERED"]);
    assert!(other.call(&["status"]).out().contains("🔴 TRIGGERED"));
}

#[test]
fn req_003_047_to_053_and_059_and_067_and_096_and_098_edit_resets_and_the_loop_goes_on() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.trigger();
    // Without a reason nothing happens, and without the right to neither.
    bmad.edit("C,F,,X")
        .expect(0)
        .says("Without a reason nothing is changed");
    bmad.0
        .fusebox(&["edit", "--answer", "C,F,why,X"])
        .run()
        .expect(35);
    bmad.0
        .fusebox(&["edit"])
        .run()
        .expect(35)
        .says("no terminal");
    bmad.says(&["circuit_breaker_status=TRIGGERED"]);
    let edited = bmad.edit("C,F,API key set up,B,X").expect(0);
    for words in [
        "[C] Circuit Breaker",
        "[F] Reset consecutive_failures to 0",
        "[A] Reset all (failures + status)",
        "[T] Change Threshold",
        "After fixing root cause of failures",
        "What the last sessions ran into:",
        "no API key",
        "Circuit Breaker: ✓ HEALTHY · consecutive failures 0",
    ] {
        assert!(
            edited.err().contains(words),
            "{words} is not in\n{}",
            edited.err()
        );
    }
    bmad.says(&["consecutive_failures=0", "circuit_breaker_status=HEALTHY"]);
    let history = bmad.call(&["history", "--json"]).json_lines();
    assert!(
        history
            .iter()
            .any(|row| row["kind"] == "failures forgotten" && row["reason"] == "API key set up")
    );
    // The cause is still there, so it triggers again.
    bmad.trigger();
    bmad.call(&["trip", "--reason", "by hand"]).expect(0);
    bmad.edit("C,A,looked at it,X").expect(0);
    bmad.says(&["consecutive_failures=0", "circuit_breaker_status=HEALTHY"]);
    bmad.run(&["--once"], &passes("F2")).expect(0);
}

/// A trip by hand leaves no failures to forget; only the whole reset clears it.
#[test]
fn req_d_029_the_whole_reset_clears_what_no_failure_caused() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.call(&["--preset", "bmad", "trip", "--reason", "by hand"])
        .expect(0);
    bmad.edit("C,F,why,X").expect(0);
    bmad.says(&["circuit_breaker_status=TRIGGERED"]);
    bmad.edit("C,A,why,X").expect(0);
    bmad.says(&["circuit_breaker_status=HEALTHY"]);
}

#[test]
fn req_003_019_and_051_and_054_to_055_and_068_and_097_and_099_and_101_an_edited_threshold_moves_the_status_both_ways()
 {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.trigger();
    let raised = bmad.edit("C,T,7,features are large,X").expect(0);
    assert!(
        raised
            .err()
            .contains("Don't just increase threshold without fixing root causes"),
        "{}",
        raised.err()
    );
    assert!(raised.err().contains("a symptom, not the problem"));
    assert!(
        raised
            .err()
            .contains("Expected failure rate higher than threshold allows")
    );
    bmad.says(&[
        "circuit_breaker_threshold=7",
        "circuit_breaker_status=HEALTHY",
        "consecutive_failures=5",
    ]);
    // It holds in the next run, and for the next check.
    bmad.run(&["--max-iterations", "9"], IN_VAIN).expect(42);
    assert_eq!(bmad.sessions(), 7);
    bmad.edit("C,T,99,trying,X")
        .expect(0)
        .says("NOT RECOMMENDED");
    bmad.says(&["circuit_breaker_status=HEALTHY"]);
    let lowered = bmad.edit("C,T,2,too long,X").expect(0);
    assert!(
        lowered.err().contains("Very sensitive, triggers quickly")
            && !lowered.err().contains("Caution")
    );
    bmad.says(&[
        "circuit_breaker_threshold=2",
        "circuit_breaker_status=TRIGGERED",
    ]);
    for never in ["0", "-1", "100", "off"] {
        bmad.edit(&format!("C,T,{never},x,X"))
            .expect(0)
            .says("no off switch");
        bmad.says(&["circuit_breaker_threshold=2"]);
    }
    let metrics = bmad.call(&["history", "--metrics", "--json"]).json();
    let set: Vec<&Value> = metrics["thresholds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|set| &set["threshold"])
        .collect();
    assert_eq!(set, [7, 99, 2]);
}

#[test]
fn req_003_058_a_person_marks_a_feature_as_blocked() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.run(&["--once"], IN_VAIN).expect(0);
    let edited = bmad
        .edit("F,F2,needs a contract,F,F9,X")
        .expect(0)
        .says("F2 is blocked")
        .says("no such feature");
    assert!(edited.err().contains("- F3  Pay"), "{}", edited.err());
    let expected = LIST.replace(
        "\"pending\", \"attempts\": 0",
        "\"blocked\", \"attempts\": 0, \"blocked_reason\": \"needs a contract\"",
    );
    assert_eq!(bmad.read("feature_list.json"), expected);
}

#[test]
fn req_003_069_to_076_and_080_and_096_validation_tells_and_changes_nothing() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.run(&["--once"], IN_VAIN).expect(0);
    let sound = bmad.call(&["validate"]).expect(0);
    assert!(
        sound.out().starts_with("✓ 1. threshold_range") && sound.out().ends_with("\nvalid\n"),
        "{}",
        sound.out()
    );
    let odd = bmad
        .read("claude-progress.txt")
        .replace("status=HEALTHY", "status=TRIGGERED")
        .replace("threshold=5", "threshold=99");
    bmad.write("claude-progress.txt", &odd);
    let memory = bmad.0.memory();
    let found = bmad.call(&["validate", "--json"]).expect(0).json();
    assert_eq!(found["valid"], false);
    let verdicts: Vec<_> = found["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["warn", "pass", "fail", "pass", "fail"]);
    bmad.call(&["validate", "--strict"])
        .expect(20)
        .says("manual edit of the tracking files, a bug in the workflow, or an inconsistent state");
    bmad.0
        .fusebox(&["run", "--mode", "validate"])
        .run()
        .expect(0);
    assert_eq!(bmad.read("claude-progress.txt"), odd);
    assert_eq!(bmad.0.memory(), memory);
    bmad.0
        .fusebox(&["--circuit", "n", "validate"])
        .run()
        .expect(5)
        .says("keeps no claude-progress.txt");
}

#[test]
fn req_003_091_to_095_and_100_every_exit_code_means_one_thing() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    let create = |code: i32, says: &str| {
        let run = bmad
            .run(&["--mode", "create", "--once"], "touch ran")
            .expect(code)
            .says(says);
        assert_eq!(
            bmad.0.work().join("ran").exists(),
            code == 0,
            "{}",
            run.err()
        );
    };
    bmad.write("feature_list.json", "{\"features\": [");
    create(10, "feature_list.json: this is not sound JSON");
    // Also in the middle of a run, and without naming the mode.
    bmad.run(&["--once"], "true").expect(10);
    assert_eq!(bmad.read("feature_list.json"), "{\"features\": [");
    bmad.write("feature_list.json", "{\"features\": []}");
    create(3, "holds no features");
    fs::remove_file(bmad.0.work().join("feature_list.json")).unwrap();
    create(
        1,
        "neither feature_list.json nor app_spec.txt nor app_spec.xml",
    );
    bmad.write("app_spec.xml", "<app><feature></app>");
    create(8, "app_spec.xml");
    bmad.write("app_spec.txt", "");
    create(8, "app_spec.txt: it is empty");
    bmad.write("app_spec.txt", "A shop.");
    create(0, "");
    let plain = TestContext::new();
    fs::write(plain.work().join("feature_list.json"), LIST).unwrap();
    plain
        .fusebox(&[
            "--preset", "bmad", "run", "--mode", "create", "--once", "--", "true",
        ])
        .run()
        .expect(4)
        .says("not a git repository");
    // Our own first six stand aside, also where nobody names the preset any more.
    bmad.call(&["record", "--error"]).expect(2);
    bmad.0.fusebox(&["reset", "--reason", "x"]).run().expect(35);
    bmad.run(
        &["--once"],
        "sed -i s/HEALTHY/UNHEARD/ claude-progress.txt; exit 3",
    )
    .expect(0);
}

#[test]
fn req_d_024_and_033_edits_of_the_progress_file_accuse_and_never_excuse() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.trigger();
    let ours = bmad.read("claude-progress.txt");
    for (from, to) in [
        (
            "circuit_breaker_status=TRIGGERED",
            "circuit_breaker_status=HEALTHY",
        ),
        ("consecutive_failures=5", "consecutive_failures=0"),
        (
            "circuit_breaker_threshold=5",
            "circuit_breaker_threshold=50",
        ),
    ] {
        bmad.write("claude-progress.txt", &ours.replace(from, to));
        bmad.call(&["check"])
            .expect(34)
            .says("claude-progress.txt was edited to say");
        bmad.call(&["check"]).expect(42);
        bmad.says(&[
            "circuit_breaker_status=TRIGGERED",
            "consecutive_failures=5",
            "circuit_breaker_threshold=5",
        ]);
    }
    let Some(other) = Bmad::new() else {
        return;
    };
    other.run(&["--once"], IN_VAIN).expect(0);
    let ours = other.read("claude-progress.txt");
    other.write(
        "claude-progress.txt",
        &ours.replace("consecutive_failures=1", "consecutive_failures=3"),
    );
    other
        .call(&["check"])
        .expect(0)
        .says("taken over from claude-progress.txt: consecutive_failures=3");
    let ours = other.read("claude-progress.txt");
    other.write(
        "claude-progress.txt",
        &ours.replace("status=HEALTHY", "status=TRIGGERED"),
    );
    other.call(&["check"]).expect(42);
    let Some(lower) = Bmad::new() else {
        return;
    };
    lower.run(&["--max-iterations", "2"], IN_VAIN).expect(45);
    let ours = lower.read("claude-progress.txt");
    lower.write(
        "claude-progress.txt",
        &ours.replace("threshold=5", "threshold=2"),
    );
    lower.call(&["check"]).expect(42);
    lower.says(&[
        "circuit_breaker_threshold=2",
        "circuit_breaker_status=TRIGGERED",
    ]);
    // A name that is there twice is nobody's word.
    let text = format!(
        "consecutive_failures=0\n{}",
        lower.read("claude-progress.txt")
    );
    lower.write("claude-progress.txt", &text);
    lower
        .call(&["check"])
        .expect(34)
        .says("`consecutive_failures` is there twice");
    assert_eq!(lower.read("claude-progress.txt"), text);
}

/// Where the originals are wrong, by name.
#[test]
fn what_the_originals_decide_wrongly() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    // agent.py: 0 of 10 passed, and no session can ever fail. circuit_breaker.py: it
    // trips at the sixth. step-13: one feature that ever passed makes every session
    // a success (F1 has).
    bmad.trigger();
    assert_eq!(bmad.sessions(), 5);
    // step-01b: without a progress file, 42 on a fresh state.
    let Some(fresh) = Bmad::new() else {
        return;
    };
    fresh.call(&["--preset", "bmad", "check"]).expect(0);
    // Its banner prints the names of variables.
    assert!(!bmad.read("autonomous_summary_report.md").contains('$'));
    // VALIDATE: its check of the list always fails.
    fresh.call(&["validate", "--strict"]).expect(0);
    // EDIT [F] and [T]: "Invalid value", whatever is entered.
    if !nobody_can_play_a_person() {
        bmad.edit("C,F,why,X").expect(0);
        bmad.says(&["consecutive_failures=0"]);
    }
    // step-12: 42 for "not a git repository".
    let plain = TestContext::new();
    let run = [
        "--preset",
        "bmad",
        "run",
        "--skip-preflight",
        "--once",
        "--",
        "true",
    ];
    plain.fusebox(&run).run().expect(0);
}

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
        told.contains("taken  4 failed sessions in a row") && told.contains("left   threshold 8"),
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
        told.out().contains("taken  TRIGGERED (retry_cluster)"),
        "{}",
        told.out()
    );
    assert_eq!(
        fs::read_to_string(liza.work().join(".liza/state.yaml")).unwrap(),
        board
    );
    liza.fusebox(&["check"]).run().expect(48);
}
