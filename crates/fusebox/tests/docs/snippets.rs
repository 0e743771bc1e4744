//! What pages show for people to copy: commands that need an agent, a sign-in or hours.
//!
//! Blocks marked `sh` and `yaml` are executed too, with stand-ins for programs of others. How
//! such a command goes on depends on the agent; that it is understood, finds what the page
//! says it finds and begins its work does not.

use std::thread;

use super::shell::Shell;
use super::{front_pages, page::Page, pages};

/// A run that has begun and is then interrupted, as a person would, has shown enough.
const SECONDS: u32 = 6;

/// Exit codes of a command that did what it is for: done, complete, stopped by the breaker,
/// a pause, a limit, a budget, or interrupted by us.
const WENT: [i32; 7] = [0, 40, 42, 43, 44, 45, 130];

/// Commands that say no here, and why that is right.
const REFUSED: [(&str, i32); 2] = [
    // Only a person at a terminal may, and there is neither.
    ("fusebox reset ", 5),
    ("fusebox top", 6),
];

/// An agent that says what it did and changes nothing; `mcp add` is all else that pages ask of
/// agents.
const AGENT: &str = "[ \"$1\" = mcp ] || echo 'looked around'";

/// It installs, and its tests fail.
const RUNNER: &str =
    "[ \"$1\" = install ] || { echo 'test result: FAILED. 1 passed; 1 failed'; exit 1; }";

/// What a reader's project has, by what the pages say of it.
const PROJECT: [(&str, &str); 7] = [
    ("PROMPT.md", "do the next open item of the plan\n"),
    ("prompt.md", "do the next open item of the plan\n"),
    ("coding_prompt.md", "work on the next feature\n"),
    ("IMPLEMENTATION_PLAN.md", "- [ ] the first item\n"),
    ("app_spec.txt", "a list of things to buy\n"),
    (
        "claude-progress.txt",
        "consecutive_failures=0\ncircuit_breaker_threshold=5\ncircuit_breaker_status=HEALTHY\n",
    ),
    (".liza/state.yaml", "version: 1\nanomalies: []\n"),
];

fn reader() -> Shell {
    let shell = Shell::new();
    for agent in ["claude", "codex", "gemini", "ralph"] {
        shell.stand_in(agent, AGENT);
    }
    for runner in ["cargo", "npm"] {
        shell.stand_in(runner, RUNNER);
    }
    for (path, text) in PROJECT {
        shell.put(path, text);
    }
    shell.run("git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm one");
    shell
}

/// The commands of a block: a line each, those that go on behind a backslash as one. In a list
/// of replacements it is what stands behind the arrow.
fn commands(block: &str) -> Vec<String> {
    let joined = block.replace("\\\n", " ");
    let lines = joined.lines().map(|line| {
        let (_, ours) = line.rsplit_once("->").unwrap_or(("", line));
        ours.trim().to_owned()
    });
    lines.filter(|line| !line.is_empty()).collect()
}

/// The command of a step in CI, whose lines YAML folds into one.
fn step(block: &str) -> Option<String> {
    let (_, folded) = block.split_once("- run: >")?;
    let (command, _) = folded.split_once("  env:")?;
    Some(command.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Executes what a page shows; tells how many commands that were, and what went wrong.
fn execute(page: &Page) -> (usize, Vec<String>) {
    let mut shown: Vec<String> = Vec::new();
    for block in page.blocks("sh") {
        shown.extend(commands(&block));
    }
    shown.extend(page.blocks("yaml").iter().filter_map(|block| step(block)));
    let mut wrong = Vec::new();
    if shown.is_empty() {
        return (0, wrong);
    }
    let shell = reader();
    for example in page.examples() {
        shell.run(&example.command);
    }
    // What is to be copied is for a project of the reader's own.
    shell.go_back();
    for command in &shown {
        let script = command.replace('\'', "'\\''");
        let limited = format!("timeout --foreground -s INT {SECONDS} bash -c '{script}'");
        let given = shell.run(&limited);
        let mut refused = REFUSED.iter();
        let right = match refused.find(|(begin, _)| command.starts_with(begin)) {
            Some((_, code)) => given.code == *code,
            // What `timeout` interrupted ends with its own code.
            None => WENT.contains(&given.code) || given.code == 124,
        };
        if !right {
            wrong.push(format!(
                "{}: `{command}` ended with {} and printed\n{}",
                page.path.display(),
                given.code,
                given.output
            ));
        }
    }
    (shown.len(), wrong)
}

#[test]
fn what_pages_show_for_people_to_copy_can_be_copied() {
    let pages = pages().into_iter().chain(front_pages());
    // Most of the time is waited: a thread for each page.
    let tried: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = pages
            .map(|page| scope.spawn(move || execute(&page)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let executed: usize = tried.iter().map(|(shown, _)| shown).sum();
    let wrong: Vec<_> = tried.into_iter().flat_map(|(_, wrong)| wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(executed >= 30, "only {executed} commands were found");
}

#[test]
fn configuration_that_is_shown_holds() {
    let mut tried = 0;
    for page in pages().into_iter().chain(front_pages()) {
        for block in page.blocks("toml") {
            let shell = Shell::new();
            shell.put("shown.toml", &block);
            let given = shell.run("fusebox -q --config shown.toml config show");
            assert_eq!(given.code, 0, "{}: {}", page.path.display(), given.output);
            tried += 1;
        }
    }
    assert!(tried >= 2, "only {tried} files were found");
}

#[test]
fn commands_are_taken_apart_as_people_read_them() {
    assert_eq!(
        commands("one \\\n    --two\n\nthree\n"),
        ["one      --two", "three"]
    );
    assert_eq!(commands("old -x   ->  new -y\n"), ["new -y"]);
    let block = "- run: >\n    a b\n    --c\n  env:\n    D: e\n";
    assert_eq!(step(block).as_deref(), Some("a b --c"));
}
