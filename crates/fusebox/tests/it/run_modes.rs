//! The ways to run that are not the usual one, and what is said before and while
//! it runs.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::call::wait_for;
use crate::context::{FUSEBOX, TestContext};
use crate::stand_in::{IDLE, WORK};
use crate::terminal::Terminal;

#[test]
fn observing_denies_nothing_and_remembers_everything() {
    let Some(context) = TestContext::with_claude(IDLE) else {
        return;
    };
    context
        .run_claude(&["--observe", "--max-iterations", "5"])
        .run()
        .expect(45)
        .says("warning: OPEN · No progress for 3 iterations");
    assert_eq!(context.calls().len(), 5);
    assert_eq!(context.state(), "Open");
    // Where a way of working leaves no choice, there is none.
    let rigid = TestContext::with_claude(IDLE).unwrap();
    for option in [&["--observe"][..], &["--on-stagnation", "alert"]] {
        let options = [&["--preset", "superkit"][..], option].concat();
        rigid.run_claude(&options).run().expect(5).complains_once();
    }
    assert_eq!(rigid.calls().len(), 0);
}

#[test]
fn what_was_only_observed_or_announced_is_open_to_everybody_else() {
    let asks = r#"{"session_id":"s","tool_name":"Read","tool_input":{},"tool_use_id":"1"}"#;
    let hook = ["hook", "claude", "pre-tool-use"];
    // Inside such a run hooks know what it was asked for.
    let asking = format!(
        "echo '{asks}' | {FUSEBOX} {} > /dev/null; echo $? >> ../answers; {IDLE}",
        hook.join(" ")
    );
    for lenient in [&["--observe"][..], &["--on-stagnation", "alert"]] {
        let Some(context) = TestContext::with_claude(&asking) else {
            return;
        };
        let options = [lenient, &["--max-iterations", "5"]].concat();
        context.run_claude(&options).run().expect(45);
        let answers = fs::read_to_string(context.path("answers")).unwrap();
        assert_eq!(answers, "0\n0\n0\n0\n0\n", "{lenient:?}");
        context.fusebox(&["check"]).run().expect(42);
        context.fusebox(&hook).input(asks).run().expect(2);
        let strict = ["--on-stagnation", "abort"];
        context.run_claude(&strict).run().expect(42);
        assert_eq!(context.calls().len(), 5, "nothing more was run");
    }
}

#[test]
fn a_dry_run_says_what_would_happen_and_does_nothing() {
    let Some(context) = TestContext::with_claude(WORK) else {
        return;
    };
    let options = [
        "--dry-run",
        "--test",
        "cargo test",
        "--max-iterations",
        "7",
        "--max-time",
        "2h",
        "--max-usd",
        "5",
        "--max-tokens",
        "1000",
        "--permissions",
        "read-only",
        "--require",
        "README.md",
    ];
    let json = [&["--json"], &options[..]].concat();
    let data = context.run_claude(&json).run().expect(0).json();
    for (key, value) in [
        ("event", json!("dry_run")),
        ("agent", json!("claude")),
        ("command", json!([])),
        ("models", json!([])),
        ("permissions", json!("read-only")),
        ("micro_usd", json!(5_000_000)),
        ("tokens", json!(1000)),
        ("required", json!(["README.md"])),
        ("iterations", json!(7)),
        ("time_ms", json!(7_200_000)),
        ("calls", json!(100)),
        ("trips_after", json!(3)),
        ("on_stagnation", json!("pause")),
        ("test", json!("cargo test")),
        ("build", json!(null)),
    ] {
        assert_eq!(data[key], value, "{key}");
    }
    let run = context.run_claude(&options).run().expect(0);
    for line in [
        "runs        Claude Code with its default model",
        "may         read-only",
        "tokens      1000 tokens in any 1 d",
        "money       $5.00 in any 1 d",
        "preset      native",
        "iterations  7",
        "time        2 h",
        "calls       100 in any 1 h",
        "trips       after 3 iterations without progress",
        "then        pause",
        "evidence    `cargo test`, then README.md is there",
        "nothing was run",
    ] {
        assert!(run.out().contains(line), "no {line:?} in\n{}", run.out());
    }
    assert_eq!(context.calls().len(), 0);
    assert!(context.memory().is_empty(), "nothing is left behind");
}

#[test]
fn the_time_for_a_run_ends_it() {
    let script = format!("sleep 0.3; {WORK}");
    let Some(context) = TestContext::with_claude(&script) else {
        return;
    };
    context
        .run_claude(&["--max-time", "1s"])
        .run()
        .expect(45)
        .says("the time for this run is used up");
    assert!((1..=4).contains(&context.calls().len()));
}

