//! The terminal is left as it was, whoever is killed.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

use crate::call::wait_for;
use crate::context::TestContext;
use crate::terminal::Terminal;

/// The first child of a process.
fn child_of(pid: i32) -> i32 {
    let path = format!("/proc/{pid}/task/{pid}/children");
    let mut child = None;
    wait_for("a child", || {
        let children = fs::read_to_string(&path).unwrap_or_default();
        child = children
            .split_whitespace()
            .next()
            .and_then(|pid| pid.parse().ok());
        child.is_some()
    });
    child.unwrap()
}

#[test]
fn the_terminal_is_left_as_it_was_whoever_is_killed() {
    for (who, signal, code) in [
        ("nobody", None, 0),
        ("guardian", Some(Signal::TERM), 143),
        ("guardian", Some(Signal::KILL), 137),
        ("drawer", Some(Signal::TERM), 143),
        ("drawer", Some(Signal::KILL), 137),
        ("drawer", Some(Signal::ABORT), 134),
    ] {
        let context = TestContext::new();
        let script = "echo here before; stty -g > ../before\n$FUSEBOX top\ncode=$?\n\
            sleep 0.3; stty -g > ../after; (exit $code)";
        let Some(terminal) = Terminal::open_sized(&context, script, (80, 24)) else {
            return;
        };
        terminal.wait_for("No loop has a memory here yet");
        assert_eq!(terminal.variable("alternate_on"), "1");
        let shell: i32 = terminal.variable("pane_pid").parse().unwrap();
        let guardian = child_of(shell);
        let victim = match who {
            "guardian" => guardian,
            _ => child_of(guardian),
        };
        match signal {
            None => terminal.press("q"),
            Some(signal) => kill_process(Pid::from_raw(victim).unwrap(), signal).unwrap(),
        }
        let screen = terminal.wait_for(&format!("[exit {code}]"));
        let case = format!("{who} {signal:?}: {screen}");
        assert!(screen.contains("here before"), "{case}");
        assert_eq!(terminal.variable("alternate_on"), "0", "{case}");
        assert_eq!(terminal.variable("cursor_flag"), "1", "{case}");
        let modes = |name: &str| fs::read_to_string(context.path(name)).unwrap();
        assert_eq!(modes("before"), modes("after"), "{case}");
    }
}

/// Processor time that a process has used, in the system's ticks.
fn ticks(pid: i32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[test]
fn nothing_is_left_when_the_terminal_is_gone_and_waiting_costs_nothing() {
    let contexts: Vec<TestContext> = (0..4).map(|_| TestContext::new()).collect();
    // With a shell in front of it, and with none that could pass a signal on.
    for (index, context) in contexts.iter().enumerate() {
        let script = ["$FUSEBOX top", "exec $FUSEBOX top"][index % 2];
        let Some(terminal) = Terminal::open_sized(context, script, (80, 24)) else {
            return;
        };
        terminal.wait_for("No loop has a memory here yet");
        let pane: i32 = terminal.variable("pane_pid").parse().unwrap();
        let guardian = if index % 2 == 0 { child_of(pane) } else { pane };
        let drawer = child_of(guardian);
        let before = ticks(guardian);
        std::thread::sleep(std::time::Duration::from_secs(1));
        assert_eq!(ticks(guardian), before, "the guardian sleeps");
        terminal.hang_up();
        for pid in [guardian, drawer] {
            wait_for("both processes to end", || {
                let state = fs::read_to_string(format!("/proc/{pid}/stat"));
                state.map_or(true, |stat| stat.contains(") Z "))
            });
        }
    }
}

#[test]
fn a_terminal_that_cannot_draw_is_told_so_and_left_alone() {
    let context = TestContext::new();
    let script = "TERM=dumb $FUSEBOX top; echo \"[dumb $?]\"; env -u TERM $FUSEBOX top";
    let Some(terminal) = Terminal::open_sized(&context, script, (80, 24)) else {
        return;
    };
    let screen = terminal.wait_for("[exit 6]");
    assert!(screen.contains("[dumb 6]"), "{screen}");
    assert_eq!(screen.matches("cannot draw").count(), 2, "{screen}");
}
