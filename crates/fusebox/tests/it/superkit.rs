//! The way of working that learns from its stops and cannot be talked out of
//! them.

use std::fs;

use crate::context::TestContext;

fn idle(context: &TestContext, code: i32) -> crate::call::Finished {
    let record = ["--preset", "superkit", "record", "--files-changed", "0"];
    context.fusebox(&record).run().expect(code)
}

fn open(context: &TestContext) {
    idle(context, 0);
    idle(context, 0);
    idle(context, 42);
}

const REMINDERS: [(&str, &str); 7] = [
    (
        "One more try will fix it",
        "That is what you said 3 iterations ago. Open the circuit.",
    ),
    (
        "The error is almost fixed",
        "\"Almost\" for 5 iterations means the approach is wrong.",
    ),
    (
        "I cannot stop now, I am so close",
        "Sunk cost fallacy. Open circuit, reassess.",
    ),
    (
        "The cooldown is too long",
        "The cooldown prevents wasting more time on the same failure.",
    ),
    (
        "These config files are not important",
        "They are protected for a reason. Do not delete them.",
    ),
    ("The rate limit will not be hit", "Track it. Do not guess."),
    (
        "This is a different error",
        "Check if it is truly different or the same root cause manifesting differently.",
    ),
];

#[test]
fn req_004_102_to_108_and_127_whoever_wants_to_override_reads_why_not() {
    let context = TestContext::new();
    open(&context);
    let refused = context.reset().expect(5);
    let explained = context.fusebox(&["explain"]).run().expect(0);
    for (thought, reality) in REMINDERS {
        for said in [refused.err(), explained.out()] {
            assert!(
                said.contains(thought) && said.contains(reality),
                "{thought}: {said}"
            );
        }
    }
    assert_eq!(context.state(), "Open");
    // Elsewhere nobody is lectured.
    let other = TestContext::new();
    other.open_breaker();
    let explained = other.fusebox(&["explain"]).run().expect(0);
    assert!(
        !explained.out().contains("One more try"),
        "{}",
        explained.out()
    );
}

#[test]
fn req_004_113_to_114_and_d_078_a_stop_is_remembered_beside_what_is_there_already() {
    let context = TestContext::new();
    let memory = context.work().join("memory");
    fs::create_dir(&memory).unwrap();
    let theirs = "<!-- Last updated: 2026-01-01 -->\n# Learned\n- tabs";
    fs::write(memory.join("learned-patterns.md"), theirs).unwrap();
    idle(&context, 0).says("Circuit breaker is active");
    idle(&context, 0);
    assert!(!memory.join("improvement-log.md").exists());
    idle(&context, 42);
    let learned = fs::read_to_string(memory.join("learned-patterns.md")).unwrap();
    assert!(learned.starts_with(&format!("{theirs}\n")), "{learned}");
    assert!(
        learned.contains("What was seen: No progress for 3 iterations"),
        "{learned}"
    );
    let metrics = fs::read_to_string(memory.join("improvement-log.md")).unwrap();
    assert!(
        metrics.contains("iterations 3, with progress 0, trips 1"),
        "{metrics}"
    );
    // Asking again is no new event.
    context.fusebox(&["check"]).run().expect(42);
    assert_eq!(
        fs::read_to_string(memory.join("improvement-log.md")).unwrap(),
        metrics
    );
}

/// Notices go to a command that writes them down.
fn listening(context: &TestContext) {
    let log = context.path("heard");
    let script = format!("#!/bin/sh\ncat >> '{0}'; echo >> '{0}'\n", log.display());
    let program = context.script("listen", &script);
    let directory = context.path("config/fusebox");
    fs::create_dir_all(&directory).unwrap();
    let line = format!("[notifications]\ncommand = [{:?}]\n", program.display());
    fs::write(directory.join("config.toml"), line).unwrap();
}

fn heard(context: &TestContext) -> String {
    fs::read_to_string(context.path("heard")).unwrap_or_default()
}

#[test]
fn req_004_045_the_fourth_strategy_calls_a_person_and_shows_them_the_evidence() {
    let context = TestContext::new();
    listening(&context);
    for code in [0, 0, 0, 0, 42] {
        let record = ["--preset", "superkit", "record", "--files-changed", "1"];
        let record = [&record[..], &["--tasks-completed", "1", "--error", "boom"]].concat();
        context.fusebox(&record).run().expect(code);
    }
    let recover = || {
        let call = context.fusebox(&["recover", "--note", "look at the log"]);
        call.run().expect(0)
    };
    for words in [
        "Change approach entirely",
        "environmental",
        "Search for known issue",
    ] {
        let said = recover();
        assert!(said.err().contains(words), "{}", said.err());
        assert!(!said.err().contains("a person is needed"), "{}", said.err());
    }
    assert_eq!(heard(&context), "");
    recover()
        .says("Escalate with error log")
        .says("iteration 1: boom")
        .says("a person is needed: all strategies of recovery have been taken");
    let heard = heard(&context);
    assert!(
        heard.contains("a person is needed") && heard.contains("iteration 1: boom"),
        "{heard}"
    );
    let status = context.fusebox(&["status", "--json"]).run().expect(0);
    assert_eq!(status.json()["escalation"], "last_strategy");
    let explained = context.fusebox(&["explain"]).run().expect(0);
    assert!(explained.out().contains("a person is needed"));
}

