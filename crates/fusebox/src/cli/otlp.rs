//! The arguments of `otlp`.

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  fusebox otlp export --since 1d > spans.jsonl           one OTLP request per line
  fusebox otlp export --since 1h --to http://127.0.0.1:4318
  fusebox otlp receive                                   prints how to configure Claude Code

A run is a span `invoke_workflow`, an iteration `invoke_agent`, a tool call `execute_tool`.
Spans keep the same ids however often they are exported.";

/// `otlp`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Otlp {
    #[command(subcommand)]
    pub(crate) action: OtlpAction,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum OtlpAction {
    /// Export what all loops on this machine did, as traces
    Export(OtlpExport),
    /// Listen on this machine for what Claude Code reports having spent; `metrics` shows it
    Receive(OtlpReceive),
}

/// `otlp export`
#[derive(Debug, Args)]
pub(crate) struct OtlpExport {
    /// The start: a time, or how long ago, such as 90m or 2d [default: everything]
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// The collector's address; /v1/traces is added to it [default: standard output]
    #[arg(long, value_name = "URL")]
    pub(crate) to: Option<String>,
    /// Allow a collector on a private network
    #[arg(long, requires = "to")]
    pub(crate) private: bool,
}

/// `otlp receive`
#[derive(Debug, Args)]
pub(crate) struct OtlpReceive {
    /// The port [default: any that is free]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub(crate) port: u16,
}
