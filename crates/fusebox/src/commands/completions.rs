//! `fusebox completions`: a script for the shell, made from the command line
//! itself so that it cannot lag behind.

use clap::CommandFactory;
use clap_complete::Shell;

use super::Context;
use crate::cli::Cli;
use crate::exit;
use crate::failure::Failure;

pub(super) fn run(context: &Context<'_>, shell: Shell) -> Result<u8, Failure> {
    // Collected first: the generator panics when a reader leaves early.
    let mut script = Vec::new();
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    clap_complete::generate(shell, &mut command, name, &mut script);
    context.speech.data(&String::from_utf8_lossy(&script));
    Ok(exit::GO)
}
