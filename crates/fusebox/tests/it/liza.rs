//! The observer of a blackboard: what it finds, what it writes, and who releases.

use std::fs;

use crate::call::{Finished, wait_for};
use crate::context::{Files, KEY, TestContext, nobody_can_play_a_person};

/// A run of the program under observation: the system calls that start something.
/// `None`, with a word about it, where they cannot be observed.
fn what_it_starts(liza: &Liza, args: &[&str]) -> Option<String> {
    if std::process::Command::new("strace")
        .arg("-V")
        .output()
        .is_err()
    {
        eprintln!("skipped: strace is not installed");
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

fn retries(patterns: &[&str]) -> String {
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

const NOW: &str = "2025-01-18T17:30:00Z";
const LATER: &str = "2025-01-18T19:00:00Z";

struct Liza(TestContext);

impl Liza {
    fn new(text: &str) -> Self {
        let context = TestContext::new();
        fs::create_dir(context.work().join(".liza")).unwrap();
        let liza = Self(context);
        liza.write(text);
        liza
    }

    fn write(&self, text: &str) {
        fs::write(self.0.work().join(".liza/state.yaml"), text).unwrap();
    }

    fn text(&self) -> String {
        fs::read_to_string(self.0.work().join(".liza/state.yaml")).unwrap()
    }

    fn has(&self, name: &str) -> bool {
        self.0.work().join(".liza").join(name).exists()
    }

    fn at(&self, now: &str, args: &[&str]) -> Finished {
        let args: Vec<&str> = ["--preset", "liza"].iter().chain(args).copied().collect();
        self.0.at(now, &args).env("FUSEBOX_OPERATOR_KEY", KEY).run()
    }

    fn resolve(&self) -> Finished {
        self.0.hold_key();
        self.at(
            LATER,
            &["resolve", "--resolution", "ADR-003 created, specs updated"],
        )
    }
}

const SECTION: &str = "\
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

#[test]
fn req_002_076_and_081_to_084_and_086_a_resolution_moves_the_trigger_and_its_evidence_is_settled() {
    if nobody_can_play_a_person() {
        return;
    }
    let before = board(&retries(&["no nesting"; 3]));
    let liza = Liza::new(&before);
    liza.at(NOW, &["analyze"]).expect(48);
    liza.at(NOW, &["reset", "--reason", "x"]).expect(5);
    liza.resolve().expect(0);
    let resolved = SECTION
        .replace("status: TRIGGERED", "status: OK")
        .replace("  current_trigger:\n    timestamp: 2025-01-18T17:30:00Z\n    pattern: retry_cluster\n    severity: ARCHITECTURE_FLAW\n    report_file: .liza/circuit_breaker_report.md\n", "  current_trigger: null\n")
        + "      resolution: \"ADR-003 created, specs updated\"\n      resolved_at: 2025-01-18T19:00:00Z\n";
    assert_eq!(liza.text(), format!("{before}{resolved}"));
    assert!(!liza.has("CHECKPOINT"));
    liza.at(LATER, &["check"]).expect(0);
    let again = liza.at(LATER, &["analyze"]).expect(0);
    assert!(
        again
            .out()
            .contains("3 more: acknowledged by an earlier resolution"),
        "{}",
        again.out()
    );
    liza.resolve().expect(5).says("not open");
    // Three new ones are a new matter, told as such.
    let text = liza.text().replace(
        "\n# last words",
        &format!(
            "{}\n# last words",
            retries(&["no nesting"; 3]).replace("T14:", "T16:")
        ),
    );
    liza.write(&text);
    liza.at(LATER, &["analyze"]).expect(48);
}

/// The two commands that the documents give, done with any other tool.
fn released_by_hand(text: &str) -> String {
    text.replace("status: TRIGGERED", "status: OK").replace(
        "  current_trigger:\n    timestamp: 2025-01-18T17:30:00Z\n    pattern: retry_cluster\n    severity: ARCHITECTURE_FLAW\n    report_file: .liza/circuit_breaker_report.md\n",
        "  current_trigger: null\n",
    ) + "    - timestamp: 2025-01-18T17:30:00Z\n      pattern: retry_cluster\n      severity: ARCHITECTURE_FLAW\n      report_file: .liza/circuit_breaker_report.md\n      resolution: \"ADR-003 created\"\n      resolved_at: \"2025-01-18T19:00:00Z\"\n"
}

#[test]
fn req_002_080_and_083_to_084_and_d_024_a_person_may_release_on_the_blackboard_itself() {
    let liza = Liza::new(&board(&retries(&["no nesting"; 3])));
    liza.at(NOW, &["analyze"]).expect(48);
    let edited = released_by_hand(&liza.text());
    liza.write(&edited);
    liza.at(LATER, &["check"]).expect(48);
    assert_eq!(
        liza.text(),
        edited,
        "the edit stays while the checkpoint does"
    );
    fs::remove_file(liza.0.work().join(".liza/CHECKPOINT")).unwrap();
    liza.at(LATER, &["check"])
        .expect(0)
        .says("released by an edit of .liza/state.yaml: ADR-003 created");
    assert_eq!(liza.text(), edited, "nothing is put there twice");
    liza.at(LATER, &["analyze"]).expect(0);
    let history = liza.at(LATER, &["history", "--json"]).json_lines();
    assert!(
        history
            .iter()
            .any(|row| row["kind"] == "resolved" && row["reason"] == "ADR-003 created")
    );
}

#[test]
fn removing_the_checkpoint_alone_releases_nothing() {
    let liza = Liza::new(&board(&retries(&["no nesting"; 3])));
    liza.at(NOW, &["analyze"]).expect(48);
    fs::remove_file(liza.0.work().join(".liza/CHECKPOINT")).unwrap();
    liza.at(LATER, &["check"]).expect(48);
    assert!(liza.text().contains("status: TRIGGERED"));
}

/// While a supervised agent is alive, an edit may be its doing.
#[test]
fn req_d_024_no_edit_releases_while_something_guarded_is_alive() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    fs::create_dir(context.work().join(".liza")).unwrap();
    let liza = Liza(context);
    liza.write(&board(&retries(&["no nesting"; 3])));
    liza.at(NOW, &["analyze"]).expect(48);
    let edited = released_by_hand(&liza.text());
    liza.write(&edited);
    fs::remove_file(liza.0.work().join(".liza/CHECKPOINT")).unwrap();
    // What a supervisor of this circuit holds as long as it lives.
    let lock = liza.0.store().workspace.join("run-default.lock");
    let guarded = hold(&lock);
    liza.at(LATER, &["check"]).expect(48);
    drop(guarded);
    liza.at(LATER, &["check"]).expect(0);
}

/// An agent that is halted and takes the halt back finds it there again.
#[test]
fn req_d_024_what_a_supervised_agent_takes_back_is_told_again() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    fs::create_dir(context.work().join(".liza")).unwrap();
    let liza = Liza(context);
    liza.write(&board(""));
    let script = format!(
        "echo x >> ../sessions; {} --preset liza trigger --severity SPEC_FLAW && rm .liza/CHECKPOINT && sed -i 's/status: TRIGGERED/status: OK/; /current_trigger:/,/report_file/d' .liza/state.yaml",
        crate::context::FUSEBOX
    );
    let run = liza
        .0
        .supervise(&["--preset", "liza", "--max-iterations", "5"], &script)
        .run()
        .expect(48);
    assert!(
        run.err().contains("while an agent was at work"),
        "{}",
        run.err()
    );
    assert_eq!(
        fs::read_to_string(liza.0.path("sessions"))
            .unwrap()
            .lines()
            .count(),
        1
    );
    assert!(
        liza.text().contains("status: TRIGGERED") && liza.has("CHECKPOINT"),
        "{}",
        liza.text()
    );
    liza.0.fusebox(&["check"]).run().expect(48);
}

fn hold(lock: &std::path::Path) -> fs::File {
    let file = fs::File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(lock)
        .unwrap();
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
    file
}

#[test]
fn req_002_060_and_087_nothing_releases_by_itself() {
    let liza = Liza::new(&board(&retries(&["no nesting"; 3])));
    liza.at(NOW, &["analyze"]).expect(48);
    // The anomalies are gone, and a week passes.
    let emptied = liza.text().replace(&retries(&["no nesting"; 3]), "");
    liza.write(&emptied);
    let clean = liza.at("2025-01-25T17:30:00Z", &["analyze"]).expect(48);
    assert!(
        clean
            .out()
            .contains("stays so until a person has resolved it"),
        "{}",
        clean.out()
    );
    let text = liza.text();
    assert!(text.contains("status: TRIGGERED") && liza.has("CHECKPOINT"));
    assert!(text.contains("last_check: 2025-01-25T17:30:00Z"));
    assert!(text.ends_with(
        "    - timestamp: 2025-01-25T17:30:00Z\n      pattern: null\n      result: OK\n"
    ));
}

/// A checkpoint that people put up to look halts everybody and hides nothing.
#[test]
fn req_002_058_and_068_somebody_else_s_checkpoint_halts_and_is_theirs_to_remove() {
    if nobody_can_play_a_person() {
        return;
    }
    let liza = Liza::new(&board(&retries(&["no nesting"; 3])));
    let checkpoint = liza.0.work().join(".liza/CHECKPOINT");
    fs::write(&checkpoint, "2025-01-18T17:00:00Z\n").unwrap();
    liza.at(NOW, &["check"])
        .expect(48)
        .says("CHECKPOINT is there");
    liza.at(NOW, &["check", "--peek"]).expect(48);
    liza.at(NOW, &["analyze"]).expect(48);
    assert!(
        liza.text().contains("pattern: retry_cluster"),
        "{}",
        liza.text()
    );
    liza.resolve().expect(0);
    assert_eq!(
        fs::read_to_string(&checkpoint).unwrap(),
        "2025-01-18T17:00:00Z\n"
    );
    liza.at(LATER, &["check"]).expect(48);
    fs::remove_file(&checkpoint).unwrap();
    liza.at(LATER, &["check"]).expect(0);
}

#[test]
fn req_002_049_and_056_a_person_triggers_by_hand() {
    let liza = Liza::new(&board(""));
    let args = [
        "trigger",
        "--severity",
        "VISION_FLAW",
        "--reason",
        "nobody wants | this",
    ];
    liza.at(NOW, &args).expect(0);
    assert!(
        liza.text()
            .contains("    pattern: manual\n    severity: VISION_FLAW\n"),
        "{}",
        liza.text()
    );
    let report = fs::read_to_string(liza.0.work().join(".liza/circuit_breaker_report.md")).unwrap();
    assert!(
        report.contains("Stop, revisit goal and brief") && report.contains("nobody wants \\| this"),
        "{report}"
    );
    liza.at(NOW, &["check"]).expect(48);
    liza.at(NOW, &["trigger", "--severity", "BAD"])
        .expect(2)
        .says("EXTERNAL_DEPENDENCY");
    let named = Liza::new(&board(""));
    named
        .at(
            NOW,
            &[
                "trigger",
                "--pattern",
                "debt_accumulation",
                "--severity",
                "SCOPE_FLAW",
            ],
        )
        .expect(0);
    assert!(named.text().contains("pattern: debt_accumulation"));
}

#[test]
fn bad_blackboards_are_refused_with_their_line_and_left_as_they_are() {
    let too_large = format!("anomalies: []\n#{}\n", "x".repeat(50 << 20));
    for (text, says) in [
        ("anomalies:\n  - type: \"retry\n", "line"),
        (
            "anomalies: []\nanomalies: []\n",
            "line 2: `anomalies` is there twice",
        ),
        ("anomalies:\n\t- type: x\n", "line 2"),
        ("anomalies: {a: 1}\n", "line 1: `anomalies` is not a list"),
        (
            "anomalies:\n  - type: trade_off\n    details: {debt_created: 7}\n",
            "line 3",
        ),
        (
            "{\"anomalies\": []}\n",
            "not written as one section below the other",
        ),
        (too_large.as_str(), "larger than"),
    ] {
        let liza = Liza::new(text);
        liza.at(NOW, &["analyze"])
            .expect(4)
            .complains_once()
            .says(says);
        liza.at(NOW, &["check"]).expect(4);
        assert!(liza.text() == text, "{says}");
        assert!(!liza.has("CHECKPOINT"));
        // Anyone may trip, whatever is wrong.
        liza.at(NOW, &["trip", "--reason", "x"]).expect(0);
    }
    let liza = Liza::new(&board(&retries(&["e"; 3])));
    fs::create_dir(liza.0.work().join(".liza/CHECKPOINT")).unwrap();
    let before = liza.text();
    liza.at(NOW, &["analyze"])
        .expect(4)
        .complains_once()
        .says("not a regular file");
    assert_eq!(liza.text(), before);
    let none = TestContext::new();
    none.fusebox(&["--preset", "liza", "analyze"])
        .run()
        .expect(6)
        .says("there is no .liza/state.yaml");
    none.fusebox(&["--preset", "cub", "analyze"])
        .run()
        .expect(5)
        .says("looks for no patterns");
}

/// The memory comes first: where the board cannot be written, the halt holds, and
/// the board is told as soon as it can be.
#[test]
fn req_002_061_an_interruption_at_any_point_leaves_everybody_halted() {
    let Some(context) = TestContext::unprivileged() else {
        return;
    };
    let directory = context.work().join(".liza");
    fs::create_dir(&directory).unwrap();
    let before = board(&retries(&["no nesting"; 3]));
    fs::write(directory.join("state.yaml"), &before).unwrap();
    let mode = |mode: u32| {
        let permissions = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(mode);
        fs::set_permissions(&directory, permissions).unwrap();
    };
    // As others than its owner may write it too.
    let shared = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666);
    fs::set_permissions(directory.join("state.yaml"), shared).unwrap();
    mode(0o555);
    let at = |args: &[&str]| {
        let args: Vec<&str> = ["--preset", "liza"].iter().chain(args).copied().collect();
        context.at(NOW, &args).run()
    };
    at(&["analyze"]).expect(4).says("the decision is stored");
    assert_eq!(
        fs::read_to_string(directory.join("state.yaml")).unwrap(),
        before
    );
    mode(0o777);
    at(&["check"]).expect(48);
    let told = fs::read_to_string(directory.join("state.yaml")).unwrap();
    assert_eq!(told, format!("{before}{SECTION}"));
    assert!(directory.join("CHECKPOINT").exists());
    // Killed between the section and the checkpoint.
    for name in ["CHECKPOINT", "circuit_breaker_report.md"] {
        fs::remove_file(directory.join(name)).unwrap();
    }
    at(&["check"]).expect(48);
    assert!(directory.join("CHECKPOINT").exists());
}

