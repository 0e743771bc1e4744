//! Boots and time on Linux.

use std::io;
use std::path::Path;

use fusebox_files::kernel;
use rustix::time::ClockId;

use crate::exit;
use crate::failure::Failure;

/// Where the kernel tells its boots apart.
pub(super) const BOOT_NAME: &str = "/proc/sys/kernel/random/boot_id";

/// What to do when it does not.
pub(super) const REMEDY: &str = "make /proc readable";

/// The clock that goes on while the machine sleeps, and that nobody sets.
pub(super) const COUNTS_ASLEEP: ClockId = ClockId::Boottime;

/// The kernel's name for this boot. Whoever could give us another one would have every wait
/// over.
pub(super) fn boot_name() -> io::Result<String> {
    kernel::read(Path::new("/proc/sys"), Path::new(BOOT_NAME))
}

/// Refuses to run where the boot-time clock is not the machine's own: a time
/// namespace would let whoever made it call any wait over. A kernel without them
/// has no such file.
pub(super) fn refuse_shifted_clock() -> Result<(), Failure> {
    const OFFSETS: &str = "/proc/self/timens_offsets";
    let text = match kernel::read(Path::new("/proc"), Path::new(OFFSETS)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(Failure::new(
                exit::STATE,
                format!("cannot read {OFFSETS}: {error}"),
            ));
        }
    };
    let boottime = text.lines().find(|line| line.starts_with("boottime"));
    let shifted =
        boottime.is_none_or(|line| line.split_whitespace().skip(1).any(|number| number != "0"));
    if shifted {
        return Err(Failure::new(
            exit::STATE,
            "this process runs in a time namespace with a clock of its own",
        )
        .hint("treated as OPEN: run fusebox where the machine's own clock can be read"));
    }
    Ok(())
}
