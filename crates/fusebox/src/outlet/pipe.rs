//! Writing to a pipe whose reader may have stopped.
//!
//! Whoever reads slowly wants everything: what does not fit waits here, is passed on by a thread,
//! and where it becomes much, no more is taken from the command meanwhile. Whoever takes nothing
//! at all for a while has stopped reading: then nothing waits any more, and what there is no room
//! for is counted instead.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{has_room, opened_anew};

/// How long a reader may take nothing before it counts as stopped. A person at a pager takes
/// longer, and a night does not wait for them.
const PATIENCE: Duration = Duration::from_secs(5);
/// From here on, no more is asked for.
const MUCH: usize = 1 << 20;
/// Whatever comes unasked, no more is kept: there is room for what a command that has ended left in
/// both of its pipes.
const MOST: usize = 4 * MUCH;
/// What a pipe that has room takes at once, whoever else writes to it (`PIPE_BUF`).
const MORSEL: usize = 4096;
/// How often somebody looks who waits for the end.
const LOOK: Duration = Duration::from_millis(50);
/// What a reader who does read is given even by somebody who wants to be gone.
const HASTE: Duration = Duration::from_millis(500);

/// One for each pipe: standard output and standard error may be the same, and then what is written
/// to both stays in order.
static ALL: Mutex<Vec<Arc<Pipe>>> = Mutex::new(Vec::new());

/// A pipe or socket that is not waited for.
pub(super) struct Pipe {
    identity: (u64, u64),
    to: File,
    /// Whether a write that finds no room comes back.
    never_blocks: bool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<u8>,
    /// Bytes that the thread is about to write.
    in_hand: usize,
    /// When the reader took something last, or had nothing left to take.
    taken: Option<Instant>,
    /// Bytes that were given up.
    dropped: u64,
    failed: Option<io::ErrorKind>,
    has_thread: bool,
}

/// What writes to `device`, if that is a pipe.
pub(super) fn on(device: BorrowedFd<'_>) -> Option<Arc<Pipe>> {
    let shared: File = device.try_clone_to_owned().ok()?.into();
    let about = shared.metadata().ok()?;
    let kind = about.file_type();
    if !kind.is_fifo() && !kind.is_socket() {
        return None;
    }
    let identity = (about.dev(), about.ino());
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.iter().find(|pipe| pipe.identity == identity) {
        return Some(Arc::clone(known));
    }
    let own = opened_anew(device);
    let never_blocks = own.is_some();
    let pipe = Arc::new(Pipe {
        identity,
        to: own.unwrap_or(shared),
        never_blocks,
        state: Mutex::default(),
        changed: Condvar::new(),
    });
    all.push(Arc::clone(&pipe));
    Some(pipe)
}

/// Whether more output would only wait here, for a reader who does take something.
pub(super) fn is_any_held_up() -> bool {
    all().iter().any(|pipe| {
        let state = pipe.state();
        state.len() >= MUCH && !state.is_stopped()
    })
}

