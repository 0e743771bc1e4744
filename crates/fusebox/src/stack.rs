//! Room to work in, whatever whoever started us left of it.
//!
//! The stack of a process is as large as a limit that it inherits, and an agent can set that
//! before it calls a hook. A program that comes to the end of its stack dies, and agents take a
//! hook that died for one that had nothing to say.

use std::thread;

use rustix::process::{Resource, getrlimit};

/// With a smaller stack than this, work is moved to a thread of our own. Usual limits are
/// 8 MB or more.
const LEAST: u64 = 4 << 20;

/// The stack that is worked on instead. Only what is used of it takes memory.
const OWN: usize = 8 << 20;

/// What is taken of the stack that is there before work begins, where memory is limited.
const TAKEN: usize = 512 << 10;

/// Does `work` on the stack that is there, or on one of our own where that is too small.
pub(crate) fn with_room<T: Send>(work: impl Fn() -> T + Sync) -> T {
    let given = getrlimit(Resource::Stack).current;
    if given.is_none_or(|bytes| bytes >= LEAST) {
        if getrlimit(Resource::As).current.is_some() {
            take();
        }
        return work();
    }
    let done = thread::scope(|scope| {
        let started = thread::Builder::new()
            .stack_size(OWN)
            .spawn_scoped(scope, &work);
        started.ok().map(thread::ScopedJoinHandle::join)
    });
    match done {
        Some(Ok(done)) => done,
        Some(Err(panic)) => std::panic::resume_unwind(panic),
        // There is no room for a thread either, so what there is has to do.
        None => work(),
    }
}

/// Takes at once what work may need. A stack grows as it is used, and where memory is limited, it
/// ends the process in the middle of the work when it cannot. A try elsewhere comes first: what
/// fails there is an abort, which has an answer.
fn take() {
    let mut elsewhere: Vec<u8> = Vec::new();
    if elsewhere.try_reserve_exact(TAKEN).is_err() {
        std::process::abort();
    }
    drop(elsewhere);
    touch();
}

#[inline(never)]
fn touch() {
    std::hint::black_box(&mut [0_u8; TAKEN]);
}
