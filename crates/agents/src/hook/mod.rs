//! What an agent asks and tells from inside, and how it is answered.
//!
//! Six agents call a program of the user's choice at points of their work: before a tool is
//! used, after it, when a turn has ended. They hand over one JSON object on standard input and
//! read the answer from standard output, standard error and the exit code, each in a dialect
//! of its own, and each takes an answer that it does not understand for a yes. So there is one
//! [`HookCall`] for what they say, one [`Answer`] for what is said to them, and a folder for
//! each agent that translates to the letter.

mod deeds;
mod emptying;
mod payload;
mod points;
mod settings;
mod tool_names;
mod transcript;

pub use deeds::{Deed, Touch};
pub use payload::Unreadable;
pub use points::{EVERY_POINT, HookPoint};
pub use settings::{Caller, Decisive, Element, OffSwitch, Registered, Registration, Scope, called};

pub use transcript::{ReadTraces, Trace};

pub(crate) use deeds::{Known, Tool, can_change_files};
pub(crate) use settings::{calls_us, groups, is_ours, patience, shell_command};

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

use serde_json::json;

use crate::event::ToolOutcome;

/// An agent that calls hooks.
pub trait Hooks: fmt::Debug + Sync {
    /// What its hooks are, as far as that never changes.
    fn about(&self) -> &'static AboutHooks;

    /// An answer in its dialect.
    fn reply(&self, point: HookPoint, answer: &Answer) -> Reply;

    /// What it is called on the command line.
    fn name(&self) -> &'static str {
        self.about().name
    }

    /// What it calls itself.
    fn title(&self) -> &'static str {
        self.about().title
    }

    /// Reads what it hands over at a point. The text is one JSON object.
    fn read(&self, point: HookPoint, payload: &str) -> Result<HookCall, Unreadable> {
        payload::read(point, payload, self.about().tools)
    }

    /// Where and how it is told to call us.
    fn registration(&self) -> Registration {
        self.about().registration
    }

    /// What it calls the tool that runs commands.
    fn shell_tool(&self) -> &'static str {
        self.about().shell_tool
    }

    /// The variable in which it tells its hooks where the project begins. Its working
    /// directory may have moved on from there.
    fn project_variable(&self) -> Option<&'static str> {
        None
    }

    /// How its transcript is read, where it keeps one that names calls as its hooks do.
    fn traces(&self) -> Option<ReadTraces> {
        None
    }

    /// Whether its stream names calls and tools as its hooks do, so that both can be told to
    /// be the same.
    fn speaks_as_its_stream(&self) -> bool {
        true
    }

    /// Whether the model hears what is said at a point without a no.
    fn can_advise(&self, point: HookPoint) -> bool {
        let reply = self.reply(point, &Answer::Context("-".into()));
        reply != Reply::silence()
    }

    /// A variable, and the value by which it tells that no person sits at it.
    fn unattended(&self) -> Option<(&'static str, &'static str)> {
        None
    }
}

/// What the hooks of an agent are, as far as that never changes.
#[derive(Clone, Copy, Debug)]
pub struct AboutHooks {
    /// What the agent is called on the command line.
    pub name: &'static str,
    /// What it calls itself.
    pub title: &'static str,
    /// What it calls the tool that runs commands.
    pub shell_tool: &'static str,
    /// What its tools do.
    pub(crate) tools: Known,
    /// Variables that it sets for the commands it runs, and nobody else sets.
    pub marks: &'static [&'static str],
    /// Where and how it is told to call us.
    pub registration: Registration,
}

/// All agents that call hooks.
pub static HOOKED: [&dyn Hooks; 6] = [
    &crate::claude::ClaudeHooks,
    &crate::codex::CodexHooks,
    &crate::gemini::GeminiHooks,
    &crate::copilot::CopilotHooks,
    &crate::cursor::CursorHooks,
    &crate::opencode::OpencodeHooks,
];

/// The variables by which a command can be told to be an agent's, each with what the agent calls
/// itself.
pub fn marks() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = HOOKED.into_iter().map(Hooks::about);
    all.flat_map(|about| about.marks.iter().map(|mark| (*mark, about.title)))
}

/// The hooks of the agent of that name.
#[must_use]
pub fn hooks_by_name(name: &str) -> Option<&'static dyn Hooks> {
    HOOKED.into_iter().find(|hooks| hooks.name() == name)
}

/// The tools, of all agents, that change what is in a file for a living.
#[must_use]
pub fn editing_tools() -> BTreeSet<&'static str> {
    let edits = |tool: &Tool| matches!(tool, Tool::File(Touch::Update) | Tool::Patch);
    let tools = HOOKED.into_iter().flat_map(|hooks| hooks.about().tools);
    let editing = tools.filter(|(_, tool)| edits(tool));
    editing.map(|(name, _)| *name).collect()
}

