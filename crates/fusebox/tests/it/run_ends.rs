//! How a run ends, and what it leaves behind.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::call::Finished;
use crate::context::{TestContext, nobody_can_play_a_person};

/// Adds a line to a file of the repository.
const WORK: &str = "echo $FUSEBOX_ITERATION >> a.txt";

/// Runs with `--json` and gives how it ended.
fn ended(run: &Finished) -> Value {
    run.json_lines().pop().unwrap()
}

#[test]
fn req_000_021_to_022_and_059_and_061_to_062_and_098_and_x_008_every_end_has_its_code_and_its_number_of_iterations()
 {
    for (options, script, code, iterations) in [
        (&[][..], "true", 43, 3),
        (&["--on-stagnation", "abort"], "true", 42, 3),
        (&["--stagnation-threshold", "2"], "true", 43, 2),
        (&["--max-iterations", "2"], "true", 45, 2),
        (&["--max-iterations", "3"], WORK, 45, 3),
        (&["--once"], "true", 0, 1),
        (&["--once"], WORK, 0, 1),
        (&["--once", "--stagnation-threshold", "1"], "true", 42, 1),
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let script = format!("echo x >> ../count; {script}");
        let options: Vec<&str> = ["--json"].iter().chain(options).copied().collect();
        let run = context.supervise(&options, &script).run().expect(code);
        let end = ended(&run);
        assert_eq!(end["exit_code"], code, "{options:?}");
        assert_eq!(end["iterations"], iterations, "{options:?}");
        let count = fs::read_to_string(context.path("count")).unwrap();
        assert_eq!(count.lines().count(), iterations, "{options:?}");
        let open = context.state() == "Open";
        assert_eq!(open, [42, 43].contains(&code), "{options:?} is remembered");
    }
}

#[test]
fn req_x_006_a_trip_is_told_with_reason_evidence_cost_and_next_step() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let run = context.supervise(&[], "true").run().expect(43);
    for text in [
        "WATCHING · No progress for 2 iterations",
        "why   No progress for 3 iterations (rule 004.15)",
        "iteration 3: no file changed",
        "done  3 iterations",
        "cost  3 calls",
        "next  one trial iteration is allowed at ",
        "kept  ",
    ] {
        assert!(
            run.err().contains(text),
            "{text:?} is not in:\n{}",
            run.err()
        );
    }
    // The next run finds it open and starts nothing.
    let again = context.supervise(&[], "touch ran").run().expect(42);
    assert!(
        again
            .err()
            .contains("3 iterations so far; the breaker is OPEN"),
        "{}",
        again.err()
    );
    assert!(!context.work().join("ran").exists());
}

#[test]
fn req_000_020_and_088_and_004_017_the_same_error_trips_a_busy_run() {
    for (script, code, iterations) in [
        (format!("{WORK}; echo 'boom at line 7' >&2; exit 1"), 42, 5),
        (format!("{WORK}; exit 1$FUSEBOX_ITERATION"), 45, 6),
        (format!("{WORK}; echo 'boom at line 7' >&2"), 45, 6),
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let options = [
            "--json",
            "--on-stagnation",
            "abort",
            "--max-iterations",
            "6",
        ];
        let run = context.supervise(&options, &script).run().expect(code);
        let end = ended(&run);
        assert_eq!(end["iterations"], iterations, "{script}");
        if code == 42 {
            assert_eq!(end["answer"]["rule"], "004.17", "{script}");
        }
    }
}

#[test]
fn req_000_101_and_004_120_a_run_after_the_cooldown_probes_once() {
    for (script, code, iterations) in [("true", 43, 1), (WORK, 45, 2)] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        for code in [0, 0, 42] {
            context
                .at("2026-01-01T12:00:00Z", &["record"])
                .run()
                .expect(code);
        }
        let args = [
            "run",
            "--json",
            "--max-iterations",
            "2",
            "--",
            "sh",
            "-c",
            script,
        ];
        context.at("2026-01-01T12:29:00Z", &args).run().expect(42);
        let run = context.at("2026-01-01T12:30:00Z", &args).run().expect(code);
        assert_eq!(ended(&run)["iterations"], iterations, "{script}");
    }
}