#[test]
fn req_004_044_to_045_the_last_strategy_is_not_told_to_the_agent() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let at = |time: &str, args: &[&str], code| {
        let now = format!("2026-01-01T{time}:00Z");
        context.at(&now, args).run().expect(code)
    };
    let told = context.path("told");
    let script = format!(
        "echo \"$FUSEBOX_STRATEGY|$FUSEBOX_GUIDANCE\" > '{}'",
        told.display()
    );
    let idle = ["--preset", "superkit", "record", "--files-changed", "0"];
    for code in [0, 0, 42] {
        at("00:00", &idle, code);
    }
    for (time, strategy, expected) in [
        ("00:30", "2", "Break stuck task into 3+ subtasks|so\n"),
        ("01:30", "4", "|so\n"),
    ] {
        at(
            time,
            &["recover", "--strategy", strategy, "--note", "so"],
            0,
        );
        let run = ["run", "--no-wait", "--skip-preflight", "--once", "--"];
        at(time, &[&run[..], &["sh", "-c", &script]].concat(), 42);
        assert_eq!(fs::read_to_string(&told).unwrap(), expected);
    }
}

#[test]
fn req_004_046_a_relapse_right_after_a_recovery_calls_a_person() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    listening(&context);
    let at = |time: &str, script: &str, code| {
        let now = format!("2026-01-01T{time}:00Z");
        let run = [
            "--preset",
            "superkit",
            "run",
            "--no-wait",
            "--skip-preflight",
        ];
        let args = [&run[..], &["--once", "--", "sh", "-c", script]].concat();
        context.at(&now, &args).run().expect(code)
    };
    at("00:00", "true", 0);
    at("00:01", "true", 0);
    at("00:02", "true", 42);
    let first = heard(&context);
    assert!(
        first.contains("circuit.opened") && !first.contains("a person is needed"),
        "{first}"
    );
    at("00:32", "echo more >> a.txt", 0);
    at("00:33", "true", 0);
    at("00:34", "true", 0);
    let opened = at("00:35", "true", 42);
    opened.says("a person is needed: it opened again right after a recovery");
    let told = heard(&context);
    let told = told.strip_prefix(&first).unwrap();
    assert!(
        told.contains("The circuit breaker opened; a person is needed")
            && told.contains("it opened again right after a recovery"),
        "{told}"
    );
    let status = context
        .at("2026-01-01T00:36:00Z", &["status", "--json"])
        .run();
    assert_eq!(status.expect(0).json()["escalation"], "relapse");
}

#[test]
fn req_004_024_to_025_and_116_approaches_that_alternate_open_in_a_run_and_by_reports() {
    let attempts = "echo $FUSEBOX_ITERATION >> a.txt; echo x > $FUSEBOX_ITERATION.txt
case $FUSEBOX_ITERATION in 1|3) way=Patch;; *) way=Rewrite;; esac
finish \"### Attempt $FUSEBOX_ITERATION: $way the parser\"";
    let Some(context) = TestContext::with_claude(attempts) else {
        return;
    };
    let options = ["--no-wait", "--max-iterations", "9"];
    context
        .run_claude(&options)
        .env("FUSEBOX_PRESET", "superkit")
        .run()
        .expect(42);
    let status = context.fusebox(&["status", "--json"]).run().expect(0);
    assert_eq!(status.json()["rule"], "004.24", "{}", status.out());
    assert_eq!(status.json()["iterations"], 4, "{}", status.out());
    let context = TestContext::new();
    for (approach, code) in [("a", 0), ("b", 0), ("a", 0), ("b", 42)] {
        let record = ["--preset", "superkit", "record", "--files-changed", "2"];
        let record = [&record[..], &["--approach", approach]].concat();
        context.fusebox(&record).run().expect(code);
    }
}

