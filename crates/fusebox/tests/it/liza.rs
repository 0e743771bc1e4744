//! The observer of a blackboard: what it finds, what it writes, and who releases.

use std::fs;

use crate::call::Finished;
use crate::context::{KEY, TestContext};

/// A run of the program under observation: the system calls that start something.
/// `None`, with a word about it, where they cannot be observed.
fn what_it_starts(liza: &Liza, args: &[&str]) -> Option<String> {
    if std::process::Command::new("strace")
        .arg("-V")
        .output()
        .is_err()
    {
        eprintln!("SKIPPED: strace is not installed");
        return None;
    }
    let out = liza.0.path("trace");
    let traced = [
        "-f",
        "-qq",
        "-o",
        out.to_str().unwrap(),
        "-e",
        "trace=process",
    ];
    let all: Vec<&str> = traced
        .iter()
        .chain(&[crate::context::FUSEBOX])
        .chain(args)
        .copied()
        .collect();
    liza.0.call(std::path::Path::new("strace"), &all).run();
    Some(fs::read_to_string(out).unwrap())
}

#[test]
fn req_002_007_an_analysis_starts_nothing() {
    let liza = Liza::new(&board(&retries(&["no nesting"; 3])));
    let Some(trace) = what_it_starts(&liza, &["--preset", "liza", "analyze"]) else {
        return;
    };
    assert!(liza.has("CHECKPOINT"), "it did its work");
    let starts = |line: &&str| {
        ["execve(", "fork(", "clone(", "clone3("]
            .iter()
            .any(|call| line.contains(call))
    };
    let started: Vec<&str> = trace.lines().filter(starts).collect();
    assert_eq!(started.len(), 1, "itself and nothing else: {started:?}");
}

/// A board with everything that is not the observer's, and `anomalies` in it.
pub(crate) fn board(anomalies: &str) -> String {
    format!(
        "# The board. Do not lose this: ü ✓\nversion: 1\n\ngoal: {{id: g, status: IN_PROGRESS}}\ntasks:\n- id: task-3   # odd indent\n  status: BLOCKED\nsprint:\n    id: sprint-2\n    timeline:\n        started: 2025-01-18T09:00:00Z\nanomalies:\n{anomalies}\n# last words\nconfig:\n  unknown_key: [1, 2]\n"
    )
}

/// One anomaly, at a minute of the hour.
pub(crate) fn anomaly(minute: u32, task: &str, kind: &str, details: &str) -> String {
    format!(
        "  - timestamp: 2025-01-18T14:{minute:02}:00Z\n    task: {task}\n    reporter: coder-1\n    type: {kind}\n    details: {{{details}}}\n"
    )
}

pub(crate) fn retries(patterns: &[&str]) -> String {
    let one = |(n, pattern): (usize, &&str)| {
        let minute = u32::try_from(n).unwrap();
        anomaly(
            minute,
            &format!("task-{n}"),
            "retry_loop",
            &format!("count: 3, error_pattern: \"{pattern}\""),
        )
    };
    patterns.iter().enumerate().map(one).collect()
}

pub(crate) const NOW: &str = "2025-01-18T17:30:00Z";
pub(crate) const LATER: &str = "2025-01-18T19:00:00Z";

pub(crate) struct Liza(pub(crate) TestContext);

impl Liza {
    pub(crate) fn new(text: &str) -> Self {
        let context = TestContext::new();
        fs::create_dir(context.work().join(".liza")).unwrap();
        let liza = Self(context);
        liza.write(text);
        liza
    }

    pub(crate) fn write(&self, text: &str) {
        fs::write(self.0.work().join(".liza/state.yaml"), text).unwrap();
    }

    pub(crate) fn text(&self) -> String {
        fs::read_to_string(self.0.work().join(".liza/state.yaml")).unwrap()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.work().join(".liza").join(name).exists()
    }

    pub(crate) fn at(&self, now: &str, args: &[&str]) -> Finished {
        let args: Vec<&str> = ["--preset", "liza"].iter().chain(args).copied().collect();
        self.0.at(now, &args).env("FUSEBOX_OPERATOR_KEY", KEY).run()
    }

    pub(crate) fn resolve(&self) -> Finished {
        self.0.hold_key();
        self.at(
            LATER,
            &["resolve", "--resolution", "ADR-003 created, specs updated"],
        )
    }
}

