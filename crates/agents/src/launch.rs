//! Starting an agent.

use std::ffi::OsString;

/// What an agent is to be started with.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// What it is asked to do. Also the only place where it can be told
    /// something on the way: system prompts are ignored on resume.
    pub prompt: &'a str,
    /// The model, if not the agent's own choice.
    pub model: Option<&'a str>,
    /// The session to go on with.
    pub resume: Option<&'a str>,
    /// What it may do without asking.
    pub permissions: Permissions,
    /// The most it may spend, in millionths of a US dollar, where the agent
    /// can be told so ([`Abilities::budget`](crate::Abilities::budget)).
    pub max_micro_usd: Option<u64>,
    /// Further arguments, as a person gave them.
    pub extra: &'a [OsString],
}

impl<'a> Launch<'a> {
    /// A fresh session with the agent's own defaults.
    #[must_use]
    pub fn new(prompt: &'a str) -> Self {
        Self {
            prompt,
            model: None,
            resume: None,
            permissions: Permissions::AsConfigured,
            max_micro_usd: None,
            extra: &[],
        }
    }
}

/// What an agent may do without asking. In a loop nobody is there to answer,
/// so whatever is not permitted is denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permissions {
    /// What its own settings say.
    AsConfigured,
    /// Read, and change nothing.
    ReadOnly,
    /// Edit files of the project.
    Edits,
    /// Everything.
    Everything,
}

/// A command, ready to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// What to run.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Additions to its environment.
    pub env: Vec<(OsString, OsString)>,
    /// What it reads, or nothing: then give it an empty input, because several
    /// agents read theirs to the end before they begin.
    pub stdin: Option<String>,
}

impl Invocation {
    pub(crate) fn new(program: &str) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            stdin: None,
        }
    }

    pub(crate) fn args<const N: usize>(mut self, args: [&str; N]) -> Self {
        self.args.extend(args.map(OsString::from));
        self
    }

    /// A flag with a value, if there is a value.
    pub(crate) fn option(self, flag: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.args([flag, value]),
            None => self,
        }
    }

    pub(crate) fn extra(mut self, args: &[OsString]) -> Self {
        self.args.extend_from_slice(args);
        self
    }
}
