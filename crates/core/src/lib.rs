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
//! ```
//! use fusebox_core::machine::{self, Claim, Start};
//! use fusebox_core::observation::FileChanges;
//! use fusebox_core::{Circuit, Fact, Gate, Moment, Observation, Policy, State};
//!
//! let policy = Policy::native();
//! let mut circuit = Circuit::default();
//! let mut now = Moment::default();
//! let mut log = Vec::new();
//! let decision = loop {
//!     // Before an iteration: may it run?
//!     let step = machine::check(&circuit, &policy, Start::default(), &now);
//!     log.extend(step.entries);
//!     circuit = step.circuit;
//!     if let Gate::Deny(_) = step.decision.gate {
//!         break step.decision;
//!     }
//!     // After it: what is known of it. This one changed no file.
//!     now.wall_ms += 60_000;
//!     now.boot_ms += 60_000;
//!     let facts = Observation {
//!         files: Fact::Measured(FileChanges::default()),
//!         ..Observation::default()
//!     };
//!     let step = machine::record(&circuit, &policy, facts, Claim::default(), &now);
//!     log.extend(step.entries);
//!     circuit = step.circuit;
//! };
//! assert_eq!(decision.state, State::Open);
//! assert_eq!(decision.reason, "No progress for 3 iterations");
//!
//! // The state is the log, folded: whoever has the log has the breaker.
//! let mut again = Circuit::default();
//! log.iter().for_each(|entry| again.fold(entry));
//! assert_eq!(again, circuit);
//! ```
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
pub use text::{clip, hostile, is_hostile, quiet_json, quiet_line};

/// The revision of the rules in this crate.
///
/// Written into every entry, so that a reader knows whether re-running the
/// rules on it may be expected to give the same answer.
pub const ENGINE_REVISION: u32 = 7;
