//! What a hook does under a supervisor: it says which call it was asked about, and is told what
//! the one account of them makes of it.

use fusebox_agents::hook::{Answer, HookEvent, HookPoint, ToolUse, hooks_by_name};
use fusebox_core::calls::{CallEvent, CallVerdict, Digest, Level};
use fusebox_replay::{Conversation, Heard, hooked};

use super::{Desk, words};
use crate::switchboard::{self, About, Reply, Report, Whose};

impl Desk {
    /// The supervisor's word on a call that is about to be made, or that the guard keeps from
    /// being made; nothing if there is no supervisor, or none that answers.
    pub(super) fn ask_before(
        &self,
        tool: &ToolUse,
        said: &[String],
        refused: bool,
    ) -> Option<Answer> {
        let mut about = None;
        let mut before = Vec::new();
        let said = said.iter().map(|text| Heard::Said(text));
        self.events(said, |event| match event {
            CallEvent::Said(said) => before.push(said),
            CallEvent::Call(call) => about = Some(call),
            _ => {}
        });
        let about = About::Before {
            said: before,
            call: about?,
            refused,
        };
        // A refusal has its own reason to tell.
        self.forward(HookPoint::BeforeTool, tool, !refused, about)
    }

    /// The same about a call that was answered.
    pub(super) fn ask_after(&self) -> Option<Answer> {
        let HookEvent::AfterTool { tool, .. } = &self.call.event else {
            return None;
        };
        let mut about = None;
        self.events([], |event| {
            if let CallEvent::Result(result) = event {
                about = Some(About::After(result));
            }
        });
        self.forward(HookPoint::AfterTool, tool, true, about?)
    }

    /// What this call of a hook, and what was heard before it, mean for the detector.
    fn events<'a>(
        &self,
        before: impl IntoIterator<Item = Heard<'a>>,
        mut tell: impl FnMut(CallEvent),
    ) {
        let mut conversation = Conversation::default();
        for heard in before {
            conversation.hear(&heard, &mut tell);
        }
        hooked(&self.call.event, |heard| {
            conversation.hear(&heard, &mut tell);
        });
    }

    fn forward(
        &self,
        point: HookPoint,
        tool: &ToolUse,
        listens: bool,
        about: About,
    ) -> Option<Answer> {
        let supervisor = self.supervisor?;
        let hooks = hooks_by_name(self.agent)?;
        let call = &self.call;
        let whose = Whose {
            session: Digest::of(call.session.as_bytes()),
            part: call
                .agent
                .as_deref()
                .map(|part| Digest::of(part.as_bytes())),
            named: tool.id.is_some(),
            as_in_stream: hooks.speaks_as_its_stream(),
        };
        let report = Report::new(whose, listens && hooks.can_advise(point), about);
        match switchboard::ask(&self.session.socket(), supervisor, &report)? {
            Reply::Nothing => Some(Answer::Silence),
            Reply::Verdict(verdict) => Some(spoken(&verdict)),
            Reply::Elsewhere => None,
        }
    }
}

/// A verdict as it is told to the agent.
pub(super) fn spoken(verdict: &CallVerdict) -> Answer {
    match verdict.level {
        Level::Observe => Answer::Silence,
        Level::Steer => Answer::Context(words::circles(verdict)),
        Level::Block => Answer::Deny(words::circles(verdict)),
        Level::Trip => Answer::Halt(words::turn_over(verdict)),
    }
}
