//! Which calls were not permitted, however often that is told: by an event of its own,
//! beside the answer of the tool, and in the list of the result.

use std::collections::{HashMap, HashSet};

use crate::event::ToolOutcome;
use crate::excerpt;

/// The most denied calls that are told apart; beyond it some are counted twice.
const DENIED_KEPT: usize = 10_000;
/// The most calls that are remembered until they are answered, and the most failed ones
/// that may turn out to have been denied.
const CALLS_KEPT: usize = 1000;

/// The calls that were not permitted.
#[derive(Debug, Default)]
pub(super) struct Denials {
    denied: HashSet<String>,
    /// The tools of calls that are not yet answered.
    open: HashMap<String, String>,
    /// Calls that were answered with an error since one last succeeded.
    failed: Vec<String>,
    any_succeeded: bool,
}

impl Denials {
    pub(super) fn called(&mut self, call: &str, tool: &str) {
        if self.open.len() < CALLS_KEPT {
            self.open.insert(excerpt::name(call), excerpt::name(tool));
        }
    }

    pub(super) fn answered(&mut self, call: &str, outcome: ToolOutcome) {
        self.open.remove(call);
        match outcome {
            ToolOutcome::Succeeded => {
                self.failed.clear();
                self.any_succeeded = true;
            }
            ToolOutcome::Failed if self.failed.len() < CALLS_KEPT => {
                self.failed.push(excerpt::name(call));
            }
            ToolOutcome::Failed | ToolOutcome::Denied => {}
        }
    }

    /// Takes a denial in; whether it had not been told before.
    pub(super) fn is_new(&mut self, call: &str) -> bool {
        if !call.is_empty() && self.has(call) {
            return false;
        }
        if self.denied.len() < DENIED_KEPT {
            self.denied.insert(excerpt::name(call));
        }
        true
    }

    pub(super) fn has(&self, call: &str) -> bool {
        self.denied.contains(call)
    }

    pub(super) fn tool_of(&self, call: &str) -> Option<&str> {
        self.open.get(call).map(String::as_str)
    }

    /// Those of the listed calls that nothing was done after: the last that failed, or
    /// all of which nothing was heard as long as nothing is known to have been done.
    pub(super) fn latest<'a>(&self, listed: &HashSet<&'a str>) -> HashSet<&'a str> {
        let was_denied = |call: &&String| listed.contains(call.as_str());
        let last: HashSet<&str> = self
            .failed
            .iter()
            .rev()
            .take_while(was_denied)
            .map(String::as_str)
            .collect();
        let nothing_done = !self.any_succeeded && last.len() == self.failed.len();
        let is_latest = |call: &&&str| nothing_done || last.contains(**call);
        listed.iter().filter(is_latest).copied().collect()
    }
}
