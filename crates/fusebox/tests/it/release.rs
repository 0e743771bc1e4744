//! Only a person releases.

use std::fs;

use crate::call::wait_for;
use crate::context::{FUSEBOX, KEY, TestContext, nobody_can_play_a_person};
use crate::terminal::Terminal;

const RESET: [&str; 3] = ["reset", "--reason", "looked at it"];

#[test]
fn req_003_103_and_x_009_a_release_needs_a_person_or_the_key() {
    if nobody_can_play_a_person() {
        return;
    }
    let context = TestContext::new();
    context.open_breaker();
    let before = context.memory();
    let refused = |key: Option<&str>, says: &str| {
        let call = context.fusebox(&RESET).input("yes\n");
        let call = key
            .into_iter()
            .fold(call, |call, key| call.env("FUSEBOX_OPERATOR_KEY", key));
        call.run().expect(5).complains_once().says(says);
        assert_eq!(context.memory(), before, "{key:?} left a trace");
    };
    refused(None, "no terminal to ask on");
    refused(Some(KEY), "no configuration holds its hash");
    context.hold_key();
    for wrong in [
        "",
        "Secret",
        "secret ",
        "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b",
    ] {
        refused(Some(wrong), "not the operator's key");
    }
    context.reset().expect(0).says("CLOSED");
    context.fusebox(&["check"]).run().expect(0);
    let row = context
        .fusebox(&["history", "--json", "--kind", "reset"])
        .run()
        .expect(0)
        .json();
    assert_eq!(row["reason"], "looked at it");
}

#[test]
fn a_released_breaker_counts_anew() {
    if nobody_can_play_a_person() {
        return;
    }
    let context = TestContext::new();
    context.open_breaker();
    context.reset().expect(0);
    for code in [0, 0, 42] {
        context.fusebox(&["record"]).run().expect(code);
    }
}

#[test]
fn req_x_009_a_known_agent_among_the_ancestors_is_refused() {
    let context = TestContext::new();
    context.open_breaker();
    context.hold_key();
    let through = |name: &str| {
        let wrapper = context.script(name, "#!/bin/sh\n\"$@\"\nexit $?\n");
        let args: Vec<&str> = [FUSEBOX].into_iter().chain(RESET).collect();
        context
            .call(&wrapper, &args)
            .env("FUSEBOX_OPERATOR_KEY", KEY)
            .run()
    };
    for agent in ["claude", "codex", "gemini", "aider"] {
        through(agent)
            .expect(5)
            .says(&format!("`{agent}` is among"));
        assert_eq!(context.state(), "Open");
    }
    if !nobody_can_play_a_person() {
        through("claudette").expect(0);
    }
}

/// Inside a run, whatever the agent does to its environment, session and
/// parents, and even with the operator's key.
/// One `setsid` takes a process out of the line of its agent, and leaves it its environment.
#[test]
fn req_x_009_what_carries_the_mark_of_an_agent_is_refused() {
    if nobody_can_play_a_person() {
        return;
    }
    let context = TestContext::new();
    context.open_breaker();
    context.hold_key();
    let release = || context.fusebox(&RESET).env("FUSEBOX_OPERATOR_KEY", KEY);
    for (name, agent) in [("CLAUDECODE", "Claude Code"), ("GEMINI_CLI", "Gemini CLI")] {
        let refused = release().env(name, "1").run().expect(5);
        refused.says(&format!("was started by {agent}, which sets {name}"));
    }
    release().env("CLAUDECODE", "").run().expect(0);
}

#[test]
fn req_x_009_the_guarded_agent_cannot_release() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context.hold_key();
    context
        .fusebox(&["--circuit", "other", "trip", "--reason", "x"])
        .run()
        .expect(0);
    let reset = format!("{FUSEBOX} --circuit other reset --reason mine");
    let ways = [
        reset.clone(),
        format!("env -u FUSEBOX_COOKIE {reset}"),
        format!(
            "env -i PATH=\"$PATH\" HOME=\"$HOME\" XDG_STATE_HOME=\"$XDG_STATE_HOME\" XDG_DATA_HOME=\"$XDG_DATA_HOME\" XDG_CONFIG_HOME=\"$XDG_CONFIG_HOME\" FUSEBOX_OPERATOR_KEY=$FUSEBOX_OPERATOR_KEY setsid {reset}"
        ),
        format!("env -u FUSEBOX_COOKIE setsid -f {reset}"),
        format!("sh -c '(setsid env -u FUSEBOX_COOKIE {reset}) & exit'"),
    ];
    for way in &ways {
        let said = context.path("said");
        let script = format!(
            "{way} > {0} 2>&1; for i in $(seq 500); do grep -q error {0} && exit; sleep 0.02; done",
            said.display()
        );
        context
            .supervise(&["--once"], &script)
            .env("FUSEBOX_OPERATOR_KEY", KEY)
            .run();
        let said = fs::read_to_string(said).unwrap();
        assert!(
            said.contains("belongs to a supervised agent"),
            "{way}: {said}"
        );
        context
            .fusebox(&["--circuit", "other", "check"])
            .run()
            .expect(42);
    }
}

/// The state is asked for before each iteration, not only at the end of the one before.
#[test]
fn req_004_005_and_014_and_118_what_opens_between_two_iterations_stops_the_second() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let (starts, go) = (context.path("starts"), context.path("go"));
    let script = format!(
        "echo x >> a.txt; echo x >> '{}'; while [ ! -e '{}' ]; do sleep 0.02; done",
        starts.display(),
        go.display()
    );
    let mut run = context
        .supervise(&["--on-stagnation", "abort"], &script)
        .start();
    wait_for("the first iteration", || starts.exists());
    context.fusebox(&["pause"]).run().expect(0);
    fs::write(&go, "").unwrap();
    run.wait_to_say("paused by request");
    let trip = ["trip", "--reason", "seen from outside"];
    context.fusebox(&trip).run().expect(0);
    context.fusebox(&["resume"]).run().expect(0);
    run.finish().expect(42).says("seen from outside");
    assert_eq!(fs::read_to_string(&starts).unwrap(), "x\n");
}

/// Anyone may trip, the agent included.
#[test]
fn the_guarded_agent_may_trip() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = format!("echo x >> a.txt; {FUSEBOX} trip --reason 'I give up'");
    context
        .supervise(&["--on-stagnation", "abort"], &script)
        .run()
        .expect(42)
        .says("I give up");
}

/// What is typed on the terminal itself, and what comes of it.
#[test]
fn a_person_releases_by_typing_yes() {
    if nobody_can_play_a_person() {
        return;
    }
    for (typed, code) in [("y", 5), ("no", 5), ("", 5), ("YES", 5), ("yes", 0)] {
        let context = TestContext::new();
        context.open_breaker();
        // What is piped in was typed by nobody.
        let script = "echo yes | \"$FUSEBOX\" reset --reason 'by hand'";
        let Some(terminal) = Terminal::open(&context, script) else {
            return;
        };
        let asked = terminal.wait_for("Type `yes` to confirm:");
        assert!(asked.contains("No progress for 3 iterations"), "{asked}");
        terminal.enter(typed);
        terminal.wait_for(&format!("[exit {code}]"));
        let state = if code == 0 { "Closed" } else { "Open" };
        assert_eq!(context.state(), state, "after {typed:?}");
    }
}
