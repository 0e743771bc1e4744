//! Tasks that their list no longer asks for, while nothing shows why.

use fusebox_view::escape;

use super::Verb;
use crate::authority;
use crate::exit;
use crate::failure::Failure;

/// So many are named in one line.
const MOST_NAMED: usize = 20;

impl Verb<'_> {
    /// Takes a person's word that tasks were meant to go.
    pub(super) fn settle(&mut self, ids: &[String], reason: &str) -> Result<u8, Failure> {
        let doubts = self.open.desk.doubts()?;
        if let Some(id) = ids.iter().find(|id| !doubts.contains_key(*id)) {
            let what = format!("task {} has nothing to settle", escape::line(id, 80));
            return Err(Failure::new(exit::REFUSED, what)
                .hint("`fusebox tasks list` shows the tasks in doubt"));
        }
        let named = named(ids.iter());
        let question = format!("Not to be done any more: {named}");
        let by = authority::person(self.session, &question)?;
        let now = self.now();
        self.open.desk.settle(ids, reason, &by.user, &now)?;
        let speech = self.context.speech;
        if speech.json {
            speech.json(&ids);
        } else {
            speech.say(&format!("settled: {named}"));
        }
        Ok(exit::GO)
    }

    /// Says beside a list what is missing from it.
    pub(super) fn say_doubts(&mut self) -> Result<(), Failure> {
        let doubts = self.open.desk.doubts()?;
        if !doubts.is_empty() {
            let named = named(doubts.keys());
            self.context.speech.add(&format!(
                "not to be done by their list, and nothing shows why: {named}; `fusebox tasks settle` says that it was meant"
            ));
        }
        Ok(())
    }
}

fn named<'a>(ids: impl ExactSizeIterator<Item = &'a String>) -> String {
    let more = ids.len().saturating_sub(MOST_NAMED);
    let shown: Vec<String> = ids
        .take(MOST_NAMED)
        .map(|id| escape::line(id, 80))
        .collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
