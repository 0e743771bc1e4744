//! The tools that an iteration called.

use super::files::{self, Artifact, End};
use super::iterations::Iteration;
use super::machine::Place;
use crate::trail::calls::Calls;

/// The longest list of calls that is read.
const BYTES: u64 = 1 << 20;

/// What is kept of them; nothing where nothing is.
pub(crate) fn read(place: &Place, one: &Iteration) -> Calls {
    let iteration = files::Iteration {
        circuit: place.id.circuit.as_str(),
        number: one.row.iteration,
        reported_ms: one.at_ms,
    };
    let dir = place.workspace_dir();
    let text = files::read(&dir, &iteration, Artifact::Calls, End::First(BYTES));
    let read = text.and_then(|text| serde_json::from_str(&text).ok());
    read.unwrap_or_default()
}
