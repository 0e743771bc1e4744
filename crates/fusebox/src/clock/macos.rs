//! Boots and time on macOS.

use std::io;

use rustix::time::ClockId;

use crate::failure::Failure;

/// Where the kernel tells its boots apart. The moment of the boot would not do: it moves
/// when somebody sets the clock.
pub(super) const BOOT_NAME: &str = "kern.bootsessionuuid";

/// What to do when it does not.
pub(super) const REMEDY: &str = "let `sysctl kern.bootsessionuuid` be read";

/// The clock that goes on while the machine sleeps, and that nobody sets. It counts from
/// the boot. Under this name Linux has one that stands still meanwhile.
pub(super) const COUNTS_ASLEEP: ClockId = ClockId::Monotonic;

/// The kernel's name for this boot.
pub(super) fn boot_name() -> io::Result<String> {
    fusebox_darwin::boot_session()
}

/// There is one clock for all processes.
#[expect(
    clippy::unnecessary_wraps,
    reason = "where there are time namespaces, this can fail"
)]
pub(super) fn refuse_shifted_clock() -> Result<(), Failure> {
    Ok(())
}
