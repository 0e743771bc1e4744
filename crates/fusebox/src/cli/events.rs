//! The arguments of `events`.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  fusebox events                                everything recorded for this circuit
  fusebox events --since 2h                     from the last two hours
  fusebox events --since 41-9f0c2ab1 --follow   what came after that cursor, and new events
  fusebox events --all --follow | jq 'select(.opened)'

Each line is an object with `schema` 1, the `cursor` to resume from, `time`, `loop`, `event`, the
`state` afterwards, and the event's own fields. Fields are only ever added, never removed.";

/// `events`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Events {
    /// Keep following new events
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Only events after this: a cursor, a day such as 2026-01-31, a time such as 2026-01-31T12:00:00Z, or how long ago, such as 2h
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Events of every loop on this machine
    #[arg(long)]
    pub(crate) all: bool,
}
