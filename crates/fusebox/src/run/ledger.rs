//! How every task stood before an iteration, held against how it stands after it.
//!
//! The list lies within the agent's reach, and with it the box of every task. What became done
//! there meanwhile is believed where our own record says that somebody outside has shown it, or
//! where the evidence of the iteration speaks for it; who ticked it cannot be told. Anything else
//! is opened again, and is not done in any case. Two kinds of task are not ours to open: one that
//! another run has and looks at itself, and one of a list that is shared with people and workers
//! elsewhere, unless a run here had taken it. What is not believed is written down in our own
//! record, so that it outlives the run: see [`Desk::doubt`].

mod heirs;

use std::collections::{BTreeMap, BTreeSet};

use fusebox_supervise::ancestry_of;
use fusebox_tasks::{Desk, Doubt, Doubted, Item, Now, SourceError, Status, TaskError};
use fusebox_view::escape;
use serde::{Deserialize, Serialize};

use super::screen::Screen;
use crate::failure::Failure;

/// What is known of the tasks beside what their list says.
#[derive(Default)]
pub(super) struct Ledger {
    /// How they stood when the iteration began.
    before: BTreeMap<String, Stood>,
    /// What the last comparison did not believe.
    refused: BTreeSet<String>,
    /// What the evidence of this run has spoken for since it was last doubted. Our record
    /// believes that at once, unless the run itself stands inside a guarded tree.
    shown: BTreeSet<String>,
}

/// How a task stood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Stood {
    proven: u32,
    /// The list says that somebody is at it, and our record does not know them.
    held_elsewhere: bool,
    /// It was not to be done. Such a task is known only so that no other is taken for it.
    over: bool,
    /// Once it is reworded it is called something else.
    named_by_words: bool,
    place: usize,
}

/// The tasks that are not done although their list no longer asks for them.
#[derive(Default)]
pub(super) struct Left {
    pub(super) ids: Vec<String>,
    /// How many of them are gone from it.
    pub(super) gone: u64,
}

/// A door for the fuzzer: what was noted is written as it was read.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_back(text: &[u8]) {
    if let Some(noted) = Ledger::of_text(text) {
        let again = Ledger::of_text(&noted.to_text()).expect("it was written");
        assert_eq!(again.before, noted.before);
    }
}

impl Ledger {
    /// Whether nothing has been noted yet.
    pub(super) fn is_empty(&self) -> bool {
        self.before.is_empty()
    }

    /// Notes how the tasks stand before an iteration.
    pub(super) fn note(
        &mut self,
        desk: &mut Desk,
        items: &[Item],
        now: &Now,
    ) -> Result<(), Failure> {
        desk.settle_what_is_back(items, now)?;
        let noted = items.iter().enumerate().map(|(place, item)| {
            let task = &item.task;
            let stood = Stood {
                proven: item.record.proven,
                held_elsewhere: task.status == Status::InProgress && item.record.claim.is_none(),
                over: !task.status.is_to_be_done(),
                named_by_words: task.named_by_words,
                place,
            };
            (task.id.clone(), stood)
        });
        self.before = noted
            .filter(|(_, stood)| !stood.over || stood.named_by_words)
            .collect();
        Ok(())
    }

    /// What was noted, to be read back by whoever comes after us.
    pub(super) fn to_text(&self) -> Vec<u8> {
        serde_json::to_vec(&self.before).unwrap_or_default()
    }

    /// What was noted by somebody before us; `None` if this is no such text.
    pub(super) fn of_text(text: &[u8]) -> Option<Self> {
        Some(Self {
            before: serde_json::from_slice(text).ok()?,
            ..Self::default()
        })
    }

    /// Holds the list against what was noted. `kept` is the task that is still ours, which its
    /// own account sees to; `shown` is whether the evidence speaks for the iteration. Answers with
    /// the tasks that were closed meanwhile and that the evidence speaks for.
    pub(super) fn compare(
        &mut self,
        desk: &mut Desk,
        kept: Option<&str>,
        shown: bool,
        now: &Now,
        screen: &Screen,
    ) -> Result<Vec<String>, Failure> {
        if shown {
            let doubts = desk.doubts()?.into_iter();
            let closed = doubts.filter(|(_, doubt)| *doubt == Doubt::Closed);
            let closed: Vec<String> = closed.map(|(id, _)| id).collect();
            self.believe(desk, closed, now)?;
        }
        let (mut found, mut done, mut told) = (Vec::new(), Vec::new(), Vec::new());
        self.refused.clear();
        let items = desk.look(now)?;
        let heirs = heirs::of(&self.before, &items);
        for (id, stood) in self.before.iter().filter(|(_, stood)| !stood.over) {
            let mut listed = items.iter().find(|item| item.task.id == *id);
            let (mut id, mut stood) = (id.as_str(), *stood);
            if let Some(&heir) = heirs.get(id) {
                let heir_id = heir.task.id.as_str();
                let [gone, there] = [id, heir_id].map(|id| escape::line(id, 80));
                told.push(format!(
                    "task {gone} is gone from the list; {there} stands in its place"
                ));
                (id, stood, listed) = (heir_id, Stood::default(), Some(heir));
            }
            let status = match listed {
                Some(item) => Some(item.task.status),
                None => unlisted(desk, id, now)?,
            };
            let proven = desk.proven(id)?;
            let doubt = match status {
                Some(Status::Done) if !shown && proven == stood.proven => Doubt::Closed,
                Some(Status::Deferred) => Doubt::PutOff,
                None if proven == stood.proven => Doubt::Vanished,
                Some(Status::Done) if proven == stood.proven => {
                    done.push(id.to_owned());
                    continue;
                }
                // It is to be done, or somebody has shown that it is.
                _ => continue,
            };
            self.refused.insert(id.to_owned());
            if kept != Some(id) && !listed.is_some_and(|item| is_anothers(desk, item)) {
                let reply = reply(desk, id, &stood, doubt, now)?;
                told.push(format!("task {} {}", escape::line(id, 80), reply.words));
                if reply.is_open {
                    continue;
                }
            }
            self.shown.remove(id);
            let id = id.to_owned();
            found.push(Doubted { id, doubt, proven });
        }
        let more = |more| format!("and {more} more tasks, of which `fusebox tasks list` tells");
        screen.say_some(told.into_iter(), more);
        desk.doubt(&found, now)?;
        Ok(done)
    }

