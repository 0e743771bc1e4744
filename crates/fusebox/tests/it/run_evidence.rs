//! What shows whether the work is done, beside what the agent says.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use crate::call::Finished;
use crate::context::TestContext;

/// Says that all is done, in the block that loops look for.
const CLAIM: &str = r"finish '---RALPH_STATUS---\nSTATUS: COMPLETE\nTASKS_COMPLETED_THIS_LOOP: 2\nFILES_MODIFIED: 1\nTESTS_STATUS: PASSING\nWORK_TYPE: IMPLEMENTATION\nEXIT_SIGNAL: true\nRECOMMENDATION: none\n---END_RALPH_STATUS---'";
const CHANGE: &str = "echo $FUSEBOX_ITERATION >> a.txt";

/// A test command that reports one failure, as pytest does.
const FAILING: &str = "printf 'FAILED test_auth.py::test_login - assert 1 == 2\\n\
                       ==== 1 failed, 3 passed in 0.01s ====\\n'; exit 1";

fn ended(run: &Finished) -> Value {
    run.json_lines().pop().unwrap()
}

/// Files change and the same test fails: no progress is made, and the rule for
/// the same error says so, not an earlier one.
#[test]
fn req_000_020_and_027_and_029_and_097_the_same_failing_test_trips_a_busy_run() {
    for (preset, iterations, rule) in [("native", 5, "004.17"), ("cub", 3, "000.29")] {
        for flag in ["--test", "--build"] {
            let Some(context) = TestContext::with_claude(&format!("{CHANGE}; finish 'Fixed.'"))
            else {
                return;
            };
            let command = match flag {
                "--test" => FAILING,
                _ => "echo 'cannot find module auth' >&2; exit 2",
            };
            let options = [
                "--json",
                "--preset",
                preset,
                "--on-stagnation",
                "abort",
                "--max-iterations",
                "8",
                flag,
                command,
            ];
            let run = context.run_claude(&options).run().expect(42);
            let end = ended(&run);
            assert_eq!(end["iterations"], iterations, "{preset} {flag}: {end}");
            assert_eq!(end["answer"]["rule"], rule, "{preset} {flag}: {end}");
        }
    }
}

#[test]
fn req_000_003_and_000_017_and_000_031_to_033_and_004_112_done_needs_evidence() {
    for (options, prepare, code, word) in [
        (&[][..], "", 45, "iterations_used_up"),
        (&["--test", "true"], "", 0, "complete"),
        (&["--build", "true"], "", 0, "complete"),
        (&["--test", FAILING], "", 43, "paused"),
        (&["--test", "true", "--build", "false"], "", 43, "paused"),
        (&["--require", "made.txt"], "", 43, "paused"),
        (
            &["--require", "made.txt"],
            "echo x > made.txt",
            0,
            "complete",
        ),
        (
            &["--test", "true", "--require", "made.txt"],
            "",
            43,
            "paused",
        ),
        (&["--criteria", "TODO.md"], "", 43, "paused"),
        (
            &["--criteria", "TODO.md"],
            "echo '- [ ] log in' > TODO.md",
            43,
            "paused",
        ),
        (
            &["--criteria", "TODO.md"],
            "echo '- [x] log in' > TODO.md",
            0,
            "complete",
        ),
    ] {
        let Some(context) = TestContext::with_claude(&format!("{prepare}\n{CHANGE}\n{CLAIM}"))
        else {
            return;
        };
        let mut arguments = vec!["--json", "--max-iterations", "6"];
        arguments.extend(options);
        let run = context.run_claude(&arguments).run();
        let end = ended(&run);
        assert_eq!(
            (run.code, &end["reason"]),
            (code, &json!(word)),
            "{options:?} after {prepare:?}: {}",
            run.err()
        );
        let told = run.err().matches("nothing to check it against").count();
        assert_eq!(told, usize::from(options.is_empty()), "{}", run.err());
        if word == "complete" {
            assert_eq!(end["iterations"], 1);
        } else if word == "paused" {
            assert_eq!(end["answer"]["rule"], "000.31", "{end}");
        }
    }
}

/// The work tree may be on the path, and what lies in it is the agent's.
#[test]
fn no_shell_of_the_agents_says_that_the_work_is_done() {
    let plant = "printf '#!/bin/true\\n' > sh; chmod +x sh";
    let Some(context) = TestContext::with_claude(&format!("{CHANGE}\n{plant}\n{CLAIM}")) else {
        return;
    };
    let path = format!(".:{}", context.search_path());
    let options = ["--json", "--max-iterations", "1", "--test", "false"];
    let run = context.run_claude(&options).env("PATH", path).run();
    assert_eq!(run.code, 45, "{}", run.err());
    assert!(context.work().join("sh").exists());
}

