//! `fusebox explain`: why things stand as they do.

use fusebox_core::machine;

use super::{Context, show};
use crate::dealings;
use crate::exit;
use crate::failure::Failure;

pub(super) fn run(context: &Context<'_>) -> Result<u8, Failure> {
    let outcome = context.session()?.look(machine::status)?;
    show(context, &outcome, dealings::explain);
    Ok(exit::GO)
}
