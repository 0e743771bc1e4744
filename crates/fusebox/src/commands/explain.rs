//! `fusebox explain`: why things stand as they do.

use fusebox_core::machine;

use super::{Context, show};
use crate::dealings;
use crate::exit;
use crate::failure::Failure;

pub(super) fn run(context: &Context<'_>) -> Result<u8, Failure> {
    let session = context.session()?;
    // Before the state: a run that ends says so before it lets go of its lock.
    let live = session.has_live_run();
    let outcome = session.look(machine::status)?;
    show(context, &outcome, |outcome| {
        dealings::explain(outcome, live)
    });
    Ok(exit::GO)
}
