//! The flags of `guard`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Sandbox;

/// `guard`
#[derive(Debug, Args)]
#[command(after_help = GUARD_EXAMPLES)]
pub(crate) struct GuardCommand {
    #[command(subcommand)]
    pub(crate) action: GuardAction,
}

/// What to ask the guard.
#[derive(Debug, Subcommand)]
pub(crate) enum GuardAction {
    /// Check whether a command may run: exits 0 if so, 5 if not; nothing is executed
    Check(GuardCheck),
    /// The same as `check`, and list everything that the command would affect
    Explain(GuardCheck),
    /// List the protected paths, what may still be done to them, and which rule says so
    List {
        /// Only the rules that protect these paths, and what they mean
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// The workspace [default: the repository around the current directory]
        #[arg(long, value_name = "DIR")]
        root: Option<PathBuf>,
    },
    /// Take a snapshot of all protected files, to restore from in future
    Snapshot,
    /// Check that all protected files are intact; exits 47 if something is lost
    Verify,
    /// Restore what is missing, emptied or replaced
    Restore,
    /// Run a command sandboxed from protected files, and restore any that it loses anyway
    Run(GuardRun),
}

/// `guard check`
#[derive(Debug, Args)]
pub(crate) struct GuardCheck {
    /// The command, as one word; `-` reads it from standard input
    #[arg(value_name = "COMMAND", conflicts_with = "batch")]
    pub(crate) command: Option<OsString>,
    /// The workspace in which the command would run [default: the repository around the current directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Judge every line of a table: `block` or `allow`, a tab, a command
    #[arg(long, value_name = "FILE")]
    pub(crate) batch: Option<PathBuf>,
}

/// `guard run`
#[derive(Debug, Args)]
pub(crate) struct GuardRun {
    /// What to do if there is no sandbox
    #[arg(long, value_name = "HOW", default_value = "try", require_equals = true)]
    pub(crate) sandbox: Sandbox,
    /// The command
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

const GUARD_EXAMPLES: &str = "\
Examples:
  fusebox guard check 'git clean -fdx'
  fusebox guard explain 'rm -rf build specs'
  fusebox guard list CLAUDE.md         which rule protects it, and from what
  fusebox guard snapshot
  fusebox guard run -- claude -p 'tidy up'
  fusebox guard run --sandbox=require -- make clean

Exit codes of `run`: those of the command; 127 if there is no such command, 126 if it cannot be
started; 47 if it lost something that was put back.";
