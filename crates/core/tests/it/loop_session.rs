//! A session under watch, one event at a time.

use fusebox_core::calls::reading::{self, Outcome};
use fusebox_core::calls::{
    Arguments, CallEvent, CallPolicy, CallSignal, CallState, CallVerdict, Level, step,
};

/// A session that is being watched.
#[derive(Default)]
pub(crate) struct Session {
    state: CallState,
    policy: Option<CallPolicy>,
    made: u32,
    pub(crate) verdicts: Vec<CallVerdict>,
}

impl Session {
    pub(crate) fn with(policy: CallPolicy) -> Self {
        Self {
            policy: Some(policy),
            ..Self::default()
        }
    }

    pub(crate) fn event(&mut self, event: &CallEvent) -> &mut Self {
        let policy = self.policy.unwrap_or_else(CallPolicy::native);
        self.verdicts.extend(step(&mut self.state, &policy, event));
        self
    }

    pub(crate) fn said(&mut self, text: &str) -> &mut Self {
        self.event(&CallEvent::Said(reading::said(text)))
    }

    pub(crate) fn user(&mut self, text: &str) -> &mut Self {
        self.event(&reading::user(text))
    }

    pub(crate) fn turn(&mut self, text: &str) -> &mut Self {
        self.said(text).event(&CallEvent::TurnEnded)
    }

    /// Begins a call and answers with its id.
    pub(crate) fn begin(&mut self, tool: &str, arguments: &str) -> String {
        self.made += 1;
        let id = format!("call-{}", self.made);
        let call = reading::call(&id, tool, &Arguments::read(arguments));
        self.event(&CallEvent::Call(call));
        id
    }

    pub(crate) fn end(&mut self, id: &str, outcome: Outcome, text: &str) -> &mut Self {
        let result = reading::result(id, outcome, text, text.len());
        self.event(&CallEvent::Result(result))
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &str, text: &str) -> &mut Self {
        let id = self.begin(tool, arguments);
        self.end(&id, Outcome::Ran, text)
    }

    pub(crate) fn fails(&mut self, tool: &str, arguments: &str, text: &str) -> &mut Self {
        let id = self.begin(tool, arguments);
        self.end(&id, Outcome::Failed, text)
    }

    pub(crate) fn edit(&mut self, path: &str, old: &str, new: &str) -> &mut Self {
        let arguments =
            format!(r#"{{"file_path":"{path}","old_string":"{old}","new_string":"{new}"}}"#);
        self.call("Edit", &arguments, &format!("{path} has been edited"))
    }

    pub(crate) fn worst(&self) -> Option<Level> {
        self.verdicts.iter().map(|verdict| verdict.level).max()
    }

    pub(crate) fn has(&self, level: Level, signal: CallSignal) -> bool {
        let of = |v: &CallVerdict| v.level == level && v.evidence[0].signal == signal;
        self.verdicts.iter().any(of)
    }
}

pub(crate) const CONTINUE: &str = "Please go on with the task in whatever way seems best to you, and do not stop \
                        before all of it is really done.";

/// Runs `script` and says how grave it got.
pub(crate) fn worst(script: impl Fn(&mut Session)) -> Option<Level> {
    let mut session = Session::default();
    script(&mut session);
    session.worst()
}

pub(crate) fn told(level: Option<Level>) -> bool {
    level >= Some(Level::Steer)
}
