//! A network and a process table for each test alone.
//!
//! A vendor's client wants to talk to its vendor: telemetry, updates, prices
//! of models. And killed in the middle it may leave processes behind, which
//! is just what some tests provoke. So each test runs in namespaces of its
//! own: there is no network but loopback, and when the test ends, so does
//! everything it started.
//!
//! A process cannot move all of itself there, hence the test runs twice. The
//! first run starts the second, the same executable with the same test, inside
//! new namespaces; only the second runs the body.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Once;

/// Where the clients were installed.
const CLIENTS: &str = "FUSEBOX_CLIENTS";

/// Tells the second run that it is the second one.
const INSIDE: &str = "FUSEBOX_TEST_ISOLATED";

/// Loopback exists in a new network, but is down.
const WITH_LOOPBACK: &str = r#"ip link set lo up && "$0" "$@""#;

/// Runs `body` with the directory of the clients, in isolation.
///
/// Without a directory it is skipped. With one, somebody asked for these tests,
/// and not to be able to isolate them is a failure.
pub(crate) fn isolated(body: impl FnOnce(&Path)) {
    let Some(clients) = std::env::var_os(CLIENTS).map(PathBuf::from) else {
        return skip();
    };
    if std::env::var_os(INSIDE).is_some() {
        assert_eq!(interfaces(), ["lo"], "the network is not isolated");
        body(&clients);
    } else {
        run_again();
    }
}

/// Says once that nothing is tested, past the test runner, which shows what
/// is printed only when a test fails.
fn skip() {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        let why = format!("{CLIENTS} is not set; see `cargo xtask clients`");
        writeln!(io::stderr(), "SKIPPED: every test of real clients: {why}").ok();
    });
}

fn run_again() {
    // The runner names each test's thread after the test.
    let thread = std::thread::current();
    let name = thread.name().unwrap();
    let executable = std::env::current_exe().unwrap();
    let arguments = [name, "--exact", "--nocapture"];
    let output = in_namespaces(executable.to_str().unwrap(), &arguments).unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stdout}\n{stderr}");
    assert!(stdout.contains("1 passed"), "not run: {stdout}\n{stderr}");
}

fn in_namespaces(program: &str, arguments: &[&str]) -> io::Result<Output> {
    let mut command = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        command.arg("--map-root-user");
    }
    command
        .args(["--net", "--pid", "--fork", "--kill-child", "--mount-proc"])
        .args(["sh", "-c", WITH_LOOPBACK, program])
        .args(arguments)
        .env(INSIDE, "1")
        .output()
}

fn interfaces() -> Vec<String> {
    let table = std::fs::read_to_string("/proc/self/net/dev").unwrap();
    let names = table.lines().filter_map(|line| line.split_once(':'));
    names.map(|(name, _)| name.trim().to_owned()).collect()
}
