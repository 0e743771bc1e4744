//! The time a call may take.
//!
//! A thread looks at the clock and the work is done where it began: most calls are over in
//! two milliseconds, and waking another processor for them would take as long as they do.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::{lose_what_is_at_stake, say, words};
use crate::cli::Hook;
#[cfg(target_os = "linux")]
use linux::start_here;
#[cfg(target_os = "macos")]
use macos::start_here;

/// Enough to put a sentence together.
const STACK: usize = 256 * 1024;

/// Whether somebody has begun to answer, of those who may: the work itself, the clock, and a
/// panic. Two answers would be none, and agents take none for a yes.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// Whether the caller is the first to answer; nobody else is from then on.
pub(super) fn is_first_to_answer() -> bool {
    !ANSWERED.swap(true, Ordering::SeqCst)
}

/// A deadline that runs.
pub(super) struct Deadline(());

/// From now on a denial is the answer unless another is given in time.
pub(super) fn begin(args: &Hook, patience: Duration) -> io::Result<Deadline> {
    let (agent, point) = (args.agent, args.event);
    let watch = move || {
        thread::sleep(patience);
        if is_first_to_answer() {
            lose_what_is_at_stake();
            let late = words::no_answer(point, "it took longer than it may");
            end_process(say(&agent.reply(point, &late)));
        }
    };
    start_here(|| thread::Builder::new().stack_size(STACK).spawn(watch))?;
    Ok(Deadline(()))
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
    /// being written.
    pub(super) fn end(self) {
        while !is_first_to_answer() {
            thread::park();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    /// The work, the clock and a panic may all come to an end in the same moment.
    #[test]
    fn of_all_who_answer_at_once_one_is_first() {
        const CALLERS: usize = 8;
        let begin = Barrier::new(CALLERS);
        let first = thread::scope(|scope| {
            let callers: Vec<_> = (0..CALLERS)
                .map(|_| {
                    scope.spawn(|| {
                        begin.wait();
                        is_first_to_answer()
                    })
                })
                .collect();
            let answers = callers.into_iter().map(|caller| caller.join());
            answers
                .filter(|answer| *answer.as_ref().expect("no panic"))
                .count()
        });
        assert_eq!(first, 1);
    }
}
