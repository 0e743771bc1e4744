//! A workflow in phases: two lines around each action, one file that its own
//! tools read.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::call::Finished;
use crate::context::{KEY, TestContext, nobody_can_play_a_person};

pub(crate) const FILE: &str = ".prp-session/circuit-breaker.json";

/// The file of a breaker that nothing has happened to, as it is written down.
const FRESH: &str = r#"{
  "state": "CLOSED",
  "no_progress_count": 0,
  "same_error_count": 0,
  "last_progress_metric": {
    "RED": { "tests_generated": 0 },
    "GREEN": { "tests_passing": 0 },
    "REFACTOR": { "patterns_applied": 0 },
    "DOCUMENT": { "docs_generated": 0 }
  },
  "last_error_hash": null,
  "opened_at": null,
  "open_reason": null,
  "history": []
}
"#;

/// The block as it is written down, line by line.
const OPEN_BLOCK: &str = "---CIRCUIT_BREAKER_OPEN---
PHASE: GREEN
REASON: No progress for 2 iterations
ITERATIONS: 5
TESTS_PASSING: 3/10 (no change)
LAST_ERROR: TypeError: Cannot read property 'x' of undefined

OPTIONS:
1. [R]eset and retry with current approach
2. [S]kip GREEN phase (mark tests as known failures)
3. [A]bort execution
4. [M]odify approach (provide new guidance)

Enter choice:
---END_CIRCUIT_BREAKER_OPEN---
";

/// A workspace whose work has phases.
pub(crate) struct Phased {
    pub(crate) context: TestContext,
}

impl Phased {
    pub(crate) fn new() -> Self {
        let context = TestContext::new();
        Self { context }
    }

    pub(crate) fn phase(&self, args: &[&str]) -> Finished {
        let mut all = vec!["--preset", "prp", "phase"];
        all.extend(args);
        self.context.fusebox(&all).run()
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.context.work().join(FILE)
    }

    pub(crate) fn text(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text()).unwrap()
    }

    /// An action of a phase that gains nothing.
    pub(crate) fn idle(&self, phase: &str) -> Finished {
        self.phase(&["start", phase]).expect(0);
        self.phase(&["end", phase])
    }

    /// Opens the breaker as the written example does: five actions, of which the
    /// last two gain nothing.
    pub(crate) fn open_green(&self) -> Finished {
        let green = |passing: &str, failing: &str| {
            self.phase(&["start", "GREEN"]).expect(0);
            let error = "TypeError: Cannot read property 'x' of undefined";
            let flags = ["--tests-passing", passing, "--tests-failing", failing];
            let mut args = vec!["end", "GREEN"];
            args.extend(flags);
            // The same error from the start would open it by itself.
            args.extend(if passing == "3" {
                ["--error", error]
            } else {
                ["--error", "E: other"]
            });
            self.phase(&args)
        };
        green("1", "9").expect(0);
        green("2", "8").expect(0);
        self.phase(&["start", "GREEN"]).expect(0);
        let args = ["end", "GREEN", "--tests-passing", "3", "--tests-failing"];
        self.phase(&[&args[..], &["7", "--no-errors"]].concat())
            .expect(0);
        green("3", "7").expect(0);
        green("3", "7")
    }

    /// A person who closes the breaker, or does something else that needs one.
    pub(crate) fn as_person(&self, args: &[&str]) -> Finished {
        self.context.hold_key();
        let call = self.context.fusebox(args);
        call.env("FUSEBOX_OPERATOR_KEY", KEY).run()
    }
}

#[test]
fn req_001_059_to_065_and_067_to_070_and_079_to_080_and_083_the_file_is_there_before_the_first_action()
 {
    let it = Phased::new();
    it.phase(&["start", "RED"]).expect(0);
    assert_eq!(it.text(), FRESH);
    // Looking at it leaves it as it is, to the byte.
    it.context.fusebox(&["status"]).run().expect(0);
    it.context.fusebox(&["check", "--peek"]).run().expect(0);
    assert_eq!(it.text(), FRESH);
}

