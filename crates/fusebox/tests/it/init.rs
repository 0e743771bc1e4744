//! `fusebox init` in the projects that people have.

use std::fs;

use serde_json::Value;

use crate::context::TestContext;

/// Paths, and what the files hold.
type Files = &'static [(&'static str, &'static str)];

/// A project with these files, and no agent but those that are named.
fn project(files: &[(&str, &str)], agents: &[&str]) -> TestContext {
    let context = TestContext::new();
    for (path, text) in files {
        let path = context.work().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    for agent in agents {
        context.script(agent, "#!/bin/sh\nexit 0\n");
    }
    context
}

/// Where programs are looked for: the agents of the test, and what a shell needs.
fn path(context: &TestContext) -> String {
    let bin = context.path("bin");
    format!("{}:/usr/bin:/bin", bin.display())
}

#[track_caller]
fn init(context: &TestContext, args: &[&str]) -> Value {
    let mut words = vec!["init", "--json"];
    words.extend(args);
    let call = context.fusebox(&words).env("PATH", path(context));
    call.run().expect(0).json()
}

#[test]
fn every_kind_of_project_gets_a_file_that_holds_and_a_command_that_fits() {
    let cases: [(&str, Files, &str, &str); 7] = [
        (
            "empty",
            &[],
            "",
            "fusebox run --agent claude --prompt 'do the next open task'",
        ),
        (
            "cargo",
            &[
                ("Cargo.toml", "[package]\nname = \"a\"\n"),
                ("PROMPT.md", "go"),
            ],
            "cargo test",
            "fusebox run --agent claude --prompt-file PROMPT.md --test 'cargo test'",
        ),
        (
            "npm",
            &[("package.json", r#"{"scripts": {"test": "vitest"}}"#)],
            "npm test",
            "fusebox run --agent claude --prompt 'do the next open task' --test 'npm test'",
        ),
        (
            "python",
            &[("tests/test_a.py", "def test_a(): pass\n")],
            "pytest",
            "fusebox run --agent claude --prompt 'do the next open task' --test 'pytest'",
        ),
        (
            "go",
            &[("go.mod", "module a\n")],
            "go test ./...",
            "fusebox run --agent claude --prompt 'do the next open task' --test 'go test ./...'",
        ),
        (
            "tasks",
            &[(
                "prd.json",
                r#"{"userStories": [{"id": "US-1", "title": "one", "passes": false, "priority": 1}]}"#,
            )],
            "",
            "fusebox run --agent claude --tasks",
        ),
        (
            "ralph",
            &[
                (".ralphrc", "MAX_CALLS_PER_HOUR=50\n"),
                (".ralph/PROMPT.md", "go"),
                (".ralph/fix_plan.md", "- [ ] one\n"),
            ],
            "",
            "fusebox run --agent claude --prompt-file .ralph/PROMPT.md --tasks --test 'YOUR TEST COMMAND'",
        ),
    ];
    // Where no agent is known, the command is the person's own, and what was found is in it.
    let own = project(&[("PROMPT.md", "go")], &[]);
    let next = init(&own, &[])["next"].to_string();
    let command = "fusebox run --max-iterations 20 --prompt-file PROMPT.md -- YOUR COMMAND";
    assert!(next.contains(command), "{next}");
    for (name, files, tests, command) in cases {
        let context = project(files, &["claude"]);
        let told = init(&context, &[]);
        assert_eq!(told["agents"][0]["name"], "claude", "{name}: {told}");
        assert_eq!(
            told["tests"][0]["command"].as_str().unwrap_or(""),
            tests,
            "{name}"
        );
        let next = told["next"].to_string();
        assert!(next.contains(command), "{name}: {next}");
        let text = fs::read_to_string(context.work().join("fusebox.toml")).unwrap();
        assert!(text.contains(command), "{name}: {text}");
        assert!(text.contains("threshold = 3"), "{name}: {text}");
        // Our own configuration takes it without a word.
        let shown = context.fusebox(&["config", "show"]).run().expect(0);
        assert_eq!(shown.err(), "", "{name}");
        assert!(
            shown.out().contains("fusebox.toml"),
            "{name}: {}",
            shown.out()
        );
        context.fusebox(&["check"]).run().expect(0);
        // Nobody asked for hooks.
        assert!(!context.work().join(".claude").exists(), "{name}");
    }
}

#[test]
fn a_file_that_is_there_stays_and_print_writes_nothing() {
    let context = project(&[("Cargo.toml", "[package]\n")], &[]);
    let printed = context.fusebox(&["init", "--print"]).run().expect(0);
    assert!(printed.out().contains("[stagnation]"), "{}", printed.out());
    let names: Vec<_> = fs::read_dir(context.work()).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(
        !context.path("state").exists(),
        "nothing is left behind by looking"
    );

    fs::write(context.work().join("fusebox.toml"), "# mine\n").unwrap();
    let refused = context.fusebox(&["init", "--yes"]).run().expect(5);
    assert!(
        refused.err().contains("already exists and was not changed"),
        "{}",
        refused.err()
    );
    let kept = fs::read_to_string(context.work().join("fusebox.toml")).unwrap();
    assert_eq!(kept, "# mine\n");
    fs::remove_file(context.work().join("fusebox.toml")).unwrap();
    std::os::unix::fs::symlink("elsewhere", context.work().join("fusebox.toml")).unwrap();
    context.fusebox(&["init"]).run().expect(5);
    assert!(!context.work().join("elsewhere").exists());
}

#[test]
fn yes_registers_hooks_for_the_agents_that_are_there() {
    let context = project(&[], &["claude", "gemini"]);
    init(&context, &["--yes"]);
    for (file, event) in [
        (".claude/settings.local.json", "PreToolUse"),
        (".gemini/settings.json", "BeforeTool"),
    ] {
        let text = fs::read_to_string(context.work().join(file)).unwrap();
        assert!(text.contains(event), "{file}: {text}");
    }
    assert!(!context.work().join(".codex").exists());
}

#[test]
fn a_companion_is_named_with_the_preset_that_fits_and_nothing_of_it_is_touched() {
    for (files, preset, importable) in [
        (
            &[(".cub/config.json", r#"{"stagnation": {}}"#)][..],
            "cub",
            true,
        ),
        (&[(".liza/state.yaml", "anomalies: []\n")], "liza", true),
        (&[(".prp-session/notes", "")], "prp", false),
        (
            &[("claude-progress.txt", "circuit_breaker_threshold=5\n")],
            "bmad",
            true,
        ),
        (
            &[("memory/learned-patterns.md", "# Learned\n")],
            "superkit",
            false,
        ),
        (&[(".ralphrc", "MAX_CALLS_PER_HOUR=50\n")], "native", true),
    ] {
        let context = project(files, &[]);
        let told = init(&context, &[]);
        assert_eq!(told["companions"][0]["preset"], preset, "{told}");
        assert_eq!(told["companions"][0]["importable"], importable, "{told}");
        let next = told["next"].to_string();
        let import = format!("fusebox --preset {preset} import");
        assert_eq!(next.contains(&import), importable, "{next}");
        for (path, text) in files {
            let kept = fs::read_to_string(context.work().join(path)).unwrap();
            assert_eq!(&kept, text, "{path}");
        }
        // The file holds under that way of working too.
        let shown = context
            .fusebox(&["--preset", preset, "config", "show"])
            .run();
        assert_eq!((shown.code, shown.err().as_str()), (0, ""), "{preset}");
    }
}
