//! Loops inside a session, seen call by call.
//!
//! Under a supervisor the calls are its to judge, and are forwarded to it (`forward`). Where
//! there is none, or none that answers, what is known of them is kept here.

use std::io::{Read, Seek, SeekFrom};

use fusebox_agents::hook::{Answer, ToolUse};
use fusebox_core::calls::{CallPolicy, CallVerdict, Level, step};
use fusebox_files::regular::{self, Links};
use fusebox_replay::{Conversation, Heard, call_id, hooked, said_before};

use super::forward::spoken;
use super::{Desk, turn_file};
use crate::failure::Failure;
use crate::turn::{self, Turn};

/// How much of the end of a transcript is looked at for what was said before a call.
const END_OF_TRANSCRIPT: u64 = 128 * 1024;

impl Desk {
    pub(super) fn turn_file(&self) -> std::path::PathBuf {
        turn_file(&self.session, self.agent, &self.call)
    }

    /// Whether this agent was started by a supervisor.
    pub(super) fn is_supervised(&self) -> bool {
        self.supervisor.is_some()
    }

    /// Changes what is remembered of the session.
    pub(super) fn remember<T>(
        &self,
        change: impl FnOnce(&mut Turn) -> T,
    ) -> Result<Option<T>, Failure> {
        self.session.located.register()?;
        let mut changed = None;
        turn::update(&self.turn_file(), |turn| changed = Some(change(turn)))?;
        Ok(changed)
    }

    /// A call is about to be made, or was kept from being made by the guard. Answers with
    /// what the detector has to say to it.
    pub(super) fn note_call(
        &self,
        tool: &ToolUse,
        attempts: bool,
        denied: bool,
    ) -> Result<Answer, Failure> {
        let said = self.said_before(tool);
        if self.is_supervised()
            && let Some(answer) = self.ask_before(tool, &said, denied)
        {
            return Ok(answer);
        }
        self.know(tool.id.as_deref());
        let policy = self.standing.policy.calls_in_force();
        let has_copies = self.has_copies();
        let answer = self.remember(|turn| {
            turn.attempted |= attempts;
            turn.kept |= has_copies;
            turn.working |= !tool.is_harmless;
            if let Some(why) = &turn.over {
                return Answer::Halt(why.clone());
            }
            let verdict = turn.take(&policy, |hear| {
                said.iter().for_each(|text| hear(Heard::Said(text)));
                hooked(&self.call.event, hear);
            });
            let answer = turn.follow(verdict);
            let refused = matches!(answer, Answer::Deny(_) | Answer::Halt(_));
            if !denied && !refused {
                if !tool.is_harmless {
                    turn.take_off(&call_id(tool));
                }
                return answer;
            }
            // The attempt counts, and may be the last one.
            let later = turn.take(&policy, |hear| hear(Heard::Blocked(&call_id(tool))));
            let ends = |verdict: &CallVerdict| verdict.level == Level::Trip;
            match answer {
                Answer::Halt(_) => answer,
                Answer::Deny(_) if !later.as_ref().is_some_and(ends) => answer,
                _ => turn.follow(later),
            }
        })?;
        Ok(answer.unwrap_or(Answer::Silence))
    }

    /// A call was answered.
    pub(super) fn note_result(&self, tool: &ToolUse) -> Result<Answer, Failure> {
        if self.is_supervised()
            && let Some(answer) = self.ask_after()
        {
            return Ok(answer);
        }
        let policy = self.standing.policy.calls_in_force();
        let answer = self.remember(|turn| {
            turn.land(&call_id(tool));
            let verdict = turn.take(&policy, |hear| hooked(&self.call.event, hear));
            turn.follow(verdict)
        })?;
        Ok(answer.unwrap_or(Answer::Silence))
    }

    /// What the agent wrote before a call, where it keeps a transcript that tells. Those of
    /// sub-agents are elsewhere.
    fn said_before(&self, tool: &ToolUse) -> Vec<String> {
        let (Some(transcript), Some(id)) = (&self.call.transcript, &tool.id) else {
            return Vec::new();
        };
        if self.traces.is_none() || self.call.agent.is_some() {
            return Vec::new();
        }
        let end = regular::open(transcript, Links::Follow).and_then(|mut file| {
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(END_OF_TRANSCRIPT)))?;
            let mut end = Vec::new();
            file.take(END_OF_TRANSCRIPT).read_to_end(&mut end)?;
            Ok(end)
        });
        // Without it the call counts as one before which nothing was said.
        let end = end.unwrap_or_default();
        said_before(&String::from_utf8_lossy(&end), id)
    }
}

impl Turn {
    /// Takes in what `tell` tells; answers with the gravest verdict.
    pub(super) fn take(
        &mut self,
        policy: &CallPolicy,
        tell: impl FnOnce(&mut dyn FnMut(Heard<'_>)),
    ) -> Option<CallVerdict> {
        let mut conversation = Conversation::default();
        let mut verdicts = Vec::new();
        tell(&mut |heard| {
            conversation.hear(&heard, |event| {
                verdicts.extend(step(&mut self.calls, policy, &event));
            });
        });
        verdicts.into_iter().max_by_key(|verdict| verdict.level)
    }

    /// What follows from a verdict. One that ends the iteration is remembered: not every
    /// agent can be ended, but each can be refused every further tool.
    fn follow(&mut self, verdict: Option<CallVerdict>) -> Answer {
        let Some(verdict) = verdict else {
            return Answer::Silence;
        };
        let answer = spoken(&verdict);
        if let Answer::Halt(why) = &answer {
            self.over = Some(why.clone());
        }
        answer
    }
}
