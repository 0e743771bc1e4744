//! The artifacts of an iteration inside the work tree, where the tools of some
//! ways of working look for them.
//!
//! The work tree is the agent's: every step of the way is opened without
//! following a link, so that nothing is ever written outside of it.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

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

/// Opens a directory beneath `root`, making what is missing.
fn descend(root: &Path, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut here = openat(CWD, root, flags, Mode::empty())?;
    for component in path.components() {
        let Component::Normal(name) = component else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        match mkdirat(here.as_fd(), name, Mode::from(0o755)) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        here = openat(&here, name, flags | OFlags::NOFOLLOW, Mode::empty())?;
    }
    Ok(here)
}
