//! When supervisor, keeper or both are lost.

use std::io::{BufRead, BufReader};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fusebox_supervise::{Cookie, KEEPER_WORD, RunLock, StepEnd, find_orphans, sweep};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::support::{AGES, Mark, STAGES, eventually, have, holder, run_and_collect, shell};

/// Held by tests whose trees may fall to this process: what one of them is
/// about to kill might otherwise be what another one is looking for.
static ADOPTION: Mutex<()> = Mutex::new(());

fn adopt_alone() -> MutexGuard<'static, ()> {
    ADOPTION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A supervisor in a process of its own, running `script`.
fn supervise(lock: &Path, cookie: &Cookie, script: &str) -> Command {
    let mut command = Command::new(STAGES);
    command
        .arg("supervise")
        .arg(lock)
        .arg(cookie.as_str())
        .args(["sh", "-c", script]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

fn stubborn(mark: &Mark) -> String {
    let sleep = mark.sleep();
    format!(
        "trap '' INT TERM HUP; (setsid env -i {sleep} >/dev/null 2>&1 &); {sleep} & echo ready; wait; {sleep}"
    )
}

#[test]
fn a_supervisor_killed_at_any_moment_takes_its_tree_along() {
    if !have("setsid") {
        return;
    }
    let dir = TempDir::new().unwrap();
    let lock = dir.path().join("run.lock");
    let mut worst = Duration::ZERO;
    let mut marks = Vec::new();
    for round in 0..20 {
        let mark = Mark::new();
        let cookie = Cookie::random().unwrap();
        let mut script = stubborn(&mark);
        if round % 4 != 0 {
            script = script.replace("trap '' INT TERM HUP;", "");
        }
        let mut supervisor = supervise(&lock, &cookie, &script).spawn().unwrap();
        // From "not even a keeper yet" to "everything has been running".
        std::thread::sleep(Duration::from_millis(round * round));
        supervisor.kill().unwrap();
        supervisor.wait().unwrap();
        let killed = Instant::now();
        assert!(
            eventually(|| RunLock::take(&lock).is_ok()),
            "round {round}: still locked"
        );
        worst = worst.max(killed.elapsed());
        assert_eq!(
            mark.sleepers(),
            0,
            "round {round}: unlocked before the tree was gone"
        );
        marks.push(mark);
    }
    // A keeper that was only being born when its supervisor died is not known
    // by its lock yet. It must find out before it starts anything.
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(
        marks.iter().map(Mark::sleepers).sum::<usize>(),
        0,
        "a late one"
    );
    println!("worst of 20: gone after {worst:?}");
    assert!(worst < Duration::from_secs(4), "{worst:?}");
}

#[test]
fn while_a_supervisor_runs_its_workspace_is_locked() {
    let dir = TempDir::new().unwrap();
    let lock = dir.path().join("run.lock");
    let mark = Mark::new();
    let cookie = Cookie::random().unwrap();
    let mut supervisor = supervise(&lock, &cookie, &mark.sleep()).spawn().unwrap();
    assert!(eventually(|| mark.sleepers() == 1));
    let refused = RunLock::take(&lock).unwrap_err().to_string();
    assert!(
        refused.contains(&format!("process {}", supervisor.id())),
        "{refused}"
    );
    signal(&supervisor, Signal::TERM);
    assert!(eventually(|| supervisor.try_wait().unwrap().is_some()));
    RunLock::take(&lock).unwrap();
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn the_first_signal_asks_and_the_second_kills() {
    let dir = TempDir::new().unwrap();
    let mark = Mark::new();
    let cookie = Cookie::random().unwrap();
    let lock = dir.path().join("run.lock");
    let script = format!(
        "trap '' INT TERM; {} & wait; {}",
        mark.sleep(),
        mark.sleep()
    );
    let mut supervisor = supervise(&lock, &cookie, &script).spawn().unwrap();
    assert!(eventually(|| mark.sleepers() == 1));
    signal(&supervisor, Signal::TERM);
    std::thread::sleep(Duration::from_millis(500));
    assert!(
        supervisor.try_wait().unwrap().is_none(),
        "the first signal did not wait"
    );
    assert_eq!(mark.sleepers(), 1);
    signal(&supervisor, Signal::TERM);
    let asked = Instant::now();
    let output = supervisor.wait_with_output().unwrap();
    // The grace of these supervisors is 20 seconds for each rung.
    assert!(asked.elapsed() < Duration::from_secs(10));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "Stopped { by: Signal(15) }\n"
    );
    assert_eq!(mark.sleepers(), 0);
}

#[test]
fn signals_ignored_by_the_supervisor_still_reach_the_command() {
    let dir = TempDir::new().unwrap();
    let supervisor = Command::new("sh")
        .args([
            "-c",
            "trap '' INT TERM; exec \"$@\"",
            "sh",
            STAGES,
            "supervise",
        ])
        .arg(dir.path().join("run.lock"))
        .arg(Cookie::random().unwrap().as_str())
        .args(["grep", "SigIgn", "/proc/self/status"])
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&supervisor.stdout).into_owned();
    let mask = output
        .lines()
        .next()
        .unwrap()
        .strip_prefix("SigIgn:")
        .unwrap()
        .trim();
    let mask = u64::from_str_radix(mask, 16).unwrap();
    assert_eq!(mask & (1 << 1 | 1 << 14), 0, "{output}");
}

#[test]
fn a_keeper_killed_by_its_agent_takes_the_agent_along() {
    let _alone = adopt_alone();
    if !have("setsid") {
        return;
    }
    let mark = Mark::new();
    let script = "trap '' TERM; echo $$; (setsid env -i SLEEP >/dev/null 2>&1 &); SLEEP &
        sleep 0.2; kill -9 $PPID; SLEEP";
    let (report, leader) = run_and_collect(&shell(&script.replace("SLEEP", &mark.sleep())));
    assert_eq!((report.end, report.leader), (StepEnd::KeeperLost, None));
    assert!(report.killed >= 2, "{report:?}");
    assert_eq!((mark.sleepers(), report.escaped.len()), (0, 0));
    let entry = format!("/proc/{}", leader.trim());
    assert!(!Path::new(&entry).exists(), "the leader was not collected");
}

#[test]
fn a_keeper_without_a_supervisor_starts_nothing() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("started");
    let (socket, supervisors_end) = UnixStream::pair().unwrap();
    drop(supervisors_end);
    let cookie = Cookie::random().unwrap();
    let ended = Command::new(STAGES)
        .args([
            KEEPER_WORD,
            cookie.as_str(),
            "",
            "5000",
            "term",
            "",
            "/",
            "",
            "",
            "--",
            "touch",
        ])
        .arg(&file)
        .stdin(OwnedFd::from(socket))
        .status()
        .unwrap();
    assert!(ended.success());
    assert!(!file.exists());
}

