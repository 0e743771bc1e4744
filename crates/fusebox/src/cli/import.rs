//! The flags of `import`.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  fusebox import                     import whatever is stricter
  fusebox import --trust             also let its current settings relax limits
  fusebox --preset NAME import       if there are several";

/// `import`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Import {
    /// Vouch for the settings as they are: they may relax limits until somebody changes them (only a person may)
    #[arg(long)]
    pub(crate) trust: bool,
}
