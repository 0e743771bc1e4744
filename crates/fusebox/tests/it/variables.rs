//! Options that come from the environment, and those that do not.

use std::fs;

use crate::context::{FUSEBOX, KEY, TestContext};

#[test]
fn options_of_all_commands_come_from_variables() {
    let context = TestContext::new();
    let run = |name: &str, value: &str| {
        let call = context.supervise(&["--skip-preflight", "--no-wait"], "echo x >> ran");
        call.env(name, value).run()
    };
    let ran = || {
        let text = fs::read_to_string(context.work().join("ran")).unwrap_or_default();
        text.lines().count()
    };
    run("FUSEBOX_DRY_RUN", "1").expect(0);
    assert_eq!(ran(), 0);
    run("FUSEBOX_ONCE", "yes").expect(0);
    assert_eq!(ran(), 1);
    let peek = context
        .fusebox(&["check", "--json"])
        .env("FUSEBOX_PEEK", "1");
    assert!(peek.run().expect(0).json()["grant"].is_null());
    let check = context
        .fusebox(&["check", "--json"])
        .env("FUSEBOX_PEEK", "0");
    assert!(check.run().expect(0).json()["grant"].is_string());
    let other = context.path("other");
    fs::create_dir(&other).unwrap();
    for command in ["check", "status"] {
        let asked = context
            .fusebox(&[command, "-v"])
            .env("FUSEBOX_DIRECTORY", &other);
        asked.run().expect(0).says("other");
    }
    for _ in 0..4 {
        let record = context
            .fusebox(&["record", "--files-changed", "0"])
            .env("FUSEBOX_EXIT_ZERO", "1");
        record.run().expect(0);
    }
    assert_eq!(context.state(), "Open");
    let trip = context
        .fusebox(&["--circuit", "b", "trip"])
        .env("FUSEBOX_REASON", "by variable");
    trip.run().expect(0);
    let odd = "circuit_breaker_status=TRIGGERED\nconsecutive_failures=0\n";
    fs::write(context.work().join("claude-progress.txt"), odd).unwrap();
    let strict = context
        .fusebox(&["--circuit", "c", "--preset", "bmad", "validate"])
        .env("FUSEBOX_STRICT", "on");
    strict.run().expect(20);
    let port = context.fusebox(&["serve"]).env("FUSEBOX_PORT", "70000");
    port.run()
        .expect(2)
        .says("it comes from the variable FUSEBOX_PORT");
    let rivals = context
        .fusebox(&["run", "--max-iterations", "3", "--", "true"])
        .env("FUSEBOX_ONCE", "1");
    rivals
        .run()
        .expect(2)
        .says("--once comes from the variable FUSEBOX_ONCE");
}

/// A limit that is misspelt is none.
#[test]
fn a_variable_that_is_nearly_ours_is_pointed_out_once() {
    let context = TestContext::new();
    let misspelt = |call: crate::call::Call| {
        let call = call.env("FUSEBOX_MAX_ITERATION", "1");
        call.env("FUSEBOX_HOME", "/opt/fusebox").run().expect(0)
    };
    let told = "fusebox: FUSEBOX_MAX_ITERATION is set, but there is no such variable; did you mean FUSEBOX_MAX_ITERATIONS?";
    for args in [
        &["check"][..],
        &["status", "--json"],
        &[
            "run",
            "--once",
            "--skip-preflight",
            "--",
            "sh",
            "-c",
            "date +%N > made",
        ],
    ] {
        let run = misspelt(context.fusebox(args));
        let said = run.err();
        let lines = said.lines().filter(|line| line.contains("FUSEBOX_"));
        assert_eq!(lines.collect::<Vec<_>>(), [told], "{args:?}");
    }
    assert_eq!(misspelt(context.fusebox(&["-q", "status"])).err(), "");
    let prompt = misspelt(context.fusebox(&["statusline"]));
    assert_eq!(prompt.err(), "");
    // What a supervisor tells its agent is no slip, and inside its step no variable counts.
    let inside = context.supervise(&["--once"], "date +%N > made; \"$PROGRAM\" status");
    let inside = inside.env("PROGRAM", FUSEBOX).run().expect(0);
    assert!(
        !inside.err().contains("no such variable"),
        "{}",
        inside.err()
    );
}

