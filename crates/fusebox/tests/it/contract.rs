//! What scripts rely on: exit codes, streams, options, environment, help.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::context::{FUSEBOX, TestContext};

/// The codes that take one command to reach. Those of signals, of a run's own
/// endings and of refused releases are tested where these things are.
#[test]
fn every_answer_has_its_exit_code() {
    let context = TestContext::new();
    let directory = context.work();
    let here = directory.to_str().unwrap();
    for (args, code) in [
        (&["check"][..], 0),
        (&["check", "--no-such-option"], 2),
        (&["-C", "/no/such/place", "check"], 2),
        (&["-C", here, "status"], 0),
        (&["--config", "/no/such/file", "status"], 3),
        (&["trip", "--reason", "a test"], 0),
        (&["check"], 42),
        (&["check", "--peek"], 42),
        (&["status"], 0),
        (&["explain"], 0),
        (&["limit", "take", "99"], 0),
        (&["limit", "take"], 44),
        (&["reset", "--reason", "nobody there"], 5),
    ] {
        context.fusebox(args).run().expect(code);
    }
}

#[test]
fn what_is_needed_and_what_is_configured_have_codes_of_their_own() {
    let context = TestContext::new();
    context
        .fusebox(&["check"])
        .without_env("HOME")
        .without_env("XDG_STATE_HOME")
        .run()
        .expect(6)
        .complains_once();
    context.hold_key();
    fs::write(context.path("config/fusebox/config.toml"), "speling = 1\n").unwrap();
    context
        .fusebox(&["reset", "--reason", "x"])
        .env("FUSEBOX_OPERATOR_KEY", "k")
        .run()
        .expect(3)
        .complains_once()
        .says("speling");
}

/// A call is refused with the time of the next slot on standard error.
#[test]
fn req_004_052_a_used_up_limit_is_44_and_names_the_next_slot() {
    let context = TestContext::new();
    let noon = "2026-01-01T12:00:00Z";
    context.at(noon, &["limit", "take", "100"]).run().expect(0);
    let later = "2026-01-01T12:20:00Z";
    for args in [&["check"][..], &["check", "--peek"], &["limit", "take"]] {
        context
            .at(later, args)
            .run()
            .expect(44)
            .says("2026-01-01T13:00:00Z (in 40 min)");
    }
    context
        .at("2026-01-01T13:00:00Z", &["check"])
        .run()
        .expect(0);
}

#[test]
fn data_goes_to_stdout_and_talk_to_stderr() {
    let context = TestContext::new();
    let spoken = context.fusebox(&["check"]).run().expect(0);
    assert_eq!(spoken.out(), "");
    assert!(spoken.err().starts_with("fusebox: new workspace "));
    let quiet = context.fusebox(&["-q", "check"]).run().expect(0);
    assert_eq!((quiet.out(), quiet.err()), (String::new(), String::new()));
    for command in ["status", "explain", "history", "limit", "doctor"] {
        let shown = context.fusebox(&[command]).run().expect(0);
        assert_ne!(shown.out(), "", "{command}");
        assert_eq!(shown.err(), "", "{command}");
        assert!(!shown.stdout.contains(&0x1b), "{command} colours a file");
    }
}

#[test]
fn a_reader_who_leaves_early_is_no_error() {
    let context = TestContext::new();
    let script = "\"$0\" status --json | true; \"$0\" history | true; \"$0\" --help | head -n1";
    let shell = Path::new("/bin/sh");
    let said = context
        .call(shell, &["-c", script, FUSEBOX])
        .run()
        .expect(0);
    assert!(!said.err().contains("panicked"), "{}", said.err());
}

