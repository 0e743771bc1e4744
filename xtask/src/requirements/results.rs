//! What came of the tests: run now, or read from what an earlier run printed.

use crate::place;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::process::{Command, Stdio};

/// Whether a test passed, by the last part of its name.
pub(crate) type Results = BTreeMap<String, bool>;

/// Runs every test that carries an id.
pub(crate) fn run() -> Result<Results> {
    let mut command = command()?;
    let output = command
        // Tests drive the binary that was built with them.
        .env_remove("FUSEBOX_BIN")
        .stdin(Stdio::null())
        .output()
        .context("cargo cannot be started")?;
    let [out, err] = [output.stdout, output.stderr].map(|bytes| lossy(&bytes));
    let results = read(&format!("{out}\n{err}"));
    ensure!(!results.is_empty(), "no test was run:\n{err}");
    Ok(results)
}

/// nextest where there is one, as for `cargo xtask test`.
fn command() -> Result<Command> {
    if place::is_on_path("cargo-nextest") {
        let mut command = place::cargo(&["nextest", "run", "--color=never", "--status-level=all"])?;
        command.args(["--locked", "--workspace", "--no-fail-fast"]);
        command.args(["-E", "test(/(^|::)req_/)"]);
        Ok(command)
    } else {
        let mut command = place::cargo(&["test", "--locked", "--workspace", "--no-fail-fast"])?;
        command.args(["--", "req_", "--color=never"]);
        Ok(command)
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads what either of the two runners prints. A name that two tests share
/// has passed only where both did.
pub(crate) fn read(output: &str) -> Results {
    let mut results = Results::new();
    for (name, passed) in output.lines().filter_map(result_in) {
        *results.entry(name.to_owned()).or_insert(true) &= passed;
    }
    results
}

fn result_in(line: &str) -> Option<(&str, bool)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (path, passed) = match words.as_slice() {
        ["test", path, .., "ok"] => (path, true),
        ["test", path, .., "FAILED"] => (path, false),
        ["SLOW" | "SKIP", ..] => return None,
        ["PASS" | "LEAK", "[", .., path] => (path, true),
        // Every other word says in its own way how the test came to grief.
        [_, "[", .., path] => (path, false),
        _ => return None,
    };
    let name = path.rsplit("::").next()?;
    name.starts_with("req_").then_some((name, passed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_runners_are_understood() {
        let output = "\
   Compiling req_004_001 v0.1.0
test signals::tests::req_004_015_idle ... ok
test req_004_017_error ... FAILED
test req_004_018_compared ... ignored, too slow
test it_works ... ok
        PASS [   0.004s] (1/9) fusebox-core limiter::tests::req_004_048_rolls
        FAIL [   0.011s] (2/9) fusebox::it clock::req_004_040_doubles
     TIMEOUT [  60.011s] (3/9) fusebox::it clock::req_004_041_waits
        SLOW [> 60.000s] (─────────) fusebox::it clock::req_004_048_rolls
        LEAK [   0.211s] (4/9) fusebox::it run::req_004_014_gate
        PASS [   0.004s] (5/9) fusebox::faults req_004_040_doubles
     Summary [   0.011s] 5 tests run: 3 passed, 2 failed, 0 skipped";
        let expected = [
            ("req_004_014_gate", true),
            ("req_004_015_idle", true),
            ("req_004_017_error", false),
            ("req_004_040_doubles", false),
            ("req_004_041_waits", false),
            ("req_004_048_rolls", true),
        ];
        let expected: Results = expected.map(|(name, ok)| (name.to_owned(), ok)).into();
        assert_eq!(read(output), expected);
    }
}
