//! The flags of `replay`, and what `eval` and `tune` share with them.

use std::path::PathBuf;

use clap::Args;
use fusebox_replay::Setting;

/// `replay`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Replay {
    /// Session files, or folders to search for them
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Also list the sessions without findings
    #[arg(long)]
    pub(crate) all: bool,
    /// Write a page with a timeline of each session
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Try another threshold, such as repeat.trip=5; may be given several times
    #[arg(long, value_name = "NAME=N", value_parser = str::parse::<Setting>)]
    pub(crate) set: Vec<Setting>,
}

const EXAMPLES: &str = "\
Reads the session files of Claude Code and Codex, what claude, codex, gemini, opencode and
copilot print as JSON, trajectories of OpenHands and SWE-agent, and collections of sessions,
also compressed. The format is detected from the content.

Examples:
  fusebox replay ~/.claude/projects             when would it have stepped in, and why?
  fusebox replay ~/.codex/sessions --html report.html
  fusebox replay --json run.jsonl               one line for each first warning and trip";