    /// Whether the list says in other words that a task is done which it no longer has.
    pub(super) fn is_closed_in_other_words(&self, id: &str, items: &[Item]) -> bool {
        let heirs = heirs::of(&self.before, items);
        let heir = heirs.get(id);
        heir.is_some_and(|heir| heir.task.status == Status::Done)
    }

    /// Whether the list says of a task what the last comparison did not believe.
    pub(super) fn doubts(&self, id: &str) -> bool {
        self.refused.contains(id)
    }

    /// Takes a task for done: the evidence spoke for it.
    pub(super) fn settle(&mut self, desk: &mut Desk, id: &str, now: &Now) -> Result<(), Failure> {
        self.believe(desk, vec![id.to_owned()], now)
    }

    fn believe(&mut self, desk: &mut Desk, ids: Vec<String>, now: &Now) -> Result<(), Failure> {
        desk.settle(&ids, "the evidence speaks for it", "fusebox", now)?;
        self.shown.extend(ids);
        Ok(())
    }

    /// The tasks that are not done although their list no longer asks for them, those that an
    /// earlier run has found included.
    pub(super) fn left(&self, items: &[Item], desk: &mut Desk) -> Result<Left, Failure> {
        let mut left = Left::default();
        for (id, doubt) in desk.doubts()? {
            let mut listed = items.iter().filter(|item| item.task.id == id);
            let is_asked_for = listed.any(|item| item.task.status.is_to_be_done());
            if !is_asked_for && !self.shown.contains(&id) {
                left.gone += u64::from(doubt == Doubt::Vanished);
                left.ids.push(id);
            }
        }
        Ok(left)
    }
}

/// What was done about a task that is doubted.
struct Reply {
    words: &'static str,
    /// Whether its list asks for it again.
    is_open: bool,
}

/// Opens again what can be, and says what became of the task.
fn reply(
    desk: &mut Desk,
    id: &str,
    stood: &Stood,
    doubt: Doubt,
    now: &Now,
) -> Result<Reply, Failure> {
    let is_open = match doubt {
        Doubt::PutOff | Doubt::Vanished => false,
        // Whoever has it there may have closed it, and is not undone for what is amiss here.
        Doubt::Closed if stood.held_elsewhere || !is_ours_to_open(desk, id, now)? => false,
        Doubt::Closed => match desk.refuse_done(id, "closed without evidence", now) {
            Ok(opened) => opened,
            // Somebody else sees to it just now.
            Err(TaskError::Source(SourceError::Lost { .. })) => false,
            Err(error) => return Err(error.into()),
        },
    };
    let words = match doubt {
        Doubt::PutOff => "was put off meanwhile; it does not count as done",
        Doubt::Vanished => "is gone from the list; it does not count as done",
        Doubt::Closed if is_open => {
            "was closed, but there is no evidence that it is done; it is open again"
        }
        Doubt::Closed => {
            "was closed, but there is no evidence that it is done; it does not count as done"
        }
    };
    Ok(Reply { words, is_open })
}

/// Of a list that is shared, only what a run here had taken: anything else may have been closed
/// by somebody elsewhere, who has seen that it is done.
fn is_ours_to_open(desk: &mut Desk, id: &str, now: &Now) -> Result<bool, Failure> {
    Ok(!desk.capabilities().shared || desk.find(id, now)?.record.claim.is_some())
}

/// Whether another run has the task, which looks itself whether anything shows that it is done.
/// Whoever claims it inside a guarded tree may be the agent.
fn is_anothers(desk: &Desk, item: &Item) -> bool {
    let worker = desk.at_work(item);
    worker.is_some_and(|worker| !ancestry_of(worker.pid).is_guarded())
}

/// What is said of a task that is not listed: some lists hold only what is to be done.
fn unlisted(desk: &mut Desk, id: &str, now: &Now) -> Result<Option<Status>, Failure> {
    match desk.find(id, now) {
        Ok(item) => Ok(Some(item.task.status)),
        Err(TaskError::Source(SourceError::NoSuchTask { .. })) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
