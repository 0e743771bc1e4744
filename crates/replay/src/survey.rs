//! Reads many files at once.

use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::desk::Told;
use crate::file::{self, FileReport};
use crate::follow::Follower;

/// How files of sessions end. One that is named is read however it ends.
const ENDINGS: [&str; 7] = ["jsonl", "json", "ndjson", "traj", "gz", "stdout", "log"];
/// What an iteration printed, in the files that `run` leaves behind.
const OUTPUT: &str = "output";
/// How deep folders are looked into.
const DEPTH: usize = 32;

/// How far a survey has come.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes of the files that were found.
    pub total: AtomicU64,
    /// Bytes that were read.
    pub read: AtomicU64,
    /// Sessions that were read.
    pub sessions: AtomicU64,
}

/// A file and its sessions.
#[derive(Debug)]
pub struct Surveyed<O> {
    /// Where it is.
    pub path: PathBuf,
    /// What became of it.
    pub report: FileReport,
    /// Its sessions, in the order in which they ended.
    pub sessions: Vec<Told<O>>,
}

/// The files that are meant by `paths`: the files themselves, and all that look
/// like sessions in the folders, in the order of their names. Beside them what
/// could not be looked at.
#[must_use]
pub fn find(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<(PathBuf, io::Error)>) {
    let mut found = Vec::new();
    let mut failed = Vec::new();
    for path in paths {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => look(path, 0, &mut found, &mut failed),
            Ok(_) => found.push(path.clone()),
            Err(error) => failed.push((path.clone(), error)),
        }
    }
    (found, failed)
}

fn look(
    folder: &Path,
    depth: usize,
    found: &mut Vec<PathBuf>,
    failed: &mut Vec<(PathBuf, io::Error)>,
) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return failed.push((folder.to_owned(), error)),
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // Links are not followed, so that there is no way round in a circle.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEPTH => look(&path, depth + 1, found, failed),
            Ok(kind) if kind.is_file() && ends_like_a_session(&path) => found.push(path),
            _ => {}
        }
    }
}

fn ends_like_a_session(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&ending)) || path.ends_with(OUTPUT)
}

/// Reads files on all processors, and answers in the order of the files.
pub fn survey<F: Follower>(
    files: &[PathBuf],
    progress: &Progress,
    begin: impl Fn() -> F + Sync,
) -> Vec<Surveyed<F::Outcome>> {
    let sizes = files
        .iter()
        .map(|path| fs::metadata(path).map_or(0, |about| about.len()));
    let sizes: Vec<u64> = sizes.collect();
    progress.total.store(sizes.iter().sum(), Ordering::Relaxed);
    // The largest first, so that none is begun when all others are done.
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(sizes[*at]));
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Surveyed<F::Outcome>)>> = Mutex::default();
    let work = || {
        while let Some(&at) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let surveyed = one(&files[at], progress, &begin);
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            results.push((at, surveyed));
        }
    };
    let workers = thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(files.len());
    thread::scope(|scope| {
        (1..workers).for_each(|_| {
            scope.spawn(work);
        });
        work();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, surveyed)| surveyed).collect()
}

fn one<F: Follower>(
    path: &Path,
    progress: &Progress,
    begin: &dyn Fn() -> F,
) -> Surveyed<F::Outcome> {
    let mut sessions = Vec::new();
    let report = file::read_file(path, &progress.read, begin, &mut |told| {
        progress.sessions.fetch_add(1, Ordering::Relaxed);
        sessions.push(told);
    });
    Surveyed {
        path: path.to_owned(),
        report,
        sessions,
    }
}