#[test]
fn req_000_101_a_run_that_waits_goes_on_when_a_person_resets() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let mut run = context
        .supervise(&["--wait", "--max-iterations", "4"], "true")
        .start();
    run.wait_to_say("waiting · ");
    context.reset().expect(0);
    run.finish().expect(45).says("4 iterations done");
}

#[test]
fn req_004_051_a_used_up_limit_ends_a_run_or_makes_it_wait() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context.fusebox(&["limit", "take", "99"]).run().expect(0);
    context
        .supervise(&[], "echo x >> a.txt")
        .run()
        .expect(44)
        .says("done  1 iteration")
        .says("the next slot is free at 20");
    let mut waiting = context.supervise(&["--wait"], "touch ran").start();
    waiting.wait_to_say("the next slot is free at 20");
    waiting.signal(rustix::process::Signal::TERM);
    waiting.finish().expect(143);
    assert!(!context.work().join("ran").exists());
}

#[test]
fn a_command_that_cannot_be_started_is_not_held_against_the_loop() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    fs::write(context.work().join("plain"), "not a program\n").unwrap();
    for (command, code) in [
        ("no-such-command", 6),
        ("./no/such/command", 6),
        ("./plain", 46),
        ("/", 46),
    ] {
        let run = context.fusebox(&["run", "--", command]).run().expect(code);
        assert!(run.err().contains(command), "{}", run.err());
    }
    let status = context
        .fusebox(&["status", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(status["signals"][0]["value"], 0, "{status}");
}

#[test]
fn the_prompt_is_on_standard_input_each_time() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let prompt = context.path("prompt");
    fs::write(&prompt, "do it\n").unwrap();
    let prompt = prompt.to_str().unwrap();
    let options = ["--prompt-file", prompt, "--max-iterations", "2"];
    context
        .supervise(&options, "cat >> got.txt")
        .run()
        .expect(45);
    let got = context.work().join("got.txt");
    assert_eq!(fs::read_to_string(&got).unwrap(), "do it\ndo it\n");
    // Without one the agent reads nothing, and above all not our own input.
    fs::remove_file(&got).unwrap();
    context
        .supervise(&["--once"], "cat >> got.txt")
        .input("ours")
        .run()
        .expect(0);
    assert_eq!(fs::read_to_string(&got).unwrap(), "");
}

#[test]
fn what_an_iteration_did_is_kept_for_its_owner_alone() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "echo three >> a.txt; echo said; echo failed >&2; exit 7";
    let run = context
        .supervise(&["--json", "--once"], script)
        .run()
        .expect(0);
    let kept = PathBuf::from(ended(&run)["kept"].as_str().unwrap());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let iteration = kept.join("000001");
    for directory in [&kept, &iteration, kept.parent().unwrap()] {
        assert_eq!(mode(directory), 0o700, "{}", directory.display());
    }
    let read = |name: &str| {
        let path = iteration.join(name);
        assert_eq!(mode(&path), 0o600, "{name}");
        fs::read_to_string(path).unwrap()
    };
    let output = read("output");
    assert!(
        output.contains("said\n") && output.contains("failed\n"),
        "{output}"
    );
    let patch = read("changes.patch");
    assert!(
        patch.contains("+three\n") && patch.contains("a.txt"),
        "{patch}"
    );
    let decision: Value = serde_json::from_str(&read("decision.json")).unwrap();
    assert_eq!(decision["state"], "Closed");
    assert_eq!(
        decision["signals"][1]["value"], 1,
        "exit code 7 is an error"
    );
    let end = json!({"kind": "exited", "code": 7});
    assert_eq!(run.json_lines()[0]["end"], end);
}

