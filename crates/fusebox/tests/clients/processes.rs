//! Who is running. A test has a process table of its own, so everything in
//! it that the test did not bring along was started by what it tests.

use crate::desk::within;
use std::fs;
use std::time::Duration;

/// The command lines of all processes but the test's own: the shell that
/// brought the network up, and this one.
pub(crate) fn others() -> Vec<String> {
    let own = std::process::id();
    let entries = fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|&pid| pid != 1 && pid != own)
        .filter_map(command_line)
        .collect()
}

/// Fails if anybody is still running when there was time enough to end.
pub(crate) fn assert_nobody_is_left() {
    let gone = || others().is_empty().then_some(());
    let ended = within(Duration::from_secs(20), gone);
    assert!(ended.is_some(), "still running: {:?}", others());
}

/// `None` for a process that has ended, whether or not it was waited for.
fn command_line(pid: u32) -> Option<String> {
    let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    (!line.is_empty()).then_some(line)
}
