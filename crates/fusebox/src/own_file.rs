//! A small file of our own, replaced in one step.

use std::ffi::OsString;
use std::fs::{self, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::regular;

/// Longer than any change takes.
const PATIENCE: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(2);

/// Makes `content` what is at `path`, for its owner alone. Whoever reads meanwhile, and
/// whoever comes after a crash, finds what was there before or all of this.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    put(path, content).map(drop)
}

/// The same, with the file itself: as long as that is open, no other can be taken for it.
pub(crate) fn put(path: &Path, content: &[u8]) -> io::Result<fs::File> {
    let draft = draft_of(path);
    let written = write(&draft, content).and_then(|file| fs::rename(&draft, path).map(|()| file));
    if written.is_err() {
        // Nothing more can be done about a draft that cannot be removed either.
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Keeps others from changing `path` until what is returned is dropped. Gives up after a
/// while: whoever holds it may have been stopped.
pub(crate) fn lock_beside(path: &Path) -> io::Result<fs::File> {
    let mut name = OsString::from(path);
    name.push(".lock");
    let file = regular::append(Path::new(&name))?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                std::thread::sleep(POLL);
            }
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

fn write(draft: &Path, content: &[u8]) -> io::Result<fs::File> {
    let mut file = regular::create(draft)?;
    file.write_all(content)?;
    file.sync_data()?;
    Ok(file)
}

/// Beside the file, and another for each process.
fn draft_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".draft-{}", std::process::id()));
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_file_is_replaced_for_its_owner_alone_and_no_draft_is_left() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("plan.json");
        fs::write(&path, "old, and longer than what comes").expect("a file");
        replace(&path, b"new").expect("replaced");
        assert_eq!(fs::read(&path).expect("the file"), b"new");
        let mode = fs::metadata(&path).expect("the file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let occupied = place.path().join("occupied");
        fs::create_dir_all(occupied.join("by-something")).expect("directories");
        replace(&occupied, b"new").expect_err("a directory is in the way");
        let left = fs::read_dir(place.path()).expect("the directory").count();
        assert_eq!(left, 2, "a draft was left behind");
    }
}