/// One claim without evidence is enough where that is the rule.
#[test]
fn req_000_006_and_031_a_claim_without_evidence_trips_at_once_in_cub() {
    let Some(context) = TestContext::with_claude(&format!("{CHANGE}\n{CLAIM}")) else {
        return;
    };
    context
        .run_claude(&["--preset", "cub", "--test", FAILING])
        .run()
        .expect(43)
        .says("Completion claimed without evidence");
    assert_eq!(context.calls().len(), 1);
}

/// A slip in the user's own command is told before the first iteration, whatever is run.
#[test]
fn a_test_or_build_command_that_does_not_exist_stops_the_run_before_it_begins() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    for flag in ["--test", "--build"] {
        let options = ["--max-iterations", "2", flag, "nosuchtest --all"];
        let run = context.supervise(&options, CHANGE).run().expect(6);
        run.says("command not found: `nosuchtest` (in `nosuchtest --all`)")
            .says("install it, or correct the command");
        // What the agent may be about to write is no reason, and neither is what no file is.
        for (command, told) in [("./suite.sh", true), ("cd . && true", false)] {
            let options = ["--max-iterations", "1", flag, command];
            let run = context.supervise(&options, CHANGE).run().expect(45);
            let err = run.err();
            assert_eq!(err.contains("command not found"), told, "{command}: {err}");
        }
    }
}

/// It measures nothing: neither a failed test nor an error is held against the agent.
#[test]
fn a_command_that_could_not_be_run_has_an_unknown_result() {
    let Some(context) = TestContext::with_claude(&format!("{CHANGE}\n{CLAIM}")) else {
        return;
    };
    for (flag, command) in [
        ("--test", "./suite.sh"),
        ("--build", "sh -c 'exec nosuchbuild'"),
    ] {
        let options = [
            "--json",
            "--circuit",
            &flag[2..],
            "--max-iterations",
            "6",
            flag,
            command,
        ];
        let run = context.run_claude(&options).run().expect(45);
        run.says("could not be run (exit code 127), so its result is unknown");
        let of_circuit = ["explain", "--circuit", &flag[2..], "--json"];
        let explained = context.fusebox(&of_circuit).run().expect(0).out();
        assert!(!explained.contains("suite.sh"), "{explained}");
        assert!(!explained.contains("nosuchbuild"), "{explained}");
    }
}

/// An agent that knows nothing but its prompt can end the run.
#[test]
fn the_agent_is_told_how_to_say_that_the_work_is_done_and_doing_so_ends_the_run() {
    // It says back what it finds in its prompt, and nothing else.
    let parrot = r#"block=$(sed -n '/^---RALPH_STATUS---/,/^---END/p' "../told-$FUSEBOX_ITERATION" | awk '{printf "%s\\n", $0}')
        finish "$block""#;
    for (options, told, code) in [
        (&["--test", "true"][..], true, 0),
        (&["--test", "true", "--prompt-file", "own.md"], false, 45),
        (&[], false, 45),
    ] {
        let Some(context) = TestContext::with_claude(&format!("{CHANGE}\n{parrot}")) else {
            return;
        };
        let own = "Work. Once it is done, say EXIT_SIGNAL: true in a status block.";
        fs::write(context.work().join("own.md"), own).unwrap();
        let mut args = vec!["run", "--agent", "claude", "--max-iterations", "2"];
        if !options.contains(&"--prompt-file") {
            args.extend(["--prompt", "Do the task."]);
        }
        args.extend(options);
        context.among_stand_ins(&args).run().expect(code);
        let prompt = context.told(1);
        assert_eq!(prompt.contains("---RALPH_STATUS---"), told, "{prompt}");
        assert!(prompt.len() < 500, "a prompt is paid for: {prompt}");
    }
}

/// A command that says nothing about the work does not end it either.
#[test]
fn a_passing_test_without_a_claim_ends_nothing() {
    let Some(context) = TestContext::with_claude(&format!("{CHANGE}; finish 'More to do.'")) else {
        return;
    };
    let options = ["--max-iterations", "2", "--test", "true"];
    context.run_claude(&options).run().expect(45);
}

