//! Sessions that must let a feature pass, and the files that say so.

use std::fs;

use crate::call::Finished;
use crate::context::{KEY, TestContext};

pub(crate) const LIST: &str = r#"{"metadata": {"total_features": 3}, "features": [
  {"id": "F1", "name": "Login", "status": "pass", "attempts": 1},
  {"id": "F2", "name": "Cart", "status": "pending", "attempts": 0},
  {"id": "F3", "name": "Pay", "status": "fail", "attempts": 1, "implementation_notes": "Attempt 1 failed: no key"}
]}
"#;

/// A session that lets `id` pass.
pub(crate) fn passes(id: &str) -> String {
    format!(
        "sed -i 's/\\(\"id\": \"{id}\".*\"status\": \\)\"[a-z]*\"/\\1\"pass\"/' feature_list.json"
    )
}

/// A session that works and fails.
pub(crate) const IN_VAIN: &str =
    "echo x >> ../sessions; echo $FUSEBOX_ITERATION >> a.txt; echo 'Error: no API key' >&2; exit 1";

pub(crate) struct Bmad(pub(crate) TestContext);

impl Bmad {
    pub(crate) fn new() -> Option<Self> {
        let context = TestContext::with_repository()?;
        context.hold_key();
        let bmad = Self(context);
        bmad.write("feature_list.json", LIST);
        Some(bmad)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.0.work().join(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.work().join(name)).unwrap_or_default()
    }

    pub(crate) fn run(&self, options: &[&str], script: &str) -> Finished {
        let options: Vec<&str> = ["--preset", "bmad", "--skip-preflight"]
            .iter()
            .chain(options)
            .copied()
            .collect();
        self.0.supervise(&options, script).run()
    }

    /// Sessions in vain until it triggers.
    pub(crate) fn trigger(&self) {
        self.run(&["--max-iterations", "9"], IN_VAIN).expect(42);
    }

    pub(crate) fn call(&self, args: &[&str]) -> Finished {
        self.0.fusebox(args).env("FUSEBOX_OPERATOR_KEY", KEY).run()
    }

    pub(crate) fn edit(&self, answers: &str) -> Finished {
        self.call(&["edit", "--answer", answers])
    }

    pub(crate) fn says(&self, lines: &[&str]) {
        let text = self.read("claude-progress.txt");
        for line in lines {
            assert!(
                text.lines().any(|found| found == *line),
                "{line} is not in\n{text}"
            );
        }
    }

    pub(crate) fn sessions(&self) -> usize {
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
    assert!(run.err().contains(", 0 with progress"), "{}", run.err());
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
fn req_003_033_to_036_the_report_lists_five_sessions_and_every_feature_that_is_blocked_or_failed() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    let more = LIST.replace(
        "\n]}",
        r#",
  {"id": "F4", "name": "Mail", "status": "blocked", "attempts": 3, "blocked_reason": "no account"},
  {"id": "F5", "name": "Tax", "status": "fail", "attempts": 3, "implementation_notes": "Attempt 3 failed: no law"}
]}"#,
    );
    bmad.write("feature_list.json", &more);
    let options = ["--stagnation-threshold", "7", "--max-iterations", "9"];
    bmad.run(&options, IN_VAIN).expect(42);
    let report = bmad.read("autonomous_summary_report.md");
    let sessions: Vec<u32> = (1..=7)
        .filter(|n| report.contains(&format!("\n- Session {n} (")))
        .collect();
    assert_eq!(sessions, [3, 4, 5, 6, 7], "{report}");
    for part in [
        "## Blocked Features\n\n- **F4**: Mail | ",
        "no account",
        "## Failed Features (Retry Eligible)\n\n- **F3**: ",
        "## Failed Features (Attempts Used Up)\n\n- **F5**: Tax | Attempts: 3/3 | Error: Attempt 3 failed: no law\n",
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
    // And goes on where there is work again.
    bmad.write("feature_list.json", LIST);
    bmad.run(&["--max-iterations", "1"], "echo x >> ../sessions")
        .expect(45);
    assert_eq!(bmad.sessions(), 2);
    bmad.says(&["circuit_breaker_status=HEALTHY", "consecutive_failures=1"]);
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
fn features_that_an_agent_calls_passing_while_the_tests_fail_neither_pass_nor_complete() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    let flip = format!(
        "echo x >> ../sessions; case $FUSEBOX_ITERATION in 1) {};; 2) {};; esac",
        passes("F2"),
        passes("F3")
    );
    let options = ["--test", "false", "--max-iterations", "9"];
    bmad.run(&options, &flip).expect(42);
    assert_eq!(bmad.sessions(), 5);
    bmad.says(&[
        "consecutive_failures=5",
        "circuit_breaker_status=TRIGGERED",
        "last_session_success=false",
    ]);
    // Nor is it complete for whoever begins anew with that list.
    bmad.edit("C,A,looked at it,X").expect(0);
    bmad.run(&options, "true")
        .expect(42)
        .says("no feature is left to try, but the evidence speaks against it");
}

#[test]
fn features_that_pass_count_in_the_session_in_which_the_tests_succeed() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    let script = format!(
        "echo x >> ../sessions; case $FUSEBOX_ITERATION in 1) {}; {};; 2) touch ok;; esac",
        passes("F2"),
        passes("F3")
    );
    let options = ["--test", "test -e ok", "--max-iterations", "9"];
    bmad.run(&options, &script).expect(0);
    assert_eq!(bmad.sessions(), 2);
    bmad.says(&[
        "circuit_breaker_status=COMPLETE",
        "last_session_success=true",
    ]);
}

#[test]
fn a_part_of_a_repository_needs_none_of_its_own() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let part = context.work().join("part");
    fs::create_dir(&part).unwrap();
    fs::write(part.join("fusebox.toml"), "[recovery]\n").unwrap();
    fs::write(part.join("feature_list.json"), LIST).unwrap();
    let call = context.supervise(&["--preset", "bmad", "--once"], &passes("F2"));
    call.inside(&part).run().expect(0);
    assert!(part.join("claude-progress.txt").exists());
}
