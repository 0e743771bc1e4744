//! After a tool, and at the edges of a session.

use fusebox_agents::hook::{Answer, HookPoint, ToolUse};

use super::{Desk, words};
use crate::failure::Failure;
use crate::turn;

impl Desk {
    /// A breaker that opened while the tool ran ends the turn here: some agents can be
    /// stopped after a tool, and only denied before the next.
    pub(super) fn after_tool(&self, tool: &ToolUse) -> Result<Answer, Failure> {
        let noted = self.note_result(tool);
        // Whether or not it could be noted, what the tool took away is put back.
        let lost = self.settle_after(tool)?;
        let answer = match (noted, lost) {
            (Ok(_), Some(lost)) => return Ok(lost),
            (Ok(answer), None) => answer,
            (Err(failure), None) => return Err(failure),
            (Err(failure), Some(lost)) => {
                turn::lose(&self.turn_file());
                return Ok(words::and_trouble(lost, HookPoint::AfterTool, &failure));
            }
        };
        Ok(match self.denial(&self.standing) {
            true => Answer::Halt(words::open(&self.standing)),
            false => answer,
        })
    }

    /// The model is told how the breaker stands, where that matters to it.
    pub(super) fn begin_session(&self) -> Result<Answer, Failure> {
        if self.is_supervised() {
            return Ok(words::standing(&self.standing));
        }
        let before = self.remember(|turn| turn.clone())?;
        let lost = self.keep_after(&before.unwrap_or_default())?;
        let standing = lost.unwrap_or_else(|| words::standing(&self.standing));
        Ok(words::announced(&self.standing.policy, standing))
    }

    pub(super) fn end_session(&self) -> Result<Answer, Failure> {
        turn::forget_old(&self.session.located.workspace_dir());
        Ok(Answer::Silence)
    }
}
