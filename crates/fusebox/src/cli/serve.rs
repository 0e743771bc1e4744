//! The arguments of `serve`.

use clap::Args;

use super::FleetFlag;

const EXAMPLES: &str = "\
Examples:
  fusebox serve                      prints the address to open in a browser
  fusebox serve --port 7331
  fusebox serve --allow-actions      pages may also trip, pause, resume, stop, skip and reset
  fusebox serve --fleet postgres://watcher@db.example/fleet   and the state of a fleet
  fusebox serve --stdio              for programs: one JSON request, and one answer, per line
  curl -H \"Authorization: Bearer $TOKEN\" http://127.0.0.1:7331/api/loops

It listens on this machine only, answers nobody without the token, and is read-only unless actions
are allowed. Each action is the command that you would have typed, with a reason, refused to agents,
and recorded in actions.jsonl in the state directory; a reset needs the operator's key. A token
of your own needs 16 characters or more; with actions it must be typed, not set as a variable. The
interface for programs is described at /api/openapi.json.";

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
    /// The token to require, 16 or more letters and digits [default: a new one each time]
    #[arg(
        long,
        value_name = "TOKEN",
        env = "FUSEBOX_TOKEN",
        hide_env_values = true
    )]
    pub(crate) token: Option<String>,
    /// Let pages request what a person could type; refused to agents
    #[arg(long)]
    pub(crate) allow_actions: bool,
    /// Instead of serving pages, answer requests on standard input, one JSON object per line
    #[arg(long, conflicts_with_all = ["port", "token", "allow_actions"])]
    pub(crate) stdio: bool,
}
