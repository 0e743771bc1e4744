//! Where a list and our own record of claims come together.
//!
//! A claim is written down here before the list hears of it, so that two of us on
//! one machine can never both believe to have won; the list's own guard settles it
//! between machines.

mod doubts;
mod item;
mod moves;
mod recovery;

pub use doubts::Doubted;
pub use item::Item;
pub use moves::{Claimant, Claimed};
pub use recovery::{Recovered, Settled};

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::error::{SourceError, TaskError};
use crate::history;
use crate::journal::{Attempt, Event, Journal, Line, Record};
use crate::source::{Capabilities, Source};
use crate::status::Status;
use crate::task::Task;
use crate::time::Now;
use crate::worker::{Here, Life, Worker};

/// What holds for all tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How long a claim without any proof of life is believed in; without a limit,
    /// for good.
    pub stale_ms: Option<u64>,
    /// How often a task is taken from somebody who is gone before it is given up:
    /// recovery without an end would be a loop of its own.
    pub reopens: u32,
}

/// A list, and our record of who works on it.
pub struct Desk {
    source: Box<dyn Source>,
    capabilities: Capabilities,
    journal: Journal,
    here: Here,
    rules: Rules,
    /// Whether what is closed here is closed inside a guarded tree.
    inside: bool,
}

impl Desk {
    /// Brings the two together.
    #[must_use]
    pub fn new(source: Box<dyn Source>, journal: Journal, here: Here, rules: Rules) -> Self {
        let capabilities = source.capabilities();
        Self {
            source,
            capabilities,
            journal,
            here,
            rules,
            inside: false,
        }
    }

    /// The same for somebody who may stand inside a guarded tree: what they show is written
    /// down, and is no proof to those who guard it.
    #[must_use]
    pub fn inside(self, inside: bool) -> Self {
        Self { inside, ..self }
    }

