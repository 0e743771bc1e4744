//! What is protected survives a run, whatever the agent does to it.

use std::fs;

use crate::context::TestContext;

/// A repository with something precious in it.
fn precious() -> Option<TestContext> {
    let context = TestContext::with_repository()?;
    let root = context.work();
    fs::create_dir(root.join("specs")).unwrap();
    for (path, text) in [("CLAUDE.md", "words\n"), ("specs/a.md", "a\n")] {
        fs::write(root.join(path), text).unwrap();
    }
    context.git(&["add", "-A"]);
    context.git(&["commit", "-qm", "second"]);
    Some(context)
}

fn read(context: &TestContext, path: &str) -> String {
    fs::read_to_string(context.work().join(path)).unwrap_or_else(|_| "missing".into())
}

#[test]
fn req_004_056_and_004_066_and_004_076_and_d_079_the_first_missing_file_is_put_back_and_halts() {
    for (script, told) in [
        ("rm CLAUDE.md", "CLAUDE.md was deleted; it is back"),
        ("mv specs old", "specs was renamed to old; it is back"),
        (
            "perl -e 'unlink \"CLAUDE.md\"' || rm CLAUDE.md",
            "CLAUDE.md was deleted",
        ),
        (
            "git rm -rq --cached specs; rm -r specs",
            "specs was deleted; it is back",
        ),
        ("rm -rf ../work", "specs was deleted; it is back"),
    ] {
        let Some(context) = precious() else { return };
        let script = format!("echo x >> ../count; echo work >> a.txt; {script}");
        let run = context.supervise(&[], &script).run().expect(47);
        for text in [told, "protected files were lost", "(rule 004.76)"] {
            assert!(
                run.err().contains(text),
                "{text:?} is not in:\n{}",
                run.err()
            );
        }
        assert_eq!(
            fs::read_to_string(context.path("count")).unwrap(),
            "x\n",
            "halted at once"
        );
        assert_eq!(read(&context, "CLAUDE.md"), "words\n");
        assert_eq!(read(&context, "specs/a.md"), "a\n");
        assert_eq!(context.state(), "Open");
        context.fusebox(&["check"]).run().expect(42);
        let history = context.fusebox(&["history"]).run().expect(0);
        let history = String::from_utf8_lossy(&history.stdout).into_owned();
        assert!(history.contains("protected file lost"), "{history}");
    }
}

#[test]
fn req_d_079_emptied_or_replaced_files_are_put_back_counted_and_trip_at_two() {
    for script in [
        ": > CLAUDE.md",
        "ln -sf a.txt CLAUDE.md",
        "echo '[guard]' > fusebox.toml",
    ] {
        let Some(context) = precious() else { return };
        fs::write(context.work().join("fusebox.toml"), "# mine\n").unwrap();
        let script = format!("echo x >> ../count; echo work >> a.txt; {script}");
        let run = context
            .supervise(&["--max-iterations", "5"], &script)
            .run()
            .expect(47);
        assert!(run.err().contains("it is back"), "{}", run.err());
        assert!(run.err().contains("(rule D79)"), "{}", run.err());
        assert_eq!(
            fs::read_to_string(context.path("count")).unwrap(),
            "x\nx\n",
            "{script}"
        );
        assert_eq!(read(&context, "CLAUDE.md"), "words\n");
        assert_eq!(read(&context, "fusebox.toml"), "# mine\n");
    }
}

#[test]
fn req_004_099_and_d_042_updates_in_place_are_the_agents_right_and_are_what_is_put_back() {
    let Some(context) = precious() else { return };
    let script = "echo work >> a.txt; case $FUSEBOX_ITERATION in \
        1) echo better > CLAUDE.md; echo b > specs/b.md;; 2) rm specs/b.md CLAUDE.md;; esac";
    context
        .supervise(&["--max-iterations", "3"], script)
        .run()
        .expect(47);
    assert_eq!(read(&context, "CLAUDE.md"), "better\n");
    assert_eq!(read(&context, "specs/b.md"), "b\n");
}

#[test]
fn what_a_person_changed_between_runs_is_adopted_and_told() {
    let Some(context) = precious() else { return };
    context
        .supervise(&["--once"], "echo work >> a.txt")
        .run()
        .expect(0);
    fs::remove_file(context.work().join("specs/a.md")).unwrap();
    fs::write(context.work().join("CLAUDE.md"), "mine\n").unwrap();
    let run = context
        .supervise(&["--once"], "echo work >> a.txt")
        .run()
        .expect(0);
    for text in [
        "protected: CLAUDE.md was updated",
        "protected: specs/a.md was removed",
    ] {
        assert!(
            run.err().contains(text),
            "{text:?} is not in:\n{}",
            run.err()
        );
    }
    assert_eq!(read(&context, "CLAUDE.md"), "mine\n");
    assert_eq!(read(&context, "specs/a.md"), "missing");
}