/// What the scripts of the original decide wrongly, and what is right.
#[test]
fn what_the_original_decides_wrongly() {
    let blocked = |service: &str, n| {
        anomaly(
            n,
            &format!("t{n}"),
            "external_blocker",
            &format!("blocker_service: {service}"),
        )
    };
    let vague = |n| anomaly(n, &format!("t{n}"), "spec_ambiguity", "question: what");
    let assumed = |n| {
        anomaly(
            n,
            &format!("t{n}"),
            "assumption_violated",
            "assumption: paging, reality: none",
        )
    };
    for (name, anomalies, code, says) in [
        // It trips: three in all, and any two alike.
        (
            "two alike and another",
            retries(&["a", "a", "b"]),
            0,
            "2 of 3",
        ),
        // It trips: nothing equals nothing.
        (
            "two without the field",
            vague(1) + &vague(2),
            0,
            "spec_gap_cluster         0 of 2",
        ),
        // It reports the outage alone, the last that matches.
        (
            "the gravest leads",
            assumed(1) + &assumed(2) + &blocked("api", 3) + &blocked("api", 4),
            48,
            "Pattern: assumption_cascade",
        ),
        // It looks at every sprint there ever was.
        (
            "an earlier sprint",
            retries(&["a"; 3]).replace("2025-01-18T14", "2025-01-17T14"),
            0,
            "3 more: from before the sprint",
        ),
        // It exits 0 whatever it found.
        (
            "a trigger is no success",
            retries(&["a"; 3]),
            48,
            "TRIGGERED",
        ),
    ] {
        let liza = Liza::new(&board(&anomalies));
        let found = liza.at(NOW, &["analyze"]).expect(code);
        assert!(found.out().contains(says), "{name}: {}", found.out());
        assert!(
            !liza.text().contains(&liza.0.work().display().to_string()),
            "no absolute path"
        );
    }
    // Without the section of anomalies it stumbles, and says OK.
    Liza::new("version: 1\n").at(NOW, &["analyze"]).expect(0);
}

