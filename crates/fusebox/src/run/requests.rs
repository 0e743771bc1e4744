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

use fusebox_files::regular;

/// What a request is called while it is read.
const TAKEN: &str = "taken";
/// The longest that a loop needs to see a request: it looks once a second.
const PATIENCE: Duration = Duration::from_secs(5);

/// No request is longer.
const LONGEST: u64 = 64;

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
    /// Those that end a run which has no iteration under way.
    pub(crate) const ENDS: [Self; 2] = [Self::StopAfterIteration, Self::Stop];
    /// Those that a loop can obey while it waits. It is not paused, so going on is
    /// nothing that it could do.
    pub(crate) const WHILE_WAITING: [Self; 3] = [Self::Pause, Self::StopAfterIteration, Self::Stop];

    fn word(self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::StopAfterIteration => "stop-after-iteration",
            Self::Stop => "stop",
        }
    }

    /// What is to be done of the two. Whoever was told that the loop will end relies on it, so
    /// that only another end replaces that; going on takes back a pause and nothing else.
    pub(super) fn after(self, earlier: Option<Self>) -> Option<Self> {
        match (earlier, self) {
            (Some(Self::Stop), _) | (_, Self::Stop) => Some(Self::Stop),
            (Some(Self::StopAfterIteration), _) => earlier,
            (_, Self::Resume) => None,
            (_, later) => Some(later),
        }
    }

    /// The request in the file at `path`, if it holds one.
    fn read(path: &Path) -> Option<Self> {
        Self::of_text(&regular::read(path, LONGEST).ok()?)
    }

    fn of_text(text: &[u8]) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|request| request.word().as_bytes() == text)
    }
}

/// A door for the fuzzer: a request is a word and nothing else, and none takes back an end.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_word(text: &[u8]) {
    let Some(request) = Request::of_text(text) else {
        return;
    };
    assert_eq!(request.word().as_bytes(), text);
    assert_eq!(request.after(Some(Request::Stop)), Some(Request::Stop));
    assert!(Request::of_text(&text[1..]).is_none());
}

/// The loop's side.
#[derive(Debug)]
pub(crate) struct Requests {
    path: PathBuf,
}

impl Requests {
    /// Listens at `path`. What was asked of an earlier run is forgotten.
    pub(crate) fn listen(path: PathBuf) -> Self {
        clear(&path);
        clear(&beside(&path, TAKEN));
        Self { path }
    }

    /// Takes the request that waits, if any does.
    pub(crate) fn take(&self) -> Option<Request> {
        self.take_only(&Request::ALL)
    }

    /// The same where only some can be obeyed. Others stay, so that whoever asks is not
    /// told that they were heard.
    ///
    /// It is moved aside before it is read: what comes while it is read is the next
    /// one, and is not removed with it.
    pub(crate) fn take_only(&self, obeyed: &[Request]) -> Option<Request> {
        let stays = |path: &Path| {
            let request = Request::read(path);
            request.is_some_and(|request| !obeyed.contains(&request))
        };
        // One that is to stay must not be gone even for a moment: that is the answer.
        if stays(&self.path) {
            return None;
        }
        let aside = beside(&self.path, TAKEN);
        if fs::rename(&self.path, &aside).is_err() {
            // Whatever is in the way was put there by somebody who wants us deaf.
            clear(&aside);
            fs::rename(&self.path, &aside).ok()?;
        }
        let request = Request::read(&aside);
        if stays(&aside) {
            put_back(&aside, &self.path);
        }
        clear(&aside);
        request.filter(|request| obeyed.contains(request))
    }
}

/// Leaves a request at `path` and waits until the loop has taken it; `false` if
/// it does not.
pub(crate) fn ask(path: &Path, request: Request) -> io::Result<bool> {
    ask_for(path, request, PATIENCE)
}

