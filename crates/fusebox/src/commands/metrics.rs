//! `fusebox metrics`: all loops of this machine, for Prometheus.

use std::path::Path;

use fusebox_files::replace::{Permissions, replace_for};
use rustix::fs::Mode;

use super::Context;
use crate::cli::Metrics;
use crate::exit;
use crate::failure::Failure;
use crate::look::machine::Machine;
use crate::look::metrics;
use crate::speech::shown;

pub(super) fn run(context: &Context<'_>, args: &Metrics) -> Result<u8, Failure> {
    let machine = Machine::open(&context.cli.global, context.clock)?;
    let text = metrics::text(&machine)?;
    match &args.output {
        None => context.speech.data(&text),
        Some(path) => exchange(path, &text)?,
    }
    Ok(exit::GO)
}

/// Whoever collects the file must never see half of it. Others may read it: it
/// holds numbers, names of directories, and nothing of what an agent wrote.
fn exchange(path: &Path, text: &str) -> Result<(), Failure> {
    let permissions = Permissions::New(Mode::from(0o644));
    replace_for(path, permissions, text.as_bytes()).map_err(|error| {
        let what = format!("cannot write {}: {error}", shown(path));
        Failure::new(exit::MISSING, what)
    })
}
