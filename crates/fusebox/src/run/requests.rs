//! What another terminal asks of a running loop: wait, go on, end.
//!
//! A request is a small file beside the run's lock. The loop looks for it once a
//! second, takes it away and does what it says; that it is gone is the answer.
//! Asking a loop to wait or to end needs no proof, as little as a trip does.
//! Asking it to go on does nothing that counts: a paused loop has no agent that
//! could ask, and what the engine denies stays denied.

use std::fs;
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
    pub(crate) fn take(&self) -> Option<Request> {
        let text = fs::read(&self.path).ok()?;
        let _ = fs::remove_file(&self.path);
        Request::ALL
            .into_iter()
            .find(|request| request.word().as_bytes() == text)
    }
}

/// Leaves a request at `path` and waits until the loop has taken it; `false` if
/// it does not.
pub(crate) fn ask(path: &Path, request: Request) -> std::io::Result<bool> {
    own_file::replace(path, request.word().as_bytes())?;
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if !path.exists() {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let _ = fs::remove_file(path);
    Ok(false)
}
