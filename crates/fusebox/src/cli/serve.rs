//! The arguments of `serve`.

use clap::Args;

use super::FleetFlag;

const EXAMPLES: &str = "\
Examples:
  fusebox serve                      prints the address to open in a browser
  fusebox serve --port 7331
  fusebox serve --allow-actions      pages may also trip, pause, resume, stop, skip and reset
  fusebox serve --fleet postgres://watcher@db.example/fleet   and how a fleet stands
  fusebox serve --stdio              for programs: a JSON request a line, a JSON answer a line
  curl -H \"Authorization: Bearer $TOKEN\" http://127.0.0.1:7331/api/loops

It listens on this machine alone, answers nobody without the token, and only shows, unless actions
are allowed. Then each is the command that you would have typed, with a reason, refused to agents,
and written down in actions.jsonl beside the memory; a reset takes the operator's key. A token
of your own has 16 characters or more, and with actions it is typed, not set as a variable. What it
offers to programs is described at /api/openapi.json.";

/// `serve`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) fleet: FleetFlag,
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
    /// Let pages ask for what a person could type; not for agents
    #[arg(long)]
    pub(crate) allow_actions: bool,
    /// Instead of a page: answer requests on standard input, a JSON object a line
    #[arg(long, conflicts_with_all = ["port", "token", "allow_actions"])]
    pub(crate) stdio: bool,
}
