//! What the plugin for opencode hands over, and what it does with the answer.
//!
//! opencode runs plugins inside itself. Ours only passes on: it hands over an object of our
//! own shape, and makes an error of an exit code other than 0, which is how opencode is told
//! no.

use super::settings;
use crate::hook::{AboutHooks, Answer, HookPoint, Hooks, Known, Reply, Tool, Touch};

/// The hooks of opencode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpencodeHooks;

const TOOLS: Known = &[
    ("bash", Tool::Shell),
    ("write", Tool::File(Touch::Update)),
    ("edit", Tool::File(Touch::Update)),
    ("multiedit", Tool::File(Touch::Update)),
    ("patch", Tool::Patch),
    ("apply_patch", Tool::Patch),
    ("read", Tool::Harmless),
    ("list", Tool::Harmless),
    ("lsp", Tool::Harmless),
    ("grep", Tool::Harmless),
    ("glob", Tool::Harmless),
    ("webfetch", Tool::Harmless),
    ("websearch", Tool::Harmless),
    ("todowrite", Tool::Harmless),
    ("todoread", Tool::Harmless),
    ("task", Tool::Harmless),
    ("skill", Tool::Harmless),
];

const ABOUT: AboutHooks = AboutHooks {
    name: "opencode",
    title: "opencode",
    shell_tool: "bash",
    tools: TOOLS,
    marks: &["OPENCODE"],
    registration: settings::REGISTRATION,
};

impl Hooks for OpencodeHooks {
    fn about(&self) -> &'static AboutHooks {
        &ABOUT
    }

    fn reply(&self, point: HookPoint, answer: &Answer) -> Reply {
        match (point, answer) {
            (
                HookPoint::BeforeTool | HookPoint::BeforeCommand,
                Answer::Deny(_) | Answer::Halt(_),
            ) => Reply::refusal(None, &answer.text()),
            // What is printed after a tool, the plugin adds to what the tool answered.
            (
                HookPoint::AfterTool | HookPoint::AfterFailure,
                Answer::Context(_) | Answer::Deny(_) | Answer::Halt(_),
            ) => Reply {
                stdout: answer.text(),
                ..Reply::default()
            },
            _ => Reply::silence(),
        }
    }
}
