//! The flags of `import`.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  fusebox import                     what is there, and take it over as far as it is stricter
  fusebox import --trust             let its settings relax as well, as they are now
  fusebox --preset NAME import       where there are several";

/// `import`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Import {
    /// Vouch for the settings as they are: they may relax, until somebody changes them. Only a person may
    #[arg(long)]
    pub(crate) trust: bool,
}
