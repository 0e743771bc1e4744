//! What an agent is to the rest of the house.

use std::ffi::OsString;
use std::fmt;
use std::time::Duration;

use crate::command::Recognised;
use crate::launch::{Invocation, Launch};
use crate::reader::{Reader, Reading};

/// A coding agent: how it is started, read, stopped and recognised.
pub trait Agent: fmt::Debug + Sync {
    /// What it is, as far as that never changes.
    fn about(&self) -> &'static About;

    /// What it is called in configuration and on the command line.
    fn name(&self) -> &'static str {
        self.about().name
    }

    /// What it calls itself.
    fn title(&self) -> &'static str {
        self.about().title
    }

    /// The programs it may be started as.
    fn programs(&self) -> &'static [&'static str] {
        self.about().programs
    }

    /// What can be expected of it.
    fn abilities(&self) -> Abilities {
        self.about().abilities
    }

    /// The command that does what is asked, with output that can be read.
    fn launch(&self, launch: &Launch<'_>) -> Invocation;

    /// Whether a command that a person typed is this agent, and whether its
    /// output will be readable. The command is never changed.
    fn recognise(&self, command: &[OsString]) -> Recognised;

    /// A reader for one run.
    fn reader(&self, reading: Reading) -> Box<dyn Reader>;

    /// How it is asked to end.
    fn stopping(&self) -> Stopping {
        self.about().stopping
    }

    /// What suggests that somebody is logged in.
    fn sign_in(&self) -> SignIn {
        self.about().sign_in
    }

    /// Its models from the cheapest to the most capable, as far as they have
    /// names that last. Empty if the order is the user's to say.
    fn model_ladder(&self) -> &'static [&'static str] {
        &[]
    }
}

/// What an agent is, as far as that never changes.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// What it is called in configuration and on the command line.
    pub name: &'static str,
    /// What it calls itself.
    pub title: &'static str,
    /// The programs it may be started as.
    pub programs: &'static [&'static str],
    /// What can be expected of it.
    pub abilities: Abilities,
    /// How it is asked to end.
    pub stopping: Stopping,
    /// What suggests that somebody is logged in.
    pub sign_in: SignIn,
}

/// What can be expected of an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// Its output is events, not text.
    pub structured: bool,
    /// A session can be resumed.
    pub resume: bool,
    /// The model can be chosen.
    pub model: bool,
    /// It reports tokens.
    pub usage: bool,
    /// It reports money.
    pub cost: bool,
    /// It keeps a limit of money that it is given.
    pub budget: bool,
    /// It reports what was not permitted.
    pub denials: bool,
    /// It tells when a usage limit resets.
    pub reset_times: bool,
}

impl Abilities {
    /// Nothing at all.
    pub const NONE: Self = Self {
        structured: false,
        resume: false,
        model: false,
        usage: false,
        cost: false,
        budget: false,
        denials: false,
        reset_times: false,
    };
}

/// How an agent is asked to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopping {
    /// What is sent first.
    pub first: FirstSignal,
    /// How long it may take to put its things in order: what is still there after that,
    /// whatever it was asked, is killed.
    pub grace: Duration,
}

/// The signal with which a stop begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstSignal {
    /// SIGINT, on which some agents still write their result.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

/// What suggests, without spending a token, that somebody is logged in. One of
/// these is enough to go on; none of them is no proof that nobody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// Environment variables that hold a key.
    pub variables: &'static [&'static str],
    /// Files that hold one, relative to the home directory.
    pub files: &'static [&'static str],
    /// What a person does to log in.
    pub how: &'static str,
}
