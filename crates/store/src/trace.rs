//! A recorder behind `disk.rs`, compiled into tests only.
//!
//! It notes every effect on the disk in order, counts what is read, and can
//! make one operation fail. Being per thread, it lets tests run side by side.

use std::cell::{Cell, RefCell};
use std::io;
use std::path::{Path, PathBuf};

/// One change to the disk.
#[derive(Debug, Clone)]
pub(crate) enum Effect {
    CreateDirectory(PathBuf),
    Create(PathBuf),
    Write {
        path: PathBuf,
        offset: u64,
        bytes: Vec<u8>,
    },
    SetLen {
        path: PathBuf,
        len: u64,
    },
    Sync(PathBuf),
    SyncDirectory(PathBuf),
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Link {
        from: PathBuf,
        to: PathBuf,
    },
    Remove(PathBuf),
}

/// What can be made to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Write,
    Sync,
}

thread_local! {
    static EFFECTS: RefCell<Option<Vec<Effect>>> = const { RefCell::new(None) };
    static READS: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
    static FAILURE: RefCell<Option<(Operation, String, i32)>> = const { RefCell::new(None) };
}

pub(crate) fn note(effect: Effect) {
    EFFECTS.with_borrow_mut(|effects| {
        if let Some(effects) = effects {
            effects.push(effect);
        }
    });
}

pub(crate) fn note_read(bytes: usize) {
    let (calls, total) = READS.get();
    READS.set((calls + 1, total + bytes as u64));
}

/// Runs `action` and returns its effects.
pub(crate) fn effects_of(action: impl FnOnce()) -> Vec<Effect> {
    EFFECTS.set(Some(Vec::new()));
    action();
    EFFECTS.take().unwrap_or_default()
}

/// Runs `action` and returns how many reads it took and how many bytes came.
pub(crate) fn reads_of(action: impl FnOnce()) -> (u64, u64) {
    READS.set((0, 0));
    action();
    READS.get()
}

/// Makes each such operation on a file of this name fail while `action` runs.
pub(crate) fn failing<T>(
    operation: Operation,
    file: &str,
    errno: i32,
    action: impl FnOnce() -> T,
) -> T {
    FAILURE.set(Some((operation, file.to_owned(), errno)));
    let outcome = action();
    FAILURE.set(None);
    outcome
}

pub(crate) fn fail_if_asked(operation: Operation, path: &Path) -> io::Result<()> {
    FAILURE.with_borrow(|failure| match failure {
        Some((which, file, errno)) if *which == operation && path.ends_with(file) => {
            Err(io::Error::from_raw_os_error(*errno))
        }
        _ => Ok(()),
    })
}