#[test]
fn req_002_043_to_044_and_047_thresholds_and_likeness_are_configurable() {
    let configured = |lines: &str, anomalies: &str| {
        let liza = Liza::new(&board(anomalies));
        let directory = liza.0.path("config/fusebox");
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("config.toml"), lines).unwrap();
        liza.at(NOW, &["analyze"]).code
    };
    let alike = retries(&[
        "serialization failure",
        "serialisation failure",
        "serialization failures",
    ]);
    assert_eq!(configured("", &alike), 0);
    assert_eq!(configured("[patterns]\nsimilar = true\n", &alike), 48);
    let two = retries(&["e", "e"]);
    assert_eq!(configured("", &two), 0);
    assert_eq!(configured("[patterns]\nretry_cluster = 2\n", &two), 48);
    assert_eq!(
        configured("[patterns]\nretry_cluster = 4\n", &retries(&["e"; 3])),
        0
    );
    assert_eq!(configured("[patterns]\nretry_cluster = 0\n", &two), 3);
    let one_task = anomaly(1, "t", "retry_loop", "error_pattern: e").repeat(3);
    assert_eq!(configured("", &one_task), 48);
    assert_eq!(
        configured("[patterns]\ndistinct_tasks = true\n", &one_task),
        0
    );
    let gaps = anomaly(1, "t", "spec_gap", "spec_ref: s").repeat(2);
    assert_eq!(configured("", &gaps), 0);
    assert_eq!(configured("[patterns]\ncount_related = true\n", &gaps), 48);
    // A repository may make it stricter, and nothing else.
    let liza = Liza::new(&board(&retries(&["e"; 3])));
    fs::write(
        liza.0.work().join("fusebox.toml"),
        "[patterns]\nretry_cluster = 9\n",
    )
    .unwrap();
    liza.at(NOW, &["analyze"]).expect(48);
}

