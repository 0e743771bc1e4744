//! Which format a line is of, by what it holds.
//!
//! Names of files are no evidence: sessions are copied, renamed and piped. Each
//! format has keys that no other has together.

use fusebox_agents::json::{Text, lenient_object, parse};
use fusebox_agents::{Claude, Codex, Copilot, Gemini, Opencode};

use crate::readers::LineReader;
use crate::readers::claude::ClaudeSessions;
use crate::readers::codex::CodexRollouts;
use crate::readers::journal::Journal;
use crate::readers::neutral::Collections;
use crate::readers::openhands::OpenHands;
use crate::readers::stream::PrintedEvents;
use crate::readers::sweagent::Trajectories;

/// A format that sessions are stored in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Claude Code's session files.
    ClaudeSession,
    /// What `claude -p --output-format stream-json` prints.
    ClaudeStream,
    /// Codex' session files.
    CodexRollout,
    /// What `codex exec --json` prints.
    CodexStream,
    /// What `gemini -o stream-json` prints.
    GeminiStream,
    /// What `opencode run --format json` prints.
    OpencodeStream,
    /// What Copilot prints as JSON.
    CopilotStream,
    /// OpenHands' events, or evaluated instances.
    OpenHands,
    /// SWE-agent's trajectories.
    SweAgent,
    /// Collections of sessions, one a line.
    Collection,
    /// What `fusebox history --json` prints.
    Journal,
}

lenient_object! {
    /// The keys by which formats are told apart.
    Probe<'a> {
        #[serde(rename = "type")]
        kind: Text<'a>,
        #[serde(rename = "kind")]
        event: Text<'a>,
        session: Text<'a>,
        #[serde(rename = "sessionId")]
        session_of_file: Text<'a>,
        session_id: Text<'a>,
        #[serde(rename = "sessionID")]
        session_of_opencode: Text<'a>,
        source: Text<'a>,
        action: Text<'a>,
        observation: Text<'a>,
        timestamp: Text<'a>,
        seq: u64,
        at: Text<'a>,
    }
    raw {
        events,
        history,
        trajectory,
        payload,
        data,
        snapshot,
    }
}

impl Format {
    /// The format that a line is of, if it is of one.
    #[must_use]
    pub fn of_line(json: &str) -> Option<Self> {
        let probe: Probe<'_> = parse(json)?;
        if probe.events.is_some() && probe.session.is_some() {
            return Some(Self::Collection);
        }
        if probe.trajectory.is_some() {
            return Some(Self::SweAgent);
        }
        if probe.history.is_some() {
            return Some(Self::OpenHands);
        }
        match probe.kind.as_deref() {
            Some(kind) => Self::of_type(kind, &probe),
            None => Self::of_event(&probe),
        }
    }

    fn of_type(kind: &str, probe: &Probe<'_>) -> Option<Self> {
        let dotted = kind.split_once('.').map(|(family, _)| family);
        Some(match kind {
            _ if probe.payload.is_some() => Self::CodexRollout,
            _ if probe.session_of_opencode.is_some() => Self::OpencodeStream,
            _ if probe.session_of_file.is_some() => Self::ClaudeSession,
            "summary" => Self::ClaudeSession,
            "file-history-snapshot" if probe.snapshot.is_some() => Self::ClaudeSession,
            _ if matches!(dotted, Some("thread" | "turn" | "item")) => Self::CodexStream,
            _ if dotted.is_some() && probe.data.is_some() => Self::CopilotStream,
            "init" | "message" | "tool_use" | "tool_result" if probe.timestamp.is_some() => {
                Self::GeminiStream
            }
            "system" | "assistant" | "user" | "result" | "rate_limit_event"
                if probe.session_id.is_some() =>
            {
                Self::ClaudeStream
            }
            _ => return None,
        })
    }

