//! The points of an agent's work at which it calls.

use std::fmt;
use std::str::FromStr;

/// Where in its work an agent calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookPoint {
    /// A session begins.
    SessionStart,
    /// A prompt was sent.
    Prompt,
    /// Before a tool.
    BeforeTool,
    /// Before a command, where an agent has a second point for those: judged there, and not
    /// counted again.
    BeforeCommand,
    /// After a tool that ran.
    AfterTool,
    /// After a tool that failed, where an agent has a point of its own for that.
    AfterFailure,
    /// A turn has ended.
    Stop,
    /// A session ends.
    SessionEnd,
}

/// Every point, in the order in which a session meets them.
pub const EVERY_POINT: [HookPoint; 8] = [
    HookPoint::SessionStart,
    HookPoint::Prompt,
    HookPoint::BeforeTool,
    HookPoint::BeforeCommand,
    HookPoint::AfterTool,
    HookPoint::AfterFailure,
    HookPoint::Stop,
    HookPoint::SessionEnd,
];

impl HookPoint {
    /// The word for it on the command line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::Prompt => "prompt",
            Self::BeforeTool => "pre-tool-use",
            Self::BeforeCommand => "pre-command",
            Self::AfterTool => "post-tool-use",
            Self::AfterFailure => "post-tool-failure",
            Self::Stop => "stop",
            Self::SessionEnd => "session-end",
        }
    }
}

impl fmt::Display for HookPoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

impl FromStr for HookPoint {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let found = EVERY_POINT.into_iter().find(|point| point.word() == word);
        found.ok_or_else(|| {
            let words = EVERY_POINT.map(Self::word);
            format!("there is no such event; there are {}", words.join(", "))
        })
    }
}