#[test]
fn req_002_069_a_watcher_triggers_by_itself_when_something_is_written() {
    let liza = Liza::new(&board(""));
    let args = [
        "--preset",
        "liza",
        "watch",
        "--interval",
        "1s",
        "--until-triggered",
    ];
    let mut watching = liza.0.fusebox(&args).start();
    watching.wait_to_say("no pattern");
    let unchanged = liza.text();
    let entries = |text: &str| text.matches("result: OK").count();
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    assert_eq!(
        entries(&liza.text()),
        1,
        "nothing new, nothing said: {}",
        liza.text()
    );
    // Half a board is waited out.
    liza.write("anomalies:\n  - \"half");
    watching.wait_to_say("line 2");
    let found = unchanged.replace(
        "anomalies:\n",
        &format!("anomalies:\n{}", retries(&["e"; 3])),
    );
    liza.write(&found);
    watching.finish().expect(48).says("TRIGGERED");
    assert!(liza.has("CHECKPOINT"));
}

#[test]
fn req_d_077_an_anomaly_is_reported_to_the_memory_and_printed_for_the_board() {
    let liza = Liza::new(&board(""));
    let before: Files = liza.0.memory();
    let args = [
        "anomaly",
        "add",
        "--type",
        "retry_loop",
        "--task",
        "task-3",
        "--reporter",
        "coder-1",
    ];
    let details = [
        "--detail",
        "count=3",
        "--detail",
        "error_pattern=no \"nesting\"",
    ];
    let all: Vec<&str> = args.iter().chain(&details).copied().collect();
    let printed = liza.at(NOW, &all).expect(0).out();
    assert_eq!(
        printed,
        "  - timestamp: 2025-01-18T17:30:00Z\n    task: task-3\n    reporter: coder-1\n    type: retry_loop\n    details:\n      count: 3\n      error_pattern: \"no \\\"nesting\\\"\"\n"
    );
    assert_ne!(liza.0.memory(), before);
    assert_eq!(liza.text(), board(""), "the board is not ours to add to");
    let listed = liza.at(NOW, &["anomaly", "list", "--json"]).json();
    assert_eq!(
        (&listed["task"], &listed["details"]["count"]),
        (&"task-3".into(), &3.into())
    );
    liza.at(NOW, &args)
        .expect(2)
        .says("needs the details count, error_pattern");
    liza.at(
        NOW,
        &[
            "anomaly", "add", "--type", "spec_gap", "--task", "t", "--detail", "x=1",
        ],
    )
    .expect(2)
    .says("no detail `x`");
    // Put onto the board, it counts as any other.
    liza.write(&board(&printed.repeat(3)));
    liza.at(NOW, &["analyze"]).expect(48);
}

