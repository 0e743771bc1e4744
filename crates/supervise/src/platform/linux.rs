//! Small things as Linux does them.

use std::fs;
use std::io::PipeReader;

use rustix::pipe::fcntl_setpipe_size;

/// Makes a pipe hold so much, if the system lets us.
pub(crate) fn enlarge(pipe: &PipeReader, size: usize) {
    let _ = fcntl_setpipe_size(pipe, size);
}

/// The set of ignored signals, bit 0 for signal 1; empty if unknown.
pub(crate) fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
