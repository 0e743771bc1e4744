//! Boots and time on macOS.

use std::io;

use rustix::time::ClockId;

/// The clock that goes on while the machine sleeps. Under this name Linux has one
/// that does not.
pub(crate) const COUNTS_ASLEEP: ClockId = ClockId::Monotonic;

/// The name of this boot.
pub(crate) fn boot_name() -> io::Result<String> {
    fusebox_darwin::boot_session()
}
