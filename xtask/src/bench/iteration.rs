//! What supervision adds to one iteration of an agent, and how fast its stream
//! of events is read.

use super::Subject;
use super::child::start;
use super::figure::{Figure, Report, Unit};
use super::samples::Samples;
use super::sandbox::Sandbox;
use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A repository of ordinary size for an agent's work.
const FILES: usize = 200;
const ITERATIONS: u32 = 20;
const ROUNDS: usize = 3;
/// What snapshot, parsing, deciding and recording may take together.
const OWN_MILLISECONDS: f64 = 60.0;

const STREAM_BYTES: usize = 200_000_000;
const STREAM_RATE: f64 = 100.0;

pub(super) fn measure(subject: &Subject, report: &mut Report) -> Result<()> {
    let sandbox = subject.sandbox()?;
    fill(&sandbox.work())?;
    let agent = install_agent(&sandbox)?;
    report_cost(&sandbox, &agent, report)?;
    report_stream(&sandbox, &agent, report)
}

/// Files of a few kilobytes in directories of twenty.
fn fill(work: &Path) -> Result<()> {
    for number in 0..FILES {
        let directory = work.join(format!("src/part{}", number / 20));
        fs::create_dir_all(&directory)?;
        let line = format!("pub fn number_{number}() -> usize {{ {number} }}\n");
        fs::write(directory.join(format!("file{number}.rs")), line.repeat(60))?;
    }
    Ok(())
}

/// An agent that changes one file, says so in events, and costs next to nothing.
fn install_agent(sandbox: &Sandbox) -> Result<PathBuf> {
    let directory = sandbox.beside("bin");
    fs::create_dir_all(&directory)?;
    let program = directory.join("claude");
    let events = sandbox.beside("events");
    fs::write(&events, conversation(1))?;
    let script = format!(
        "#!/bin/sh\necho \"$FUSEBOX_ITERATION$1\" >> src/part0/file0.rs\nexec cat \"${{STREAM:-{}}}\"\n",
        events.display()
    );
    fs::write(&program, script)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    Ok(program)
}

/// So many turns of a conversation, as events, and a result.
fn conversation(turns: usize) -> String {
    let mut text = String::from(
        "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\",\"model\":\"m\",\"cwd\":\"/w\"}\n",
    );
    let answer = "    let limit = retry.after().min(MAX); // ok\\n".repeat(40);
    for turn in 0..turns {
        text.push_str(&format!(
            "{{\"type\":\"assistant\",\"message\":{{\"id\":\"msg_{turn}\",\"content\":[{{\"type\":\"tool_use\",\"id\":\"c{turn}\",\"name\":\"Read\",\"input\":{{\"file_path\":\"/src/f{turn}.rs\"}}}}]}}}}\n\
             {{\"type\":\"user\",\"message\":{{\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"c{turn}\",\"content\":\"{answer}\",\"is_error\":false}}]}}}}\n"
        ));
    }
    text.push_str(
        "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"ok\",\"session_id\":\"s\",\"total_cost_usd\":0.01,\"terminal_reason\":\"completed\"}\n",
    );
    text
}

/// The processor time of everything that is started for an iteration, less what
/// the agent itself takes in a bare loop.
fn report_cost(sandbox: &Sandbox, agent: &Path, report: &mut Report) -> Result<()> {
    let (mut alone, mut supervised) = (Vec::new(), Vec::new());
    let count = ITERATIONS.to_string();
    let bare = format!("i=0; while [ $i -lt {count} ]; do i=$((i+1)); \"$0\" $i >/dev/null; done");
    for round in 0..ROUNDS {
        let mut shell = sandbox.program(Path::new("sh"));
        alone.push(tree_time(shell.args(["-c", &bare]).arg(agent), 0)?);
        let circuit = format!("cost-{round}");
        let mut run = sandbox.fusebox(&circuit, &["run", "--max-iterations", &count, "--"]);
        run.arg(agent)
            .args(["-p", "--output-format", "stream-json", "--verbose"]);
        supervised.push(tree_time(&mut run, 45)?);
    }
    let each = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1_000.0 / f64::from(ITERATIONS)
    };
    let (alone, supervised) = (each(&mut alone), each(&mut supervised));
    let bare = Figure::new("iteration-bare-cpu", alone, Unit::Milliseconds);
    let own = (supervised - alone).max(0.0);
    let own = Figure::new("iteration-own-cpu", own, Unit::Milliseconds).beside(&bare);
    report.add_all([&bare, &own.value_at_most(OWN_MILLISECONDS)]);
    Ok(())
}

/// The processor time of a command and of all it waited for.
fn tree_time(command: &mut Command, code: i32) -> Result<Duration> {
    command.stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let before = time_of_children()?;
    let mut child = start(command)?;
    let status = child.wait().context("cannot wait for a child")?;
    ensure!(
        status.code() == Some(code),
        "{command:?} ended with {status}"
    );
    Ok(time_of_children()?.saturating_sub(before))
}

/// The processor time of all children that were waited for, and of theirs.
fn time_of_children() -> Result<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").context("cannot read /proc/self/stat")?;
    let after_name = stat.rsplit(") ").next().context("it makes no sense")?;
    let ticks: u64 = after_name
        .split(' ')
        .skip(13)
        .take(2)
        .filter_map(|word| word.parse::<u64>().ok())
        .sum();
    Ok(Duration::from_millis(ticks * 10))
}

/// A long conversation through `run`, from the agent's first byte to the end.
fn report_stream(sandbox: &Sandbox, agent: &Path, report: &mut Report) -> Result<()> {
    let path = sandbox.beside("stream");
    let turn = conversation(1_000);
    let file = File::create(&path)?;
    let mut file = BufWriter::with_capacity(1 << 20, file);
    let mut bytes = 0;
    while bytes < STREAM_BYTES {
        file.write_all(turn.as_bytes())?;
        bytes += turn.len();
    }
    file.flush()?;
    drop(file);
    let (mut alone, mut passed) = (Samples::default(), Samples::default());
    for round in 0..ROUNDS {
        let mut cat = sandbox.program(Path::new("cat"));
        alone.push(elapsed(cat.arg(&path))?);
        let circuit = format!("stream-{round}");
        let mut run = sandbox.fusebox(&circuit, &["run", "--once", "--quiet", "--"]);
        run.arg(agent)
            .args(["-p", "--output-format", "stream-json", "--verbose"]);
        passed.push(elapsed(run.env("STREAM", &path))?);
    }
    let rate = |name: &str, samples: &Samples| {
        let rate = bytes as f64 / 1e6 / samples.median().as_secs_f64();
        Figure::new(name, rate, Unit::MegabytesPerSecond)
    };
    let cat = rate("stream-cat", &alone);
    let read = rate("stream-read", &passed).beside(&cat);
    report.add_all([&cat, &read.value_at_least(STREAM_RATE)]);
    Ok(())
}

fn elapsed(command: &mut Command) -> Result<Duration> {
    command.stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let mut child = start(command)?;
    let status = child.wait().context("cannot wait for a child")?;
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(begun.elapsed())
}