#[test]
fn req_004_111_the_status_block_supplies_metrics() {
    let Some(context) = TestContext::with_claude(&format!("{CHANGE}\n{CLAIM}")) else {
        return;
    };
    context.run_claude(&["--once"]).run().expect(0);
    let signals: Value =
        serde_json::from_slice(&context.kept(1, "completion_signals.json")).unwrap();
    for (name, value) in [
        ("claimed_complete", json!(true)),
        ("claimed_exit", json!(true)),
        ("claimed_files", json!(1)),
        ("measured_files", json!(1)),
    ] {
        assert_eq!(signals[name], value, "{signals}");
    }
    let status = String::from_utf8(context.kept(1, "status.md")).unwrap();
    assert!(
        status.contains("- Tasks completed: 2, as the agent says\n"),
        "{status}"
    );
}

/// A plain command may claim as well as an agent, and is believed as little.
#[test]
fn req_004_111_to_112_a_plain_command_claims_in_its_output() {
    let block = "printf -- '---RALPH_STATUS---\\nSTATUS: COMPLETE\\nEXIT_SIGNAL: true\\n---END_RALPH_STATUS---\\n'";
    for (test, code) in [("true", 0), ("false", 43)] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let script = format!("{CHANGE}; {block}");
        let run = context
            .supervise(&["--test", test], &script)
            .run()
            .expect(code);
        assert_eq!(
            run.err().contains("complete · the agent says so"),
            code == 0
        );
    }
}

/// What a program prints of its prompt is not its own word, and a block far from the end is not
/// how it ended.
#[test]
fn a_prompt_that_is_printed_claims_nothing_and_neither_does_a_block_far_from_the_end() {
    let block = "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n";
    let prompt = format!("Work. When all is done, end with:\n\n{block}\nOne step at a time.\n");
    let say = "sed -n '/^---RALPH/,/^---END/p' prompt.md";
    for (script, code) in [
        ("cat; echo still working".to_owned(), 45),
        ("cat".to_owned(), 45),
        ("cat; seq 200".to_owned(), 45),
        (format!("{say}; seq 200"), 45),
        (format!("echo All done.; {say}; echo bye"), 0),
        (format!("cat; echo All done.; {say}"), 0),
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        fs::write(context.work().join("prompt.md"), &prompt).unwrap();
        let options = [
            "--test",
            "true",
            "--prompt-file",
            "prompt.md",
            "--max-iterations",
            "1",
        ];
        let script = format!("{CHANGE}; {script}");
        let run = context.supervise(&options, &script).run();
        assert_eq!(run.code, code, "{script}: {}", run.err());
    }
}

/// Work that was done, again and again, is no string of empty claims.
#[test]
fn req_000_006_completions_that_the_evidence_bears_out_are_not_held_against_the_next() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let block = "printf -- '---RALPH_STATUS---\\nSTATUS: COMPLETE\\nEXIT_SIGNAL: true\\n---END_RALPH_STATUS---\\n'";
    for _ in 0..4 {
        let script = format!("{CHANGE}; {block}");
        let run = context.supervise(&["--test", "true"], &script).run();
        let err = run.expect(0).err();
        assert!(!err.contains("Completion claimed"), "{err}");
    }
    assert_eq!(context.state(), "Closed");
}

/// What cannot run uses up neither a wait nor the one probe.
#[test]
fn an_open_breaker_is_not_waited_for_with_a_test_command_that_does_not_exist() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context.open_breaker();
    let options = ["--wait", "--test", "nosuchtest"];
    let run = context.supervise(&options, CHANGE).run().expect(6);
    run.says("command not found: `nosuchtest`");
}

/// Whoever says that it is done can put anything where a file is looked for.
#[test]
fn what_stands_in_for_a_file_shows_nothing() {
    let context = TestContext::list("fix_plan.md", "- [ ] T-1 a\n");
    let work = context.work();
    fs::write(context.path("outside.md"), "- [x] met\n").unwrap();
    symlink("nowhere", work.join("dangling")).unwrap();
    symlink("../outside.md", work.join("link.md")).unwrap();
    let pipe = work.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let absolute = context.path("outside.md").display().to_string();
    let done = |evidence: String| {
        context.user_settings(&format!("[evidence]\n{evidence}\n"));
        context.fusebox(&["tasks", "done", "T-1"]).run()
    };
    for name in ["dangling", "link.md", "pipe", "../outside.md", &absolute] {
        for evidence in [
            format!("required = [\"{name}\"]"),
            format!("criteria = \"{name}\""),
        ] {
            let refused = done(evidence).expect(5);
            refused.says("so there is no evidence that the task is done");
        }
    }
    fs::write(work.join("real.md"), "- [x] met\n").unwrap();
    done("required = [\"real.md\"]\ncriteria = \"real.md\"".into())
        .expect(0)
        .says("all required files are there, all criteria are met");
}
