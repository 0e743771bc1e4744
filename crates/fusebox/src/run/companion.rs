//! The artifacts of an iteration inside the work tree, where the tools of some
//! ways of working look for them.
//!
//! The work tree is the agent's: no link in it is followed.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{Mode, OFlags, openat};

use crate::projection::place::descend;

/// What is handed on.
const FILES: [&str; 4] = [
    "changes.patch",
    "errors.json",
    "metrics.json",
    "completion_signals.json",
];

/// Copies the artifacts in `from` to `<root>/<place>/<session>/iterations/<n>/`.
pub(super) fn publish(
    root: &Path,
    place: &str,
    session: &str,
    iteration: u64,
    from: &Path,
) -> io::Result<()> {
    let path = Path::new(place)
        .join(session)
        .join("iterations")
        .join(iteration.to_string());
    let directory = descend(root, &path)?;
    for name in FILES {
        let Ok(mut source) = File::open(from.join(name)) else {
            continue;
        };
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW;
        let target = openat(&directory, name, flags | OFlags::CLOEXEC, Mode::from(0o644))?;
        io::copy(&mut source, &mut File::from(target))?;
    }
    Ok(())
}
