//! The flags of `demo`.

use clap::Args;

/// `demo`
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Do not pause between the acts
    #[arg(long)]
    pub(crate) fast: bool,
}
