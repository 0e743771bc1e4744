//! `fusebox explain`: why things stand as they do.

use fusebox_core::machine;

use super::{Context, show};
use crate::dealings;
use crate::exit;
use crate::failure::Failure;

pub(super) fn run(context: &Context<'_>) -> Result<u8, Failure> {
    let session = context.session()?;
    let (outcome, live) = session.with_life(|| session.look(machine::status));
    let outcome = outcome?;
    show(context, &outcome, |outcome| {
        dealings::explain(outcome, live)
    });
    Ok(exit::GO)
}