#[test]
fn time_limits_end_an_iteration() {
    for (options, script, limit) in [
        (
            ["--timeout", "1s"],
            "echo begun; while :; do :; done",
            "overall",
        ),
        (["--idle-timeout", "1s"], "echo begun; sleep 100", "idle"),
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let all: Vec<&str> = ["--json", "--once"].into_iter().chain(options).collect();
        let run = context.supervise(&all, script).run().expect(45);
        let line = &run.json_lines()[0];
        let end = json!({"kind": "timed_out", "limit": limit});
        assert_eq!(line["end"], end, "{script}");
        assert_eq!(
            line["answer"]["signals"][0]["value"],
            json!(1),
            "it gained nothing"
        );
    }
}

/// One circuit has one supervisor; another circuit is another matter.
#[test]
fn a_second_run_is_refused_with_the_owner_named() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let mut first = context
        .supervise(&["--once"], "echo begun >&2; sleep 100")
        .start();
    first.wait_to_say("begun");
    let pid = first.child.id();
    context
        .supervise(&["--once"], "touch ran")
        .run()
        .expect(5)
        .says(&format!("process {pid} on "));
    assert!(!context.work().join("ran").exists());
    // A plain check is answered meanwhile.
    context.fusebox(&["check", "--peek"]).run().expect(0);
    context
        .supervise(&["--once", "--circuit", "other"], "touch ran")
        .run()
        .expect(0);
    first.signal(rustix::process::Signal::TERM);
    first.finish().expect(143);
    context.supervise(&["--once"], "true").run().expect(0);
}

/// Calling it once more changes nothing, so nobody does.
#[test]
fn an_agent_that_cannot_be_run_as_it_was_called_is_called_once() {
    for script in [
        "echo \"error: unknown option '--verbos'\" >&2; exit 1",
        "break_off invalid_request 404 'There is an issue with the selected model (x).'",
    ] {
        let Some(context) = TestContext::with_claude(script) else {
            return;
        };
        let run = context.run_claude(&["--max-iterations", "5"]).run();
        run.expect(46).says("the agent cannot be run like this");
        assert_eq!(context.calls().len(), 1, "{script}");
        assert_eq!(context.state(), "Closed", "{script}");
    }
}

#[test]
fn what_a_hook_stopped_is_said_to_be_stopped_and_a_budget_to_be_a_budget() {
    let hook = r#"echo x >> a.txt
printf '{"type":"result","subtype":"success","is_error":false,"terminal_reason":"hook_stopped","result":"","session_id":"s-1"}\n'"#;
    let Some(context) = TestContext::with_claude(hook) else {
        return;
    };
    let run = context.run_claude(&["--once"]).run();
    assert!(run.err().contains("· stopped"), "{}", run.err());
    let dear = "echo x >> a.txt; finish 'One line more.'; sleep 30";
    let Some(context) = TestContext::with_claude(dear) else {
        return;
    };
    let run = context.run_claude(&["--max-usd", "0.10", "--once"]).run();
    assert!(!run.err().contains("stopped as asked"), "{}", run.err());
    assert!(run.err().contains("ended at its budget"), "{}", run.err());
}

/// Where an open breaker waits by itself, waiting would buy an iteration for work that is done.
#[test]
fn work_that_is_complete_when_the_breaker_opens_is_not_waited_for() {
    let script =
        r"finish '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---'";
    let Some(context) = TestContext::with_claude(script) else {
        return;
    };
    fs::write(context.work().join("proof.txt"), "x").unwrap();
    let limits = ["--stagnation-threshold", "1", "--max-iterations", "3"];
    let options = [
        &["--preset", "superkit", "--require", "proof.txt"][..],
        &limits,
    ]
    .concat();
    let run = context.run_claude(&options).run().expect(42);
    run.says("the agent says that the work is complete");
}