#[test]
fn the_help_of_every_command_is_there_and_the_codes_are_listed() {
    let context = TestContext::new();
    let help = context.fusebox(&["--help"]).run().expect(0).out();
    for code in [0, 1, 2, 3, 4, 5, 6, 42, 43, 44, 45, 46, 130, 143] {
        let listed = help
            .lines()
            .any(|line| line.trim_start().starts_with(&format!("{code} ")));
        assert!(listed, "{code} is not in:\n{help}");
    }
    assert!(help.contains("Examples:"));
    for command in [
        "run",
        "demo",
        "check",
        "record",
        "status",
        "explain",
        "history",
        "trip",
        "reset",
        "recover",
        "phase",
        "limit",
        "fleet",
        "presets",
        "tasks",
        "import",
        "doctor",
        "completions",
        "man",
    ] {
        let own = context.fusebox(&[command, "--help"]).run().expect(0).out();
        assert!(own.contains(&format!("Usage: fusebox {command}")), "{own}");
        let listed = help.lines().any(|line| line.trim().starts_with(command));
        assert!(listed, "{command} is not listed");
        assert!(own.contains("Examples:"), "{command}");
    }
}

/// A hook or a report inside a step means the circuit that supervises it, without being told.
#[test]
fn commands_inside_a_step_mean_the_circuit_that_runs_it() {
    let context = TestContext::new();
    let script = format!(
        "{FUSEBOX} limit --json > told.json; echo \"$FUSEBOX_STATE_DIR $FUSEBOX_CONFIG\" > where"
    );
    fs::write(context.work().join("own.toml"), "").unwrap();
    let places = ["--state-dir", "../kept", "--config", "own.toml"];
    let run = ["run", "--max-iterations", "1", "--", "sh", "-c", &script];
    let words = [&["--circuit", "night"], &places[..], &run].concat();
    context.fusebox(&words).run();
    let told = fs::read_to_string(context.work().join("told.json")).unwrap();
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(
        told["calls"]["used"], 1,
        "the one of this iteration: {told}"
    );
    let seen = fs::read_to_string(context.work().join("where")).unwrap();
    let (state, config) = seen.trim().split_once(' ').unwrap();
    assert_eq!(
        fs::canonicalize(state).unwrap(),
        fs::canonicalize(context.path("kept")).unwrap()
    );
    assert_eq!(Path::new(config), context.work().join("own.toml"));
}

/// Each name of a place, as an option and as an environment variable.
#[test]
fn places_can_be_named_by_option_and_by_environment() {
    let context = TestContext::new();
    let elsewhere = context.path("elsewhere");
    let elsewhere = elsewhere.to_str().unwrap();
    fs::create_dir(context.path("other")).unwrap();
    let other = context.path("other");
    context.fusebox(&["trip", "--reason", "x"]).run().expect(0);
    for (call, code) in [
        (context.fusebox(&["check"]), 42),
        (context.fusebox(&["--circuit", "second", "check"]), 0),
        (context.fusebox(&["check", "--circuit", "second"]), 0),
        (
            context.fusebox(&["check"]).env("FUSEBOX_CIRCUIT", "third"),
            0,
        ),
        // Another state directory is no way to a fresh breaker: the head knows.
        (context.fusebox(&["--state-dir", elsewhere, "check"]), 4),
        (
            context.fusebox(&["-C", other.to_str().unwrap(), "check"]),
            0,
        ),
        (context.fusebox(&["check"]).inside(&other), 0),
        (
            context.fusebox(&["-C", "../work", "check"]).inside(&other),
            42,
        ),
    ] {
        call.run().expect(code);
    }
    context
        .fusebox(&["--circuit", "fourth", "trip", "--reason", "x"])
        .run()
        .expect(0);
    for (name, code) in [("second", 0), ("third", 0), ("fourth", 42)] {
        context
            .fusebox(&["check", "--peek", "--circuit", name])
            .run()
            .expect(code);
    }
    let json = context
        .fusebox(&["status"])
        .env("FUSEBOX_JSON", "true")
        .run()
        .expect(0);
    assert_eq!(json.json()["state"], "Open");
    let quiet = context
        .fusebox(&["check"])
        .env("FUSEBOX_QUIET", "true")
        .run()
        .expect(42);
    assert_eq!(quiet.err(), "");
}

