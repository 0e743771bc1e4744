//! Tasks that do not get lost.
//!
//! A task that was in progress when its worker died must come back; a task whose
//! worker is alive must never be taken from it; and a task is not done because
//! somebody says so. Both kinds of mistake are common in the field, and both come
//! from trusting one field of a task list: hardly any list records who works on a
//! task in a way that can be checked, and most do not even record since when.
//!
//! So there are two things here, and the second outranks the first:
//!
//! * a [`Source`]: the list that people and agents already use, behind one narrow
//!   trait with declared [`Capabilities`]. One folder for lists that are files, one
//!   for lists behind a command. They are recognised by content, never by name
//!   alone, and edited so that every other byte stays.
//! * the [`Journal`]: our own record of claims, with the process, the start of that
//!   process and the boot of the machine it runs on. Together those three name a
//!   worker that cannot be mistaken for a later one.
//!
//! The [`Desk`] brings the two together, and [`judge`](verdict::judge) says of a
//! claim whether its worker lives: by the process first, then by a lease, and only
//! where no proof of life can exist by age.
//!
//! Nothing here supervises, decides whether work may go on, or reads a clock.

mod desk;
mod detect;
mod error;
mod files;
mod history;
mod journal;
mod record;
mod source;
mod status;
mod task;
mod time;
mod tools;
pub mod verdict;
mod worker;

pub use desk::{Claimant, Claimed, Desk, Doubted, Item, Recovered, Rules, Settled};
pub use detect::{Found, Places, add, export_alone, find};
pub use error::{SourceError, TaskError};
pub use files::BUILT_IN;
pub use history::{Expectation, KindPattern, patterns};
pub use journal::{Attempt, AttemptEnd, Claim, Doubt, Journal, Record};
pub use source::{Capabilities, Kept, Move, Source};
pub use status::Status;
pub use task::{Holder, Task};
pub use time::Now;
pub use verdict::Verdict;
pub use worker::{Here, Life, Worker};

/// A door for the fuzzer: reads what a tool answers that keeps a list.
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub fn read_answer(text: &str) {
    tools::read_answer(text);
}
