//! `fusebox serve --stdio`: the breaker for programs that would rather not start a process for
//! every question.

use super::Context;
use crate::exit;
use crate::failure::Failure;
use crate::protocol::{self, Library};

pub(super) fn run(context: &Context<'_>) -> Result<u8, Failure> {
    protocol::serve(&mut Library::new(&context.cli.global, context.clock))?;
    Ok(exit::GO)
}
