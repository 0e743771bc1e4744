//! The session files of Codex, `$CODEX_HOME/sessions/…/rollout-*.jsonl`.

use std::borrow::Cow;

use fusebox_agents::json::{Text, lenient_object, parse};
use fusebox_agents::prose::Prose;
use fusebox_agents::{EpochMs, ToolOutcome, Usage};
use serde_json::value::RawValue;

use super::LineReader;
use crate::heard::{Answered, Called, Heard, Identity, Listener};
use crate::times;

/// What Codex puts into the conversation in the user's name.
const INJECTED: [&str; 4] = [
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
];
/// After this line of a command's answer comes what the command printed.
const PRINTED: &str = "Output:\n";
/// The line before it that says how the command ended.
const EXITED: &str = "Process exited with code ";

lenient_object! {
    /// Any line.
    Line<'a> {
        timestamp: Text<'a>,
        #[serde(rename = "type")]
        kind: Text<'a>,
        payload: Item<'a>,
    }
}

lenient_object! {
    /// What a line is about, all types together.
    Item<'a> {
        #[serde(rename = "type")]
        kind: Text<'a>,
        id: Text<'a>,
        role: Text<'a>,
        model: Text<'a>,
        name: Text<'a>,
        arguments: Text<'a>,
        input: Text<'a>,
        call_id: Text<'a>,
        content: Prose<'a>,
        output: Prose<'a>,
        info: Info,
    }
    raw {
        action,
    }
}

lenient_object! {
    /// What was used.
    Info {
        total_token_usage: Tokens,
    }
}

lenient_object! {
    /// Tokens of the session so far.
    Tokens {
        input_tokens: u64,
        cached_input_tokens: u64,
        output_tokens: u64,
    }
}

lenient_object! {
    /// How earlier releases wrote the answer of a command.
    Wrapped<'a> {
        output: Text<'a>,
        metadata: Metadata,
    }
}

lenient_object! {
    /// How the command ended.
    Metadata {
        exit_code: i64,
    }
}

/// Reads the session files of Codex.
#[derive(Default)]
pub(crate) struct CodexRollouts {
    /// Input, of which from a cache, and output of the session so far.
    used: [u64; 3],
}

impl LineReader for CodexRollouts {
    fn line(&mut self, json: &str, to: &mut dyn Listener) -> Option<()> {
        let line: Line<'_> = parse(json)?;
        let kind = line.kind.as_deref()?;
        let item = line.payload.as_ref()?;
        let at = line.timestamp.as_deref().and_then(times::parse);
        match (kind, item.kind.as_deref()) {
            ("session_meta", _) => self.session(item, at, to),
            ("turn_context", _) => to.hear(
                at,
                Heard::Session(Identity {
                    model: item.model.as_deref().unwrap_or(""),
                    ..Identity::default()
                }),
            ),
            ("compacted", _) => to.hear(at, Heard::Compacted),
            ("event_msg", Some("task_started")) => to.hear(at, Heard::Turn),
            ("event_msg", Some("token_count")) => self.bill(item, at, to),
            ("response_item", Some(kind)) => response(kind, item, at, to),
            _ => {}
        }
        Some(())
    }
}

impl CodexRollouts {
    fn session(&mut self, item: &Item<'_>, at: Option<EpochMs>, to: &mut dyn Listener) {
        self.used = [0; 3];
        to.hear(
            at,
            Heard::Session(Identity {
                session: item.id.as_deref().unwrap_or(""),
                ..Identity::default()
            }),
        );
    }

    /// Totals are told again and again, so only what grew is spent.
    fn bill(&mut self, item: &Item<'_>, at: Option<EpochMs>, to: &mut dyn Listener) {
        let info = item.info.as_ref();
        let Some(total) = info.and_then(|info| info.total_token_usage.as_ref()) else {
            return;
        };
        let now = [
            total.input_tokens.unwrap_or(0),
            total.cached_input_tokens.unwrap_or(0),
            total.output_tokens.unwrap_or(0),
        ];
        let [input, cached, output] =
            [0, 1, 2].map(|class: usize| now[class].saturating_sub(self.used[class]));
        self.used = now;
        if input + output > 0 {
            to.hear(
                at,
                Heard::Spent(Usage {
                    input_tokens: Some(input.saturating_sub(cached)),
                    cache_read_tokens: Some(cached),
                    output_tokens: Some(output),
                    ..Usage::default()
                }),
            );
        }
    }
}