/// A job in CI is killed by its runner when it takes longer than it said.
#[test]
fn the_time_for_a_run_ends_an_iteration_and_a_wait_too() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let began = Instant::now();
    let options = ["--max-time", "2s", "--timeout", "10m"];
    let run = context.supervise(&options, "sleep 300").run().expect(45);
    run.says("the time for this run is used up");
    // Nor is anything waited for that comes after the end.
    let options = ["--max-time", "1m", "--wait", "--on-stagnation", "abort"];
    context.supervise(&options, "true").run().expect(42);
    assert!(began.elapsed() < Duration::from_secs(40));
}

/// Ctrl-S stops a terminal, and so can an agent that opens it: then nothing that is written there
/// comes back.
#[test]
fn a_terminal_that_takes_no_output_holds_up_no_limit() {
    for options in ["", "--plain"] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let script = format!(
            "\"$FUSEBOX\" run {options} --skip-preflight --max-time 8s -- sh -c \
             'touch ../started; while :; do echo line; sleep 0.02; done'; echo $? >../code"
        );
        let Some(terminal) = Terminal::open(&context, &script) else {
            return;
        };
        wait_for("the agent to start", || context.path("started").exists());
        let began = Instant::now();
        terminal.press("C-s");
        std::thread::sleep(Duration::from_secs(2));
        terminal.press("C-q");
        terminal.wait_for("was not shown while the terminal was stopped");
        terminal.press("C-s");
        wait_for("the run to end", || context.path("code").exists());
        assert!(
            began.elapsed() < Duration::from_secs(25),
            "{:?}",
            began.elapsed()
        );
        let code = fs::read_to_string(context.path("code")).unwrap();
        assert_eq!(code.trim(), "45");
    }
}

/// Whoever reads a pipe slowly is waited for, and gets everything.
#[test]
fn a_slow_reader_of_a_pipe_loses_nothing() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let run = format!(
        "{FUSEBOX} -q run --skip-preflight --once -- seq 40000 | (sleep 2; wc -l >../count)"
    );
    let mut command = Command::new("sh");
    command.args(["-c", &run]).envs(context.environment());
    assert!(
        command
            .current_dir(context.work())
            .status()
            .unwrap()
            .success()
    );
    let count = fs::read_to_string(context.path("count")).unwrap();
    assert_eq!(count.trim(), "40000");
}

/// The time is the whole run's: whoever ignores the end of it is gone when it is over, and so is
/// what proves the work.
#[test]
fn the_time_for_a_run_is_not_exceeded_by_whoever_is_deaf() {
    let deaf = "trap '' TERM INT; while :; do sleep 1; done";
    let heir = "(trap '' TERM INT; while :; do sleep 1; done) & wait";
    let limited = ["--max-time", "2s", "--timeout", "10m"];
    let proven = ["--max-time", "2s", "--build", deaf, "--test", deaf];
    let rows = [(&limited[..], deaf), (&limited, heir), (&proven, "true")];
    std::thread::scope(|scope| {
        for (options, script) in rows {
            scope.spawn(move || {
                let Some(context) = TestContext::with_repository() else {
                    return;
                };
                let began = Instant::now();
                let run = context.supervise(options, script).run().expect(45);
                run.says("the time for this run is used up");
                // Of the ten seconds that a plain command has otherwise, not half are left over.
                let most = Duration::from_secs(2 + 4);
                assert!(began.elapsed() < most, "{script}: {:?}", began.elapsed());
            });
        }
    });
}

#[test]
fn an_agent_that_is_missing_is_noticed_before_anything_is_spent() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context.script("claude", "not executable");
    let bare = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    fs::set_permissions(context.path("bin/claude"), bare).unwrap();
    let run = ["run", "--agent", "claude", "--prompt", "x"];
    let path = format!("{}:/usr/bin:/bin", context.path("bin").display());
    context
        .fusebox(&run)
        .env("PATH", &path)
        .run()
        .expect(6)
        .complains_once()
        .says("`claude` was not found or is not executable")
        .says("`--skip-preflight` starts anyway");
    let calls = context.fusebox(&["limit", "--json"]).run().expect(0).json();
    assert_eq!(calls["calls"]["used"], json!(0), "{calls}");
    let skipping = [&run[..], &["--skip-preflight"]].concat();
    context
        .fusebox(&skipping)
        .env("PATH", &path)
        .run()
        .expect(46)
        .says("could not be started");
}

#[test]
fn a_command_that_is_not_there_is_named_with_what_was_perhaps_meant() {
    let context = TestContext::new();
    for (command, advice) in [
        ("claud", "next  did you mean `claude`?"),
        ("no-such-agent", "check that it is installed and on PATH"),
    ] {
        let run = context.fusebox(&["run", "--", command]).run().expect(6);
        let run = run.says("could not be started: the command was not found");
        assert!(!run.err().contains("os error"), "{}", run.err());
        run.says(advice);
    }
}

