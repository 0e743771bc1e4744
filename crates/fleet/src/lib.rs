//! Many workers on many machines.
//!
//! When a team outgrows one machine, its loops share four things: budgets that are
//! never exceeded, leases on tasks, what happened, and breakers over more than one
//! loop. A [`Coordinator`] keeps them. There are two: [`Postgres`], a server that the
//! team already runs, and [`Local`], a directory for several loops on one machine.
//!
//! The local breaker of each loop stays what it is and knows nothing of this. A worker
//! whose coordinator cannot be reached goes on protecting its own machine; it only gets
//! no new budget, no new task and no release until there is one again.
//!
//! Three rules hold throughout, each because the simpler version lost money or work:
//!
//! * **The coordinator's clock alone decides**, read after its lock is held. Workers send
//!   no times. What a worker must measure by itself (how long a grant or a lease is
//!   good for) it measures on the boot-time clock, from before the request was sent.
//! * **Every write carries its fence.** A worker that slept through the end of its lease
//!   changes nothing.
//! * **Whatever is asked twice is done once.** An answer can always be lost.

mod address;
mod boot_clock;
mod coordinator;
mod error;
mod identity;
mod local;
mod platform;
mod postgres;

pub mod simulate;
mod terms;
mod views;

pub use address::{Address, Directory};
pub use boot_clock::BootInstant;
pub use coordinator::{Coordinator, Worker, connect};
pub use error::FleetError;
pub use identity::Id;
pub use local::Local;
pub use postgres::{Applied, Postgres};
pub use terms::{
    Amounts, Claimed, Event, Grant, Held, LeaseEnd, Mark, PatternChange, Refusal, Scope, Take,
    Taken, Unit, Used,
};
pub use views::{BudgetView, HaltView, IncidentView, LeaseView, Overview, PatternView, WorkerView};