#[test]
fn req_001_013_and_023_and_071_to_075_and_111_changes_of_state_are_told_and_kept_with_their_time() {
    let it = Phased::new();
    it.idle("REFACTOR").expect(0);
    assert_eq!(it.json()["no_progress_count"], 1);
    let warned = it.idle("REFACTOR").expect(0);
    let line = "WARNING: No progress detected for 2 iterations\n";
    assert!(warned.err().contains(line), "{}", warned.err());
    assert_eq!(it.json()["state"], "HALF_OPEN");
    let gained = ["end", "REFACTOR", "--pattern-applied"];
    let closed = it.phase(&gained).expect(0);
    assert!(
        closed
            .err()
            .contains("Progress detected, circuit closing\n"),
        "{}",
        closed.err()
    );
    let file = it.json();
    assert_eq!(
        (&file["state"], &file["no_progress_count"]),
        (&json!("CLOSED"), &json!(0))
    );
    let history = file["history"].as_array().unwrap();
    let told: Vec<(&str, &str, &str, &str)> = history
        .iter()
        .map(|event| {
            let word = |name: &str| event[name].as_str().unwrap();
            assert!(word("timestamp").ends_with('Z') && word("timestamp").len() == 20);
            (
                word("event"),
                word("from_state"),
                word("to_state"),
                word("reason"),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (
                "state_change",
                "CLOSED",
                "HALF_OPEN",
                "No progress for 2 iterations"
            ),
            ("progress", "HALF_OPEN", "HALF_OPEN", "Progress detected"),
            (
                "state_change",
                "HALF_OPEN",
                "CLOSED",
                "Progress detected, circuit closing"
            ),
        ]
    );
}

#[test]
fn req_001_009_to_010_and_016_to_019_and_021_and_043_and_093_and_099_to_108_and_113_green_opens_as_it_is_written_down()
 {
    let it = Phased::new();
    let opened = it.open_green().expect(42);
    let (out, err) = (opened.out(), opened.err());
    for line in [
        "CIRCUIT OPEN: Execution halted after 2 no-progress iterations\n",
        "Consider refactoring approach or splitting the feature\n",
        OPEN_BLOCK,
    ] {
        assert!(err.contains(line), "{line}\nis not in:\n{err}");
    }
    for line in [
        "---PRP_PHASE_STATUS---\nTIMESTAMP: ",
        "PHASE: GREEN\nSTATUS: BLOCKED\nITERATION: 5\nPROGRESS_PERCENT: 30\n",
        "TESTS:\n  TOTAL: 10\n  PASSING: 3\n  FAILING: 7\n  SKIPPED: 0\n",
        "CIRCUIT_BREAKER:\n  STATE: OPEN\n  NO_PROGRESS_COUNT: 2\n",
        "BLOCKERS:\n  - No progress for 2 iterations\n",
        "EXIT_SIGNAL: false\nRECOMMENDATION: Circuit breaker opened. Review and provide guidance.\n",
        "---END_PRP_PHASE_STATUS---\n",
    ] {
        assert!(out.contains(line), "{line}\nis not in:\n{out}");
    }
    // Nothing runs from here on, and whoever asks is asked.
    let denied = it.phase(&["start", "GREEN"]).expect(42);
    assert!(denied.err().contains(OPEN_BLOCK), "{}", denied.err());
    // Another phase offers to skip that one, by its name.
    let it = Phased::new();
    it.idle("DOCUMENT").expect(0);
    it.idle("DOCUMENT").expect(0);
    it.idle("DOCUMENT")
        .expect(42)
        .says("2. [S]kip DOCUMENT phase (mark tests as known failures)\n")
        .says("LAST_ERROR: none\n");
}

#[test]
fn req_001_041_and_068_to_069_and_081_to_082_and_092_and_110_the_file_follows_each_action() {
    let it = Phased::new();
    it.open_green().expect(42);
    let file = it.json();
    assert_eq!(file["open_reason"], "No progress for 2 iterations");
    assert!(file["opened_at"].as_str().unwrap().ends_with('Z'));
    assert_eq!(file["last_error_hash"].as_str().unwrap().len(), 64);
    let green = json!({"tests_passing": 3, "tests_failing": 7, "tests_total": 10});
    assert_eq!(file["last_progress_metric"]["GREEN"], green);
    let history = file["history"].as_array().unwrap();
    let changes: Vec<&Value> = history
        .iter()
        .filter(|event| event["event"] == "state_change")
        .map(|event| &event["to_state"])
        .collect();
    assert_eq!(
        changes,
        ["HALF_OPEN", "OPEN"],
        "both of them, in one action"
    );
}

#[test]
fn req_001_094_the_status_is_given_out_when_the_file_says_so_already() {
    let it = Phased::new();
    // A full disk, a file in the way: what cannot be written is not given out.
    fs::create_dir_all(it.file()).unwrap();
    let failed = it
        .phase(&["end", "RED", "--tests-generated", "1"])
        .expect(4);
    assert_eq!(failed.out(), "");
    fs::remove_dir(it.file()).unwrap();
    it.phase(&["end", "RED", "--tests-generated", "1"])
        .expect(0);
    assert_eq!(
        it.json()["last_progress_metric"]["RED"]["tests_generated"],
        1
    );
    let log = fs::read_to_string(it.context.work().join(".prp-session/phase-status.log")).unwrap();
    assert_eq!(log.matches("---PRP_PHASE_STATUS---\n").count(), 1, "{log}");
}

#[test]
fn req_001_027_and_095_to_096_and_098_a_person_resets_skips_or_gives_guidance() {
    if nobody_can_play_a_person() {
        return;
    }
    let it = Phased::new();
    it.open_green().expect(42);
    it.as_person(&["reset", "--reason", "again"])
        .expect(0)
        .says("Circuit reset by user\n");
    let file = it.json();
    for (name, value) in [
        ("state", json!("CLOSED")),
        ("no_progress_count", json!(0)),
        ("same_error_count", json!(0)),
        ("opened_at", Value::Null),
        ("open_reason", Value::Null),
    ] {
        assert_eq!(file[name], value, "{name}");
    }
    // What was reached stays reached: the same numbers are no progress.
    it.phase(&["start", "GREEN"]).expect(0);
    let same = [
        "end",
        "GREEN",
        "--tests-passing",
        "3",
        "--tests-failing",
        "7",
    ];
    it.phase(&same).expect(0);
    assert_eq!(it.json()["no_progress_count"], 1);

    it.phase(&same).expect(42);
    it.as_person(&["phase", "skip", "--reason", "known failures"])
        .expect(0)
        .says("GREEN skipped by user, its failing tests are known failures; REFACTOR follows");
    assert_eq!(it.json()["state"], "CLOSED");
    let history = it.context.fusebox(&["history"]).run().expect(0).out();
    assert!(history.contains("phase skipped"), "{history}");

    it.phase(&["start", "GREEN"]).expect(0);
    it.phase(&same).expect(0);
    it.phase(&same).expect(42);
    let guided = [
        "reset",
        "--reason",
        "x",
        "--guidance",
        "split the parser first",
    ];
    it.as_person(&guided).expect(0);
    it.phase(&["start", "GREEN"])
        .expect(0)
        .says("guidance: split the parser first");
    let status = it.context.fusebox(&["status"]).run().expect(0).out();
    for line in [
        "phase           GREEN\n",
        "guidance        split the parser first\n",
    ] {
        assert!(status.contains(line), "{status}");
    }
    let status = it
        .context
        .fusebox(&["status", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(status["phase"], "GREEN");
}

#[test]
fn a_phase_is_skipped_by_nobody_but_a_person_and_only_where_there_are_phases() {
    let it = Phased::new();
    it.open_green().expect(42);
    it.phase(&["skip", "--reason", "I am the agent"]).expect(5);
    assert_eq!(it.json()["state"], "OPEN");
    let context = TestContext::new();
    context
        .fusebox(&["phase", "start", "RED"])
        .run()
        .expect(5)
        .says("preset `native` knows no phases");
}

#[test]
fn req_d_074_another_phase_counts_anew_and_an_open_breaker_stays_open() {
    let it = Phased::new();
    it.idle("RED").expect(0);
    it.idle("RED").expect(0);
    assert_eq!(it.json()["state"], "HALF_OPEN");
    it.phase(&["start", "GREEN"]).expect(0);
    let file = it.json();
    assert_eq!(
        (&file["state"], &file["no_progress_count"]),
        (&json!("CLOSED"), &json!(0))
    );
    it.phase(&["end", "GREEN"]).expect(0);
    it.idle("GREEN").expect(42);
    it.phase(&["start", "DOCUMENT"]).expect(42);
    assert_eq!(it.json()["state"], "OPEN");
}

#[test]
fn the_session_directory_is_where_its_variable_says() {
    let context = TestContext::new();
    let elsewhere = context.path("sessions/project");
    let start = |place: &std::path::Path| {
        let args = ["--preset", "prp", "phase", "start", "RED"];
        let call = context.fusebox(&args).env("PRP_SESSION_DIR", place);
        call.env("BP_RATE_LIMIT_HOURLY", "7").run()
    };
    start(&elsewhere).expect(0);
    assert!(elsewhere.join("circuit-breaker.json").is_file());
    assert!(elsewhere.join("phase-status.log").is_file());
    assert!(!context.work().join(".prp-session").exists());
    start(std::path::Path::new("state/prp")).expect(0);
    assert!(
        context
            .work()
            .join("state/prp/circuit-breaker.json")
            .is_file()
    );
    start(std::path::Path::new("../out")).expect(3);
    assert!(!context.path("out").exists());
    let limit = context
        .fusebox(&["config", "show"])
        .env("BP_RATE_LIMIT_HOURLY", "7");
    assert!(limit.run().expect(0).out().contains("BP_RATE_LIMIT_HOURLY"));
}