#[test]
fn req_004_004_the_breaker_announces_itself_in_the_words_of_its_document() {
    let line =
        "Circuit breaker is active — monitoring for stagnation, rate limits, and file protection.";
    for (preset, announces) in [("superkit", true), ("native", false), ("cub", false)] {
        let Some(context) = TestContext::with_claude(WORK) else {
            return;
        };
        let run = context
            .run_claude(&["--preset", preset, "--once"])
            .run()
            .expect(0);
        assert_eq!(
            run.err().matches(line).count(),
            usize::from(announces),
            "{preset}"
        );
        if announces {
            let said = run.err();
            assert!(
                said.find(line) < said.find("iteration 1 ·"),
                "at the start: {said}"
            );
        }
    }
}

#[test]
fn req_004_049_to_051_and_083_calls_are_counted_down_a_warning_comes_at_eighty_percent() {
    let Some(context) = TestContext::with_claude(WORK) else {
        return;
    };
    let superkit = ["--preset", "superkit"];
    let take = [&superkit[..], &["limit", "take", "78"]].concat();
    context.fusebox(&take).run().expect(0);
    let options = [&superkit[..], &["--max-iterations", "3"]].concat();
    let run = context.run_claude(&options).run().expect(45);
    let said = run.err();
    for line in [
        "iteration 1 · CLOSED · 21 of 100 calls left (per 1 h)\n",
        "iteration 2 · CLOSED · 20 of 100 calls left (per 1 h), nearly used up\n",
        "iteration 3 · CLOSED · 19 of 100 calls left (per 1 h), nearly used up\n",
    ] {
        assert!(said.contains(line), "no {line:?} in\n{said}");
    }
    assert_eq!(
        said.matches("warning: 80 % of the calls are used").count(),
        1,
        "said once, when it is so:\n{said}"
    );
    // At the limit it waits, and counts down to the next free call.
    let take = [&superkit[..], &["limit", "take", "19"]].concat();
    context.fusebox(&take).run().expect(0);
    let mut waiting = context.run_claude(&superkit).start();
    waiting.wait_to_say("waiting · CLOSED · The call limit is reached");
    waiting.wait_to_say("the next slot is free at 20");
    waiting.signal(rustix::process::Signal::TERM);
    waiting.finish().expect(143);
    assert_eq!(context.calls().len(), 3);
}

/// Whoever stands in a subdirectory sees where things run before they run.
#[test]
fn a_run_in_a_subdirectory_says_that_it_runs_in_the_root() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let below = context.work().join("below");
    fs::create_dir(&below).unwrap();
    let script = "pwd > where";
    let told = "agent and tests run in";
    let call = context.supervise(&["--once"], script).inside(below);
    let run = call.run().expect(0);
    let place = format!(
        "{told} {}, the workspace's root, not in",
        context.work().display()
    );
    assert!(run.err().contains(&place), "{}", run.err());
    let said = run.err();
    let begins = said.find("iteration 1").unwrap();
    assert!(said.find(told).unwrap() < begins, "{said}");
    assert!(context.work().join("where").is_file());
    let at_root = context.supervise(&["--once"], "date +%N > where").run();
    assert!(!at_root.expect(0).err().contains(told));
}

/// What would end the run before its first iteration ends the dry run the same way.
#[test]
fn a_dry_run_names_prompt_and_tasks_and_finds_what_is_missing() {
    let context = TestContext::new();
    let dry = |args: &[&str]| {
        let args = [&["run", "--dry-run"], args].concat();
        context.fusebox(&args).run()
    };
    dry(&["--prompt-file", "no.md", "--", "true"])
        .expect(6)
        .says("no.md");
    dry(&["--", "nosuchprogram"])
        .expect(6)
        .says("`nosuchprogram` could not be started");
    let one_word = dry(&["--", "claude -p < PROMPT.md"]).expect(6);
    one_word.says("sh -c 'claude -p < PROMPT.md'");
    dry(&["--tasks", "--test", "true", "--", "true"])
        .expect(6)
        .says("no task list found here");
    fs::write(context.work().join("PROMPT.md"), "go").unwrap();
    fs::write(context.work().join("fix_plan.md"), "- [ ] a\n").unwrap();
    let told = dry(&[
        "--tasks",
        "--test",
        "true",
        "--prompt-file",
        "PROMPT.md",
        "--",
        "true",
    ])
    .expect(0);
    for line in ["prompt      ", "tasks       "] {
        assert!(told.out().contains(line), "{}", told.out());
    }
    context.user_settings("[agent]\nargs = [\"--verbose\"]\n");
    let told = dry(&["--agent", "claude", "--prompt", "go"]).expect(0);
    assert!(
        told.out().contains("args        --verbose"),
        "{}",
        told.out()
    );
    let behind = dry(&["--agent", "claude", "--", "--allowedTools", "Write"]).expect(2);
    behind.says("under `[agent]`");
}
