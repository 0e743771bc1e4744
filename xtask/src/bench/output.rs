//! Output that passes through `run`: how fast, and how much of it is held.

use super::Subject;
use super::child::{peak_memory, start, succeed};
use super::figure::{Figure, Report, Unit};
use super::samples::Samples;
use super::sandbox::Sandbox;
use anyhow::{Context, Result, ensure};
use rustix::process::Pid;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const LINE: &[u8] = b"    Finished `dev` profile [unoptimized] target(s) in 0.42s, as before\n";
const PASSED_BYTES: usize = 1_000_000_000;
const PASSED_ROUNDS: usize = 5;
const OF_CAT: f64 = 0.3;

const ENDLESS_BYTES: u64 = 2_000_000_000;
const ENDLESS_BYTES_IN_FULL: u64 = 10_000_000_000;
const MEGABYTES: f64 = 64.0;
const POLL_INTERVAL: Duration = Duration::from_millis(20);

pub(super) fn measure(subject: &Subject, report: &mut Report) -> Result<()> {
    let sandbox = subject.sandbox()?;
    report_throughput(&sandbox, report)?;
    report_memory(&sandbox, subject.full, report)
}

/// Both write into a pipe that is read as fast as it can be. Into `/dev/null`,
/// `cat` would be compared at not copying at all.
fn report_throughput(sandbox: &Sandbox, report: &mut Report) -> Result<()> {
    let path = sandbox.beside("big");
    let bytes = generate(&path)?;
    let (mut alone, mut passed) = (Samples::default(), Samples::default());
    for round in 0..PASSED_ROUNDS {
        let mut cat = sandbox.program(Path::new("cat"));
        alone.push(drain(cat.arg(&path), bytes)?);
        // Printing is no progress, and a circuit that saw none for long opens.
        let circuit = format!("passed-{round}");
        let mut run = sandbox.fusebox(&circuit, &["run", "--once", "--", "cat"]);
        passed.push(drain(run.arg(&path), bytes)?);
    }
    let rate = |name: &str, samples: &Samples| {
        let rate = bytes as f64 / 1e6 / samples.median().as_secs_f64();
        Figure::new(name, rate, Unit::MegabytesPerSecond)
    };
    let cat = rate("cat-throughput", &alone);
    let run = rate("run-throughput", &passed).beside(&cat);
    report.add_all([&cat, &run.ratio_at_least(OF_CAT)]);
    Ok(())
}

fn generate(path: &Path) -> Result<u64> {
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    let mut file = BufWriter::with_capacity(1 << 20, file);
    let lines = PASSED_BYTES / LINE.len();
    for _ in 0..lines {
        file.write_all(LINE)?;
    }
    file.flush()?;
    Ok(u64::try_from(lines * LINE.len())?)
}

/// The time until a command has written this much, and ended well.
fn drain(command: &mut Command, bytes: u64) -> Result<Duration> {
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let mut child = start(command.stdout(Stdio::piped()))?;
    let mut output = child.stdout.take().context("its output is not ours")?;
    let mut buffer = vec![0; 256 * 1024];
    let mut drained = 0;
    loop {
        match output.read(&mut buffer)? {
            0 => break,
            read => drained += u64::try_from(read)?,
        }
    }
    succeed(command, &mut child)?;
    ensure!(drained == bytes, "{command:?} passed {drained} of {bytes}");
    Ok(begun.elapsed())
}

/// A single line that does not end must not be kept.
fn report_memory(sandbox: &Sandbox, full: bool, report: &mut Report) -> Result<()> {
    let bytes = if full {
        ENDLESS_BYTES_IN_FULL
    } else {
        ENDLESS_BYTES
    };
    let count = bytes.to_string();
    let arguments = ["run", "--once", "--", "head", "-c", &count, "/dev/zero"];
    let mut command = sandbox.fusebox("endless", &arguments);
    command.stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = start(&mut command)?;
    let peak = watch_memory(&mut child)?;
    succeed(&command, &mut child)?;
    let name = format!("run-memory-{}-GB-line", bytes / 1_000_000_000);
    report.add(&Figure::bytes(name, peak).value_at_most(MEGABYTES));
    Ok(())
}

/// The peak of whichever process of the tree had the most, read until the
/// first of them ends. A peak only ever grows, so the last look counts.
fn watch_memory(child: &mut Child) -> Result<u64> {
    let root = Pid::from_child(child);
    let mut most = 0;
    while child
        .try_wait()
        .context("cannot wait for a child")?
        .is_none()
    {
        most = tree(root)
            .into_iter()
            .filter_map(peak_memory)
            .fold(most, u64::max);
        thread::sleep(POLL_INTERVAL);
    }
    Ok(most)
}

/// A process and those under it.
fn tree(root: Pid) -> Vec<Pid> {
    let mut found = vec![root];
    let mut next = 0;
    while let Some(pid) = found.get(next).map(|pid| pid.as_raw_nonzero()) {
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        let children = children.unwrap_or_default();
        let pids = children
            .split_whitespace()
            .filter_map(|word| word.parse().ok());
        found.extend(pids.filter_map(Pid::from_raw));
        next += 1;
    }
    found
}
