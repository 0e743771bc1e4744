//! An agent that turns on its supervisor: traps, escapes, floods.

use std::fs;
use std::process::Command;

use crate::context::TestContext;
use crate::terminal::Terminal;

/// Settings by which git would run a program of the repository's choice.
const TRAPS: &str = "[core]
    fsmonitor = CANARY
    hooksPath = HOOKS
    pager = CANARY
    sshCommand = CANARY
    editor = CANARY
    gitProxy = CANARY
[diff]
    external = CANARY
[diff \"trap\"]
    command = CANARY
    textconv = CANARY
[filter \"trap\"]
    clean = CANARY
    smudge = CANARY
    process = CANARY
    required = true
[merge \"trap\"]
    driver = CANARY
[gpg]
    program = CANARY
[alias]
    add = !CANARY
    status = !CANARY
";

/// Sets the traps in its repository, in a nested one and in the user's own
/// configuration, puts a `git` of its own into the way, and does some work.
const SET_TRAPS: &str = "
    cp -r ../hooks/. .git/hooks/
    cat ../traps >> .git/config
    echo '* filter=trap diff=trap merge=trap' > .gitattributes
    mkdir -p inner/.git
    test -e inner/.git/HEAD || cp -r .git/. inner/.git/
    cp ../traps \"$HOME/.gitconfig\"
    mkdir -p \"$XDG_CONFIG_HOME/git\" && cp ../traps \"$XDG_CONFIG_HOME/git/config\"
    cp ../bin/canary git
    echo $FUSEBOX_ITERATION | tee -a a.txt > inner/b.txt\n";

/// Sets them in the supervisor's own repository as well.
const SET_TRAPS_IN_SHADOW: &str = "
    find \"$XDG_STATE_HOME\" -name config | while read -r file; do cat ../traps >> \"$file\"; done
    find \"$XDG_STATE_HOME\" -name hooks -type d | while read -r dir; do cp ../hooks/* \"$dir\"; done";

/// A repository and everything that is needed to set the traps.
fn trapped() -> Option<TestContext> {
    let context = TestContext::with_repository()?;
    let sing = "#!/bin/sh\necho \"$0 $*\" >> \"${0%/*}/sang\"\ncat\n";
    let canary = context.script("canary", sing);
    let hooks = context.path("hooks");
    fs::create_dir(&hooks).unwrap();
    for hook in ["post-index-change", "pre-commit", "reference-transaction"] {
        fs::copy(&canary, hooks.join(hook)).unwrap();
    }
    let traps = TRAPS
        .replace("CANARY", canary.to_str().unwrap())
        .replace("HOOKS", hooks.to_str().unwrap());
    fs::write(context.path("traps"), traps).unwrap();
    Some(context)
}

#[test]
fn nothing_of_the_repository_is_executed() {
    let with_shadow = format!("{SET_TRAPS}{SET_TRAPS_IN_SHADOW}");
    // A shadow that was touched is not believed: what changed is unknown.
    for (script, code, with_progress) in [(SET_TRAPS, 45, 3), (&with_shadow, 43, 0)] {
        let Some(context) = trapped() else {
            return;
        };
        let path = format!(".:{}", std::env::var("PATH").unwrap());
        let run = context
            .supervise(&["--json", "--max-iterations", "3"], script)
            .env("PATH", path)
            .run()
            .expect(code);
        for singer in [
            "bin/sang",
            "hooks/sang",
            "work/sang",
            "work/.git/hooks/sang",
        ] {
            let song = fs::read_to_string(context.path(singer)).unwrap_or_default();
            assert_eq!(song, "", "{singer}: {}", run.err());
        }
        assert_eq!(
            run.json_lines()[3]["with_progress"],
            with_progress,
            "{}",
            run.err()
        );
        // The traps do work: git itself walks into them.
        let git = Command::new("git")
            .current_dir(context.work())
            .arg("diff")
            .env_clear()
            .envs(context.environment())
            .output();
        assert!(
            git.is_ok() && context.path("bin/sang").exists(),
            "the traps are none"
        );
    }
    let traps = TRAPS.matches("CANARY").count();
    println!("proof: attacks {} traps in settings of git", 2 * traps);
}

#[test]
fn req_x_009_an_agent_that_kills_its_keeper_is_stopped() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script =
        "echo x >> ../count; setsid sleep 471.11 & echo x >> a.txt; kill -9 $PPID; sleep 471.11";
    context
        .supervise(&["--max-iterations", "5"], script)
        .run()
        .expect(43)
        .says("The agent ended the process that keeps it");
    assert_eq!(fs::read_to_string(context.path("count")).unwrap(), "x\n");
    assert_eq!(running("471.11"), [0; 0]);
    let answer = context
        .fusebox(&["check", "--json"])
        .run()
        .expect(42)
        .json();
    assert_eq!(answer["release"], "person");
}

#[test]
fn daemons_without_a_trace_are_ended_too() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "
        for i in 1 2 3 4 5 6 7 8; do
            env -i \"$(command -v setsid)\" -f \"$(command -v sleep)\" 472.22 < /dev/null > /dev/null 2>&1
            (cd /; exec env -u FUSEBOX_COOKIE sleep 472.22) &
        done";
    context.supervise(&["--once"], script).run().expect(0);
    assert_eq!(running("472.22"), [0; 0]);
}

/// The processes that were started with this argument.
fn running(argument: &str) -> Vec<u32> {
    let named = |pid: &u32| {
        fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|words| {
            words
                .split(|byte| *byte == 0)
                .any(|word| word == argument.as_bytes())
        })
    };
    let entries = fs::read_dir("/proc").unwrap();
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(named)
        .collect()
}

