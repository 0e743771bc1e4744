//! The arguments of `statusline`.

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  PS1='$(fusebox statusline) \\$ '                        in a shell's prompt
  set -g status-right '#(fusebox -C #{pane_current_path} statusline --format tmux)'
  {\"statusLine\": {\"type\": \"command\", \"command\": \"fusebox statusline --format claude\"}}

If nothing was ever recorded it prints nothing. It always exits 0: a prompt is no place for errors.";

/// `statusline`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Statusline {
    /// Where the status line is shown
    #[arg(long, value_name = "WHERE", default_value = "shell")]
    pub(crate) format: StatuslineFormat,
}

/// Who shows the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatuslineFormat {
    /// A shell prompt: no colour, so that its length is what it appears to be
    Shell,
    /// A tmux status bar, with tmux colour codes
    Tmux,
    /// An agent that passes a JSON object with its directory on standard input
    Claude,
}