#[test]
fn req_004_056_and_066_and_075_to_076_and_d_079_a_loop_of_ones_own_loses_nothing_protected() {
    for preset in ["superkit", "native"] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let agents = context.work().join("AGENTS.md");
        fs::write(&agents, "one\n").unwrap();
        let preset = ["--preset", preset];
        let call = |args: &[&str]| context.fusebox(&[&preset[..], args].concat()).run();
        let iterate = |code: i32| {
            fs::write(context.work().join("a.txt"), format!("{code}")).unwrap();
            call(&["record", "--from-git"]).expect(code)
        };
        call(&["check", "--from-git"]).expect(0);
        // What an agent updates is taken over.
        fs::write(&agents, "one\ntwo\n").unwrap();
        iterate(0);
        // While none is under way, a person may do as they like.
        fs::remove_file(&agents).unwrap();
        call(&["check", "--from-git"]).expect(0);
        iterate(0);
        fs::write(&agents, "three\n").unwrap();
        call(&["check", "--from-git"]).expect(0);
        fs::remove_file(&agents).unwrap();
        iterate(47).says("AGENTS.md was deleted; it is back");
        assert_eq!(fs::read_to_string(&agents).unwrap(), "three\n");
        assert_eq!(context.state(), "Open");
        assert_ne!(call(&["check"]).code, 0, "it stays so");
    }
}

#[test]
fn req_004_066_what_an_iteration_lost_that_nobody_reported_is_found_by_the_next_check() {
    let context = TestContext::new();
    let agents = context.work().join("AGENTS.md");
    fs::write(&agents, "one\n").unwrap();
    let check = ["--preset", "superkit", "check"];
    context.fusebox(&check).run().expect(0);
    fs::remove_file(&agents).unwrap();
    context.fusebox(&check).run().expect(42);
    assert_eq!(fs::read_to_string(&agents).unwrap(), "one\n");
}

#[test]
fn a_memory_that_cannot_be_written_holds_nothing_up() {
    let context = TestContext::new();
    fs::write(context.work().join("memory"), "a file").unwrap();
    idle(&context, 0);
    idle(&context, 0);
    idle(&context, 42).says("memory/learned-patterns.md: it cannot be written");
    assert_eq!(context.state(), "Open");
}

#[test]
fn req_004_001_to_003_the_loop_is_bounded_whatever_the_task_does() {
    // Each task fails for reasons of its own, and retries are the agent's own
    // business: the loop is stopped by what it gains as a whole.
    let context = TestContext::new();
    for (task, code) in [("a", 0), ("b", 0), ("c", 42)] {
        let record = ["--preset", "superkit", "record", "--task", task];
        let error = format!("Error: {task} failed");
        let call = [&record[..], &["--files-changed", "0", "--error", &error]].concat();
        context.fusebox(&call).run().expect(code);
    }
    // Neither flags nor files nor a person move the boundary.
    context.reset().expect(5);
    let relaxed = [
        "run",
        "--stagnation-threshold",
        "9",
        "--no-wait",
        "--",
        "true",
    ];
    context.fusebox(&relaxed).run().expect(3);
    context
        .fusebox(&["run", "--observe", "--", "true"])
        .run()
        .expect(5);
}

#[test]
fn req_d_078_a_run_that_does_not_wait_ends_as_the_breaker_stands() {
    let context = TestContext::new();
    let run = [
        "--preset",
        "superkit",
        "run",
        "--no-wait",
        "--skip-preflight",
        "--",
        "true",
    ];
    let ended = context.fusebox(&run).run().expect(42);
    assert!(!ended.err().contains("no terminal"), "{}", ended.err());
    context.fusebox(&run).run().expect(42);
}

#[test]
fn req_004_047_and_d_010_its_own_variables_tighten_and_never_relax() {
    let context = TestContext::new();
    let show = ["--preset", "superkit", "config", "show", "--json"];
    for (variable, value, key, written) in [
        ("MAX_CALLS_PER_HOUR", "40", "limits.calls.limit", "40"),
        (
            "NO_PROGRESS_THRESHOLD",
            "2",
            "signals.no_progress.trip",
            "2",
        ),
        (
            "IDENTICAL_ERROR_THRESHOLD",
            "4",
            "signals.repeated_error.trip",
            "4",
        ),
        ("COOLDOWN_SECONDS", "3600", "recovery.cooldown", "\"1h\""),
        ("CLAUDE_TIMEOUT", "900", "run.timeout", "\"15m\""),
    ] {
        let shown = context.fusebox(&show).env(variable, value).run().expect(0);
        let rows = shown.json_lines();
        let row = rows
            .iter()
            .find(|row| row["key"] == key)
            .unwrap_or_else(|| panic!("{key}: {}", shown.out()));
        assert_eq!(
            (&row["written"], &row["place"]),
            (&written.into(), &variable.into())
        );
        // Elsewhere it is somebody else's variable.
        let other = context
            .fusebox(&["--circuit", "b", "config", "show"])
            .env(variable, value);
        assert!(!other.run().expect(0).out().contains(variable));
    }
    let relaxed = context
        .fusebox(&["--preset", "superkit", "check"])
        .env("MAX_CALLS_PER_HOUR", "1000");
    relaxed.run().expect(3).says("can only be tightened");
}
