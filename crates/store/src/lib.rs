//! The memory of fusebox.
//!
//! A circuit breaker that forgets is worse than none: whoever can make it
//! forget has switched it off. So this crate keeps one circuit's history in a
//! hash-chained log, believes nothing it has not checked, and says *tampered*
//! whenever what it finds could not have been left behind by its own writes
//! and an ordinary crash.
//!
//! Three files hold a circuit, and each exists because of the others:
//!
//! * the **log** is the truth. It is the only file that is flushed on the way
//!   to an acknowledgement, and the state is by definition what folding its
//!   records gives ([`Folded`]). One that has grown long is sealed and goes on
//!   in a successor, and old sealed ones may be pruned ([`Retention`]);
//! * the **slots** hold that state ready-made, twice in turn, so that a reader
//!   need not fold years of history;
//! * the **head** is kept in another directory and remembers how far the log
//!   had come, so that putting back an old copy of the other two is noticed.
//!
//! Which combinations of these are sound, repairable or damning is written
//! down in one place, `belief.rs`. The bodies of records and the type of the
//! state belong to the caller; nothing here knows a policy.
//!
//! Around this core sit the question of where a circuit lives ([`locate()`],
//! [`Homes`]), the list of everything that is kept ([`survey()`]), the log in
//! pages from its end ([`Log::page`]), and a disposable SQLite index for people
//! who search the past ([`ReadModel`]).

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!(
    "fusebox keeps its memory by what Linux and macOS promise of their file systems; see docs/src/guides/platforms.md"
);

mod batch;
mod belief;
mod birth;
mod boot;
mod circuit_name;
mod commit;
mod creation;
mod disk;
mod error;
mod filesystem;
mod folded;
mod forget;
mod frame;
mod head;
mod header;
mod hex;
mod kin;
mod layout;
mod locate;
mod log;
mod moved;
mod ownership;
mod page;
mod quarantine;
mod read_model;
mod registering;
mod repair;
mod retention;
mod roll;
mod sealed;
mod segment;
mod slots;
mod store;
mod survey;
mod tamper;
mod utc;
mod version;
mod walker;
mod workspace_file;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod trace;

pub use boot::BootId;
pub use circuit_name::CircuitName;
pub use error::Error;
pub use filesystem::refuse_remote_filesystem;
pub use folded::{FoldError, Folded};
pub use frame::{Draft, Hash, MAX_BATCH, MAX_BODY, Mark, Record};
pub use kin::{HeldRepository, Repository};
pub use layout::{HomeSources, Homes};
pub use locate::{Located, Standing, locate};
pub use log::{Log, LogReader, PrunedPast};
pub use page::{Page, Picked};
pub use read_model::{Facts, Query, ReadModel, Row};
pub use repair::Repair;
pub use retention::{Pruned, Retention};
pub use sealed::SEGMENT_BYTES;
pub use slots::MAX_STATE;
pub use store::{DEFAULT_PATIENCE, Location, Store, View};
pub use survey::{Kept, MOST_CIRCUITS, MOST_WORKSPACES, survey};
pub use tamper::Tamper;

/// A door for the fuzzer: reads bytes as each file of the memory.
#[cfg(feature = "fuzzing")]
pub fn read_stored(bytes: &[u8]) {
    header::read_sealed(bytes);
    slots::read_sealed(bytes);
    head::read_sealed(bytes);
    roll::read_sealed(bytes);
    workspace_file::read_anything(&String::from_utf8_lossy(bytes));
}
