//! Locks of a run that anybody holds: they are no run, buy no iteration and switch nothing off.

use std::fs::{self, File};
use std::os::fd::AsFd;
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::process::Signal;

use crate::call::wait_for;
use crate::context::{FUSEBOX, TestContext};

#[test]
fn a_lock_that_no_run_holds_buys_no_iteration_and_keeps_no_file_from_being_put_back() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let agents = context.work().join("AGENTS.md");
    fs::write(&agents, "one\n").unwrap();
    let call = |args: &[&str]| context.fusebox(args).run();
    call(&["check"]).expect(0);
    let lock = context.store().workspace.join("run-default.lock");
    fs::create_dir(lock.with_extension("lock.tree")).unwrap();
    let held = File::create(&lock).unwrap();
    flock(held.as_fd(), FlockOperation::LockExclusive).unwrap();
    call(&["check"])
        .expect(0)
        .says("iteration 1 was never reported");
    fs::remove_file(&agents).unwrap();
    call(&["record", "--files-changed", "1"])
        .expect(47)
        .says("AGENTS.md was deleted; it is back");
    call(&["check"]).expect(42);
}

#[test]
fn beside_a_run_that_died_a_held_lock_says_yes_to_nobody() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let run = context
        .supervise(&[], "touch ../started; sleep 600")
        .start();
    wait_for("it to start", || context.path("started").exists());
    run.signal(Signal::KILL);
    wait_for("its processes to end", || {
        let status = context.fusebox(&["status", "--json"]).run().expect(0);
        status.json()["running"] == false
    });
    let workspace = context.store().workspace;
    let open = |name: &str| {
        File::options()
            .write(true)
            .open(workspace.join(name))
            .unwrap()
    };
    // It still names the process that died.
    let held = open("run-default.lock");
    // Who asks before that waits for their turn with the copies of what is protected.
    let turn = open("kept/lock");
    flock(turn.as_fd(), FlockOperation::LockExclusive).unwrap();
    let waits = context.fusebox(&["check"]).start();
    sleep(Duration::from_millis(500));
    flock(held.as_fd(), FlockOperation::LockExclusive).unwrap();
    flock(turn.as_fd(), FlockOperation::Unlock).unwrap();
    waits.finish().expect(5).says("none is granted here");
    context.fusebox(&["check"]).run().expect(5);
    let agent = context.path("claude");
    fs::copy("/bin/sh", &agent).unwrap();
    let script = format!("{FUSEBOX} check; exit $?");
    let inside = context.call(&agent, &["-c", &script]);
    inside.run().expect(5);
}

#[test]
fn beside_a_live_run_only_what_runs_under_it_is_told_to_go_on() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = format!("{FUSEBOX} check; echo $? > ../code; touch ../started; sleep 600");
    let run = context.supervise(&[], &script).start();
    wait_for("it to start", || context.path("started").exists());
    assert_eq!(fs::read_to_string(context.path("code")).unwrap(), "0\n");
    let agent = context.path("claude");
    fs::copy("/bin/sh", &agent).unwrap();
    let script = format!("{FUSEBOX} check; exit $?");
    let other = context.call(&agent, &["-c", &script]).run().expect(5);
    other.says("a run of this circuit is alive");
    run.signal(Signal::TERM);
    run.finish().expect(143);
}
