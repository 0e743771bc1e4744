//! The time a call may take.
//!
//! A thread looks at the clock and the work is done where it began: most calls are over in
//! two milliseconds, and waking another processor for them would take as long as they do.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::{say, words};
use crate::cli::Hook;
#[cfg(target_os = "linux")]
use linux::start_here;
#[cfg(target_os = "macos")]
use macos::start_here;

/// Enough to put a sentence together.
const STACK: usize = 256 * 1024;

/// A deadline that runs.
pub(super) struct Deadline {
    /// Whether somebody has begun to answer; only the first may.
    answered: Arc<AtomicBool>,
}

/// From now on a denial is the answer unless another is given in time.
pub(super) fn begin(args: &Hook, patience: Duration) -> io::Result<Deadline> {
    let answered = Arc::new(AtomicBool::new(false));
    let (agent, point, heard) = (args.agent, args.event, Arc::clone(&answered));
    let watch = move || {
        thread::sleep(patience);
        if !heard.swap(true, Ordering::SeqCst) {
            let late = words::no_answer(point, "it took longer than it may");
            end_process(say(&agent.reply(point, &late)));
        }
    };
    start_here(|| thread::Builder::new().stack_size(STACK).spawn(watch))?;
    Ok(Deadline { answered })
}

#[expect(
    clippy::exit,
    reason = "the thread that works cannot be ended in any other way"
)]
fn end_process(code: u8) {
    std::process::exit(i32::from(code));
}

impl Deadline {
    /// There is an answer. Never returns if it comes too late: then the denial is already
    /// being written, and two answers would be none.
    pub(super) fn end(self) {
        while self.answered.swap(true, Ordering::SeqCst) {
            thread::park();
        }
    }
}
