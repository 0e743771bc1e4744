//! What another terminal asks of a running loop: wait, go on, end.
//!
//! A request is a small file beside the run's lock. The loop looks for it once a
//! second, takes it away and does what it says; that it is gone is the answer.
//! Asking a loop to wait or to end needs no proof, as little as a trip does.
//! Asking it to go on does nothing that counts: a paused loop has no agent that
//! could ask, and what the engine denies stays denied.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::own_file;

/// The longest that a loop needs to see a request: it looks once a second.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// Wait when the iteration has ended.
    Pause,
    /// Go on.
    Resume,
    /// End when the iteration has ended.
    StopAfterIteration,
    /// End the iteration, then the run.
    Stop,
}

impl Request {
    const ALL: [Self; 4] = [
        Self::Pause,
        Self::Resume,
        Self::StopAfterIteration,
        Self::Stop,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::StopAfterIteration => "stop-after-iteration",
            Self::Stop => "stop",
        }
    }

    /// The request in the file at `path`, if it holds one.
    fn read(path: &Path) -> Option<Self> {
        let text = fs::read(path).ok()?;
        let mut all = Self::ALL.into_iter();
        all.find(|request| request.word().as_bytes() == text)
    }
}

/// The loop's side.
#[derive(Debug)]
pub(crate) struct Requests {
    path: PathBuf,
}

impl Requests {
    /// Listens at `path`. What was asked of an earlier run is forgotten.
    pub(crate) fn listen(path: PathBuf) -> Self {
        let _ = fs::remove_file(&path);
        Self { path }
    }

    /// Takes the request that waits, if any does.
    ///
    /// It is moved aside before it is read: what comes while it is read is the next
    /// one, and is not removed with it.
    pub(crate) fn take(&self) -> Option<Request> {
        let aside = beside(&self.path, "taken");
        fs::rename(&self.path, &aside).ok()?;
        let request = Request::read(&aside);
        let _ = fs::remove_file(&aside);
        request
    }
}

/// Leaves a request at `path` and waits until the loop has taken it; `false` if
/// it does not.
pub(crate) fn ask(path: &Path, request: Request) -> io::Result<bool> {
    ask_for(path, request, PATIENCE)
}

fn ask_for(path: &Path, request: Request, patience: Duration) -> io::Result<bool> {
    let ours = own_file::put(path, request.word().as_bytes())?;
    let start = Instant::now();
    while start.elapsed() < patience {
        if !path.exists() {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    withdraw(path, &ours)
}

/// Takes back what was asked; `true` if the loop was faster. What somebody else has asked
/// meanwhile is theirs to take back.
fn withdraw(path: &Path, ours: &File) -> io::Result<bool> {
    if !is_same(path, ours)? {
        return Ok(!path.exists());
    }
    let aside = beside(path, &format!("withdrawn-{}", std::process::id()));
    if fs::rename(path, &aside).is_err() {
        return Ok(!path.exists());
    }
    if !is_same(&aside, ours)? {
        put_back(&aside, path);
    }
    fs::remove_file(&aside).map(|()| false)
}

fn is_same(path: &Path, file: &File) -> io::Result<bool> {
    let file = file.metadata()?;
    Ok(fs::symlink_metadata(path)
        .is_ok_and(|there| (there.dev(), there.ino()) == (file.dev(), file.ino())))
}

/// Puts a request back, unless there is a later one by now, which outranks it.
fn put_back(aside: &Path, path: &Path) {
    let _ = fs::hard_link(aside, path);
}

fn beside(path: &Path, what: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{what}"));
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `ask` does it, without the flush: thousands of them are put here.
    fn put(path: &Path, request: Request) {
        let draft = path.with_extension("draft");
        fs::write(&draft, request.word()).expect("a draft");
        fs::rename(&draft, path).expect("a request");
    }

    #[test]
    fn a_request_that_comes_while_another_is_taken_is_the_next_one() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("run-default.request");
        let requests = Requests::listen(path.clone());
        for round in 0..2_000 {
            put(&path, Request::Pause);
            let last = std::thread::scope(|scope| {
                let asking = scope.spawn(|| put(&path, Request::Stop));
                let mut taken = Vec::new();
                while !asking.is_finished() {
                    taken.extend(requests.take());
                }
                taken.extend(requests.take());
                taken.pop()
            });
            assert_eq!(last, Some(Request::Stop), "round {round}");
        }
    }

    #[test]
    fn who_gives_up_takes_back_their_own_request_and_no_other() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("run-default.request");
        let moment = Duration::from_millis(300);
        assert!(!ask_for(&path, Request::Pause, moment).expect("asked"));
        assert!(!path.exists(), "nobody wants it any more");
        std::thread::scope(|scope| {
            let first = scope.spawn(|| ask_for(&path, Request::Pause, moment));
            std::thread::sleep(moment / 2);
            put(&path, Request::Stop);
            assert!(!first.join().expect("a thread").expect("asked"));
        });
        let left = fs::read_dir(place.path()).expect("the directory").count();
        assert_eq!(left, 1, "something was left behind");
        assert_eq!(Requests { path }.take(), Some(Request::Stop));
    }
}
