//! What whoever carries out a command line has at hand: what was asked, the time, and a voice.

use crate::cli::Cli;
use crate::clock::Clock;
use crate::failure::Failure;
use crate::session::Session;
use crate::speech::Speech;

/// What a command has at hand.
pub(crate) struct Context<'a> {
    pub(crate) cli: &'a Cli,
    pub(crate) clock: Clock,
    pub(crate) speech: Speech,
}

impl Context<'_> {
    pub(crate) fn session(&self) -> Result<Session, Failure> {
        Session::open(&self.cli.global, self.clock)
    }

    /// A session for what must be possible whatever somebody wrote into a
    /// configuration. The agent can write the repository's.
    pub(crate) fn session_despite_config(&self) -> Result<Session, Failure> {
        Session::open_despite_config(&self.cli.global, self.clock)
    }
}
