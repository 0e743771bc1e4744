//! A run that is asked to end, by whatever means.

use std::fs;

use rustix::process::Signal;

use crate::call::wait_for;
use crate::context::{TestContext, nobody_can_play_a_person};
use crate::terminal::Terminal;

/// Whether a process is there and not merely waiting to be collected.
fn alive(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap().starts_with(" Z"))
}

/// A tree of four, one of them a daemon, one of them deaf; it notes their ids.
const TREE: &str = "
    sleep 100 & echo $! > ../pids
    setsid sh -c 'echo $$ >> ../pids; exec sleep 100' &
    sh -c 'trap \"\" TERM INT HUP; echo $$ >> ../pids; while :; do sleep 1; done' &
    while [ $(wc -l < ../pids) -lt 3 ]; do sleep 0.01; done
    echo $$ >> ../pids; echo begun >&2; wait";

fn survivors(context: &TestContext) -> Vec<String> {
    let pids = fs::read_to_string(context.path("pids")).unwrap();
    assert_eq!(pids.lines().count(), 4);
    pids.lines()
        .filter(|pid| alive(pid))
        .map(str::to_owned)
        .collect()
}

#[test]
fn an_interrupted_run_takes_the_agent_along_and_saves_its_state() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 143)] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let mut run = context.supervise(&["--json"], TREE).start();
        run.wait_to_say("begun");
        run.signal(signal);
        let run = run.finish().expect(code);
        assert_eq!(survivors(&context), [""; 0], "{signal:?}");
        let end = run.json_lines().pop().unwrap();
        assert_eq!(
            (&end["reason"], &end["exit_code"]),
            (&"interrupted".into(), &code.into())
        );
        // It is in the log, and it counts neither way.
        let rows = context
            .fusebox(&["history", "--json", "--kind", "reported"])
            .run()
            .expect(0)
            .json_lines();
        assert_eq!(rows.len(), 1, "{rows:?}");
        let status = context
            .fusebox(&["status", "--json"])
            .run()
            .expect(0)
            .json();
        assert_eq!(status["signals"][0]["value"], 0, "{signal:?}");
    }
}

#[test]
fn a_killed_supervisor_leaves_no_agent_behind() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let mut run = context.supervise(&[], TREE).start();
    run.wait_to_say("begun");
    run.signal(Signal::KILL);
    run.finish().expect(-9);
    wait_for("the end of the tree", || survivors(&context).is_empty());
    // The keeper lets go last. What was granted and never reported gained
    // nothing.
    wait_for("the next run", || {
        match context.supervise(&["--once"], "true").run() {
            refused if refused.code == 5 => false,
            run => run.expect(0).code == 0,
        }
    });
    let status = context
        .fusebox(&["status", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(status["signals"][0]["value"], 2);
}

#[test]
fn children_that_outlive_the_command_are_ended_with_the_iteration() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = TREE.replace("wait", "exit 0");
    let run = context
        .supervise(&["--json", "--once"], &script)
        .run()
        .expect(0);
    assert_eq!(survivors(&context), [""; 0]);
    assert!(run.json_lines()[0]["processes_killed"].as_u64().unwrap() >= 1);
}

/// Everything the menu offers, as a person would try it.
#[test]
fn req_x_008_a_person_at_the_terminal_is_asked() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "\"$FUSEBOX\" run -- sh -c 'echo x >> ../count'";
    let Some(terminal) = Terminal::open(&context, script) else {
        return;
    };
    let iterations = || {
        fs::read_to_string(context.path("count"))
            .unwrap()
            .lines()
            .count()
    };
    terminal.wait_for("Choice:");
    let screen = terminal.screen();
    for line in [
        "[STAGNATION DETECTED] No progress for 3 iterations",
        "Options:",
        "[c] Continue (reset counter)",
        "[a] Abort run",
        "[h] Get help (show context)",
        "[w] Wait for the cooldown, then probe",
    ] {
        assert!(screen.contains(line), "no {line:?} in\n{screen}");
    }
    // There is neither a task nor another model. Whoever asks all the same is told so.
    for line in ["[s]", "[r]"] {
        assert!(!screen.contains(line), "{line:?} in\n{screen}");
    }
    assert_eq!(iterations(), 3);
    // What is typed before the question stands there is forgotten.
    let asked = || {
        wait_for("the question", || {
            terminal.screen().trim_end().ends_with("Choice:")
        });
    };
    terminal.enter("h");
    terminal.wait_for("signals at the last iteration");
    for (typed, said) in [
        ("nonsense", "invalid choice"),
        ("s", "no task is being worked on"),
        ("r", "no other model"),
    ] {
        asked();
        terminal.enter(typed);
        terminal.wait_for(said);
    }
    asked();
    assert_eq!(iterations(), 3);
    if !nobody_can_play_a_person() {
        terminal.enter("c");
        wait_for("three more iterations", || iterations() == 6);
        asked();
    }
    terminal.enter("a");
    terminal.wait_for("[exit 42]");
}

#[test]
fn a_person_may_choose_to_wait_and_then_to_leave() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let Some(terminal) = Terminal::open(&context, "\"$FUSEBOX\" run -- true") else {
        return;
    };
    terminal.wait_for("Choice:");
    terminal.enter("w");
    terminal.wait_for("waiting · ");
    terminal.press("C-c");
    terminal.wait_for("[exit 130]");
    assert_eq!(context.state(), "Open");
}

/// The end of input and a signal end the question; neither is a release.
#[test]
fn leaving_the_menu_leaves_the_breaker_open() {
    for (key, code) in [("C-d", 42), ("C-c", 130)] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let Some(terminal) = Terminal::open(&context, "\"$FUSEBOX\" run -- true") else {
            return;
        };
        terminal.wait_for("Choice:");
        terminal.press(key);
        terminal.wait_for(&format!("[exit {code}]"));
        assert_eq!(context.state(), "Open", "after {key}");
    }
}
