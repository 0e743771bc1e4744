//! The engine of fusebox: facts go in, decisions with their proof come out.
//!
//! Nothing in this crate reads a clock, a file or the environment. Time is an
//! argument ([`Moment`]), thresholds are data ([`Policy`]), and every function
//! that decides is pure, so a decision can be replayed on another machine a
//! year later and come out the same.
//!
//! # How the parts fit
//!
//! An iteration of the agent's loop is described by an [`Observation`]: facts,
//! each measured, claimed or unknown. The [`signals`] read it beside a few
//! counters and say how close to trouble the loop is. The [`machine`] turns
//! their readings into a change of state and a [`Decision`]. What happened and
//! what came of it is one [`Entry`]; a [`Circuit`] is nothing but the entries
//! folded together. Beside the iterations stand the anomalies that people and
//! agents report; [`patterns`] looks for what they have in common.
//!
//! Entries carry outcomes, not just inputs. Folding never runs a rule again, so
//! a later release with better rules does not rewrite what was once decided.

#![forbid(unsafe_code)]

pub mod alerts;
pub mod budget;
pub mod calls;
pub mod circuit;
pub mod clock;
pub mod decision;
pub mod fact;
pub mod journal;
pub mod limiter;
pub mod machine;
pub mod observation;
pub mod patterns;
pub mod policy;
pub mod recovery;
pub mod signals;
pub mod signature;
mod text;

pub use circuit::{Circuit, State};
pub use clock::{BootId, Moment};
pub use decision::{Decision, Gate};
pub use fact::Fact;
pub use journal::{Entry, Event};
pub use observation::Observation;
pub use policy::{Policy, Preset};
pub use text::clip;

/// The revision of the rules in this crate.
///
/// Written into every entry, so that a reader knows whether re-running the
/// rules on it may be expected to give the same answer.
pub const ENGINE_REVISION: u32 = 6;
