//! The script: what the model answers, request by request.

use crate::Failure;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the model says, in order.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// One for each request that declares tools.
    pub steps: Vec<Step>,
    /// Whether the last step is said for ever. Otherwise requests beyond the
    /// script are told, in plain text, that it is at its end.
    #[serde(default)]
    pub repeat_last: bool,
}

/// The answer to one request.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Step {
    /// An ordinary turn of the model.
    Reply(Reply),
    /// A failure in the words of whichever vendor the client believes to
    /// talk to.
    Fail {
        /// What goes wrong.
        failure: Failure,
    },
    /// Exactly this response, for everything [`Failure`] has no name for.
    Status {
        /// The HTTP status.
        code: u16,
        /// Headers beside those of every response.
        #[serde(default)]
        headers: BTreeMap<String, String>,
        /// The body, sent as JSON.
        #[serde(default)]
        body: Value,
    },
    /// A turn that begins well and then fails, after the client has been
    /// told that all is fine.
    BreakOff {
        /// What is said before.
        text: String,
        /// What then goes wrong.
        failure: Failure,
    },
    /// No answer at all, until the client or the server gives up.
    Hang,
    /// The connection is closed without a word.
    Drop,
}

/// What the model says and does in one turn.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reply {
    /// What it says; nothing if empty.
    pub text: String,
    /// The tools it calls, all at once.
    pub calls: Vec<ToolCall>,
    /// What the turn is said to have cost.
    pub usage: Usage,
    /// Headers beside those of every response, such as warnings of a limit.
    pub headers: BTreeMap<String, String>,
    /// How long the model thinks before it says anything.
    pub delay_ms: u64,
}

/// A call of one of the client's tools.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum ToolCall {
    /// A command for the client's shell tool, whatever its name is.
    Shell {
        /// The command line.
        shell: String,
    },
    /// A call of exactly this tool.
    Named {
        /// The tool's name, as the client declared it.
        name: String,
        /// Its arguments.
        #[serde(default)]
        args: Map<String, Value>,
    },
}

/// Tokens of one turn.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            input: 100,
            output: 20,
        }
    }
}

/// Why a script could not be had from a file.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file could not be read.
    #[error("the script {} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file does not hold a script.
    #[error("{} is not a script", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where it goes wrong.
        source: serde_json::Error,
    },
}

impl Script {
    /// These steps, once.
    pub fn once(steps: impl Into<Vec<Step>>) -> Self {
        Self {
            steps: steps.into(),
            repeat_last: false,
        }
    }

    /// These steps, and then the last one for ever.
    pub fn for_ever(steps: impl Into<Vec<Step>>) -> Self {
        Self {
            steps: steps.into(),
            repeat_last: true,
        }
    }

    /// Reads a script from a file; its format is described in the README.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or holds no script.
    pub fn read(path: &Path) -> Result<Self, ScriptError> {
        let text = std::fs::read_to_string(path).map_err(|source| ScriptError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        serde_json::from_str(&text).map_err(|source| ScriptError::Malformed {
            path: path.to_owned(),
            source,
        })
    }
}

impl Step {
    /// A turn that only says something; most agents then consider themselves
    /// done.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Reply(Reply {
            text: text.into(),
            ..Reply::default()
        })
    }

    /// A turn that runs one command in the client's shell tool.
    pub fn shell(command: impl Into<String>) -> Self {
        Self::Reply(Reply {
            calls: vec![ToolCall::Shell {
                shell: command.into(),
            }],
            ..Reply::default()
        })
    }

    /// A failure, as the client's vendor words it.
    pub fn fail(failure: Failure) -> Self {
        Self::Fail { failure }
    }
}
