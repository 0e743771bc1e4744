//! The object that an agent hands over, in the spellings of all of them.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::deeds::{self, Deed, Known};
use super::{HookCall, HookEvent, HookPoint, ToolUse};
use crate::event::ToolOutcome;
use crate::json::{Text, lenient, mended};

/// Why a payload cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is no JSON object, is nested too deeply, or says the same thing twice.
    NotAnObject,
    /// It does not name the tool that is to be judged.
    NoTool,
}

impl std::error::Error for Unreadable {}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::NotAnObject => "what the agent handed over is not the JSON object it should be",
            Self::NoTool => "the agent did not say which tool it is about to use",
        })
    }
}

/// Every field that is of use, each as its agent spells it. A field of an unexpected type is
/// absent; one that is there twice makes the whole unreadable, because nobody knows which of
/// them the agent will act on.
#[derive(Debug, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct Payload<'a> {
    #[serde(default, alias = "sessionId", deserialize_with = "lenient")]
    session_id: Option<Text<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    conversation_id: Option<Text<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    agent_id: Option<Text<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    cwd: Option<Text<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    workspace_roots: Option<Vec<String>>,
    #[serde(default, deserialize_with = "lenient")]
    transcript_path: Option<Text<'a>>,
    #[serde(default, alias = "toolName", deserialize_with = "lenient")]
    tool_name: Option<Text<'a>>,
    #[serde(default, alias = "toolArgs", borrow)]
    tool_input: Option<&'a RawValue>,
    #[serde(default, alias = "toolCallId", deserialize_with = "lenient")]
    tool_use_id: Option<Text<'a>>,
    #[serde(
        default,
        alias = "toolResult",
        alias = "tool_result",
        alias = "tool_output",
        borrow
    )]
    tool_response: Option<&'a RawValue>,
    #[serde(default, alias = "error_message", deserialize_with = "lenient")]
    error: Option<Text<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    stop_hook_active: Option<bool>,
    #[serde(default, deserialize_with = "lenient")]
    loop_count: Option<u64>,
    #[serde(default, alias = "initialPrompt", deserialize_with = "lenient")]
    prompt: Option<Text<'a>>,
    #[serde(default, alias = "prompt_response", deserialize_with = "lenient")]
    last_assistant_message: Option<Text<'a>>,
    /// The command of an agent that has a point for commands alone.
    #[serde(default, deserialize_with = "lenient")]
    command: Option<Text<'a>>,
}

/// Reads the payload at a point, with the tools that the agent has.
pub(crate) fn read(point: HookPoint, text: &str, known: Known) -> Result<HookCall, Unreadable> {
    // Some programs put a mark of the order of bytes before the first character.
    let text = text.trim_start_matches('\u{feff}');
    // A list of values would be taken for the fields in their order.
    if !text.trim_start().starts_with('{') {
        return Err(Unreadable::NotAnObject);
    }
    let whole = text_without_halves(text);
    let payload: Payload<'_> = serde_json::from_str(&whole).map_err(|_| Unreadable::NotAnObject)?;
    payload.call(point, known)
}

/// Agents cut text in the middle of a character, and write down the half as an escape that
/// no strict parser takes. Only where there is such an escape is the text looked through.
///
/// It is searched for without `memchr`, which would first ask the processor what it can do. A
/// virtual machine answers that more slowly than all but the longest payloads are searched.
fn text_without_halves(text: &str) -> Cow<'_, str> {
    let mended = if text.contains(r"\ud") {
        mended(text)
    } else {
        None
    };
    mended.map_or(Cow::Borrowed(text), Cow::Owned)
}

