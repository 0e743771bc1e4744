//! What goes through the pipes.

use std::fs::{self, File};
use std::time::{Duration, Instant};

use fusebox_supervise::{Limit, StepEnd, StepObserver, Stream, StreamStats};

use crate::support::{AGES, run, run_and_collect, shell};

/// Forgets everything, as fast as it can.
struct Forget;

impl StepObserver for Forget {
    fn output(&mut self, _: Stream, _: &[u8]) {}
}

#[test]
fn both_streams_are_counted_apart() {
    let (report, output) = run_and_collect(&shell("printf 'a\\nb\\nc'; printf 'x\\n' >&2"));
    assert_eq!(output, "a\nb\nc");
    let stdout = StreamStats {
        bytes: 5,
        lines: 2,
        ended_mid_line: true,
    };
    let stderr = StreamStats {
        bytes: 2,
        lines: 1,
        ended_mid_line: false,
    };
    assert_eq!(
        (report.output.stdout, report.output.stderr),
        (stdout, stderr)
    );
}

#[test]
fn a_flood_without_a_newline_is_only_a_counter() {
    const FLOOD: u64 = 100_000_000;
    let began = Instant::now();
    let report = run(&shell(&format!("head -c {FLOOD} /dev/zero")), &mut Forget);
    println!("100 MB passed through in {:?}", began.elapsed());
    assert_eq!(report.end, StepEnd::Exited(0));
    let expected = StreamStats {
        bytes: FLOOD,
        lines: 0,
        ended_mid_line: true,
    };
    assert_eq!(report.output.stdout, expected);
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let kilobytes: u64 = peak.trim().strip_suffix(" kB").unwrap().parse().unwrap();
    assert!(kilobytes < 64 * 1024, "peak memory {kilobytes} kB");
}

/// Opens the command's standard output a second time, from outside its tree.
#[derive(Default)]
struct HoldOpen {
    held: Option<File>,
}

impl StepObserver for HoldOpen {
    fn output(&mut self, _: Stream, bytes: &[u8]) {
        let pid = String::from_utf8_lossy(bytes).trim().to_owned();
        let pipe = format!("/proc/{pid}/fd/1");
        self.held
            .get_or_insert_with(|| File::options().write(true).open(pipe).unwrap());
    }
}

#[test]
fn an_outsider_that_holds_the_pipe_does_not_hold_the_step() {
    let mut step = shell("echo $$; sleep 0.5");
    step.limits.drain = Duration::from_millis(200);
    let mut holder = HoldOpen::default();
    let began = Instant::now();
    let report = run(&step, &mut holder);
    assert!(holder.held.is_some());
    assert_eq!(report.end, StepEnd::Exited(0));
    assert!(began.elapsed() < AGES);
}

/// Takes a nap at every chunk.
struct Slow;

impl StepObserver for Slow {
    fn output(&mut self, _: Stream, _: &[u8]) {
        std::thread::sleep(Duration::from_millis(300));
    }
}

#[test]
fn nothing_written_before_the_end_is_lost_on_a_slow_observer() {
    let mut step = shell("echo x; head -c 800000 /dev/zero");
    step.limits.drain = Duration::from_millis(10);
    let report = run(&step, &mut Slow);
    assert_eq!(report.output.stdout.bytes, 800_002);
}

#[test]
fn a_pipe_that_has_ended_is_not_waited_for() {
    let mut step = shell("echo x");
    step.limits.drain = Duration::from_secs(600);
    let began = Instant::now();
    run(&step, &mut Forget);
    assert!(began.elapsed() < AGES);
}

/// Has no room for output until then, and a look at what it is given all the same.
struct Full {
    until: Option<Instant>,
    given_too_early: usize,
}

impl StepObserver for Full {
    fn output(&mut self, _: Stream, bytes: &[u8]) {
        if !self.takes_output() {
            self.given_too_early += bytes.len();
        }
    }

    fn takes_output(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

#[test]
fn who_has_no_room_is_given_nothing_and_the_command_is_not_idle_meanwhile() {
    let mut step = shell("head -c 5000000 /dev/zero");
    step.limits.idle = Some(Duration::from_millis(500));
    let mut observer = Full {
        until: Some(Instant::now() + Duration::from_secs(2)),
        given_too_early: 0,
    };
    let report = run(&step, &mut observer);
    assert_eq!(report.end, StepEnd::Exited(0));
    assert_eq!(report.output.stdout.bytes, 5_000_000);
    assert_eq!(observer.given_too_early, 0);
}

#[test]
fn limits_hold_where_nobody_ever_has_room() {
    let mut step = shell("exec yes");
    step.limits.overall = Some(Duration::from_secs(1));
    let mut observer = Full {
        until: None,
        given_too_early: 0,
    };
    let began = Instant::now();
    let report = run(&step, &mut observer);
    assert_eq!(report.end, StepEnd::TimedOut(Limit::Overall));
    assert!(began.elapsed() < Duration::from_secs(20));
}
