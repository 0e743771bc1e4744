//! What anybody may ask of a circuit and tell it: whether to go on, what was done, why things stand
//! as they do, what is worth reporting.
//!
//! Commands, hooks and other programs all come here, so that a decision is the same whoever asks.

mod anomaly;
mod check;
mod explain;
mod looking_after;
mod record;
mod step;

pub(crate) use anomaly::{Report, report as report_anomaly};
pub(crate) use check::decide as check;
pub(crate) use explain::{explain, reminders};
pub(crate) use record::{Recorded, decide as record};
pub(crate) use step::{ask, tell, tell_unasked};
