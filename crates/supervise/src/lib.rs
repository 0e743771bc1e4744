//! A process tree that ends when it should.
//!
//! One *step* is one run of the agent's command. Killing the process group of
//! such a command is not enough: a grandchild that called `setsid` and forked
//! twice survives it, keeps the output pipe open, and goes on editing files
//! while the breaker believes the step is over. So three processes stand in a
//! row, each the same executable started again:
//!
//! ```text
//! supervisor ──▶ keeper ──▶ leader ──exec──▶ the command and all it starts
//!  reads output   adopts every orphan        own session, no terminal
//!  keeps time     takes the tree down
//! ```
//!
//! * The **supervisor** ([`Supervisor::run`]) reads output, keeps the time
//!   limits and asks for the end.
//! * The **keeper** ([`keeper_main`]) is a child subreaper, so whatever
//!   daemonises below it becomes its own child and can be found and waited
//!   for. It takes the tree down when told to, when the leader is gone, and
//!   when the supervisor itself has died: the control socket closes with the
//!   supervisor, whatever killed it. While the supervisor is stopped, by Ctrl-Z
//!   or otherwise, it keeps the tree stopped, too.
//! * The **leader** ([`leader_main`]) does to itself what a `pre_exec` hook
//!   would have done, which needs no `unsafe`, and becomes the command.
//!
//! Nothing here decides whether a step *should* run; it only makes sure that
//! an answer of "no" is carried out. Nobody is ever signalled by a remembered
//! number: a process is known by its number and its start, and both are looked
//! at when a signal is sent (`process`).
//!
//! That is how it is on Linux, which needs a readable `/proc`. macOS hands
//! orphans to nobody, so there the keeper looks for them (`adoption`, `lineage`),
//! and it has no walls (`sandbox`). What differs stands in a `linux.rs` and a
//! `macos.rs` beside each other.

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!(
    "fusebox supervises with what Linux and macOS tell of processes; see docs/src/guides/platforms.md"
);

mod adoption;
mod ancestry;
mod census;
mod cgroup;
mod control;
mod cookie;
mod halt;
mod held;
mod idleness;
mod keeper;
mod keeper_streams;
mod ladder;
mod leader;
mod lineage;
mod output;
mod output_keep;
mod parent;
mod platform;
mod process;
mod readiness;
mod reaper;
mod report;
mod rescue;
mod run_lock;
pub mod sandbox;
mod signals;
mod stage_args;
mod start_failure;
mod step;
mod streams;
mod supervisor;
mod sweep;
mod told;
mod tree;
mod vitals;
mod watch;
mod wire;

pub use adoption::Orphans;
pub use ancestry::{
    Ancestor, Ancestry, CookieSight, DEPTH_VARIABLE, ancestry, ancestry_of,
    is_overlooked_from_here, nesting_depth, overlooks_all, standpoint, supervisor, variable_of,
};
pub use cookie::{COOKIE_VARIABLE, Cookie};
pub use keeper::{keeper_main, keeper_main_with};
pub use leader::leader_main;
pub use output::{OutputStats, Stream, StreamStats};
pub use output_keep::HeadTail;
pub use report::{Crowd, LeaderEnd, Limit, StepEnd, StepError, StepReport, StopCause, Survivor};
pub use run_lock::{LockError, LockOwner, RunLock, TreeLock};
pub use signals::Signals;
pub use stage_args::{KEEPER_WORD, LEADER_WORD};
pub use start_failure::{StartFailure, StartFailureKind};
pub use step::{
    AgentCap, FirstSignal, Step, StepInput, StepLimits, StepObserver, Tick, WITHHELD, Wish,
};
pub use supervisor::Supervisor;
pub use sweep::{Swept, find_orphans, sweep};

/// Doors for the fuzzer, which are no part of what this crate offers.
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod doors {
    use std::ffi::OsString;
    use std::path::Path;

    /// Reads what a keeper might say.
    pub fn news(text: &str) {
        text.split('\n').for_each(crate::wire::read_line);
    }

    /// Reads what comes over the socket between supervisor and keeper.
    pub fn socket(bytes: &[u8]) {
        crate::control::read_lines(bytes);
    }

    /// Reads the words that a stage of this program is started with.
    pub fn words(words: &[OsString]) {
        crate::stage_args::read_words(words);
    }

    /// Takes a lock in whose file there is something.
    pub fn lock_file(path: &Path, bytes: &[u8]) {
        crate::run_lock::read_owner(path, bytes);
    }

    /// Reads what a system says of processes, with names and variables that these chose.
    pub fn system(bytes: &[u8]) {
        crate::cookie::read_environment(bytes);
        let text = String::from_utf8_lossy(bytes);
        #[cfg(target_os = "linux")]
        crate::process::read_rows(&text);
        let (own, mounts) = text.split_once('\n').unwrap_or((&text, ""));
        crate::cgroup::read_groups(mounts, own);
    }
}
