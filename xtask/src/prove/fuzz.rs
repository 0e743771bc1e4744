//! The fuzzer: every target for a while, on a stable toolchain.
//!
//! What `cargo fuzz -s none` does is little, so it is done here: coverage by flags that every
//! compiler has, and no sanitizer, which safe Rust can do without.

use super::Depth;
use super::scoreboard::Scoreboard;
use crate::place;
use crate::stage::{Outcome, outcome_of};
use crate::watchdog::Deadline;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

const FLAGS: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// How long a target runs.
fn seconds(depth: Depth) -> u64 {
    match depth {
        Depth::Quick => 2,
        Depth::Usual => 6,
        Depth::Deep => 600,
    }
}

/// More side by side would only take each other's time.
const WORKERS: usize = 2;
/// No input of theirs may take longer, or more.
const BOUNDS: [&str; 4] = [
    "-timeout=20",
    "-rss_limit_mb=1024",
    "-max_len=16384",
    "-print_final_stats=1",
];

/// Builds the fuzzer, which has all targets in it.
pub(crate) fn build(deadline: Deadline) -> Result<Outcome> {
    let mut cargo = place::cargo(&["build", "--locked", "--profile", "fuzz", "--target"])?;
    cargo
        .arg(host()?)
        .args(["--package", "fusebox-fuzz", "--bin", "any"])
        .args(["--features", "fuzzer"])
        .env("CARGO_TARGET_DIR", built()?)
        .env("RUSTFLAGS", FLAGS);
    outcome_of(&mut cargo, deadline)
}

/// Runs all targets and counts what they tried.
pub(crate) fn run(depth: Depth, board: &mut Scoreboard) -> Result<Outcome> {
    let seconds = seconds(depth);
    let fuzzer = built()?.join(host()?).join("fuzz").join("any");
    let pending = Mutex::new(targets()?);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(target) = pending.lock().ok().and_then(|mut left| left.pop()) {
                    let ran = Ran::of(&fuzzer, &target, seconds);
                    if let Ok(mut done) = done.lock() {
                        done.push((target, ran));
                    }
                }
            });
        }
    });
    let mut crashed = Vec::new();
    for (target, ran) in done.into_inner().unwrap_or_default() {
        let ran = ran?;
        println!("{target}: {} inputs", ran.executed);
        board.add("inputs", ran.executed, u64::from(!ran.held));
        if !ran.held {
            println!("{}", ran.said);
            crashed.push(target);
        }
    }
    Ok(if crashed.is_empty() {
        Outcome::Passed
    } else {
        Outcome::Failed(format!("crashed: {}", crashed.join(", ")))
    })
}

/// What came of one target.
struct Ran {
    executed: u64,
    held: bool,
    said: String,
}

impl Ran {
    fn of(fuzzer: &Path, target: &str, seconds: u64) -> Result<Self> {
        let corpus = built()?.join("corpus").join(target);
        fs::create_dir_all(&corpus).with_context(|| format!("cannot make {}", corpus.display()))?;
        let output = Command::new(fuzzer)
            .env("FUSEBOX_FUZZ_TARGET", target)
            .args(BOUNDS)
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-artifact_prefix={}/", built()?.display()))
            .arg(&corpus)
            .arg(home().join("seeds").join(target))
            .output()
            .with_context(|| format!("`{target}` cannot be started"))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(Self {
            executed: executed(&said),
            held: output.status.success(),
            said,
        })
    }
}

fn executed(said: &str) -> u64 {
    let mut counts = said
        .lines()
        .filter_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    counts
        .next()
        .and_then(|count| count.trim().parse().ok())
        .unwrap_or(0)
}

/// Each has a directory of seeds, and a test of theirs sees to it.
fn targets() -> Result<Vec<String>> {
    let directory = home().join("seeds");
    let entries = fs::read_dir(&directory)
        .with_context(|| format!("{} cannot be read", directory.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    Ok(names)
}

fn home() -> PathBuf {
    place::repository().join("fuzz")
}

fn built() -> Result<PathBuf> {
    Ok(place::target_directory()?.join("fuzz"))
}

fn host() -> Result<String> {
    let version = Command::new("rustc")
        .arg("-vV")
        .output()
        .context("`rustc` cannot be started")?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`rustc -vV` names no host")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_the_closing_lines() {
        let said = "Done 12 runs in 1 second(s)\nstat::number_of_executed_units: 12345\nstat::x: 1";
        assert_eq!(executed(said), 12_345);
        assert_eq!(executed("panicked"), 0);
    }
}
