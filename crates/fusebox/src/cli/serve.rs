//! The arguments of `serve`.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  fusebox serve                      prints the address to open in a browser
  fusebox serve --port 7331
  curl -H \"Authorization: Bearer $TOKEN\" http://127.0.0.1:7331/api/loops

It listens on this machine alone, answers nobody without the token, and only shows: nothing can be
changed through it. What it offers to programs is described at /api/openapi.json.";

/// `serve`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    /// The port [default: any that is free]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub(crate) port: u16,
    /// The token to ask for, 16 or more letters and digits [default: a new one each time]
    #[arg(
        long,
        value_name = "TOKEN",
        env = "FUSEBOX_TOKEN",
        hide_env_values = true
    )]
    pub(crate) token: Option<String>,
}
