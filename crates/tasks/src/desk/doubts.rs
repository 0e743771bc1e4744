//! Tasks that their list no longer asks for, while nothing shows why.
//!
//! Whoever guards an agent writes them down, so that no later run takes for done what this one
//! did not believe. It stays written down until the list asks for the task again, somebody
//! outside shows that it is done, or a person says that it was meant.

use std::collections::{BTreeMap, HashSet};

use super::{Desk, Item};
use crate::error::TaskError;
use crate::journal::{Doubt, Event, Line};
use crate::time::Now;

/// So many are kept by name. The list is the agent's to fill, and this record is not.
const MOST: usize = 1_000;
/// A longer name is not kept.
const LONGEST: usize = 512;
/// All further ones, in a list without a name: no task of any list can be taken for them.
const OTHERS: (&str, &str) = ("", "(others)");

/// A task that is doubted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubted {
    /// Which.
    pub id: String,
    /// What became of it.
    pub doubt: Doubt,
    /// How often it had been shown to be done by then: what is shown since outranks the doubt.
    pub proven: u32,
}

impl Desk {
    /// Everything that is doubted. Lists that were here before this one count as well: a list
    /// that is put in the place of another must not hide what that has lost.
    ///
    /// # Errors
    /// [`TaskError::Journal`] if our record cannot be read.
    pub fn doubts(&mut self) -> Result<BTreeMap<String, Doubt>, TaskError> {
        let records = self.journal.look()?.iter();
        let doubted = records.filter_map(|((_, id), record)| Some((id.clone(), record.doubt?)));
        Ok(doubted.collect())
    }

    /// Writes down what is doubted.
    ///
    /// # Errors
    /// [`TaskError::Journal`] if that cannot be written.
    pub fn doubt(&mut self, found: &[Doubted], now: &Now) -> Result<(), TaskError> {
        if found.is_empty() {
            return Ok(());
        }
        let name = self.source.name().to_owned();
        let mut held = self.journal.hold()?;
        let records = held.records();
        let mut kept = records.values().filter(|one| one.doubt.is_some()).count();
        let mut keys: BTreeMap<(&str, &str), Doubt> = BTreeMap::new();
        for one in found {
            let record = held.record(&name, &one.id);
            if record.proven > one.proven {
                continue;
            }
            if record.doubt.is_some() || (kept < MOST && one.id.len() <= LONGEST) {
                kept += usize::from(record.doubt.is_none());
                keys.insert((&name, &one.id), one.doubt);
            } else {
                keys.insert(OTHERS, Doubt::Vanished);
            }
        }
        keys.retain(|(list, id), doubt| held.record(list, id).doubt != Some(*doubt));
        let lines: Vec<Line> = keys
            .into_iter()
            .map(|((source, task), doubt)| line(source, task, Event::Doubted { doubt }, now))
            .collect();
        if lines.is_empty() {
            return Ok(());
        }
        held.append(&lines)
    }

    /// Takes back the doubts of tasks that were shown to be done, or of which a person says that
    /// they were meant to go. Inside a guarded tree nobody can say so.
    ///
    /// # Errors
    /// As [`doubt`](Desk::doubt).
    pub fn settle(
        &mut self,
        ids: &[String],
        why: &str,
        by: &str,
        now: &Now,
    ) -> Result<(), TaskError> {
        self.believe(|_, id| ids.iter().any(|one| one == id), why, by, now)
    }

    /// Takes back the doubts of tasks that the list asks for.
    ///
    /// # Errors
    /// As [`doubt`](Desk::doubt).
    pub fn settle_what_is_back(&mut self, items: &[Item], now: &Now) -> Result<(), TaskError> {
        let asked_for = items.iter().filter(|item| item.task.status.is_to_be_done());
        let asked_for: HashSet<&str> = asked_for.map(|item| item.task.id.as_str()).collect();
        let is_back = |list: &str, id: &str| list != OTHERS.0 && asked_for.contains(id);
        self.believe(is_back, "its list asks for it", "fusebox", now)
    }

    fn believe(
        &mut self,
        is_settled: impl Fn(&str, &str) -> bool,
        why: &str,
        by: &str,
        now: &Now,
    ) -> Result<(), TaskError> {
        if self.inside {
            return Ok(());
        }
        let mut held = self.journal.hold()?;
        let records = held.records().iter();
        let doubted = records.filter(|(_, record)| record.doubt.is_some());
        let lines: Vec<Line> = doubted
            .filter(|((list, id), _)| is_settled(list, id))
            .map(|((list, id), _)| {
                let (why, by) = (why.to_owned(), by.to_owned());
                line(list, id, Event::Settled { why, by }, now)
            })
            .collect();
        if lines.is_empty() {
            return Ok(());
        }
        held.append(&lines)
    }
}

fn line(source: &str, task: &str, event: Event, now: &Now) -> Line {
    Line {
        source: source.to_owned(),
        task: task.to_owned(),
        at: now.clone(),
        event,
    }
}