fn ask_for(path: &Path, request: Request, patience: Duration) -> io::Result<bool> {
    if path.is_dir() {
        clear(path);
    }
    let start = Instant::now();
    // What is graver is left for the loop to take: whoever asked for it would be told that it was
    // heard. A loop takes an end at all times.
    let is_outranked = || {
        let there = Request::read(path);
        there.is_some() && request.after(there) == there && there != Some(request)
    };
    while is_outranked() {
        if start.elapsed() >= patience {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let ours = fusebox_files::replace::put(path, request.word().as_bytes())?;
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

/// Removes whatever has that name. What cannot be removed shows when the name is used.
fn clear(path: &Path) {
    let _ = match path.symlink_metadata() {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path),
        _ => fs::remove_file(path),
    };
}

fn beside(path: &Path, what: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{what}"));
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// As another process does it.
    fn put(path: &Path, request: Request) {
        let draft = path.with_extension("draft");
        fs::write(&draft, request.word()).expect("a draft");
        fs::rename(&draft, path).expect("a request");
    }

    #[test]
    fn nothing_that_stands_in_the_way_makes_a_loop_deaf() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("request");
        let block = |path: &Path| fs::create_dir_all(path.join("x")).expect("a directory");
        block(&path);
        block(&beside(&path, TAKEN));
        let requests = Requests::listen(path.clone());
        for blocked in [&path, &beside(&path, TAKEN)] {
            block(blocked);
            let asked = std::thread::scope(|scope| {
                let asking = scope.spawn(|| ask_for(&path, Request::Pause, PATIENCE));
                let begun = Instant::now();
                while requests.take() != Some(Request::Pause) && begun.elapsed() < PATIENCE {
                    std::thread::sleep(Duration::from_millis(5));
                }
                asking.join().expect("no panic")
            });
            assert!(asked.expect("asked"), "{}", blocked.display());
        }
    }

    #[test]
    fn a_request_that_comes_while_another_is_taken_is_not_lost() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("run-default.request");
        let requests = Requests::listen(path.clone());
        // Where the first one is while it is read.
        put(&beside(&path, "taken"), Request::Pause);
        put(&path, Request::Stop);
        assert_eq!(requests.take(), Some(Request::Stop));
        // Each that comes in the midst of others is taken, or outranked by a later one.
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| {
                for _ in 0..2_000 {
                    put(&path, Request::Pause);
                }
                put(&path, Request::Stop);
            });
            let mut last = None;
            while !asking.is_finished() {
                last = requests.take().or(last);
            }
            asking.join().expect("a thread");
            assert_eq!(requests.take().or(last), Some(Request::Stop));
        });
    }

    #[test]
    fn an_end_that_was_asked_for_is_replaced_by_another_end_alone() {
        use Request::{Pause, Resume, Stop, StopAfterIteration};
        for (asked, left) in [
            (&[StopAfterIteration, Pause][..], Some(StopAfterIteration)),
            (&[StopAfterIteration, Resume], Some(StopAfterIteration)),
            (
                &[StopAfterIteration, Pause, Resume],
                Some(StopAfterIteration),
            ),
            (&[StopAfterIteration, Stop], Some(Stop)),
            (&[Pause, StopAfterIteration], Some(StopAfterIteration)),
            (&[Pause, Resume], None),
            (&[Resume, Pause], Some(Pause)),
            (&[Resume], None),
            (&[Pause], Some(Pause)),
        ] {
            let all = asked.iter();
            let told = all.fold(None, |earlier, request| request.after(earlier));
            assert_eq!(told, left, "{asked:?}");
        }
    }

    #[test]
    fn an_end_that_waits_to_be_taken_is_not_replaced_by_less() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("run-default.request");
        let requests = Requests::listen(path.clone());
        put(&path, Request::StopAfterIteration);
        std::thread::scope(|scope| {
            let later = scope.spawn(|| ask_for(&path, Request::Pause, PATIENCE));
            std::thread::sleep(Duration::from_millis(300));
            assert_eq!(requests.take(), Some(Request::StopAfterIteration));
            let begun = Instant::now();
            while requests.take() != Some(Request::Pause) && begun.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(5));
            }
            assert!(later.join().expect("a thread").expect("asked"));
        });
    }

    #[test]
    fn a_pipe_in_the_place_of_a_request_is_not_waited_for() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("run-default.request");
        let requests = Requests::listen(path.clone());
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success());
        assert_eq!(requests.take(), None);
        put(&path, Request::Stop);
        assert_eq!(requests.take(), Some(Request::Stop));
    }

    #[test]
    fn what_cannot_be_obeyed_is_not_taken() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("run-default.request");
        let requests = Requests::listen(path.clone());
        for request in [Request::Pause, Request::Resume] {
            put(&path, request);
            assert_eq!(requests.take_only(&Request::ENDS), None);
            assert_eq!(requests.take(), Some(request));
        }
        fs::write(&path, "nonsense").expect("a file");
        assert_eq!(requests.take_only(&Request::ENDS), None);
        assert!(!path.exists(), "nobody could ever obey it");
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
