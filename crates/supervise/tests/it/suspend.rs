//! A supervisor that is stopped, and its tree with it.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use fusebox_supervise::Cookie;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::support::{Mark, STAGES, eventually, have, holder, side_by_side};

/// A supervisor of `script` in a process group of its own, as a shell starts
/// it; with `nested`, a supervisor of another one.
fn start(dir: &Path, overall: &str, nested: bool, script: &str) -> Child {
    let mut command = Command::new(STAGES);
    for lock in ["outer.lock", "inner.lock"]
        .iter()
        .take(1 + usize::from(nested))
    {
        if *lock == "inner.lock" {
            command.arg(STAGES);
        }
        command.arg("supervise").arg(dir.join(lock));
        command.arg(Cookie::random().unwrap().as_str());
    }
    command
        .args(["sh", "-c", script])
        .env("TEST_OVERALL", overall)
        .env("TEST_IDLE", "2.8")
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Two who sleep, one of them a daemon, beside `work`.
fn with_sleepers(mark: &Mark, work: &str) -> String {
    let sleep = mark.sleep();
    format!("{sleep} & (setsid env -i {sleep} >/dev/null 2>&1 &)\n{work}")
}

#[test]
fn the_tree_stands_still_with_its_supervisor_and_no_limit_runs() {
    if !have("setsid") {
        return;
    }
    let rows = [
        (Signal::TSTP, false),
        (Signal::STOP, false),
        (Signal::TSTP, true),
    ];
    side_by_side(rows, |(stop, nested)| stand_still_and_go_on(stop, nested));
}

fn stand_still_and_go_on(stop: Signal, nested: bool) {
    let dir = TempDir::new().unwrap();
    let log = dir.path().join("log");
    let mark = Mark::new();
    let work = "i=0; while [ $i -lt 10 ]; do i=$((i+1)); echo $i >>LOG; sleep 0.1; done; exit 0";
    let work = work.replace("LOG", &log.display().to_string());
    let supervisor = start(dir.path(), "3", nested, &with_sleepers(&mark, &work));
    assert!(eventually(|| log.exists() && mark.sleepers() == 2));
    signal(&supervisor, stop);
    assert!(
        eventually(|| mark.stopped() == 2),
        "{stop:?}: the tree runs on"
    );
    sleep(Duration::from_millis(300));
    let before = fs::read_to_string(&log).unwrap();
    // Longer than every limit, and than the keeper's patience on top.
    sleep(Duration::from_millis(5500));
    assert_eq!(mark.stopped(), 2, "{stop:?}");
    assert_eq!(fs::read_to_string(&log).unwrap(), before, "{stop:?}");
    signal(&supervisor, Signal::CONT);
    let output = supervisor.wait_with_output().unwrap();
    let ends = "Exited(0)\n".repeat(1 + usize::from(nested));
    assert_eq!(String::from_utf8_lossy(&output.stdout), ends, "{stop:?}");
    assert_eq!(mark.sleepers(), 0);
}

#[test]
fn a_storm_of_stops_loses_nobody() {
    if !have("setsid") {
        return;
    }
    let dir = TempDir::new().unwrap();
    let log = dir.path().join("log");
    let mark = Mark::new();
    // Starts processes all the time: some are always being born.
    let work = "i=0; while [ $i -lt 60 ]; do i=$((i+1)); (sleep 0.01 &); date >>LOG; done";
    let work = work.replace("LOG", &log.display().to_string());
    let mut supervisor = start(dir.path(), "60", false, &with_sleepers(&mark, &work));
    assert!(eventually(|| log.exists()));
    for round in 0..30 {
        signal(&supervisor, Signal::TSTP);
        sleep(Duration::from_millis(round * 37 % 290));
        signal(&supervisor, Signal::CONT);
        sleep(Duration::from_millis(round * 13 % 60));
        if supervisor.try_wait().unwrap().is_some() {
            break;
        }
    }
    let output = supervisor.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Exited(0)\n");
    assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), 60);
    assert_eq!(mark.sleepers(), 0);
}