#[test]
fn an_agent_that_freezes_its_keeper_is_ended_all_the_same() {
    let _alone = adopt_alone();
    let mark = Mark::new();
    let mut step = shell(&format!("kill -STOP $PPID; {}", mark.sleep()));
    step.limits.overall = Some(Duration::from_millis(300));
    step.limits.grace = Duration::from_millis(100);
    let began = Instant::now();
    let (report, _) = run_and_collect(&step);
    assert_eq!(report.end, StepEnd::KeeperLost);
    assert_eq!(mark.sleepers(), 0);
    assert!(began.elapsed() < AGES);
}

#[test]
fn when_both_are_gone_the_leader_falls_and_a_sweep_finds_the_rest() {
    let _alone = adopt_alone();
    let dir = TempDir::new().unwrap();
    let (leader, rest) = (Mark::new(), Mark::new());
    let cookie = Cookie::random().unwrap();
    let script = "REST & sh -c 'REST & env -i REST & wait; REST' & echo $PPID; exec LEADER";
    let script = script
        .replace("REST", &rest.sleep())
        .replace("LEADER", &leader.sleep());
    let mut supervisor = supervise(&dir.path().join("run.lock"), &cookie, &script)
        .spawn()
        .unwrap();
    assert!(eventually(|| leader.sleepers() == 1 && rest.sleepers() == 3));
    let mut keeper = String::new();
    let stdout = supervisor.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut keeper).unwrap();
    let keeper = Pid::from_raw(keeper.trim().parse().unwrap()).unwrap();
    // Frozen first, so that neither can do its work in between: the keeper before its
    // supervisor, with which it would have its tree stand still.
    for pid in [keeper, Pid::from_child(&supervisor)] {
        kill_process(pid, Signal::STOP).unwrap();
        let row = format!("/proc/{}/stat", pid.as_raw_nonzero());
        let is_frozen = || std::fs::read_to_string(&row).is_ok_and(|row| row.contains(") T "));
        assert!(eventually(is_frozen), "a signal takes its time");
    }
    // And killed before it: with its supervisor gone, a stopped process group is told to go on.
    kill_process(keeper, Signal::KILL).unwrap();
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    let leader_fell = eventually(|| leader.sleepers() == 0);

    let mut bystander = Command::new("sleep").arg("1000").spawn().unwrap();
    let found = [find_orphans(&cookie), find_orphans(&cookie)].map(|orphans| orphans.len());
    let swept = sweep(&cookie);
    let spared = bystander.try_wait().unwrap().is_none();
    bystander.kill().unwrap();
    bystander.wait().unwrap();
    assert!(leader_fell, "the leader outlived its keeper");
    assert_eq!(
        found,
        [4, 4],
        "looking for orphans must find and spare them"
    );
    assert_eq!((swept.killed, swept.survivors.len()), (4, 0));
    assert_eq!(find_orphans(&cookie), []);
    assert_eq!(rest.sleepers(), 0);
    assert!(spared, "the sweep killed a bystander");
}

/// It hears no order and ends nobody, and those whom it keeps go on.
#[test]
fn a_keeper_that_is_held_still_is_lost_and_its_tree_ended() {
    let _alone = adopt_alone();
    for script in [
        "kill -STOP $PPID; SLEEP",
        "kill -STOP $PPID; exit 0",
        "(SLEEP &); kill -STOP $PPID; exit 0",
    ] {
        let mark = Mark::new();
        let step = shell(&script.replace("SLEEP", &mark.sleep()));
        let (report, _) = run_and_collect(&step);
        assert_eq!(report.end, StepEnd::KeeperLost, "{script}: {report:?}");
        assert_eq!(mark.sleepers(), 0, "{script}");
    }
}

/// Whoever traces it holds it as well as a signal does.
#[test]
fn a_keeper_that_is_held_by_a_tracer_is_lost_and_its_tree_ended() {
    let _alone = adopt_alone();
    let Some(hold) = holder() else { return };
    let mark = Mark::new();
    let script = format!("{} & {hold} $PPID 1000; wait", mark.sleep());
    let (report, _) = run_and_collect(&shell(&script));
    assert_eq!(report.end, StepEnd::KeeperLost, "{report:?}");
    assert_eq!(mark.sleepers(), 0);
}
