//! `fusebox hook`, as an agent calls it before every tool.
//!
//! It has more than one thread, so its processor time is what the kernel adds to ours for
//! children that have ended; that is told in hundredths of a second, and therefore measured
//! over many of them.

use super::figure::{Figure, Report};
use super::samples::Samples;
use super::sandbox::Sandbox;
use super::{Subject, absent, empty_program};
use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const CALLS: usize = 200;
const CALLS_IN_FULL: usize = 1_000;
/// After so many calls, what is remembered of a session is as large as it gets.
const WARM_UP: usize = 100;
/// How many calls come one after the other where two commands take turns: enough for the tick.
const AT_A_TIME: usize = 50;
/// How many iterations a log has that has a past.
const A_PAST: usize = 80;
/// The tick in which the kernel tells processor time, on every machine that Linux runs on.
const TICK: Duration = Duration::from_millis(10);

const HOOK: [&str; 3] = ["hook", "claude", "pre-tool-use"];

/// The promises.
const CPU_MS: f64 = 2.0;
const TIMES_EMPTY: f64 = 3.0;
const EIGHT_AT_ONCE_P99_MS: f64 = 30.0;
const TIMES_THE_FIRST: f64 = 1.2;

/// What a peer needs to be measured beside us: `npm install -g cc-safety-net`.
const PEER: &str = "cc-safety-net";

/// Many calls of one command.
#[derive(Default)]
struct Series {
    /// Of each.
    cpu: Duration,
    wall: Samples,
}

pub(super) fn measure(subject: &Subject, report: &mut Report) -> Result<()> {
    let sandbox = subject.sandbox()?;
    let calls = if subject.full { CALLS_IN_FULL } else { CALLS };
    let payloads = payloads(&sandbox, WARM_UP + 3 * calls)?;
    let (warm_up, payloads) = payloads.split_at(WARM_UP);
    let hook = || sandbox.fusebox("hook", &HOOK);
    series(warm_up, hook)?;
    sandbox.pair("hook")?;

    let empty = empty_program()?;
    let [first, empty] = in_turn(&payloads[..calls], [&hook, &|| sandbox.program(empty)])?;
    let empty_cpu = Figure::time("true-cpu", empty.cpu);
    let empty_wall = Figure::time("true-wall", empty.wall.median());
    report.add_all([
        &empty_cpu,
        &Figure::time("hook-cpu", first.cpu)
            .beside(&empty_cpu)
            .value_at_most(CPU_MS),
        &empty_wall,
        &Figure::time("hook-wall", first.wall.median())
            .beside(&empty_wall)
            .ratio_at_most(TIMES_EMPTY),
        &Figure::time("hook-wall-p99", first.wall.p99()).beside(&empty_wall),
    ]);
    report_growth(&sandbox, &payloads[calls..2 * calls], &first, report)?;
    report_eight_at_once(&sandbox, &payloads[2 * calls..], report)?;
    report_peer(&sandbox, &payloads[..20], &first, report)
}

/// Calls as Claude Code makes them, each with a command that has to be followed. None is like
/// another: the same one again and again would be stopped, and rightly.
fn payloads(sandbox: &Sandbox, calls: usize) -> Result<Vec<PathBuf>> {
    (0..calls)
        .map(|number| {
            let payload = serde_json::json!({
                "session_id": "bench",
                "transcript_path": "/tmp/none.jsonl",
                "cwd": sandbox.work(),
                "permission_mode": "default",
                "hook_event_name": "PreToolUse",
                "tool_name": "Bash",
                "tool_input": {
                    "command": format!("cd src && for f in *.rs; do sed -n {number},20p \"$f\" | grep -c fn > /tmp/out; done"),
                    "description": "Count functions",
                },
                "tool_use_id": format!("toolu_{number}"),
            });
            let path = sandbox.beside(&format!("payload-{number}.json"));
            fs::write(&path, payload.to_string()).context("cannot write a payload")?;
            Ok(path)
        })
        .collect()
}

