//! Whether an agent may be at work that cannot be told from a person here.
//!
//! In namespaces of its own, which root and whoever has subordinate users can make, the line of
//! an agent ends like anybody's, and looks like one in a container. What is different is outside:
//! its supervisor noted, before it let anything run, where it stands itself. So whoever does not
//! stand outside of all containers is refused while any iteration is under way that was started
//! elsewhere, of whatever workspace: it may be its agent that asks.

use std::time::Duration;

use fusebox_store::{
    BootId, CircuitName, Error as StoreError, Homes, Kept, MOST_CIRCUITS, MOST_WORKSPACES, Store,
    survey,
};
use fusebox_supervise::{RunLock, is_overlooked_from_here, overlooks_all};

use crate::caller;
use crate::clock::Clock;
use crate::exit;
use crate::failure::Failure;
use crate::memory::Memory;

/// How long to wait for a writer.
const PATIENCE: Duration = Duration::from_secs(1);

/// Refuses `what` to agents, and where one of them could not be told from a person.
pub(crate) fn refuse_agents(homes: &Homes, clock: Clock, what: &str) -> Result<(), Failure> {
    caller::refuse_agents(what)?;
    refuse_out_of_sight(homes, clock, what)
}

/// Refuses `what` where an iteration is under way whose agent could not be told from a person.
pub(crate) fn refuse_out_of_sight(homes: &Homes, clock: Clock, what: &str) -> Result<(), Failure> {
    if overlooks_all() || !may_be_out_of_sight(homes, clock)? {
        return Ok(());
    }
    let why =
        "an iteration is under way elsewhere, and from here its agent cannot be told from a person";
    Err(
        Failure::new(exit::REFUSED, format!("{what} is refused here: {why}"))
            .hint("that is where `fusebox run` was started, or outside of all containers"),
    )
}

fn may_be_out_of_sight(homes: &Homes, clock: Clock) -> Result<bool, Failure> {
    let all = survey(homes)?;
    // Who could fill the list could have one of them left out.
    let is_whole =
        all.len() < MOST_WORKSPACES && all.iter().all(|kept| kept.circuits.len() < MOST_CIRCUITS);
    let unseen = |kept: &Kept| {
        let mut circuits = kept.circuits.iter();
        circuits.any(|circuit| is_unseen(kept, circuit, clock))
    };
    Ok(!is_whole || all.iter().any(unseen))
}

/// Whether an iteration of the circuit may be under way with an agent that is not seen from here.
/// It is read where it lies, and not as another system's file would have it.
fn is_unseen(kept: &Kept, circuit: &CircuitName, clock: Clock) -> bool {
    let mut location = kept.circuit(circuit, BootId::of(&clock.boot_text()));
    location.patience = PATIENCE;
    match Store::<Memory>::open(location).and_then(|store| store.peek()) {
        Ok(view) => {
            let from = view.state.0.core.guarded_from(&clock.now());
            from.is_some_and(|supervisor| !is_overlooked_from_here(supervisor))
        }
        Err(StoreError::Busy { .. }) => true,
        // A memory that cannot be believed tells of no iteration. A person reviews it once nobody
        // is at work there.
        Err(_) => RunLock::is_held(&kept.workspace_dir().join(format!("run-{circuit}.lock"))),
    }
}
