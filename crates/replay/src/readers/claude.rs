//! The session files of Claude Code, `~/.claude/projects/<place>/<session>.jsonl`.
//!
//! Every block of a message is a line of its own that repeats the message's
//! usage. A session that was resumed begins with copies of the lines it goes on
//! from, one that was rewound has several branches, and what sub-agents did
//! stands between the lines of the session or in files of their own.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use fusebox_agents::json::{Maybe, Text, lenient_object, parse};
use fusebox_agents::message::{Block, TokenUsage};
use fusebox_agents::prose::Prose;
use fusebox_agents::{EpochMs, ToolOutcome, Usage};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::LineReader;
use crate::heard::{Answered, Called, Heard, Identity, Listener};
use crate::times;

/// Lines that are remembered by their name; beyond that, copies are read again.
const NAMES_KEPT: usize = 1 << 20;
/// Conversations that are followed at once.
const SIDES_KEPT: usize = 256;
/// What stands in place of the answer of a tool that a person did not permit.
const REJECTED: &str = "User rejected";

lenient_object! {
    /// Any line.
    Line<'a> {
        #[serde(rename = "type")]
        kind: Text<'a>,
        subtype: Text<'a>,
        uuid: Text<'a>,
        #[serde(rename = "parentUuid")]
        parent: Text<'a>,
        #[serde(rename = "sessionId")]
        session: Text<'a>,
        #[serde(rename = "isSidechain")]
        sidechain: bool,
        #[serde(rename = "agentId")]
        agent: Text<'a>,
        #[serde(rename = "isMeta")]
        meta: bool,
        #[serde(rename = "isCompactSummary")]
        summary: bool,
        timestamp: Text<'a>,
        message: Message<'a>,
        #[serde(rename = "toolUseResult")]
        answer: Text<'a>,
    }
}

lenient_object! {
    /// What was said or done.
    Message<'a> {
        id: Text<'a>,
        model: Text<'a>,
        content: Content<'a>,
        usage: TokenUsage,
    }
}

/// A message is a string or a list of blocks.
#[derive(Debug)]
enum Content<'a> {
    Plain(Text<'a>),
    Blocks(Vec<Maybe<Block<'a>>>),
}

impl<'de> Deserialize<'de> for Content<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a string or a list of blocks")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Content::Plain(Text::from(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content::Plain(Text::from(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut blocks = Vec::new();
        while let Some(block) = list.next_element()? {
            blocks.push(block);
        }
        Ok(Content::Blocks(blocks))
    }
}

/// What has to be remembered of one conversation.
#[derive(Default)]
struct Side {
    /// The last line that somebody may answer.
    last: u64,
    /// The model's message that is being written, and what it is known to cost.
    message: u64,
    billed: Usage,
}

/// Reads the session files of Claude Code.
#[derive(Default)]
pub(crate) struct ClaudeSessions {
    names: HashSet<u64>,
    sides: HashMap<u64, Side>,
}

impl ClaudeSessions {
    /// Whether a line of this name was not there before.
    fn is_new(&mut self, name: u64) -> bool {
        if self.names.len() >= NAMES_KEPT {
            return !self.names.contains(&name);
        }
        self.names.insert(name)
    }

    fn side(&mut self, identity: &Identity<'_>) -> &mut Side {
        let key = number(&(identity.session, identity.side));
        if self.sides.len() >= SIDES_KEPT && !self.sides.contains_key(&key) {
            self.sides.clear();
        }
        self.sides.entry(key).or_default()
    }
}

impl LineReader for ClaudeSessions {
    fn line(&mut self, json: &str, to: &mut dyn Listener) -> Option<()> {
        let line: Line<'_> = parse(json)?;
        let kind = line.kind.as_deref()?;
        let uuid = line.uuid.as_deref().map(|uuid| number(&uuid));
        if uuid.is_some_and(|uuid| !self.is_new(uuid)) {
            to.twice();
            return Some(());
        }
        let message = line.message.as_ref();
        let identity = Identity {
            source: "",
            session: line.session.as_deref().unwrap_or(""),
            side: side_of(&line),
            model: message
                .and_then(|message| message.model.as_deref())
                .unwrap_or(""),
        };
        if identity.session.is_empty() {
            // Titles, snapshots and the like belong to no conversation.
            return matches!(kind, "summary" | "file-history-snapshot" | "custom-title")
                .then_some(());
        }
        let at = line.timestamp.as_deref().and_then(times::parse);
        let side = self.side(&identity);
        match (kind, message) {
            ("assistant", Some(message)) if identity.model != "<synthetic>" => {
                to.hear(at, Heard::Session(identity));
                side.bill(message, at, to);
                tell_blocks(message, at, to, |block, at, to| said(block, at, to));
            }
            ("user", Some(message)) => {
                to.hear(
                    at,
                    Heard::Session(Identity {
                        model: "",
                        ..identity
                    }),
                );
                let parent = line.parent.as_deref().map(|parent| number(&parent));
                let prompt = prompted(&line, message, at, to);
                if prompt && side.last != 0 && parent.is_some_and(|parent| parent != side.last) {
                    to.hear(at, Heard::Branched);
                }
            }
            ("system", _) if line.subtype.as_deref() == Some("compact_boundary") => {
                to.hear(
                    at,
                    Heard::Session(Identity {
                        model: "",
                        ..identity
                    }),
                );
                to.hear(at, Heard::Compacted);
            }
            _ => {}
        }
        side.last = uuid.unwrap_or(side.last);
        Some(())
    }
}