fn response(kind: &str, item: &Item<'_>, at: Option<EpochMs>, to: &mut dyn Listener) {
    let prose = |prose: &Option<Prose<'_>>| {
        prose
            .as_ref()
            .map(|prose| prose.text().into_owned())
            .unwrap_or_default()
    };
    match kind {
        "message" => match item.role.as_deref() {
            Some("assistant") => to.hear(at, Heard::Said(&prose(&item.content))),
            Some("user") => {
                let text = prose(&item.content);
                if !INJECTED.iter().any(|mark| text.starts_with(mark)) {
                    to.hear(at, Heard::User(&text));
                }
            }
            _ => {}
        },
        "reasoning" => to.hear(at, Heard::Thought("")),
        "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call" => {
            let arguments = item.arguments.as_deref().or(item.input.as_deref());
            to.hear(
                at,
                Heard::Called(Called {
                    id: item.call_id.as_deref().unwrap_or(""),
                    tool: item.name.as_deref().unwrap_or(kind),
                    arguments: arguments.unwrap_or_else(|| item.action.map_or("", RawValue::get)),
                }),
            );
        }
        "function_call_output" | "custom_tool_call_output" => {
            let text = item.output.as_ref().map(Prose::text).unwrap_or_default();
            let (outcome, text) = unwrapped(&text);
            to.hear(
                at,
                Heard::Answered(Answered {
                    id: item.call_id.as_deref().unwrap_or(""),
                    outcome,
                    text: &text,
                    bytes: text.len(),
                }),
            );
        }
        _ => {}
    }
}

/// The answer of a command without what is new each time it runs, such as how
/// long it took, and how it went.
fn unwrapped(text: &str) -> (ToolOutcome, Cow<'_, str>) {
    let outcome = |code: Option<i64>| match code {
        None | Some(0) => ToolOutcome::Succeeded,
        Some(_) => ToolOutcome::Failed,
    };
    if text.starts_with('{')
        && let Some(wrapped) = parse::<Wrapped<'_>>(text)
        && let Some(output) = &wrapped.output
    {
        let code = wrapped
            .metadata
            .as_ref()
            .and_then(|metadata| metadata.exit_code);
        return (outcome(code), Cow::Owned(output.to_string()));
    }
    let Some((head, printed)) = text.split_once(PRINTED) else {
        return (ToolOutcome::Succeeded, Cow::Borrowed(text));
    };
    let code = head.lines().find_map(|line| {
        let code = line
            .strip_prefix(EXITED)
            .or_else(|| line.strip_prefix("Exit code: "))?;
        code.trim().parse().ok()
    });
    match code {
        Some(code) => (outcome(Some(code)), Cow::Borrowed(printed)),
        None => (ToolOutcome::Succeeded, Cow::Borrowed(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_printed_is_told_without_what_changes_each_time() {
        for (text, outcome, printed) in [
            (
                "Chunk ID: 84f9fb\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nno\n",
                ToolOutcome::Failed,
                "no\n",
            ),
            (
                "{\"output\":\"hi\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.1}}",
                ToolOutcome::Succeeded,
                "hi",
            ),
            (
                "Exit code: 2\nWall time: 1 seconds\nOutput:\nx",
                ToolOutcome::Failed,
                "x",
            ),
            (
                "The word Output:\nin a text",
                ToolOutcome::Succeeded,
                "The word Output:\nin a text",
            ),
            ("plain", ToolOutcome::Succeeded, "plain"),
        ] {
            assert_eq!(unwrapped(text), (outcome, Cow::Borrowed(printed)), "{text}");
        }
    }
}