/// Two commands in turn, so that whatever else the machine does meanwhile is in both.
fn in_turn(payloads: &[PathBuf], commands: [&dyn Fn() -> Command; 2]) -> Result<[Series; 2]> {
    let mut all = [Series::default(), Series::default()];
    for share in payloads.chunks(AT_A_TIME) {
        for (all, command) in all.iter_mut().zip(commands) {
            let part = series(share, command)?;
            all.cpu += part.cpu * u32::try_from(share.len())?;
            all.wall.extend(part.wall);
        }
    }
    let calls = u32::try_from(payloads.len())?;
    all.iter_mut().for_each(|series| series.cpu /= calls);
    Ok(all)
}

fn series(payloads: &[PathBuf], command: impl Fn() -> Command) -> Result<Series> {
    let before = children_cpu()?;
    let mut wall = Samples::default();
    for payload in payloads {
        wall.push(run(&mut command(), payload)?);
    }
    let cpu = (children_cpu()? - before) / u32::try_from(payloads.len())?;
    Ok(Series { cpu, wall })
}

fn run(command: &mut Command, payload: &Path) -> Result<Duration> {
    let input = File::open(payload).context("the payload is gone")?;
    command
        .stdin(input)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let begun = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("{command:?} cannot be started"))?;
    let wall = begun.elapsed();
    ensure!(status.success(), "{command:?} failed: {status}");
    Ok(wall)
}

/// The processor time of all children that have ended.
fn children_cpu() -> Result<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").context("cannot read /proc/self/stat")?;
    let (_, fields) = stat
        .rsplit_once(')')
        .context("/proc/self/stat makes no sense")?;
    // After the name come the state and eleven fields that are of no interest here.
    let mut fields = fields.split_whitespace().skip(13);
    let mut ticks = || -> Result<u32> { Ok(fields.next().context("too short")?.parse()?) };
    Ok(TICK * (ticks()? + ticks()?))
}

/// Whether a long session makes the next call dearer, and a log with a past.
fn report_growth(
    sandbox: &Sandbox,
    payloads: &[PathBuf],
    first: &Series,
    report: &mut Report,
) -> Result<()> {
    for _ in 0..A_PAST {
        sandbox.pair("hook")?;
    }
    let later = series(payloads, || sandbox.fusebox("hook", &HOOK))?;
    let first = Figure::time("hook-cpu-at-first", first.cpu);
    report.add(
        &Figure::time("hook-cpu-later", later.cpu)
            .beside(&first)
            .ratio_at_most(TIMES_THE_FIRST),
    );
    Ok(())
}

/// Agents with sub-agents call several tools at once.
fn report_eight_at_once(
    sandbox: &Sandbox,
    payloads: &[PathBuf],
    report: &mut Report,
) -> Result<()> {
    let all = thread::scope(|scope| {
        let call = |payloads: &[PathBuf]| {
            let mut wall = Samples::default();
            for payload in payloads {
                wall.push(run(&mut sandbox.fusebox("hook", &HOOK), payload)?);
            }
            anyhow::Ok(wall)
        };
        let shares = payloads.chunks(payloads.len().div_ceil(8));
        let started: Vec<_> = shares
            .map(|share| scope.spawn(move || call(share)))
            .collect();
        let mut all = Samples::default();
        for one in started {
            all.extend(one.join().ok().context("a caller panicked")??);
        }
        anyhow::Ok(all)
    })?;
    report.add_all([
        &Figure::time("hook-8-wall", all.median()),
        &Figure::time("hook-8-wall-p99", all.p99()).value_at_most(EIGHT_AT_ONCE_P99_MS),
    ]);
    Ok(())
}

/// Another guard that is called as a hook, where it is installed.
fn report_peer(
    sandbox: &Sandbox,
    payloads: &[PathBuf],
    ours: &Series,
    report: &mut Report,
) -> Result<()> {
    if let Some(why) = absent(PEER) {
        report.not_run(PEER, &why);
        return Ok(());
    }
    let peer = || {
        let mut command = sandbox.program(Path::new(PEER));
        command.args(["hook", "--claude-code"]);
        command
    };
    let theirs = series(payloads, peer)?;
    let (cpu, wall) = (
        Figure::time("hook-cpu", ours.cpu),
        Figure::time("hook-wall", ours.wall.median()),
    );
    report.add_all([
        &Figure::time(format!("{PEER}-cpu"), theirs.cpu).beside(&cpu),
        &Figure::time(format!("{PEER}-wall"), theirs.wall.median()).beside(&wall),
    ]);
    Ok(())
}