impl Side {
    /// Each line of a message repeats what the message has cost so far.
    fn bill(&mut self, message: &Message<'_>, at: Option<EpochMs>, to: &mut dyn Listener) {
        let name = message.id.as_deref().map_or(0, |id| number(&id));
        if name == 0 || name != self.message {
            self.message = name;
            self.billed = Usage::default();
            to.hear(at, Heard::Turn);
        }
        let usage = message
            .usage
            .as_ref()
            .map(TokenUsage::usage)
            .unwrap_or_default();
        let fresh = Usage {
            input_tokens: beyond(usage.input_tokens, self.billed.input_tokens),
            cache_read_tokens: beyond(usage.cache_read_tokens, self.billed.cache_read_tokens),
            cache_write_tokens: beyond(usage.cache_write_tokens, self.billed.cache_write_tokens),
            output_tokens: beyond(usage.output_tokens, self.billed.output_tokens),
            ..Usage::default()
        };
        if fresh.tokens().is_some_and(|tokens| tokens > 0) {
            self.billed = self.billed.plus(&fresh);
            to.hear(at, Heard::Spent(fresh));
        }
    }
}

fn beyond(now: Option<u64>, before: Option<u64>) -> Option<u64> {
    Some(now?.saturating_sub(before.unwrap_or(0)))
}

fn side_of<'a>(line: &'a Line<'_>) -> &'a str {
    match (line.sidechain, line.agent.as_deref()) {
        (Some(true), None) => "sidechain",
        (Some(true), Some(agent)) => agent,
        _ => "",
    }
}

fn tell_blocks(
    message: &Message<'_>,
    at: Option<EpochMs>,
    to: &mut dyn Listener,
    tell: impl Fn(&Block<'_>, Option<EpochMs>, &mut dyn Listener),
) {
    match &message.content {
        Some(Content::Blocks(blocks)) => {
            let blocks = blocks.iter().filter_map(|block| block.0.as_ref());
            blocks.for_each(|block| tell(block, at, to));
        }
        Some(Content::Plain(text)) => to.hear(at, Heard::Said(text)),
        None => {}
    }
}

/// A block of the model's.
fn said(block: &Block<'_>, at: Option<EpochMs>, to: &mut dyn Listener) {
    match block.kind.as_deref() {
        Some("text") => to.hear(at, Heard::Said(block.text.as_deref().unwrap_or(""))),
        Some("thinking" | "redacted_thinking") => {
            // What is printed tells only that it thought, and both are to sound alike.
            to.hear(at, Heard::Thought(""));
        }
        Some("tool_use" | "server_tool_use") => to.hear(
            at,
            Heard::Called(Called {
                id: block.id.as_deref().unwrap_or(""),
                tool: block.name.as_deref().unwrap_or(""),
                arguments: block.input.map_or("", RawValue::get),
            }),
        ),
        _ => {}
    }
}

/// A line of the user's side: answers of tools, and what a person wrote. Says
/// whether a person wrote.
fn prompted(
    line: &Line<'_>,
    message: &Message<'_>,
    at: Option<EpochMs>,
    to: &mut dyn Listener,
) -> bool {
    let written = line.meta != Some(true) && line.summary != Some(true);
    let rejected = line
        .answer
        .as_deref()
        .is_some_and(|answer| answer.starts_with(REJECTED));
    let mut spoke = false;
    match &message.content {
        Some(Content::Plain(text)) if written => {
            spoke = true;
            to.hear(at, Heard::User(text));
        }
        Some(Content::Blocks(blocks)) => {
            for block in blocks.iter().filter_map(|block| block.0.as_ref()) {
                match block.kind.as_deref() {
                    Some("tool_result") => answered(block, rejected, at, to),
                    Some("text") if written => {
                        spoke = true;
                        to.hear(at, Heard::User(block.text.as_deref().unwrap_or("")));
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
    spoke
}

fn answered(block: &Block<'_>, rejected: bool, at: Option<EpochMs>, to: &mut dyn Listener) {
    let text = block.content.as_ref().map(Prose::text).unwrap_or_default();
    let outcome = match block.is_error {
        _ if rejected => ToolOutcome::Denied,
        Some(true) => ToolOutcome::Failed,
        _ => ToolOutcome::Succeeded,
    };
    to.hear(
        at,
        Heard::Answered(Answered {
            id: block.tool_use_id.as_deref().unwrap_or(""),
            outcome,
            text: &text,
            bytes: text.len(),
        }),
    );
}

/// A number that stands for a name; never zero, which stands for none.
fn number(name: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish().max(1)
}
