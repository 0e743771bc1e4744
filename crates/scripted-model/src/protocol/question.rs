//! What a client asks, told from its request whatever the protocol.
//!
//! The four protocols differ in names only, so one reader looks for all of
//! them: a conversation under `messages`, `input` or `contents`, its text
//! under `content` or `parts`, and tools with their name at one of three
//! depths.

use super::Call;
use crate::ToolCall;
use serde_json::{Map, Value, json};

/// The shell tools of the clients, with the argument that takes the command
/// and whether they want to be told what it is for.
const SHELL_TOOLS: [(&str, &str, bool); 5] = [
    ("Bash", "command", true),
    ("bash", "command", true),
    ("run_shell_command", "command", true),
    ("exec_command", "cmd", false),
    ("shell_command", "command", false),
];

/// A request to the model, as far as an answer depends on it.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) model: Option<String>,
    pub(crate) wants_stream: bool,
    pub(crate) declares_tools: bool,
    pub(crate) last_user_text: Option<String>,
    pub(crate) newest: String,
    pub(crate) messages: usize,
    tools: Vec<String>,
}

impl Question {
    pub(crate) fn read(path: &str, body: &Value) -> Self {
        let declared = body["tools"].as_array();
        Self {
            model: model(path, body),
            wants_stream: body["stream"] == true || path.ends_with(":streamGenerateContent"),
            declares_tools: declared.is_some_and(|tools| !tools.is_empty()),
            last_user_text: last_user_text(body),
            newest: newest(body),
            messages: conversation(body).map_or(0, Vec::len),
            tools: declared.into_iter().flatten().flat_map(names).collect(),
        }
    }

    /// Addresses a call to a tool; the error says why there is none.
    pub(crate) fn address(&self, call: &ToolCall) -> Result<Call, String> {
        let command = match call {
            ToolCall::Shell { shell } => shell,
            ToolCall::Named { name, args } => {
                let (name, args) = (name.clone(), args.clone());
                return Ok(Call { name, args });
            }
        };
        let declared = |(name, _, _): &&(&str, &str, bool)| self.tools.iter().any(|t| t == name);
        let Some((name, argument, described)) = SHELL_TOOLS.iter().find(declared) else {
            let tools = self.tools.join(", ");
            return Err(format!("no shell tool that is known here among: {tools}"));
        };
        let mut args = Map::new();
        args.insert((*argument).to_owned(), json!(command));
        if *described {
            args.insert("description".to_owned(), json!("A step of the script"));
        }
        let name = (*name).to_owned();
        Ok(Call { name, args })
    }
}

/// The model stands in the body or, with Gemini, in the path:
/// `…/models/NAME:generateContent`.
fn model(path: &str, body: &Value) -> Option<String> {
    let in_path = || {
        let (_, name) = path.rsplit_once("/models/")?;
        Some(name.split(':').next().unwrap_or(name))
    };
    let model = body["model"].as_str().or_else(in_path)?;
    Some(model.to_owned())
}

fn names(tool: &Value) -> Vec<String> {
    let own = tool["name"].as_str();
    let nested = tool["function"]["name"].as_str();
    let many = tool["functionDeclarations"].as_array();
    let many = many
        .into_iter()
        .flatten()
        .filter_map(|t| t["name"].as_str());
    own.into_iter()
        .chain(nested)
        .chain(many)
        .map(str::to_owned)
        .collect()
}

/// The text of the last message from the user that has any: results of tools
/// are sent in the user's name as well.
fn last_user_text(body: &Value) -> Option<String> {
    if let Some(text) = body["input"].as_str() {
        return Some(text.to_owned());
    }
    let from_user = |message: &&Value| message["role"] == "user";
    let newest_first = conversation(body)?.iter().rev();
    newest_first.filter(from_user).find_map(text)
}

/// What was added since the model spoke, and a little before it.
fn newest(body: &Value) -> String {
    const NEWEST: usize = 3;
    let messages = conversation(body).map_or(&[][..], Vec::as_slice);
    let newest = &messages[messages.len().saturating_sub(NEWEST)..];
    newest.iter().map(Value::to_string).collect()
}

fn conversation(body: &Value) -> Option<&Vec<Value>> {
    let mut names = ["messages", "input", "contents"].iter();
    names.find_map(|name| body[*name].as_array())
}

fn text(message: &Value) -> Option<String> {
    let content = ["content", "parts"]
        .iter()
        .map(|key| &message[*key])
        .find(|content| !content.is_null())?;
    if let Some(text) = content.as_str() {
        return Some(text.to_owned());
    }
    let parts = content.as_array()?;
    let texts: Vec<&str> = parts.iter().filter_map(|p| p["text"].as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_question_is_understood_in_every_protocol() {
        let anthropic = json!({
            "model": "m", "stream": true,
            "tools": [{"name": "Read"}, {"name": "Bash"}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "do"}, {"type": "text", "text": "it"}]},
                {"role": "user", "content": [{"type": "tool_result", "content": "done"}]},
            ],
        });
        let responses = json!({
            "model": "m", "stream": true,
            "tools": [{"type": "web_search"}, {"type": "function", "name": "exec_command"}],
            "input": [{"type": "message", "role": "user", "content": [
                {"type": "input_text", "text": "do\nit"}]}],
        });
        let chat = json!({
            "model": "m", "stream": true,
            "tools": [{"type": "function", "function": {"name": "bash"}}],
            "messages": [{"role": "user", "content": "do\nit"}, {"role": "assistant", "content": "no"}],
        });
        let gemini = json!({
            "tools": [{"functionDeclarations": [{"name": "glob"}, {"name": "run_shell_command"}]}],
            "contents": [{"role": "user", "parts": [{"text": "do"}, {"text": "it"}]}],
        });
        for (path, body, tool, argument) in [
            ("/v1/messages", anthropic, "Bash", "command"),
            ("/v1/responses", responses, "exec_command", "cmd"),
            ("/v1/chat/completions", chat, "bash", "command"),
            (
                "/v1beta/models/m:streamGenerateContent",
                gemini,
                "run_shell_command",
                "command",
            ),
        ] {
            let question = Question::read(path, &body);
            assert_eq!(question.model.as_deref(), Some("m"), "{path}");
            assert!(question.wants_stream && question.declares_tools, "{path}");
            assert_eq!(question.last_user_text.as_deref(), Some("do\nit"), "{path}");
            let shell = ToolCall::Shell {
                shell: "ls".to_owned(),
            };
            let call = question.address(&shell).unwrap();
            assert_eq!(call.name, tool);
            assert_eq!(call.args[argument], "ls");
        }
    }

    #[test]
    fn a_question_without_tools_is_an_aside() {
        for body in [json!({}), json!({"tools": []}), json!({"tools": null})] {
            assert!(!Question::read("/v1/messages", &body).declares_tools);
        }
    }

    #[test]
    fn a_shell_that_the_client_does_not_have_is_said() {
        let body = json!({"tools": [{"name": "Read"}]});
        let question = Question::read("/v1/messages", &body);
        let shell = ToolCall::Shell {
            shell: "ls".to_owned(),
        };
        let error = question.address(&shell).unwrap_err();
        assert!(error.contains("Read"), "{error}");
    }
}