/// Whoever is surprised by an answer can ask where it comes from.
#[test]
fn verbose_says_what_a_command_is_about_and_how_it_ended() {
    let context = TestContext::new();
    context.open_breaker();
    fs::write(
        context.work().join("fusebox.toml"),
        "[stagnation]\nthreshold = 2\n",
    )
    .unwrap();
    let before = context.memory();
    let told = context.fusebox(&["check", "--peek", "-v"]).run().expect(42);
    for part in [
        &format!("workspace {}", context.work().display()),
        "circuit `default`",
        "rules     preset native, then ",
        "fusebox.toml",
        "no progress     3 of ",
        "exit code 42: breaker open",
    ] {
        assert!(told.err().contains(part), "{part}: {}", told.err());
    }
    assert_eq!(context.memory(), before, "telling registers nothing");
    let plain = context.fusebox(&["check", "--peek"]).run().expect(42);
    assert_eq!(told.out(), plain.out(), "data stays data");
    let told = context.fusebox(&["check", "--peek", "-v", "-q"]).run();
    assert_eq!(told.err(), "", "who asked for quiet has it");
    // What hooks say is heard by agents.
    let hook = ["hook", "claude", "pre-tool-use"];
    let call = r#"{"session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    let plain = context.fusebox(&hook).input(call).run();
    let told = context
        .fusebox(&hook)
        .input(call)
        .env("FUSEBOX_VERBOSE", "1")
        .run();
    assert_eq!(told.err(), plain.err());
}

/// From a subdirectory the same workspace answers, as git finds its root.
#[test]
fn a_subdirectory_belongs_to_its_repository() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let deep = context.work().join("src/deep");
    fs::create_dir_all(&deep).unwrap();
    context
        .fusebox(&["trip", "--reason", "x"])
        .inside(&deep)
        .run()
        .expect(0);
    context.fusebox(&["check"]).run().expect(42);
}

#[test]
fn req_x_007_only_the_binary_for_tests_has_a_clock_that_can_be_set() {
    let context = TestContext::new();
    let long_ago = "2001-02-03T04:05:06Z";
    context
        .at(long_ago, &["trip", "--reason", "x"])
        .run()
        .expect(0);
    context
        .fusebox(&["--circuit", "real", "trip", "--reason", "x"])
        .env("FUSEBOX_NOW", long_ago)
        .run()
        .expect(0);
    let told = context.fusebox(&["explain"]).run().expect(0).out();
    assert!(told.contains("opened 2001-02-03T04:05:06Z"), "{told}");
    let real = context
        .fusebox(&["explain", "--circuit", "real"])
        .run()
        .expect(0)
        .out();
    assert!(
        real.contains("opened 20") && !real.contains("opened 2001"),
        "{real}"
    );
}

#[test]
fn looking_writes_nothing() {
    let context = TestContext::new();
    for args in [
        &["check", "--peek"][..],
        &["status"],
        &["explain"],
        &["limit"],
    ] {
        context.fusebox(args).run().expect(0);
        assert!(context.memory().is_empty(), "{args:?}");
    }
    context.fusebox(&["check"]).run().expect(0);
    let before = context.memory();
    for args in [
        &["check", "--peek"][..],
        &["status"],
        &["explain"],
        &["limit"],
        &["doctor"],
    ] {
        context.fusebox(args).run().expect(0);
        assert_eq!(context.memory(), before, "{args:?}");
    }
}

/// What nobody said anything in helps nobody who reads it later.
#[test]
fn words_that_say_nothing_are_refused() {
    let context = TestContext::new();
    for args in [
        &["reset", "--reason"][..],
        &["tasks", "add"],
        &["tasks", "block", "T-1", "--reason"],
        &["resolve", "--resolution"],
    ] {
        for nothing in ["", " \t"] {
            let args = [args, &[nothing]].concat();
            let told = context.fusebox(&args).run().expect(2).complains_once();
            told.says("it must not be empty");
        }
    }
    assert_eq!(context.state(), "Closed");
    // Who wants it open is not refused for want of words.
    context.fusebox(&["trip", "--reason", ""]).run().expect(0);
    assert_eq!(context.state(), "Open");
    let why = context.fusebox(&["explain"]).run().expect(0);
    assert!(why.out().contains("without a reason"), "{}", why.out());
}