/// Waits until readers have everything, unless they have stopped, or `is_cut_short`. Answers with
/// how many bytes were given up.
pub(super) fn settle(mut is_cut_short: impl FnMut() -> bool) -> u64 {
    let (mut dropped, mut cut, began) = (0, false, Instant::now());
    for pipe in all() {
        let mut state = pipe.state();
        while state.len() > 0 && !state.is_stopped() {
            cut = cut || is_cut_short();
            if cut && began.elapsed() >= HASTE {
                break;
            }
            let woken = pipe.changed.wait_timeout(state, LOOK);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        let left = state.waiting.len() + state.in_hand;
        state.waiting.clear();
        dropped += std::mem::take(&mut state.dropped) + left as u64;
    }
    dropped
}

fn all() -> Vec<Arc<Pipe>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

impl Pipe {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on `bytes`, now or later. Answers with how much was given up before, once there is
    /// room again.
    pub(super) fn pass(self: &Arc<Self>, bytes: &[u8]) -> io::Result<u64> {
        let mut state = self.state();
        if let Some(kind) = state.failed {
            return Err(kind.into());
        }
        let mut left = bytes;
        if state.len() == 0 {
            left = &bytes[self.write_what_fits(bytes)?..];
            state.taken = Some(Instant::now());
        }
        // Not as soon as a little fits again: what is left out is left out in one piece.
        let recovered = state.dropped > 0 && state.len() <= MUCH / 2;
        let owed = if recovered {
            std::mem::take(&mut state.dropped)
        } else {
            0
        };
        let most = if state.is_stopped() { MUCH } else { MOST };
        if state.dropped > 0 || state.len() + left.len() > most {
            state.dropped += left.len() as u64;
        } else if !left.is_empty() {
            state.waiting.extend(left);
            if !state.has_thread {
                state.has_thread = true;
                let own = Arc::clone(self);
                thread::Builder::new().spawn(move || own.pass_on())?;
            }
            self.changed.notify_all();
        }
        Ok(owed)
    }

    /// The beginning of `bytes` that there is room for at this moment; its length.
    fn write_what_fits(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = 0;
        while written < bytes.len() && has_room(self.to.as_fd(), Duration::ZERO) {
            match self.write_some(&bytes[written..]) {
                Ok(0) => break,
                Ok(taken) => written += taken,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(written)
    }

    fn write_some(&self, bytes: &[u8]) -> io::Result<usize> {
        let most = match self.never_blocks {
            true => bytes.len(),
            false => bytes.len().min(MORSEL),
        };
        (&self.to).write(&bytes[..most])
    }

    /// What the thread does, for as long as the process lives.
    fn pass_on(&self) {
        loop {
            let mut state = self.state();
            while state.waiting.is_empty() {
                let woken = self.changed.wait(state);
                state = woken.unwrap_or_else(PoisonError::into_inner);
            }
            let most = state.waiting.len().min(MORSEL);
            let piece: Vec<u8> = state.waiting.drain(..most).collect();
            state.in_hand = piece.len();
            drop(state);
            let written = self.write_when_there_is_room(&piece);
            let mut state = self.state();
            state.in_hand = 0;
            state.taken = Some(Instant::now());
            if let Err(error) = written {
                state.failed = Some(error.kind());
                state.waiting.clear();
            }
            self.changed.notify_all();
        }
    }

    fn write_when_there_is_room(&self, piece: &[u8]) -> io::Result<()> {
        let mut left = piece;
        while !left.is_empty() {
            if has_room(self.to.as_fd(), PATIENCE) {
                left = &left[self.write_what_fits(left)?..];
            }
        }
        Ok(())
    }
}

impl State {
    fn len(&self) -> usize {
        self.waiting.len() + self.in_hand
    }

    /// Whether there is something to take, and nobody has taken anything for a while.
    fn is_stopped(&self) -> bool {
        self.len() > 0 && self.taken.is_none_or(|taken| taken.elapsed() >= PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// A reader who comes back finds what there was room for, and is told of the rest.
    #[test]
    fn what_a_stopped_reader_cannot_take_is_counted_and_kept_small() {
        let (mut reader, writer) = io::pipe().expect("a pipe");
        let pipe = on(writer.as_fd()).expect("a pipe");
        drop(writer);
        let chunk = vec![b'x'; 100 * 1024];
        for _ in 0..100 {
            assert_eq!(pipe.pass(&chunk).expect("passed on"), 0);
        }
        assert!(pipe.state().len() <= MOST);
        assert!(is_any_held_up(), "it may be slow");
        pipe.state().taken = None;
        assert!(
            !is_any_held_up(),
            "nobody waits for a reader who has stopped"
        );
        let dropped = pipe.state().dropped;
        let passed = 100 * chunk.len() as u64 - dropped;
        assert!(passed < 3 * MOST as u64);
        let mut read = Vec::new();
        let mut these = (&mut reader).take(passed);
        these.read_to_end(&mut read).expect("read");
        assert_eq!(read.len() as u64, passed);
        while pipe.state().len() > 0 {
            thread::sleep(LOOK);
        }
        assert_eq!(pipe.pass(b"end").expect("passed on"), dropped);
        let mut end = [0; 3];
        reader.read_exact(&mut end).expect("read");
        assert_eq!(&end, b"end");
        drop(reader);
        assert!(pipe.pass(b"to nobody").is_err());
    }
}