/// A text that is empty is most often a variable of a script that nobody set.
#[test]
fn a_text_that_is_empty_is_refused_and_a_variable_that_is_counts_as_none() {
    let context = TestContext::new();
    for (args, option) in [
        (&["record", "--approach", ""][..], "--approach <NAME>"),
        (&["record", "--approach", " \t"], "--approach <NAME>"),
        (&["record", "--error", ""], "--error <TEXT>"),
        (&["record", "--task", ""], "--task <NAME>"),
        (&["check", "--task", ""], "--task <NAME>"),
        (&["phase", "end", "RED", "--error", ""], "--error <TEXT>"),
        (&["history", "--search", ""], "--search <TEXT>"),
        (&["tasks", "next", "--as", ""], "--as <NAME>"),
        (&["run", "--test", "", "--", "true"], "--test <CMD>"),
        (
            &["run", "--agent", "claude", "--prompt", ""],
            "--prompt <TEXT>",
        ),
        (
            &["run", "--agent", "claude", "--model", ""],
            "--model <MODEL>",
        ),
    ] {
        let run = context.fusebox(args).run().expect(2);
        run.says(option).says("it must not be empty");
    }
    for limit in ["MAX_TIME", "MAX_ITERATIONS", "MAX_USD", "MAX_TOKENS"] {
        let name = format!("FUSEBOX_{limit}");
        let call = context.fusebox(&["run", "--dry-run", "--", "true"]);
        let refused = call.env(&name, "").run().expect(2);
        refused.says(&format!("it comes from the variable {name}"));
    }
    // Whatever opens the breaker is heard.
    context.fusebox(&["trip", "--reason", ""]).run().expect(0);
    let call = context.fusebox(&["--circuit", "b", "run", "--once", "--dry-run", "--", "true"]);
    let call = call.env("FUSEBOX_TEST", "").env("FUSEBOX_TASK", "");
    let told = call.run().expect(0);
    assert!(
        told.out().contains("what changes in the work tree"),
        "{}",
        told.out()
    );
}

#[test]
fn times_in_flags_and_variables_have_a_unit() {
    let context = TestContext::new();
    for flag in [
        "--timeout",
        "--max-time",
        "--idle-timeout",
        "--longest-wait",
    ] {
        let call = context.supervise(&[flag, "20", "--once"], "touch ran");
        call.run()
            .expect(2)
            .says("`20` has no unit: write 20s, 20m or 20h");
    }
    let call = context.supervise(&["--once"], "touch ran");
    let told = call.env("FUSEBOX_MAX_TIME", "20").run().expect(2);
    told.says("has no unit").says("FUSEBOX_MAX_TIME");
    let check = context.fusebox(&["check"]).env("FUSEBOX_TIMEOUT", "20");
    check.run().expect(3).says("such as 90s, 30m or 2h");
    assert!(!context.work().join("ran").exists());
}

#[test]
fn no_variable_vouches_for_a_person_or_tells_what_an_iteration_did() {
    let context = TestContext::new();
    context.hold_key();
    fs::write(
        context.work().join(".ralphrc"),
        "CB_NO_PROGRESS_THRESHOLD=9\n",
    )
    .unwrap();
    let import = context.fusebox(&["import"]).env("FUSEBOX_TRUST", "1");
    import.env("FUSEBOX_OPERATOR_KEY", KEY).run().expect(0);
    for code in [0, 0, 42] {
        let record = context
            .fusebox(&["record"])
            .env("FUSEBOX_FILES_CHANGED", "3");
        record
            .env("FUSEBOX_ENVIRONMENT", "network")
            .env("FUSEBOX_TASKS_COMPLETED", "1")
            .run()
            .expect(code);
    }
    // An answer that somebody planted is no answer.
    context
        .fusebox(&["--circuit", "b", "--preset", "bmad", "edit"])
        .env("FUSEBOX_ANSWER", "C,A,why,X")
        .env("FUSEBOX_OPERATOR_KEY", KEY)
        .run()
        .expect(35);
}

#[test]
fn what_was_set_for_a_loop_is_not_meant_for_what_is_called_inside() {
    let context = TestContext::new();
    let inner = context.work().join("inner");
    fs::create_dir(&inner).unwrap();
    // A way that is not absolute leads nowhere from inside.
    let script = "\"$PROGRAM\" status; echo $? > code";
    let call = context.supervise(&["--once", "--skip-preflight"], script);
    call.env("PROGRAM", FUSEBOX)
        .env("FUSEBOX_DIRECTORY", "inner")
        .run()
        .expect(0);
    assert_eq!(fs::read_to_string(inner.join("code")).unwrap(), "0\n");
}