/// Without a blackboard the project's own records are looked at.
#[test]
fn native_projects_get_the_same_detection_over_their_own_records() {
    if nobody_can_play_a_person() {
        return;
    }
    let context = TestContext::new();
    for task in ["a", "b", "c"] {
        for _ in 0..3 {
            let args = [
                "record",
                "--task",
                task,
                "--files-changed",
                "1",
                "--error",
                "TypeError: x is undefined",
            ];
            context.fusebox(&args).run();
        }
    }
    // Three times the same error in each of three tasks opens by itself; a person
    // looked, and the pattern is still there to be seen.
    context.reset();
    let found = context.fusebox(&["analyze"]).run().expect(42);
    assert!(
        found.out().contains("● retry_cluster            3 of 3"),
        "{}",
        found.out()
    );
    context.hold_key();
    let resolve = ["resolve", "--resolution", "ADR-1"];
    context
        .fusebox(&resolve)
        .env("FUSEBOX_OPERATOR_KEY", KEY)
        .run()
        .expect(0);
    context.fusebox(&["analyze"]).run().expect(0);
    for task in ["d", "e"] {
        let args = [
            "anomaly",
            "add",
            "--type",
            "external_blocker",
            "--task",
            task,
            "--detail",
            "blocker_service=api",
        ];
        assert_eq!(context.fusebox(&args).run().expect(0).out(), "");
    }
    let found = context
        .fusebox(&["analyze", "--json"])
        .run()
        .expect(42)
        .json();
    assert_eq!(found["matched"][0]["pattern"], "external_service_outage");
    assert_eq!(found["matched"][0]["severity"], "EXTERNAL_DEPENDENCY");
    assert_eq!(
        found["patterns"][5]["groups"][0]["tasks"],
        serde_json::json!(["d", "e"])
    );
}

/// Two analyses at once and somebody else who writes: whatever comes out is sound,
/// and nothing of anybody is lost.
#[test]
fn writers_wait_for_one_another() {
    let liza = Liza::new(&board(""));
    let calls: Vec<_> = (0..4)
        .map(|_| liza.0.fusebox(&["--preset", "liza", "analyze"]).start())
        .collect();
    for call in calls {
        call.finish().expect(0);
    }
    assert_eq!(
        liza.text().matches("result: OK").count(),
        4,
        "{}",
        liza.text()
    );
    let lock = fs::File::options()
        .write(true)
        .open(liza.0.work().join(".liza/state.yaml.lock"))
        .unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let waiting = liza.0.fusebox(&["--preset", "liza", "analyze"]).start();
    wait_for("a moment", || true);
    let text = liza
        .text()
        .replace("# last words", "# last words, and more");
    liza.write(&text);
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::Unlock).unwrap();
    waiting.finish().expect(0);
    assert!(liza.text().contains("and more") && liza.text().matches("result: OK").count() == 5);
}
