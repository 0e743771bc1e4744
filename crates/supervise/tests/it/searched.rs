//! Trees on a system that hands orphans to its first process, tried on one that
//! could do better: the keeper adopts nobody and has to search.
//!
//! Whoever kills this process's children by kinship must not be this process, so
//! it is no subreaper here either, and orphans leave for wherever it was started.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use fusebox_supervise::{
    Cookie, FirstSignal, LeaderEnd, RunLock, Signals, Step, StepEnd, StepObserver, StepReport,
    StopCause, Supervisor, Wish,
};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::support::{
    AGES, Collect, Mark, STAGES, StopWhenReady, eventually, have, shell, side_by_side,
};

/// The executable under the name by which it searches, for as long as this lives.
struct Searching {
    _dir: TempDir,
    program: PathBuf,
}

impl Searching {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let program = dir.path().join("searching");
        symlink(STAGES, &program).unwrap();
        Self { _dir: dir, program }
    }

    fn run(&self, step: &Step, observer: &mut dyn StepObserver) -> StepReport {
        let supervisor = Supervisor::with_stages_from(&self.program).searching_for_orphans();
        let ran = supervisor.run(step, observer, &mut Signals::none());
        ran.unwrap()
    }
}

/// Without this a keeper that adopts would pass every test in here.
#[test]
fn orphans_do_leave_the_keeper() {
    let script = "keeper=$PPID; (sh -c 'sleep 0.3; cut -d\" \" -f4 /proc/$$/stat' &); sleep 0.6
        echo $keeper";
    let mut seen = Collect::default();
    Searching::new().run(&shell(script), &mut seen);
    let seen = String::from_utf8(seen.stdout).unwrap();
    let lines: Vec<&str> = seen.lines().collect();
    assert_eq!(lines.len(), 2, "{seen}");
    assert_ne!(lines[0], lines[1], "the keeper adopted it");
}

#[test]
fn what_is_left_in_the_background_ends_with_the_leader() {
    if !have("setsid") {
        return;
    }
    let searching = Searching::new();
    let daemons = [
        // Known by the session.
        "SLEEP &",
        "(SLEEP &)",
        "(env -i SLEEP >/dev/null 2>&1 &)",
        "SLEEP & sleep 0.1; kill -STOP $!",
        // Known by the cookie.
        "(setsid SLEEP </dev/null >/dev/null 2>&1 &)",
        // Known because it was seen in time, with those below it.
        "(setsid env -i sh -c 'SLEEP & sleep 1000' >/dev/null 2>&1 & sleep 0.3)",
        "(setsid env -i sh -c 'sleep 0.3; (SLEEP &)' >/dev/null 2>&1 & sleep 0.2)
            sleep 0.3",
    ];
    side_by_side(daemons, |daemon| {
        let mark = Mark::new();
        let script = format!("{daemon}\nsleep 0.1; exit 4").replace("SLEEP", &mark.sleep());
        let began = Instant::now();
        let report = searching.run(&shell(&script), &mut Collect::default());
        assert_eq!(report.end, StepEnd::Exited(4), "{daemon}");
        assert!(report.stragglers >= 1, "{daemon}: {report:?}");
        assert_eq!(mark.sleepers(), 0, "{daemon}");
        assert_eq!(report.escaped, [], "{daemon}");
        assert!(began.elapsed() < AGES, "{daemon}");
    });
}

#[test]
fn the_ladder_reaches_orphans_and_is_over_when_they_are() {
    let searching = Searching::new();
    let mark = Mark::new();
    // The orphan does what it is asked to, after the leader has.
    let script = format!(
        "(sh -c 'trap \"exit 0\" TERM; trap \"\" INT; while :; do sleep 0.05; done; {}' &)
        trap 'exit 5' INT; echo ready; while :; do sleep 0.05; done",
        mark.sleep()
    );
    let mut step = shell(&script);
    step.first_signal = FirstSignal::Interrupt;
    step.limits.grace = AGES;
    let began = Instant::now();
    let report = searching.run(&step, &mut StopWhenReady::with(&[Wish::Stop]));
    let stopped = StepEnd::Stopped {
        by: StopCause::Observer,
    };
    assert_eq!(
        (report.end, report.leader, report.killed),
        (stopped, Some(LeaderEnd::Exited(5)), 0),
        "{report:?}"
    );
    assert_eq!(mark.sleepers(), 0);
    assert!(began.elapsed() < AGES, "it waited for nobody");
}

#[test]
fn a_step_with_nothing_left_behind_is_over_at_once() {
    let searching = Searching::new();
    let report = searching.run(&shell("exit 3"), &mut Collect::default());
    assert_eq!((report.end, report.stragglers), (StepEnd::Exited(3), 0));
    assert_eq!(report.killed, 0);
}

#[test]
fn a_keeper_that_is_killed_leaves_nobody_behind() {
    if !have("setsid") {
        return;
    }
    let searching = Searching::new();
    let mark = Mark::new();
    let sleep = mark.sleep();
    let script = format!(
        "(setsid env -i {sleep} >/dev/null 2>&1 & sleep 0.3); (env -i {sleep} &)
        sleep 0.3; kill -9 $PPID; {sleep}"
    );
    let report = searching.run(&shell(&script), &mut Collect::default());
    assert_eq!(report.end, StepEnd::KeeperLost);
    assert_eq!((mark.sleepers(), report.escaped.len()), (0, 0));
}

#[test]
fn a_supervisor_that_is_killed_takes_its_tree_along() {
    let searching = Searching::new();
    let dir = TempDir::new().unwrap();
    let lock = dir.path().join("run.lock");
    let mark = Mark::new();
    let mut supervisor = supervise(&searching.program, &lock, &mark);
    assert!(eventually(|| mark.sleepers() == 2));
    kill_process(Pid::from_child(&supervisor), Signal::KILL).unwrap();
    supervisor.wait().unwrap();
    assert!(eventually(|| RunLock::take(&lock).is_ok()));
    assert_eq!(mark.sleepers(), 0, "unlocked before the tree was gone");
}

fn supervise(program: &Path, lock: &Path, mark: &Mark) -> std::process::Child {
    let script = "trap '' INT TERM HUP; (env -i SLEEP &); SLEEP".replace("SLEEP", &mark.sleep());
    Command::new(program)
        .arg("supervise")
        .arg(lock)
        .arg(Cookie::random().unwrap().as_str())
        .args(["sh", "-c", &script])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}
