//! Both output streams of a step, from the pipes to the observer.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use crate::output::{Outlet, OutputStats, PIPE_SIZE};
use crate::readiness::{readable_now, wait_readable};
use crate::step::StepObserver;

/// How much is read at a time.
const CHUNK: usize = 256 * 1024;

/// The reading ends, and the one buffer they share.
pub(crate) struct Streams {
    outlets: [Outlet; 2],
    buffer: Vec<u8>,
}

impl Streams {
    pub(crate) fn new(stdout: Outlet, stderr: Outlet) -> Self {
        Self {
            outlets: [stdout, stderr],
            buffer: vec![0; CHUNK],
        }
    }

    /// The streams that have not ended, by their number.
    pub(crate) fn open(&self) -> impl Iterator<Item = (usize, BorrowedFd<'_>)> {
        let outlets = self.outlets.iter().enumerate();
        outlets.filter_map(|(index, outlet)| Some((index, outlet.source()?)))
    }

    /// Hands one chunk to the observer; returns its length.
    pub(crate) fn pass_on(
        &mut self,
        index: usize,
        observer: &mut dyn StepObserver,
    ) -> io::Result<usize> {
        let outlet = &mut self.outlets[index];
        let bytes = outlet.read(&mut self.buffer)?;
        if !bytes.is_empty() {
            observer.output(outlet.stream, bytes);
        }
        Ok(bytes.len())
    }

    /// Passes on what is still in the pipes. Their end may never come, for
    /// someone outside the tree can hold them open and even write on. So after
    /// the time that is allowed only what can have been there before is read.
    pub(crate) fn drain(
        &mut self,
        time: Duration,
        observer: &mut dyn StepObserver,
    ) -> io::Result<()> {
        let until = Instant::now().checked_add(time);
        let mut left = self.outlets.len() * PIPE_SIZE;
        loop {
            let ready = self.wait(until)?;
            let late = until.is_some_and(|until| Instant::now() >= until);
            if self.open().next().is_none() || (late && (ready.is_empty() || left == 0)) {
                return Ok(());
            }
            for index in ready {
                left = left.saturating_sub(self.pass_on(index, observer)?);
            }
        }
    }

    /// Passes on what is in the pipes at this moment, and as much more as fits
    /// into them at most; returns how much that was.
    pub(crate) fn catch_up(&mut self, observer: &mut dyn StepObserver) -> io::Result<usize> {
        let mut passed = 0;
        while passed < self.outlets.len() * PIPE_SIZE {
            let ready = self.ready(readable_now)?;
            if ready.is_empty() {
                break;
            }
            for index in ready {
                passed += self.pass_on(index, observer)?;
            }
        }
        Ok(passed)
    }

    fn wait(&self, until: Option<Instant>) -> io::Result<Vec<usize>> {
        self.ready(|sources| wait_readable(sources, until))
    }

    fn ready(
        &self,
        look: impl FnOnce(&[BorrowedFd<'_>]) -> io::Result<Vec<bool>>,
    ) -> io::Result<Vec<usize>> {
        let (indices, sources): (Vec<_>, Vec<_>) = self.open().unzip();
        if sources.is_empty() {
            return Ok(Vec::new());
        }
        let readable = look(&sources)?;
        let ready = indices.into_iter().zip(readable);
        Ok(ready
            .filter_map(|(index, ready)| ready.then_some(index))
            .collect())
    }

    pub(crate) fn stats(&self) -> OutputStats {
        let [stdout, stderr] = &self.outlets;
        OutputStats {
            stdout: stdout.stats,
            stderr: stderr.stats,
        }
    }
}
