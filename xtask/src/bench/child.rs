//! What a child process cost.
//!
//! A child that has ended stays visible until it is waited for, and the
//! kernel's account of its processor time with it, in nanoseconds and the same
//! number that `wait4` would report. Its memory is gone by then, so that must
//! be read while it lives. (`wait4` is no help there: its peak includes what
//! the parent weighed at the moment of the fork.)

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::fs;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What one run of a program cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// User and system time of its first thread. What is measured with this
    /// has only one.
    pub(crate) cpu: Duration,
    /// From before it was started until it had ended.
    pub(crate) wall: Duration,
}

impl std::ops::Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            cpu: self.cpu + other.cpu,
            wall: self.wall + other.wall,
        }
    }
}

/// Runs a command that says nothing and succeeds.
pub(crate) fn cost_of(command: &mut Command) -> Result<Cost> {
    command.stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let mut child = start(command)?;
    let pid = Pid::from_child(&child);
    let ended_but_kept = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(pid), ended_but_kept).context("cannot wait for a child")?;
    let wall = begun.elapsed();
    let cpu = cpu_time(pid);
    succeed(command, &mut child)?;
    Ok(Cost { cpu: cpu?, wall })
}

/// The time a command takes, where it may have as many threads as it likes.
pub(crate) fn wall_of(command: &mut Command) -> Result<Duration> {
    cost_of(command).map(|cost| cost.wall)
}

pub(crate) fn start(command: &mut Command) -> Result<Child> {
    let child = command.spawn();
    child.with_context(|| format!("{command:?} cannot be started"))
}

pub(crate) fn succeed(command: &Command, child: &mut Child) -> Result<()> {
    let status = child.wait().context("cannot wait for a child")?;
    ensure!(status.success(), "{command:?} failed: {status}");
    Ok(())
}

fn cpu_time(pid: Pid) -> Result<Duration> {
    let path = format!("/proc/{}/schedstat", pid.as_raw_nonzero());
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
    let nanoseconds = text.split_whitespace().next().context("it is empty");
    let nanoseconds = nanoseconds.and_then(|word| Ok(word.parse()?));
    let nanoseconds = nanoseconds.with_context(|| format!("{path} makes no sense"))?;
    Ok(Duration::from_nanos(nanoseconds))
}

/// How long a command that takes milliseconds may take to fall asleep.
const PATIENCE: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The most memory a short command ever had, up to its first word of output.
///
/// It is given a full pipe to speak into and so sleeps there, with all its
/// work done, for as long as it takes to look.
pub(crate) fn peak_memory_when_speaking(command: &mut Command) -> Result<u64> {
    let (reader, mut writer) = std::io::pipe().context("cannot make a pipe")?;
    let capacity = rustix::pipe::fcntl_setpipe_size(&writer, 4096);
    writer.write_all(&vec![0; capacity.context("cannot shrink a pipe")?])?;
    command.stdin(Stdio::null());
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = start(command)?;
    let peak = peak_memory_when_asleep(Pid::from_child(&child));
    // Whatever was found, the child must not wait for ever.
    drop(reader);
    child.kill().context("cannot end a child")?;
    child.wait().context("cannot wait for a child")?;
    peak.with_context(|| format!("{command:?}"))
}

fn peak_memory_when_asleep(pid: Pid) -> Result<u64> {
    let begun = Instant::now();
    let mut spent = None;
    while begun.elapsed() < PATIENCE {
        thread::sleep(POLL_INTERVAL);
        let now = cpu_time(pid)?;
        match state(pid)?.as_str() {
            "S" if spent == Some(now) => return peak_memory(pid).context("it has no memory"),
            "Z" => bail!("it ended without a word"),
            _ => spent = Some(now),
        }
    }
    bail!("it did not come to speak in {} s", PATIENCE.as_secs())
}

/// The letter for what a process is doing, such as `S` for sleeping and `Z`
/// for being dead.
fn state(pid: Pid) -> Result<String> {
    let path = format!("/proc/{}/status", pid.as_raw_nonzero());
    let status = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("State:"));
    let letter = line.and_then(|line| line.split_whitespace().next());
    let letter = letter.with_context(|| format!("{path} names no state"))?;
    Ok(letter.to_owned())
}

/// The most memory a process ever had, in bytes; `None` once it has ended.
pub(crate) fn peak_memory(pid: Pid) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn work_costs_processor_time_and_sleep_only_time() {
        let working = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let worked = cost_of(&mut shell(working)).unwrap();
        let slept = cost_of(&mut shell("sleep 0.2")).unwrap();
        assert!(slept.wall >= Duration::from_millis(200), "{slept:?}");
        assert!(slept.cpu < worked.cpu, "{slept:?} {worked:?}");
        assert!(worked.cpu > Duration::from_millis(5), "{worked:?}");
    }

    #[test]
    fn a_failure_is_no_measurement() {
        assert!(cost_of(&mut shell("exit 1")).is_err());
        assert!(cost_of(&mut Command::new("/nonexistent/program")).is_err());
    }

    #[test]
    fn memory_is_read_when_the_work_is_done() {
        let small = peak_memory_when_speaking(&mut shell("echo")).unwrap();
        let hoard = "x=x; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
            do x=$x$x; done; x=; echo";
        let large = peak_memory_when_speaking(&mut shell(hoard)).unwrap();
        assert!(large > small + 4_000_000, "{small} {large}");
        assert!(peak_memory_when_speaking(&mut shell("exit 0")).is_err());
    }
}