#[test]
fn output_without_end_needs_little_memory() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "head -c 200000000 /dev/zero | tr '\\0' x; grep VmHWM /proc/$(awk '/PPid/ {print $2}' /proc/$PPID/status)/status > ../peak";
    context
        .supervise(&["--once"], script)
        .no_stdout()
        .run()
        .expect(0);
    let peak = fs::read_to_string(context.path("peak")).unwrap();
    let peak: u64 = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(peak < 64 * 1024, "it took {peak} kB");
    let kept = context
        .memory()
        .into_iter()
        .find_map(|(path, bytes)| path.ends_with("output").then_some(bytes.len()))
        .unwrap();
    assert!((1 << 10..2 << 20).contains(&kept), "{kept} bytes were kept");
}

/// Raw for a program that reads, harmless for a person who looks.
#[test]
fn escape_codes_are_passed_on_to_programs_and_not_to_terminals() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let print = r"printf 'shown\n\033]0;owned\007\033[2J\033[H\033[8mhidden\033[31m red\n'";
    let run = context.supervise(&["--once"], print).run().expect(0);
    assert_eq!(
        run.out(),
        "shown\n\u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[H\u{1b}[8mhidden\u{1b}[31m red\n"
    );
    fs::write(context.path("print"), print).unwrap();
    let Some(terminal) = Terminal::open(&context, "\"$FUSEBOX\" run --once -- sh ../print") else {
        return;
    };
    let screen = terminal.wait_for("[exit 0]");
    let shown = screen.find("shown").unwrap();
    let hidden = screen.find("hidden").unwrap();
    assert!(shown < hidden, "the screen was cleared:\n{screen}");
    assert_ne!(terminal.title(), "owned");
}

#[test]
fn why_the_work_tree_is_unmeasured_after_an_iteration_is_said() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "echo x >> a.txt
        find \"$XDG_STATE_HOME\" -path '*shadow*' -name config |
        while read -r file; do echo '[x]' >> \"$file\"; done";
    context
        .supervise(&["--once"], script)
        .run()
        .says("the work tree cannot be measured: ")
        .says("what changed is unknown");
}
