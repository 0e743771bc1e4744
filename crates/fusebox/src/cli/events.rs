//! The arguments of `events`.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  fusebox events                                all that is remembered of this circuit
  fusebox events --since 2h                     of the last two hours
  fusebox events --since 41-9f0c2ab1 --follow   what came behind that cursor, and what comes
  fusebox events --all --follow | jq 'select(.opened)'

Each line is an object with `schema` 1, the `cursor` to go on from, `time`, `loop`, `event`, the
`state` afterwards, and what belongs to the event. Fields are only ever added.";

/// `events`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Events {
    /// Go on with what happens from now on
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Only what came later: a cursor, a day such as 2026-01-31, a time such as 2026-01-31T12:00:00Z, or how long ago, such as 2h
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Of every loop on this machine
    #[arg(long)]
    pub(crate) all: bool,
}
