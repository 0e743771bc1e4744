//! What fusebox remembers itself, as `fusebox history --json` prints it.
//!
//! Each iteration is a call whose answer is what came of it, so that a loop over
//! iterations is judged by the rules for loops over calls.

use fusebox_agents::ToolOutcome;
use fusebox_agents::json::{Text, lenient_object, parse};

use super::LineReader;
use crate::heard::{Answered, Called, Heard, Identity, Listener};
use crate::times;

lenient_object! {
    /// One line.
    Line<'a> {
        seq: u64,
        at: Text<'a>,
        kind: Text<'a>,
        task: Text<'a>,
        files_changed: u64,
        error: Text<'a>,
        reason: Text<'a>,
    }
}

/// Reads the history of a circuit.
#[derive(Default)]
pub(crate) struct Journal {
    begun: bool,
}

impl LineReader for Journal {
    fn line(&mut self, json: &str, to: &mut dyn Listener) -> Option<()> {
        let line: Line<'_> = parse(json)?;
        let (seq, kind) = (line.seq?, line.kind.as_deref()?);
        let at = line.at.as_deref().and_then(times::parse);
        if !self.begun {
            self.begun = true;
            to.hear(at, Heard::Session(Identity::default()));
        }
        match kind {
            "reported" => {
                let id = &seq.to_string();
                to.hear(
                    at,
                    Heard::Called(Called {
                        id,
                        tool: "iteration",
                        arguments: line.task.as_deref().unwrap_or(""),
                    }),
                );
                let text = line.told();
                to.hear(
                    at,
                    Heard::Answered(Answered {
                        id,
                        outcome: match line.error {
                            Some(_) => ToolOutcome::Failed,
                            None => ToolOutcome::Succeeded,
                        },
                        text: &text,
                        bytes: text.len(),
                    }),
                );
            }
            // A person has looked.
            "reset" => to.hear(at, Heard::User(line.reason.as_deref().unwrap_or(""))),
            _ => {}
        }
        Some(())
    }
}

impl Line<'_> {
    fn told(&self) -> String {
        let files = self
            .files_changed
            .map_or("unknown".to_owned(), |files| files.to_string());
        let error = self.error.as_deref().unwrap_or("");
        format!("files changed: {files}\n{error}")
    }
}