    /// What people call the list.
    #[must_use]
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// Where the list is below the root of the repository, if it is a file there.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.source.path()
    }

    /// All that the list holds, if it is a file below the root.
    #[must_use]
    pub fn copy(&self) -> Option<String> {
        self.source.copy()
    }

    /// Puts back what the list held, if what is there now is no list any more, and says why it
    /// is none. Nothing is done about one that is missing or empty. Without a copy it is only
    /// looked at.
    pub fn mend(&self, copy: Option<&str>) -> Option<(String, Option<Result<(), SourceError>>)> {
        let why = self.source.broken()?;
        Some((why, copy.map(|copy| self.source.put_back(copy))))
    }

    /// What the list records by itself.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// Everything that is known of every task, in the order they are to be done.
    ///
    /// # Errors
    /// [`TaskError`] if the list or our record cannot be read.
    pub fn look(&mut self, now: &Now) -> Result<Vec<Item>, TaskError> {
        let tasks = self.source.list()?;
        self.note_sightings(&tasks, now)?;
        let name = self.source.name();
        let records = self.journal.look()?;
        let own = records.iter().filter(|((source, _), _)| source == name);
        let own: HashMap<&str, &Record> = own
            .map(|((_, task), record)| (task.as_str(), record))
            .collect();
        let mut expected = history::Expectations::of(records);
        let view = item::View {
            capabilities: self.capabilities,
            here: &self.here,
            rules: self.rules,
            now,
        };
        let nothing = Arc::default();
        let mut items: Vec<Item> = Vec::with_capacity(tasks.len());
        for task in tasks {
            let record = own.get(task.id.as_str());
            let record = record.map_or_else(|| Arc::clone(&nothing), |&one| Arc::new(one.clone()));
            let mut item = view.item(task, record);
            item.expected = expected.for_kind(item.kind(), item.worked_ms(now));
            items.push(item);
        }
        item::hold_back(&mut items);
        // Lists without priorities keep their order. An item is large, so it is moved once.
        items.sort_by_cached_key(|item| item.task.priority.unwrap_or(i64::MAX));
        Ok(items)
    }

    /// One task.
    ///
    /// # Errors
    /// [`TaskError`] if there is none, or as [`look`](Desk::look).
    pub fn find(&mut self, id: &str, now: &Now) -> Result<Item, TaskError> {
        let task = self.source.find(id)?;
        self.note_sightings(std::slice::from_ref(&task), now)?;
        let key = (self.source.name().to_owned(), task.id.clone());
        let record = self.journal.look()?.get(&key).cloned().unwrap_or_default();
        let view = item::View {
            capabilities: self.capabilities,
            here: &self.here,
            rules: self.rules,
            now,
        };
        Ok(view.item(task, record.into()))
    }

    /// How often something was found outside of any guarded tree that shows that a task is
    /// done, whether or not its list still has it.
    ///
    /// # Errors
    /// [`TaskError::Journal`] if our record cannot be read.
    pub fn proven(&mut self, id: &str) -> Result<u32, TaskError> {
        let key = (self.source.name().to_owned(), id.to_owned());
        let records = self.journal.look()?;
        Ok(records.get(&key).map_or(0, |record| record.proven))
    }

    /// The process that has a task by our record, if that can be seen to run.
    #[must_use]
    pub fn at_work<'a>(&self, item: &'a Item) -> Option<&'a Worker> {
        let worker = item.record.claim.as_ref()?.worker.as_ref()?;
        (worker.life(&self.here) == Life::Alive).then_some(worker)
    }

    /// Writes down what an iteration on a task came to.
    ///
    /// # Errors
    /// [`TaskError::Journal`] if that cannot be written.
    pub fn attempted(&mut self, id: &str, attempt: Attempt, now: &Now) -> Result<(), TaskError> {
        self.write(id, Event::Attempted(attempt), now)
    }

    /// A task in progress of which nobody knows since when is as old as our first
    /// sight of it: taking it at once would rob whoever has just begun.
    fn note_sightings(&mut self, tasks: &[Task], now: &Now) -> Result<(), TaskError> {
        let undated = |task: &&Task| {
            let holder = &task.holder;
            task.status == Status::InProgress
                && holder.since_ms.is_none()
                && holder.lease_until_ms.is_none()
        };
        let mut undated = tasks.iter().filter(undated).peekable();
        if undated.peek().is_none() {
            return Ok(());
        }
        let name = self.source.name().to_owned();
        let mut held = self.journal.hold()?;
        let lines: Vec<Line> = undated
            .filter(|task| {
                let record = held.record(&name, &task.id);
                record.claim.is_none() && record.seen.is_none()
            })
            .map(|task| Line {
                source: name.clone(),
                task: task.id.clone(),
                at: now.clone(),
                event: Event::Seen,
            })
            .collect();
        if lines.is_empty() {
            Ok(())
        } else {
            held.append(&lines)
        }
    }

    fn line(&self, id: &str, event: Event, now: &Now) -> Line {
        Line {
            source: self.source.name().to_owned(),
            task: id.to_owned(),
            at: now.clone(),
            event,
        }
    }

    fn write(&mut self, id: &str, event: Event, now: &Now) -> Result<(), TaskError> {
        let line = self.line(id, event, now);
        self.journal.hold()?.append(&[line])
    }

    /// The same for what is said of the claim on `item`. Changing a list takes as long as its
    /// tool does, and whoever took the task over meanwhile keeps it.
    fn write_of_claim(&mut self, item: &Item, event: Event, now: &Now) -> Result<(), TaskError> {
        let id = &item.task.id;
        let line = self.line(id, event, now);
        let name = self.source.name().to_owned();
        let mut held = self.journal.hold()?;
        let fence = |record: &Record| record.claim.as_ref().map(|claim| claim.fence);
        if fence(&held.record(&name, id)) != fence(&item.record) {
            return Err(moves::not_yours(id, "somebody else took it over meanwhile"));
        }
        held.append(&[line])
    }
}
