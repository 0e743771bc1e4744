//! A pipe whose reader has stopped holds up neither limits nor signals, and whoever reads slowly
//! gets everything.

use std::fs;
use std::io::Read;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::call::{Running, wait_for};
use crate::context::TestContext;

const FLOOD: &str = "touch ../started; exec yes 'a line of output that nobody takes'";
/// A reader is given five seconds; more than all of it, and less than any limit here is exceeded by
/// where somebody waits for the reader.
const SOON: Duration = Duration::from_secs(20);

fn peak_kb(run: &Running) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", run.child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kb = line.unwrap().trim().trim_end_matches(" kB");
    kb.parse().unwrap()
}

#[test]
fn a_reader_who_never_reads_holds_up_no_limit_and_is_told_of() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let options = ["--max-time", "8s", "--skip-preflight"];
    let (call, reader) = context.supervise(&options, FLOOD).into_pipe();
    let began = Instant::now();
    let run = call.start();
    wait_for("the agent to start", || context.path("started").exists());
    thread::sleep(Duration::from_secs(6));
    // By now nobody waits for the reader any more, and the agent goes on.
    let peak = peak_kb(&run);
    assert!(peak < 64 * 1024, "it took {peak} kB");
    run.finish()
        .expect(45)
        .says("the time for this run is used up")
        .says("of output was not passed on: whoever reads it had stopped");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    drop(reader);
}

#[test]
fn where_nothing_at_all_is_read_limits_and_signals_hold_all_the_same() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let options = ["--max-time", "4s", "--skip-preflight"];
    let (call, reader) = context.supervise(&options, FLOOD).all_into_pipe();
    let began = Instant::now();
    call.run().expect(45);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    drop(reader);

    fs::remove_file(context.path("started")).unwrap();
    let (call, reader) = context
        .supervise(&["--skip-preflight"], FLOOD)
        .all_into_pipe();
    let run = call.start();
    wait_for("the agent to start", || context.path("started").exists());
    thread::sleep(Duration::from_secs(1));
    let began = Instant::now();
    run.signal(Signal::TERM);
    run.finish().expect(143);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    drop(reader);
}

/// Silence is the agent's, whatever becomes of what it said before; and one that only waits for
/// a reader is not idle.
#[test]
fn the_limit_on_idling_is_kept_whoever_reads() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "head -c 3000000 /dev/zero | tr '\\0' x; echo said > ../said; sleep 600";
    let options = ["--idle-timeout", "3s", "--once", "--skip-preflight"];
    let (call, reader) = context.supervise(&options, script).into_pipe();
    let began = Instant::now();
    let run = call.run();
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    assert!(context.path("said").exists(), "{}", run.err());
    run.says("of output was not passed on");
    drop(reader);
}

#[test]
fn what_is_left_at_the_end_is_told_of() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let (call, reader) = context
        .supervise(&["--once", "--skip-preflight"], "seq 60000")
        .into_pipe();
    let began = Instant::now();
    call.run()
        .expect(0)
        .says("KB of output was not passed on: whoever reads it had stopped");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    drop(reader);
}

#[test]
fn a_reader_who_goes_on_reading_is_told_what_is_missing() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "touch ../started; timeout 8 yes 'a line of output'; sleep 3; echo the end";
    let (call, mut reader) = context
        .supervise(&["--once", "--skip-preflight"], script)
        .into_pipe();
    let run = call.start();
    wait_for("the agent to start", || context.path("started").exists());
    thread::sleep(Duration::from_secs(9));
    let mut read = String::new();
    reader.read_to_string(&mut read).unwrap();
    run.finish().expect(0).says("of output was not passed on");
    assert!(
        read.ends_with("the end\n"),
        "{:?}",
        &read[read.len() - 100..]
    );
}

/// Four megabytes, of which a quarter is kept while they wait.
#[test]
fn a_reader_who_is_slow_for_long_loses_nothing() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "seq 600000";
    let (call, mut reader) = context
        .supervise(&["--once", "--skip-preflight"], script)
        .into_pipe();
    let run = call.start();
    let mut read = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match reader.read(&mut buffer).unwrap() {
            0 => break,
            more => read.extend_from_slice(&buffer[..more]),
        }
        thread::sleep(Duration::from_millis(100));
    }
    let run = run.finish().expect(0);
    assert!(!run.err().contains("not passed on"), "{}", run.err());
    let read = String::from_utf8(read).unwrap();
    assert_eq!(read.lines().count(), 600_000);
}
