//! Pipes where files are expected. Opening one waits for a partner who never comes, and neither
//! a limit of time nor a signal ends such a wait; so nothing that an agent can reach is opened
//! that way.

use std::fs;

use crate::context::TestContext;

/// Where a pipe is planted from inside of an iteration, and what the loop then comes to.
struct Planted {
    what: &'static str,
    options: &'static [&'static str],
    /// By a shell in the work tree; `$STATE` holds all memory.
    script: &'static str,
    code: i32,
}

const PLANTED: &[Planted] = &[
    Planted {
        what: "what another terminal asks",
        options: &[],
        script: "mkfifo $STATE/*/run-default.request",
        code: 45,
    },
    Planted {
        what: "the output that is kept",
        options: &[],
        script: "for dir in $STATE/*/runs/*/*/; do mkfifo $dir/output $dir/metrics.json; done",
        code: 45,
    },
    Planted {
        what: "the page that is left of a run",
        options: &[],
        script: "for dir in $STATE/*/runs/*/; do mkfifo $dir/summary.md; done",
        code: 45,
    },
    Planted {
        what: "the mark of a run's processes",
        options: &[],
        script: "rm $STATE/*/run-default.cookie; mkfifo $STATE/*/run-default.cookie",
        code: 45,
    },
    Planted {
        what: "the copies of what is protected, and their list",
        options: &[],
        script: "for file in $STATE/*/kept/lock $STATE/*/kept/list $STATE/*/kept/objects/*; do
            rm -f $file; mkfifo $file; done; rm -rf specs",
        code: 43,
    },
    Planted {
        what: "the supervisor's lock",
        options: &[],
        script: "for file in $STATE/*/run-default.lock*; do rm $file; mkfifo $file; done",
        code: 43,
    },
    Planted {
        what: "what is known of the work tree",
        options: &[],
        script: "for dir in $STATE/*/shadow-*/; do
            find $dir -type f ! -path '*/objects/*' | while read -r file; do
                rm -f $file; mkfifo $file; done; done",
        code: 45,
    },
    Planted {
        what: "whatever an earlier run may have left unfinished",
        options: &[],
        script: "find $STATE -type f ! -path '*/circuits/*' ! -path '*/runs/*' |
            while read -r file; do
                for end in new draft next lock; do mkfifo $file.$end ${file%.*}.$end; done; done",
        code: 45,
    },
    Planted {
        what: "what is handed on to another system",
        options: &["--preset", "cub"],
        script: "for dir in .cub/*/*/iterations .cub/*/iterations; do
            for n in 1 2; do mkdir -p $dir/$n; mkfifo $dir/$n/metrics.json; done; done",
        code: 45,
    },
];

#[test]
fn no_pipe_that_an_agent_makes_keeps_a_run_waiting() {
    for planted in PLANTED {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        fs::create_dir(context.work().join("specs")).unwrap();
        fs::write(context.work().join("specs/a.md"), "it must not crash\n").unwrap();
        let state = context.path("state/fusebox");
        let script = format!(
            "STATE='{}'; echo $FUSEBOX_ITERATION >>work; [ $FUSEBOX_ITERATION != 1 ] || {{ {}; }} 2>/dev/null",
            state.display(),
            planted.script
        );
        let mut options = vec!["--max-iterations", "2"];
        options.extend(planted.options);
        let run = context.supervise(&options, &script).run();
        assert_eq!(run.code, planted.code, "{}: {}", planted.what, run.err());
        // Nor the next one, nor anybody who looks.
        for (args, code) in [
            (&["status"][..], 0),
            (&["report"], 0),
            (&["trip", "--reason", "x"], 0),
        ] {
            let told = context.fusebox(args).run();
            assert_eq!(
                told.code,
                code,
                "{}: {args:?}: {}",
                planted.what,
                told.err()
            );
        }
    }
}

#[test]
fn a_prompt_that_has_become_a_pipe_ends_the_run_with_a_reason() {
    // Beside the work tree, where it is not protected.
    let script = "rm ../PROMPT.md; mkfifo ../PROMPT.md; echo x >>work";
    let Some(context) = TestContext::with_claude(script) else {
        return;
    };
    fs::write(context.path("PROMPT.md"), "do it\n").unwrap();
    let run = context
        .among_stand_ins(&["run", "--agent", "claude", "--prompt-file", "../PROMPT.md"])
        .run();
    assert_ne!(run.code, 0);
    run.says("PROMPT.md: it is not a regular file");
}

#[test]
fn a_pipe_in_the_way_of_another_systems_file_is_removed_and_not_written_to() {
    let context = TestContext::new();
    let phase = |args: &[&str]| context.fusebox(args).run().expect(0);
    phase(&["--preset", "prp", "phase", "start", "RED"]);
    let file = context.work().join(".prp-session/circuit-breaker.json");
    let unfinished = file.with_file_name(".circuit-breaker.json.fusebox-new");
    for args in [
        &["phase", "end", "RED", "--tests-generated", "1"][..],
        &["trip", "--reason", "x"],
    ] {
        let made = std::process::Command::new("mkfifo")
            .arg(&unfinished)
            .status();
        assert!(made.unwrap().success());
        phase(args);
        assert!(!unfinished.exists(), "{args:?}");
    }
    assert!(fs::read_to_string(file).unwrap().contains("OPEN"));
}

#[test]
fn nobody_who_looks_at_settings_waits_at_a_pipe() {
    let context = TestContext::new();
    fs::create_dir(context.work().join(".claude")).unwrap();
    for name in ["settings.json", "settings.local.json"] {
        let path = context.work().join(".claude").join(name);
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    }
    let told = context.fusebox(&["hooks", "status", "claude"]).run().out();
    assert!(told.contains("cannot be read"), "{told}");
    context.fusebox(&["doctor"]).run();
    let refused = context.fusebox(&["hooks", "install", "claude"]).run();
    assert_ne!(refused.code, 0);
}

/// Tools for projects put a directory of the project in front of the search path.
#[test]
fn a_program_that_the_repository_brings_carries_no_notice() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let bin = context.work().join("node_modules/.bin");
    fs::create_dir_all(&bin).unwrap();
    let told = context.path("told");
    for name in ["notify-send", "osascript"] {
        let program = context.script(
            name,
            &format!("#!/bin/sh\necho ran >>'{}'\n", told.display()),
        );
        fs::copy(program, bin.join(name)).unwrap();
    }
    let usual = std::env::var("PATH").unwrap_or_default();
    let path = |first: std::path::PathBuf| format!("{}:{usual}", first.display());
    let stuck = |path: String| {
        let run = context.supervise(&["--on-stagnation", "abort"], "true");
        run.env("PATH", path).run()
    };
    stuck(path(bin)).expect(42);
    assert!(!told.exists(), "the repository's own program was run");
    // The same program elsewhere is, so that this would have been noticed.
    context.reset().expect(0);
    stuck(path(context.path("bin"))).expect(42);
    assert!(told.exists());
}
