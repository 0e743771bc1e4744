//! Locks that are waited for, but not for ever.
//!
//! A blocking lock would be fairer, but its wait could not be bounded, and whoever holds it may
//! have been stopped: a hook, and a loop with all its limits, would stop with them.

use std::ffi::OsString;
use std::fmt;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::regular;

const FIRST_PAUSE: Duration = Duration::from_micros(100);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);

/// Why there is no lock.
#[derive(Debug)]
pub enum Busy {
    /// Somebody else has had it all the time.
    Held {
        /// How long it was waited for.
        waited: Duration,
    },
    /// There can be none.
    Unusable(io::Error),
}

impl fmt::Display for Busy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held { waited } => write!(
                formatter,
                "another process has held the lock for {} s",
                waited.as_secs()
            ),
            Self::Unusable(error) => error.fmt(formatter),
        }
    }
}

impl From<io::Error> for Busy {
    fn from(error: io::Error) -> Self {
        Self::Unusable(error)
    }
}

impl From<Busy> for io::Error {
    fn from(busy: Busy) -> Self {
        match busy {
            Busy::Held { .. } => Self::new(io::ErrorKind::TimedOut, busy.to_string()),
            Busy::Unusable(error) => error,
        }
    }
}

/// Keeps everybody else from an open file until it is dropped.
///
/// # Errors
/// [`Busy`], after `patience`.
pub fn lock(file: &File, patience: Duration) -> Result<(), Busy> {
    insist(|| file.try_lock(), patience)
}

/// Keeps those away from an open file who would have it for themselves.
///
/// # Errors
/// [`Busy`], after `patience`.
pub fn share(file: &File, patience: Duration) -> Result<(), Busy> {
    insist(|| file.try_lock_shared(), patience)
}

/// Opens a file that is nothing but a lock, made if there is none, and locks it.
///
/// # Errors
/// [`Busy`], after `patience`, or if there can be no such file.
pub fn lock_file(path: &Path, patience: Duration) -> Result<File, Busy> {
    let file = regular::update(path)?;
    lock(&file, patience).map(|()| file)
}

/// Locks a file beside `path`, for those who replace that file: the lock of what is replaced is
/// gone with it.
///
/// # Errors
/// As [`lock_file`].
pub fn lock_beside(path: &Path, patience: Duration) -> Result<File, Busy> {
    let mut name = OsString::from(path);
    name.push(".lock");
    lock_file(Path::new(&name), patience)
}

/// What counts is the time that was slept, and not a clock's: whoever was stopped meanwhile has
/// not waited.
fn insist(attempt: impl Fn() -> Result<(), TryLockError>, patience: Duration) -> Result<(), Busy> {
    let mut pause = FIRST_PAUSE;
    let mut waited = Duration::ZERO;
    loop {
        match attempt() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(Busy::Unusable(error)),
            Err(TryLockError::WouldBlock) if waited >= patience => {
                return Err(Busy::Held { waited });
            }
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(pause);
                waited += pause;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::pipe;
    use std::os::unix::fs::symlink;

    const SHORT: Duration = Duration::from_millis(20);

    #[test]
    fn a_lock_that_is_held_is_given_up_and_one_that_is_free_is_taken() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("state");
        let held = lock_beside(&path, SHORT).unwrap();
        match lock_beside(&path, SHORT) {
            Err(Busy::Held { waited }) => assert!(waited >= SHORT),
            other => panic!("{other:?}"),
        }
        drop(held);
        lock_beside(&path, Duration::ZERO).unwrap();
        assert!(!path.exists(), "only the lock is made");
    }

    #[test]
    fn one_that_becomes_free_in_time_is_taken() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("lock");
        let held = lock_file(&path, SHORT).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| lock_file(&path, Duration::from_secs(60)));
            std::thread::sleep(SHORT);
            drop(held);
            waiting.join().unwrap().unwrap();
        });
    }

    #[test]
    fn those_who_share_keep_out_those_who_do_not() {
        let top = tempfile::tempdir().unwrap();
        let open = || regular::update(&top.path().join("lock")).unwrap();
        let (one, other) = (open(), open());
        share(&one, SHORT).unwrap();
        share(&other, SHORT).unwrap();
        assert!(matches!(lock(&open(), SHORT), Err(Busy::Held { .. })));
    }

    #[test]
    fn what_was_put_in_its_place_is_no_lock() {
        let top = tempfile::tempdir().unwrap();
        let (fifo, link) = (top.path().join("pipe"), top.path().join("link"));
        pipe(&fifo);
        symlink("elsewhere", &link).unwrap();
        for path in [&fifo, &link] {
            let refused = lock_file(path, SHORT);
            assert!(matches!(refused, Err(Busy::Unusable(_))), "{refused:?}");
        }
        assert!(!top.path().join("elsewhere").exists());
    }
}
