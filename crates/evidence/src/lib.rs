//! What outputs and files say, as facts that a claim can be held against.
//!
//! Bytes in, facts out: nothing here opens a file, starts a process or asks the time. What
//! it reads was written by the agent, by its tests or by its tools, and the reading follows
//! from that:
//!
//! * It never fails and never panics. What is not understood is `None`, which means unknown
//!   and never "fine".
//! * It is bounded. At most [`KEPT`] failures and problems are kept; the counts stay exact.
//! * Content decides which format an output has, not the name of the command.
//! * What the agent says of itself ([`claims`]) has types of its own, so that it cannot pass
//!   for something measured ([`Reading`]).

mod attempt;
pub mod claims;
pub mod criteria;
mod evidence;
mod format;
mod markdown;
mod plain_text;
mod problem;
mod reading;
mod run;
mod said;
pub mod suggest;

pub use evidence::{Counts, Evidence};
pub use format::Format;
pub use problem::{Problem, Problems, Stage};
pub use reading::{Finding, Reading, could_not_be_run, read};
pub use run::{Failure, KEPT, TestRun};
