//! The thread that looks at the clock stays on the processor that does the work.
//!
//! It sleeps from its first moment on, so it is in nobody's way there. Anywhere else a second
//! processor would be woken for it at once, and interrupted again when the process ends: a tenth
//! of what a call costs.

use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// Starts a thread on this processor. Where the caller may run is afterwards what it was.
pub(super) fn start_here<T>(start: impl FnOnce() -> T) -> T {
    let Ok(everywhere) = sched_getaffinity(None) else {
        return start();
    };
    let mut here = CpuSet::new();
    here.set(sched_getcpu());
    let is_held = sched_setaffinity(None, &here).is_ok();
    let started = start();
    if is_held {
        // One processor is enough to go on with.
        let _ = sched_setaffinity(None, &everywhere);
    }
    started
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_has_one_processor_and_the_caller_all_it_had() {
        let before = sched_getaffinity(None).expect("where we may run");
        let look = || sched_getaffinity(None).expect("where it may run").count();
        let thread = start_here(|| std::thread::spawn(look));
        assert_eq!(thread.join().expect("a thread"), 1);
        assert_eq!(sched_getaffinity(None).expect("where we may run"), before);
    }
}
