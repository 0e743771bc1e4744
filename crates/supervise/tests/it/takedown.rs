//! Trees that do not want to end.

use std::fs;
use std::time::{Duration, Instant};

use fusebox_supervise::{FirstSignal, LeaderEnd, StepEnd, StopCause, Wish};

use crate::support::{AGES, Mark, StopWhenReady, have, run, run_and_collect, shell, side_by_side};

const STOPPED: StepEnd = StepEnd::Stopped {
    by: StopCause::Observer,
};

#[test]
fn the_ladder_ends_polite_and_rude_alike() {
    let rows = [
        (
            "trap 'exit 5' INT; echo ready; while :; do sleep 0.05; done",
            LeaderEnd::Exited(5),
            false,
        ),
        (
            "trap '' INT; trap 'exit 6' TERM; echo ready; while :; do sleep 0.05; done",
            LeaderEnd::Exited(6),
            false,
        ),
        (
            "trap '' INT TERM; echo ready; SLEEP",
            LeaderEnd::Signaled(9),
            true,
        ),
        (
            "trap '' INT TERM; (SLEEP) & echo ready; SLEEP",
            LeaderEnd::Signaled(9),
            true,
        ),
        (
            "(sleep 0.3; echo ready) & kill -STOP $$; SLEEP",
            LeaderEnd::Signaled(9),
            true,
        ),
    ];
    side_by_side(rows, |(script, leader, killed)| {
        let mark = Mark::new();
        let mut step = shell(&script.replace("SLEEP", &mark.sleep()));
        step.first_signal = FirstSignal::Interrupt;
        let mut observer = StopWhenReady::with(&[Wish::Stop]);
        let report = run(&step, &mut observer);
        assert_eq!(
            (report.end, report.leader),
            (STOPPED, Some(leader)),
            "{script}"
        );
        assert_eq!(report.killed > 0, killed, "{script}: {report:?}");
        assert_eq!(mark.sleepers(), 0, "{script}");
    });
}

#[test]
fn a_second_request_does_not_wait_for_the_first() {
    let mark = Mark::new();
    let mut step = shell(&format!("trap '' TERM; echo ready; {}", mark.sleep()));
    step.limits.grace = Duration::from_secs(600);
    let began = Instant::now();
    let report = run(&step, &mut StopWhenReady::with(&[Wish::Stop, Wish::Kill]));
    assert_eq!(report.end, STOPPED);
    assert!(began.elapsed() < AGES);
    assert_eq!(mark.sleepers(), 0);
}

#[test]
fn what_daemonised_ends_with_the_leader() {
    if !have("setsid") {
        return;
    }
    let daemons = [
        "SLEEP &",
        "(SLEEP &)",
        "(setsid SLEEP &)",
        "SLEEP & sleep 0.1; kill -STOP $!",
        "(setsid SLEEP & sleep 0.1; kill -STOP $!)",
        "(setsid SLEEP </dev/null >/dev/null 2>&1 &)",
        "(setsid env -i SLEEP </dev/null >/dev/null 2>&1 &)",
        "(setsid sh -c 'trap \"\" TERM HUP; (SLEEP &) ; SLEEP' >/dev/null 2>&1 &)",
    ];
    side_by_side(daemons, |daemon| {
        let mark = Mark::new();
        let script = format!("{daemon}\nsleep 0.1; exit 4").replace("SLEEP", &mark.sleep());
        let began = Instant::now();
        let (report, _) = run_and_collect(&shell(&script));
        assert_eq!(report.end, StepEnd::Exited(4), "{daemon}");
        assert!(report.stragglers >= 1, "{daemon}: {report:?}");
        assert_eq!(mark.sleepers(), 0, "{daemon}");
        assert!(began.elapsed() < AGES, "{daemon}");
    });
}

#[test]
fn of_a_thousand_daemons_none_survives() {
    if !have("setsid") {
        return;
    }
    let mark = Mark::new();
    let daemon = format!("(setsid {} </dev/null >/dev/null 2>&1 &)", mark.sleep());
    let script = format!("i=0; while [ $i -lt 1000 ]; do i=$((i+1)); {daemon}; done");
    let began = Instant::now();
    let (report, _) = run_and_collect(&shell(&script));
    println!(
        "1000 daemons: {} stragglers, {:?}",
        report.stragglers,
        began.elapsed()
    );
    assert_eq!(report.end, StepEnd::Exited(0));
    assert!(report.stragglers >= 900, "{report:?}");
    assert_eq!((mark.sleepers(), report.escaped.len()), (0, 0));
}

#[test]
fn no_zombies_gather() {
    let script = "i=0; while [ $i -lt 300 ]; do i=$((i+1)); (: &); done; sleep 0.5; n=0
        for s in /proc/[0-9]*/stat; do
            read -r line <$s && case $line in *') Z '$PPID' '*) n=$((n+1));; esac
        done 2>/dev/null; echo zombies: $n";
    let (_, output) = run_and_collect(&shell(script));
    assert_eq!(output, "zombies: 0\n");
}

#[test]
fn the_keeper_stands_apart() {
    let script = "sleep 0.3; echo $PPID; cut -d' ' -f5 /proc/$PPID/stat
        readlink /proc/$PPID/fd/0 /proc/$PPID/fd/1 /proc/$PPID/fd/2";
    let (_, output) = run_and_collect(&shell(script));
    let lines: Vec<_> = output.lines().collect();
    assert_eq!(lines[0], lines[1], "it is in somebody's process group");
    assert_eq!(
        lines[2..],
        ["/dev/null"; 3],
        "it holds the command's streams"
    );
}

#[test]
fn the_keeper_survives_what_can_be_survived() {
    let script = "for s in HUP INT QUIT TERM USR1 USR2 ALRM PIPE; do kill -$s $PPID; done; exit 7";
    let (report, _) = run_and_collect(&shell(script));
    assert_eq!(report.end, StepEnd::Exited(7));
}

#[test]
fn a_control_group_is_used_where_there_can_be_one() {
    let step = shell("cat /proc/self/cgroup");
    let (_, output) = run_and_collect(&step);
    let name = format!("fusebox-{}", step.cookie);
    let Some(group) = output.lines().find_map(|line| line.strip_prefix("0::")) else {
        return eprintln!("SKIPPED: no version 2 control groups here");
    };
    if !group.contains(&name) {
        return eprintln!("SKIPPED: no control group may be made here");
    }
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let mut mounts = mounts.lines().filter(|line| line.contains(" cgroup2 "));
    let mount = mounts.next().unwrap().split(' ').nth(1).unwrap();
    assert!(
        !fs::exists(format!("{mount}{group}")).unwrap(),
        "{group} was left behind"
    );
}