#[test]
fn a_supervisor_killed_while_stopped_takes_its_tree_along() {
    if !have("setsid") {
        return;
    }
    let dir = TempDir::new().unwrap();
    let farewell = dir.path().join("farewell");
    let mark = Mark::new();
    let ready = dir.path().join("ready");
    let work = format!(
        "trap 'echo bye >{}; exit' TERM; echo >{}; wait",
        farewell.display(),
        ready.display()
    );
    let mut supervisor = start(dir.path(), "60", false, &with_sleepers(&mark, &work));
    assert!(eventually(|| mark.sleepers() == 2 && ready.exists()));
    signal(&supervisor, Signal::TSTP);
    assert!(eventually(|| mark.stopped() == 2));
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    assert!(eventually(|| mark.sleepers() == 0));
    let was_asked = eventually(|| farewell.exists());
    assert!(was_asked, "it was not asked before it was killed");
}

#[test]
fn who_had_stopped_by_itself_is_not_woken() {
    let dir = TempDir::new().unwrap();
    let (stopped, running) = (Mark::new(), Mark::new());
    let script = format!(
        "{} & sleep 0.1; kill -STOP $!; {}",
        stopped.sleep(),
        running.sleep()
    );
    let mut supervisor = start(dir.path(), "60", false, &script);
    assert!(eventually(
        || stopped.stopped() == 1 && running.sleepers() == 1
    ));
    signal(&supervisor, Signal::TSTP);
    assert!(eventually(|| running.stopped() == 1));
    signal(&supervisor, Signal::CONT);
    assert!(eventually(|| running.stopped() == 0));
    assert_eq!(stopped.stopped(), 1);
    signal(&supervisor, Signal::TERM);
    supervisor.wait().unwrap();
    assert_eq!((stopped.sleepers(), running.sleepers()), (0, 0));
}

#[test]
fn a_sigcont_that_ends_no_stop_buys_no_time() {
    let dir = TempDir::new().unwrap();
    let script =
        "i=0; while [ $i -lt 200 ]; do i=$((i+1)); kill -CONT $SUPERVISOR; sleep 0.05; done";
    let script = format!("SUPERVISOR=$(cut -d' ' -f4 /proc/$PPID/stat); {script}");
    let supervisor = start(dir.path(), "1", false, &script);
    let output = supervisor.wait_with_output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "TimedOut(Overall)\n"
    );
}

/// Nobody saw the tree stand still, and it did not.
#[test]
fn stopping_supervisor_and_keeper_buys_no_time() {
    let stops = [
        "kill -STOP $PPID $SUPERVISOR; sleep 5; kill -CONT $PPID $SUPERVISOR",
        "kill -STOP $PPID $SUPERVISOR; sleep 5; kill -CONT $SUPERVISOR $PPID",
        // The keeper is about to make everyone stand still when it is stopped itself.
        "kill -STOP $SUPERVISOR; kill -STOP $PPID; sleep 5; kill -CONT $SUPERVISOR $PPID",
    ];
    side_by_side(stops, |stop| {
        let dir = TempDir::new().unwrap();
        let script = format!(
            "(while sleep 0.2; do echo busy; done) &
            SUPERVISOR=$(cut -d' ' -f4 /proc/$PPID/stat); {stop}; sleep 5"
        );
        let supervisor = start(dir.path(), "6", false, &script);
        let output = supervisor.wait_with_output().unwrap();
        let shown = String::from_utf8_lossy(&output.stdout);
        assert_eq!(shown.lines().last(), Some("TimedOut(Overall)"), "{stop}");
    });
}

/// A supervisor that is traced and held enforces nothing.
#[test]
fn the_tree_stands_still_while_somebody_holds_its_supervisor_by_tracing_it() {
    let Some(hold) = holder() else { return };
    if !have("setsid") {
        return;
    }
    let dir = TempDir::new().unwrap();
    let ready = dir.path().join("ready");
    let mark = Mark::new();
    let work = format!("echo >{}; wait", ready.display());
    let mut supervisor = start(dir.path(), "60", false, &with_sleepers(&mark, &work));
    assert!(eventually(|| mark.sleepers() == 2 && ready.exists()));
    let mut tracer = Command::new("sh")
        .args(["-c", &format!("exec {hold} {} 1000", supervisor.id())])
        .spawn()
        .unwrap();
    let halted = eventually(|| mark.stopped() == 2);
    tracer.kill().unwrap();
    tracer.wait().unwrap();
    assert!(halted, "the tree runs on");
    assert!(eventually(|| mark.stopped() == 0), "it was not let go");
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    assert!(eventually(|| mark.sleepers() == 0));
}
