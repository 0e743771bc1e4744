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