/// One call of a hook.
#[derive(Clone, Debug, PartialEq)]
pub struct HookCall {
    /// The session that it belongs to; empty if the agent does not tell.
    pub session: String,
    /// The sub-agent that it comes from.
    pub agent: Option<String>,
    /// Where the agent works at the moment.
    pub directory: Option<PathBuf>,
    /// The file in which the agent writes down the whole session.
    pub transcript: Option<PathBuf>,
    /// What it is about.
    pub event: HookEvent,
}

/// What a hook is called for.
#[derive(Clone, Debug, PartialEq)]
pub enum HookEvent {
    /// A session begins or goes on.
    SessionStart,
    /// Somebody has sent a prompt.
    Prompt {
        /// What it says; empty if the agent does not tell.
        text: String,
    },
    /// A tool is about to be used.
    BeforeTool(ToolUse),
    /// A command is about to be run; the tool that runs it is told of elsewhere.
    BeforeCommand(Deed),
    /// A tool has been used.
    AfterTool {
        /// Which, and with what.
        tool: ToolUse,
        /// How it went, as far as the agent tells.
        outcome: ToolOutcome,
        /// What it answered.
        text: String,
    },
    /// The agent has nothing more to do in this turn.
    Stop {
        /// It goes on because a hook told it to, not because a person did.
        goes_on_by_itself: bool,
        /// What the model said last; empty if the agent does not tell.
        said: String,
    },
    /// The session ends.
    SessionEnd,
}

/// A use of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse {
    /// What its result refers to, if the agent tells.
    pub id: Option<String>,
    /// The tool's name, as the agent spells it.
    pub tool: String,
    /// Its arguments, as JSON.
    pub arguments: String,
    /// What it would do, as far as that concerns files.
    pub deeds: Vec<Deed>,
    /// Whether it is known to change no file, whatever it is given. Of what it would do nothing
    /// is understood elsewhere, too, where nobody knows the tool.
    pub is_harmless: bool,
}

/// What is said to an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing. It goes on as it would without us.
    Silence,
    /// Something that the model should know.
    Context(String),
    /// Something that the person who watches should know.
    Notice(String),
    /// This may not be done, and why.
    Deny(String),
    /// This may not be done, and neither may anything else.
    Halt(String),
}

impl Answer {
    /// The text, bounded: agents cut what is longer, and one of them may take the rest for
    /// something else.
    pub(crate) fn text(&self) -> String {
        const LONGEST: usize = 8_000;
        match self {
            Self::Silence => String::new(),
            Self::Context(text) | Self::Notice(text) | Self::Deny(text) | Self::Halt(text) => {
                text.chars().take(LONGEST).collect()
            }
        }
    }
}

/// What the process that was called as a hook says and exits with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// One JSON object, or nothing.
    pub stdout: String,
    /// What is said to the model or the person, or nothing.
    pub stderr: String,
    /// The exit code.
    pub code: u8,
}

/// The exit code that every agent takes for a no.
pub const BLOCKED: u8 = 2;

impl Reply {
    /// Nothing to say.
    pub(crate) fn silence() -> Self {
        Self::default()
    }

    /// A JSON object and nothing else.
    pub(crate) fn json(object: &serde_json::Value) -> Self {
        Self {
            stdout: object.to_string(),
            ..Self::default()
        }
    }

    /// All answers but a no before a tool, in the dialect that three agents share. `event` is
    /// what the agent calls the point.
    pub(crate) fn spoken(point: HookPoint, event: &str, answer: &Answer) -> Self {
        let text = answer.text();
        match (point, answer) {
            (_, Answer::Silence) => Self::silence(),
            (_, Answer::Halt(_)) => Self::json(&json!({"continue": false, "stopReason": text})),
            (HookPoint::Stop | HookPoint::SessionEnd, _) | (_, Answer::Notice(_)) => {
                Self::json(&json!({ "systemMessage": text }))
            }
            (_, Answer::Context(_) | Answer::Deny(_)) => {
                let output = json!({"hookEventName": event, "additionalContext": text});
                Self::json(&json!({ "hookSpecificOutput": output }))
            }
        }
    }

    /// A no in three voices, so that an agent that is deaf to one hears the others.
    pub(crate) fn refusal(object: Option<&serde_json::Value>, why: &str) -> Self {
        Self {
            stdout: object.map(ToString::to_string).unwrap_or_default(),
            stderr: why.to_owned(),
            code: BLOCKED,
        }
    }
}
