//! By what every Unix tells: a signal when a child ends, and who the parent is.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpid, getppid, kill_process};
use signal_hook::consts::SIGCHLD;

use super::wait_for;

/// How often a process looks whether its parent is still there.
#[cfg_attr(test, allow(dead_code, reason = "tests look more often"))]
const LOOK: Duration = Duration::from_millis(250);

/// The end of a child.
pub(crate) struct Ending {
    deaths: UnixStream,
}

impl Ending {
    pub(crate) fn of(_: &Child) -> io::Result<Self> {
        let (deaths, handler) = UnixStream::pair()?;
        deaths.set_nonblocking(true)?;
        signal_hook::low_level::pipe::register(SIGCHLD, handler)?;
        Ok(Self { deaths })
    }

    /// Waits until the child has ended, something was asked, or the time is over;
    /// says whether it has ended.
    ///
    /// The signal comes for other things, too, and may have come before anyone was
    /// listening, so each time the child itself is asked.
    pub(crate) fn wait(
        &self,
        child: &mut Child,
        asked: Option<&UnixStream>,
        time: Option<Duration>,
    ) -> io::Result<bool> {
        let until = time.map(|time| Instant::now() + time);
        let mut sources = vec![self.deaths.as_fd()];
        sources.extend(asked.map(AsFd::as_fd));
        loop {
            if child.try_wait()?.is_some() {
                return Ok(true);
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let ready = wait_for(&sources, left)?;
            let is_asked = ready.get(1) == Some(&true);
            if is_asked || !ready.contains(&true) {
                return Ok(child.try_wait()?.is_some());
            }
            while matches!((&self.deaths).read(&mut [0; 64]), Ok(64)) {}
        }
    }
}

/// Has this process asked to end when its parent has ended. Nobody tells it, so it looks.
#[cfg(target_os = "macos")]
pub(crate) fn end_with_parent() -> io::Result<()> {
    end_after(getppid(), LOOK)
}

fn end_after(parent: Option<Pid>, look: Duration) -> io::Result<()> {
    let watch = move || {
        while getppid() == parent {
            std::thread::sleep(look);
        }
        let _ = kill_process(getpid(), Signal::TERM);
    };
    std::thread::Builder::new()
        .name("parent".into())
        .spawn(watch)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::Command;

    use super::*;

    fn sleeper(seconds: &str) -> Child {
        Command::new("sleep").arg(seconds).spawn().unwrap()
    }

    #[test]
    fn the_end_of_a_child_is_noticed_and_so_is_a_question() {
        let mut child = sleeper("0.2");
        let ending = Ending::of(&child).unwrap();
        assert!(ending.wait(&mut child, None, None).unwrap());
        // That it ended before anyone listened does not matter.
        assert!(
            Ending::of(&child)
                .unwrap()
                .wait(&mut child, None, None)
                .unwrap()
        );

        let mut child = sleeper("60");
        let ending = Ending::of(&child).unwrap();
        let short = Some(Duration::from_millis(50));
        assert!(!ending.wait(&mut child, None, short).unwrap());
        let (asked, mut asking) = UnixStream::pair().unwrap();
        asking.write_all(b"x").unwrap();
        assert!(!ending.wait(&mut child, Some(&asked), None).unwrap());
        child.kill().unwrap();
        assert!(ending.wait(&mut child, None, None).unwrap());
    }

    #[test]
    fn the_end_of_a_parent_is_noticed() {
        use std::sync::Arc;
        use std::sync::atomic::{AtomicBool, Ordering};

        let asked = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::clone(&asked)).unwrap();
        end_after(getppid(), Duration::from_millis(5)).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        assert!(!asked.load(Ordering::SeqCst), "the parent is still there");
        // Whoever is the parent of this process, it is not this process.
        end_after(Some(getpid()), Duration::from_millis(5)).unwrap();
        let begun = Instant::now();
        while !asked.load(Ordering::SeqCst) {
            assert!(begun.elapsed() < Duration::from_secs(10));
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