#[test]
fn req_d_041_a_way_of_working_without_the_power_puts_nothing_back_and_says_so() {
    let Some(context) = precious() else { return };
    let options = ["--preset", "cub", "--max-iterations", "2"];
    let run = context
        .supervise(&options, "echo work >> a.txt; rm -f CLAUDE.md")
        .run()
        .expect(45);
    let told = run
        .err()
        .matches("protected: CLAUDE.md was deleted\n")
        .count();
    assert_eq!(told, 1, "{}", run.err());
    assert_eq!(read(&context, "CLAUDE.md"), "missing");
}

#[test]
fn what_the_users_own_commands_lose_is_lost_by_the_agent_who_wrote_them() {
    for option in ["--test", "--build"] {
        let Some(context) = precious() else { return };
        let script = "echo work >> a.txt; echo 'rm -r CLAUDE.md specs' > t.sh";
        let run = context
            .supervise(&[option, "sh t.sh", "--max-iterations", "3"], script)
            .run()
            .expect(47);
        for told in ["CLAUDE.md was deleted; it is back", "specs was deleted"] {
            assert!(run.err().contains(told), "{}", run.err());
        }
        assert_eq!(read(&context, "CLAUDE.md"), "words\n");
        assert_eq!(read(&context, "specs/a.md"), "a\n");
    }
}

#[test]
fn a_users_command_that_turns_on_the_supervision_opens_the_breaker() {
    let Some(context) = precious() else { return };
    let script = "echo work >> a.txt; echo 'kill -9 $PPID; sleep 5' > t.sh";
    let options = ["--test", ". ./t.sh", "--max-iterations", "3"];
    let run = context.supervise(&options, script).run().expect(43);
    run.says("ended the process that keeps it");
    assert_eq!(context.state(), "Open");
}

#[test]
fn what_an_agent_lost_before_its_supervisor_died_comes_back_and_counts() {
    for signal in ["KILL", "USR1", "QUIT"] {
        let Some(context) = precious() else { return };
        let above = "$(awk '/PPid/ {print $2}' /proc/$PPID/status)";
        let script = format!("rm -r CLAUDE.md specs; kill -{signal} {above}; sleep 5");
        context.supervise(&["--once"], &script).run();
        // Whoever asks meanwhile settles the iteration, and looks at no files.
        context.fusebox(&["check"]).run();
        let again = ["--max-iterations", "2"];
        let run = context.supervise(&again, "echo x >> ../count").run();
        let back = read(&context, "CLAUDE.md") + &read(&context, "specs/a.md");
        assert_eq!(back, "words\na\n", "{signal}: {}", run.err());
        assert!(!context.path("count").exists(), "{signal}: {}", run.err());
        assert_eq!(context.state(), "Open", "{signal}");
    }
}

#[test]
fn the_prompt_file_of_a_run_is_protected_while_it_runs() {
    let Some(context) = precious() else { return };
    fs::write(context.work().join("task.md"), "Do it.\n").unwrap();
    let options = ["--prompt-file", "task.md", "--max-iterations", "3"];
    let script = "echo x >> a.txt; rm -f task.md; echo $FUSEBOX_PROTECT > ../protected";
    let run = context.supervise(&options, script).run().expect(47);
    assert!(
        run.err().contains("task.md was deleted; it is back"),
        "{}",
        run.err()
    );
    assert_eq!(read(&context, "task.md"), "Do it.\n");
    // What hooks are told.
    let told = fs::read_to_string(context.path("protected")).unwrap();
    assert_eq!(told, "task.md\n");
    let check = ["guard", "check", "rm task.md"];
    context.fusebox(&check).run().expect(0);
    let call = context.fusebox(&check).env("FUSEBOX_PROTECT", "task.md");
    assert_ne!(call.run().code, 0);
}

/// It lies elsewhere, so nobody keeps it; that is no wrong usage.
#[test]
fn a_prompt_that_is_gone_ends_the_run_and_says_so() {
    let Some(context) = precious() else { return };
    let prompt = context.path("prompt.md");
    fs::write(&prompt, "Do it.\n").unwrap();
    let options = [
        "--prompt-file",
        prompt.to_str().unwrap(),
        "--max-iterations",
        "3",
    ];
    let script = "echo $RANDOM >> a.txt; rm -f ../prompt.md";
    let run = context.supervise(&options, script).run().expect(6);
    assert!(
        run.err().contains("stopped · cannot read the prompt file"),
        "{}",
        run.err()
    );
    assert!(run.err().contains("fusebox run --resume"), "{}", run.err());
}
