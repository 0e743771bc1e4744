//! `fusebox metrics`: all loops of this machine, for Prometheus.

use super::Context;
use crate::cli::Metrics;
use crate::exit;
use crate::failure::Failure;
use crate::look::machine::Machine;
use crate::look::metrics;
use crate::output::{self, Readers};

pub(super) fn run(context: &Context<'_>, args: &Metrics) -> Result<u8, Failure> {
    let machine = Machine::open(&context.cli.global, context.clock)?;
    let text = metrics::text(&machine)?;
    match &args.output {
        None => context.speech.data(&text),
        // Others may read it: it holds numbers, names of directories, and nothing of what an
        // agent wrote.
        Some(path) => output::write(path, Readers::All, &text)?,
    }
    Ok(exit::GO)
}
