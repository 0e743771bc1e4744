//! `fusebox mcp`: how things stand, for the agent itself.

use super::Context;
use crate::exit;
use crate::failure::Failure;
use crate::protocol::{self, Tools};

pub(super) fn run(context: &Context<'_>) -> Result<u8, Failure> {
    protocol::serve(&mut Tools::new(&context.cli.global, context.clock))?;
    Ok(exit::GO)
}