impl Payload<'_> {
    fn call(&self, point: HookPoint, known: Known) -> Result<HookCall, Unreadable> {
        let event = match point {
            HookPoint::SessionStart => HookEvent::SessionStart,
            HookPoint::Prompt => HookEvent::Prompt {
                text: text_or_empty(self.prompt.as_ref()),
            },
            HookPoint::BeforeTool => HookEvent::BeforeTool(self.tool(known)?),
            HookPoint::BeforeCommand => HookEvent::BeforeCommand(self.only_command()?),
            HookPoint::AfterTool | HookPoint::AfterFailure => {
                let (outcome, text) = self.result(point);
                let tool = self.tool(known)?;
                HookEvent::AfterTool {
                    tool,
                    outcome,
                    text,
                }
            }
            HookPoint::Stop => HookEvent::Stop {
                goes_on_by_itself: self.stop_hook_active == Some(true)
                    || self.loop_count.is_some_and(|count| count > 0),
                said: text_or_empty(self.last_assistant_message.as_ref()),
            },
            HookPoint::SessionEnd => HookEvent::SessionEnd,
        };
        let session = self.session_id.as_ref().or(self.conversation_id.as_ref());
        let root = self
            .workspace_roots
            .as_ref()
            .and_then(|roots| roots.first());
        let directory = self.cwd.as_deref().filter(|cwd| !cwd.is_empty());
        Ok(HookCall {
            session: session.map(|id| id.to_string()).unwrap_or_default(),
            agent: self.agent_id.as_deref().map(str::to_owned),
            directory: directory.or(root.map(String::as_str)).map(PathBuf::from),
            transcript: self.transcript_path.as_deref().map(PathBuf::from),
            event,
        })
    }

    fn tool(&self, known: Known) -> Result<ToolUse, Unreadable> {
        let id = self.tool_use_id.as_deref().map(str::to_owned);
        let tool = self.tool_name.as_deref().ok_or(Unreadable::NoTool)?;
        let raw = self.tool_input.map_or("null", RawValue::get);
        let arguments = arguments(raw)?;
        Ok(ToolUse {
            id,
            tool: tool.to_owned(),
            deeds: deeds::of(known, tool, &arguments),
            is_harmless: deeds::is_harmless(known, tool),
            arguments: arguments.to_string(),
        })
    }

    fn only_command(&self) -> Result<Deed, Unreadable> {
        let command = self.command.as_deref().ok_or(Unreadable::NoTool)?;
        Ok(Deed::Shell {
            command: command.to_owned(),
            directory: None,
        })
    }

    fn result(&self, point: HookPoint) -> (ToolOutcome, String) {
        if let Some(error) = &self.error {
            return (ToolOutcome::Failed, error.to_string());
        }
        let raw = self.tool_response.map_or("null", RawValue::get);
        let response = arguments(raw).unwrap_or(Value::Null);
        let failed = point == HookPoint::AfterFailure || says_failed(&response);
        let outcome = if failed {
            ToolOutcome::Failed
        } else {
            ToolOutcome::Succeeded
        };
        (outcome, text_of(&response))
    }
}

fn text_or_empty(text: Option<&Text<'_>>) -> String {
    text.map(|text| text.to_string()).unwrap_or_default()
}

/// Arguments are an object, or, in older releases of some agents, the text of one.
fn arguments(raw: &str) -> Result<Value, Unreadable> {
    let value: Value = serde_json::from_str(raw).map_err(|_| Unreadable::NotAnObject)?;
    match &value {
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            Ok(serde_json::from_str(text).unwrap_or(value))
        }
        _ => Ok(value),
    }
}

/// Whether a result marks itself as a failure.
fn says_failed(response: &Value) -> bool {
    let code = ["exit_code", "exitCode", "exit"].iter().find_map(|key| {
        response
            .get(key)
            .or_else(|| response.get("metadata")?.get(key))?
            .as_i64()
    });
    let marked = ["is_error", "isError"]
        .iter()
        .any(|key| response.get(key) == Some(&Value::Bool(true)));
    let kind = response.get("resultType").and_then(Value::as_str);
    let error = response.get("error").is_some_and(|error| !error.is_null());
    code.is_some_and(|code| code != 0)
        || marked
        || error
        || kind.is_some_and(|kind| kind != "success")
}

/// What a result says, wherever its agent puts that.
fn text_of(response: &Value) -> String {
    const KEYS: [&str; 9] = [
        "stdout",
        "stderr",
        "output",
        "aggregated_output",
        "llmContent",
        "textResultForLlm",
        "content",
        "text",
        "error",
    ];
    match response {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Object(object) => {
            let found = KEYS.iter().filter_map(|key| object.get(*key)?.as_str());
            let mut found = found.peekable();
            if found.peek().is_none() {
                return response.to_string();
            }
            let found: Vec<&str> = found.filter(|text| !text.is_empty()).collect();
            found.join("\n")
        }
        other => other.to_string(),
    }
}
