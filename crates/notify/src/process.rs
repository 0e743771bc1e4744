//! Programs that carry a notice: found without being led astray, and not waited for
//! longer than they deserve.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// How often a running program is asked whether it has ended.
const POLL: Duration = Duration::from_millis(20);

/// A program of that name in `search_path`, the value of `PATH`, that the agent has not put
/// there: neither a relative entry counts nor what really lies in its `workspace`, which tools
/// for projects like to put in front of everything else.
pub(crate) fn find(name: &str, search_path: Option<&OsStr>, workspace: &Path) -> Option<PathBuf> {
    let workspace = workspace.canonicalize();
    let is_theirs = |path: &Path| {
        let real = path.canonicalize();
        real.is_ok_and(|real| workspace.as_ref().is_ok_and(|root| real.starts_with(root)))
    };
    search_path
        .into_iter()
        .flat_map(std::env::split_paths)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(name))
        .find(|path| is_executable(path) && !is_theirs(path))
}

pub(crate) fn is_executable(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

/// Waits for a child to succeed, and ends it when it takes too long.
pub(crate) fn succeed(child: Child, patience: Duration) -> Result<(), Failure> {
    match ended_within(child, patience) {
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(Some(status)) => Err(Failure::lasting(format!("it failed with {status}"))),
        Ok(None) => Err(Failure::lasting("it did not answer and was ended")),
        Err(error) => Err(Failure::lasting(format!("cannot wait for it: {error}"))),
    }
}

fn ended_within(mut child: Child, patience: Duration) -> std::io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}