    fn of_event(probe: &Probe<'_>) -> Option<Self> {
        if probe.seq.is_some() && probe.at.is_some() && probe.event.is_some() {
            return Some(Self::Journal);
        }
        let acts = probe.action.is_some() || probe.observation.is_some();
        let of_sdk = |event: &str| event.ends_with("Event") || event.ends_with("Observation");
        let told = probe.event.as_deref().is_some_and(of_sdk);
        (probe.source.is_some() && (acts || told)).then_some(Self::OpenHands)
    }

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeSession => "claude-session",
            Self::ClaudeStream => "claude-stream",
            Self::CodexRollout => "codex-rollout",
            Self::CodexStream => "codex-stream",
            Self::GeminiStream => "gemini-stream",
            Self::OpencodeStream => "opencode-stream",
            Self::CopilotStream => "copilot-stream",
            Self::OpenHands => "openhands",
            Self::SweAgent => "swe-agent",
            Self::Collection => "collection",
            Self::Journal => "journal",
        }
    }

    pub(crate) fn reader(self) -> Box<dyn LineReader> {
        match self {
            Self::ClaudeSession => Box::<ClaudeSessions>::default(),
            Self::ClaudeStream => Box::new(PrintedEvents::of(&Claude)),
            Self::CodexRollout => Box::<CodexRollouts>::default(),
            Self::CodexStream => Box::new(PrintedEvents::of(&Codex)),
            Self::GeminiStream => Box::new(PrintedEvents::of(&Gemini)),
            Self::OpencodeStream => Box::new(PrintedEvents::of(&Opencode)),
            Self::CopilotStream => Box::new(PrintedEvents::of(&Copilot)),
            Self::OpenHands => Box::new(OpenHands),
            Self::SweAgent => Box::new(Trajectories),
            Self::Collection => Box::new(Collections),
            Self::Journal => Box::<Journal>::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_apart_by_one_line() {
        for (line, format) in [
            (
                r#"{"source":"s","session":"a","events":[]}"#,
                Some(Format::Collection),
            ),
            (
                r#"{"type":"user","sessionId":"a","uuid":"u","message":{}}"#,
                Some(Format::ClaudeSession),
            ),
            (
                r#"{"type":"summary","summary":"t","leafUuid":"u"}"#,
                Some(Format::ClaudeSession),
            ),
            (
                r#"{"type":"user","session_id":"a","uuid":"u","message":{}}"#,
                Some(Format::ClaudeStream),
            ),
            (
                r#"{"type":"system","subtype":"init","session_id":"a"}"#,
                Some(Format::ClaudeStream),
            ),
            (
                r#"{"timestamp":"t","type":"session_meta","payload":{}}"#,
                Some(Format::CodexRollout),
            ),
            (
                r#"{"type":"thread.started","thread_id":"a"}"#,
                Some(Format::CodexStream),
            ),
            (
                r#"{"type":"init","timestamp":"t","session_id":"a"}"#,
                Some(Format::GeminiStream),
            ),
            (
                r#"{"type":"step_start","sessionID":"a","part":{}}"#,
                Some(Format::OpencodeStream),
            ),
            (
                r#"{"type":"session.start","data":{}}"#,
                Some(Format::CopilotStream),
            ),
            (
                r#"{"id":1,"source":"agent","action":"run","args":{}}"#,
                Some(Format::OpenHands),
            ),
            (
                r#"{"kind":"ActionEvent","source":"agent"}"#,
                Some(Format::OpenHands),
            ),
            (
                r#"{"instance_id":"i","history":[]}"#,
                Some(Format::OpenHands),
            ),
            (r#"{"trajectory":[],"info":{}}"#, Some(Format::SweAgent)),
            (
                r#"{"seq":3,"at":"t","kind":"reported"}"#,
                Some(Format::Journal),
            ),
            (r#"{"type":"user"}"#, None),
            (r#"{"a":1}"#, None),
            ("[1]", None),
            ("{", None),
            ("", None),
        ] {
            assert_eq!(Format::of_line(line), format, "{line}");
        }
    }
}
