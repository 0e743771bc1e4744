//! Boots and time on Linux.

use std::io;

use rustix::time::ClockId;

/// The clock that goes on while the machine sleeps.
pub(crate) const COUNTS_ASLEEP: ClockId = ClockId::Boottime;

/// The name of this boot.
pub(crate) fn boot_name() -> io::Result<String> {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
}