pub(crate) const SECTION: &str = "\
circuit_breaker:
  last_check: 2025-01-18T17:30:00Z
  status: TRIGGERED
  current_trigger:
    timestamp: 2025-01-18T17:30:00Z
    pattern: retry_cluster
    severity: ARCHITECTURE_FLAW
    report_file: .liza/circuit_breaker_report.md
  history:
    - timestamp: 2025-01-18T17:30:00Z
      pattern: retry_cluster
      severity: ARCHITECTURE_FLAW
      result: TRIGGERED
";

#[test]
fn req_002_002_to_006_and_008_to_009_and_057_to_059_and_068_and_078_a_pattern_halts_and_no_other_byte_changes()
 {
    let before = board(&retries(&["no nesting"; 3]));
    let liza = Liza::new(&before);
    fs::write(liza.0.work().join("spec.md"), "spec").unwrap();
    let found = liza.at(NOW, &["analyze"]).expect(48).says("TRIGGERED");
    for line in [
        "● retry_cluster            3 of 3  ARCHITECTURE_FLAW",
        "3 × \"no nesting\" (task-0, task-1, task-2)",
        "  debt_accumulation        0 of 3  SCOPE_FLAW",
        "🚨 CIRCUIT BREAKER TRIGGERED\nPattern: retry_cluster\nSeverity: ARCHITECTURE_FLAW\n",
    ] {
        assert!(found.out().contains(line), "{line}\n{}", found.out());
    }
    assert_eq!(liza.text(), format!("{before}{SECTION}"));
    let checkpoint = fs::read_to_string(liza.0.work().join(".liza/CHECKPOINT")).unwrap();
    assert!(
        checkpoint.starts_with(
            "2025-01-18T17:30:00Z\nCircuit breaker: retry_cluster (ARCHITECTURE_FLAW)\n"
        )
    );
    let report = fs::read_to_string(liza.0.work().join(".liza/circuit_breaker_report.md")).unwrap();
    assert!(report.starts_with("# Circuit Breaker Report\n\n**Triggered:** 2025-01-18T17:30:00Z\n**Pattern:** retry_cluster\n"));
    assert!(report.contains("| task-1 | retry_loop | no nesting |\n"));
    let mut names: Vec<_> = fs::read_dir(liza.0.work().join(".liza"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "CHECKPOINT",
            "circuit_breaker_report.md",
            "state.yaml",
            "state.yaml.lock"
        ]
    );
    assert_eq!(
        fs::read_to_string(liza.0.work().join("spec.md")).unwrap(),
        "spec"
    );
    liza.at(NOW, &["check"]).expect(48);
    let ran = liza
        .0
        .at(
            NOW,
            &["run", "--preset", "liza", "--once", "--", "touch", "ran"],
        )
        .run();
    assert_eq!((ran.code, liza.0.work().join("ran").exists()), (48, false));
}

#[test]
fn req_002_048_and_071_and_074_a_clean_check_is_noted_and_counts_are_shown_below_the_threshold() {
    let before = board(&retries(&["timeout", "timeout", "connection timeout"]));
    let liza = Liza::new(&before);
    let found = liza.at(NOW, &["analyze"]).expect(0);
    assert!(
        found.out().contains("  retry_cluster            2 of 3"),
        "{}",
        found.out()
    );
    assert!(
        found
            .out()
            .contains("near miss, not counted: task-2 retry_loop \"connection timeout\""),
        "{}",
        found.out()
    );
    assert!(
        found
            .out()
            .ends_with("Circuit breaker: OK — no patterns detected\n")
    );
    let section = "circuit_breaker:\n  last_check: 2025-01-18T17:30:00Z\n  status: OK\n  current_trigger: null\n  history:\n    - timestamp: 2025-01-18T17:30:00Z\n      pattern: null\n      result: OK\n";
    assert_eq!(liza.text(), format!("{before}{section}"));
    liza.at(LATER, &["analyze"]).expect(0);
    let again = section.replacen("17:30:00Z", "19:00:00Z", 1)
        + "    - timestamp: 2025-01-18T19:00:00Z\n      pattern: null\n      result: OK\n";
    assert_eq!(liza.text(), format!("{before}{again}"));
    assert!(!liza.has("CHECKPOINT") && !liza.has("circuit_breaker_report.md"));
    liza.at(LATER, &["check"]).expect(0);
}
