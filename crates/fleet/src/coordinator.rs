//! The one narrow door to what workers share.

use std::time::Duration;

use crate::address::Address;
use crate::error::FleetError;
use crate::identity::Id;
use crate::local::Local;
use crate::postgres::Postgres;
use crate::terms::{Claimed, Event, Held, LeaseEnd, PatternChange, Scope, Take, Taken, Unit, Used};
use crate::views::{LeaseView, Overview, PatternView, WorkerView};

/// Somebody who takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// Its name, the same for as long as its journal lasts.
    pub id: Id,
    /// The machine.
    pub host: String,
    /// The release it runs.
    pub version: String,
    /// What it works on.
    pub repository: String,
    /// With which agent.
    pub agent: Option<String>,
}

/// What workers share. Every method either does what it says in one step or changes
/// nothing; each may be repeated after an answer was lost.
pub trait Coordinator: Send {
    /// Takes part, or goes on doing so.
    ///
    /// # Errors
    /// When the coordinator cannot be reached, or refuses; so of all methods.
    fn enrol(&mut self, worker: &Worker) -> Result<(), FleetError>;

    /// Takes from all budgets over the scopes, or from none.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol); also when the coordinator's clock cannot be believed.
    fn take(&mut self, take: &Take) -> Result<Taken, FleetError>;

    /// Says what was used of what was taken under that name.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn settle(&mut self, name: &Id, used: &Used) -> Result<(), FleetError>;

    /// Makes tasks known that may be claimed without being named. Says how many are new.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn offer(&mut self, repository: &str, tasks: &[String]) -> Result<u64, FleetError>;

    /// Claims a task, or with no name whichever is to be had.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn claim(
        &mut self,
        worker: &Worker,
        task: Option<&str>,
        ttl: Duration,
    ) -> Result<Claimed, FleetError>;

    /// Gives a sign of life and renews leases. Answers with the tasks that are still held.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn beat(
        &mut self,
        worker: &Worker,
        held: &[Held],
        ttl: Duration,
    ) -> Result<Vec<String>, FleetError>;

    /// Ends a lease. `false` if it was not ours any more, and nothing was changed.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn finish(
        &mut self,
        worker: &Worker,
        held: &Held,
        end: LeaseEnd,
        note: &str,
    ) -> Result<bool, FleetError>;

    /// Takes up a task again that was done or given up. An operator's.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn reopen(&mut self, repository: &str, task: &str) -> Result<bool, FleetError>;

    /// Delivers what the journal says up to a number, and answers with the number up to
    /// which it has arrived.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn deliver(
        &mut self,
        worker: &Worker,
        through: u64,
        events: &[Event],
    ) -> Result<u64, FleetError>;

    /// Halts a scope. Anyone may.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn halt(&mut self, scope: &Scope, reason: &str, by: &str) -> Result<(), FleetError>;

    /// Lets a scope go on. An operator's. `false` if it was not halted.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn resume(&mut self, scope: &Scope, resolution: &str, by: &str) -> Result<bool, FleetError>;

    /// Sets a budget, or with no limit removes it. An operator's.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn set_budget(
        &mut self,
        scope: &Scope,
        unit: Unit,
        most: Option<u64>,
        span: Duration,
    ) -> Result<(), FleetError>;

    /// Sets from when on a pattern is one. An operator's. `false` if there is no such
    /// pattern.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn set_pattern(&mut self, name: &str, change: &PatternChange) -> Result<bool, FleetError>;

    /// The patterns that are counted, by name.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn patterns(&mut self) -> Result<Vec<PatternView>, FleetError>;

    /// How the fleet stands.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn overview(&mut self) -> Result<Overview, FleetError>;

    /// Who takes part.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn workers(&mut self) -> Result<Vec<WorkerView>, FleetError>;

    /// Which tasks somebody has, the lease that ends first first.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn leases(&mut self) -> Result<Vec<LeaseView>, FleetError>;

    /// Makes room: old events go, room for new ones is prepared. Cheap when there is
    /// nothing to do.
    ///
    /// # Errors
    /// As [`enrol`](Self::enrol).
    fn tend(&mut self) -> Result<(), FleetError>;
}

/// The coordinator at an address. Nothing is connected before something is asked.
///
/// # Errors
/// If a directory cannot be used.
pub fn connect(address: &Address) -> Result<Box<dyn Coordinator>, FleetError> {
    Ok(match address {
        Address::Server(server) => Box::new(Postgres::new(server)),
        Address::Directory(directory) => Box::new(Local::open(directory)?),
    })
}
