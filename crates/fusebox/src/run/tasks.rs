//! Working through a list: the next task is taken, worked on, and closed when
//! something shows that it is done; or set aside, so that the others get their turn.

mod ends;
mod gain;
mod own;
mod standing;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use fusebox_fleet::LeaseEnd;
use fusebox_guard::keep::{How, Lost};
use fusebox_tasks::{Claimant, Claimed, Item, SourceError, Status, TaskError};
use fusebox_view::{escape, phrase};

use self::ends::{attempt, done_beside};
use self::gain::Gains;
use self::own::OwnWrites;
use self::standing::Standing;
use super::ending::Ending;
use super::fleet::{Leasing, Membership};
use super::iteration::Came;
use super::ledger::Ledger;
use super::plan::Task;
use super::pulse::Pulse;
use super::screen::Screen;
use crate::clock::Clock;
use crate::failure::Failure;
use crate::session::Session;
use crate::tasks::{self, Open};

/// The widest that a description is told to the agent.
const WORDS: usize = 8_000;

/// The list that a run works through.
pub(crate) struct TaskLine {
    open: Open,
    by: Claimant,
    clock: Clock,
    current: Option<Current>,
    /// What this run is through with for now, where nothing may be given up for good.
    set_aside: HashSet<String>,
    /// How the list stood before the iteration, and what is not believed of it.
    ledger: Ledger,
    /// What the list held before the iteration, if it is a file here.
    copy: Option<String>,
    /// How the tasks stood, on the disk, while an iteration is under way.
    standing: Standing,
    own: OwnWrites,
    gains: Gains,
    done: u64,
}

struct Current {
    id: String,
    fence: u64,
    /// Tells the list that we live, as long as it is kept.
    _pulse: Option<Pulse>,
}

impl TaskLine {
    pub(super) fn open(session: &Session) -> Result<Self, Failure> {
        let open = tasks::needed(session)?;
        let clock = session.clock;
        Ok(Self {
            own: OwnWrites::since(&open.desk),
            open,
            by: tasks::this_process(clock),
            clock,
            current: None,
            set_aside: HashSet::new(),
            ledger: Ledger::default(),
            copy: None,
            standing: Standing::of(session),
            gains: Gains::default(),
            done: 0,
        })
    }

    /// Where the list is below the root, if it is a file there.
    pub(super) fn path(&self) -> Option<&Path> {
        self.open.desk.path()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.current.is_none()
    }

    /// Takes the next task, after bringing back what others have left behind. `None`
    /// if there is none to be had.
    pub(super) fn take(
        &mut self,
        session: &Session,
        screen: &Screen,
        fleet: Option<&mut Membership>,
    ) -> Result<Option<Task>, Failure> {
        let now = tasks::now(self.clock);
        self.own.begin(&self.open.desk);
        if self.open.rules.recover {
            for one in self.open.desk.recover(&self.by.actor, &now)? {
                let became = one.settled.words();
                screen.say(&format!(
                    "task {}: {}; it {became}",
                    escape::line(&one.id, 80),
                    escape::line(&one.why, 160)
                ));
            }
        }
        let Some(claimed) = self.claim(fleet)? else {
            return Ok(None);
        };
        let item = &claimed.item;
        let id = item.task.id.clone();
        let has_lease = self.open.desk.capabilities().lease;
        let pulse = has_lease.then(|| Pulse::start(session, &id)).transpose()?;
        self.gains.begin();
        self.current = Some(Current {
            id: id.clone(),
            fence: claimed.fence,
            _pulse: pulse,
        });
        let tries = match item.record.attempts_now {
            0 => String::new(),
            earlier => format!(" · {} before", phrase::count(earlier.into(), "attempt")),
        };
        screen.say(&format!(
            "task {} · {}{tries}",
            escape::line(&id, 80),
            escape::line(&item.task.title, 120)
        ));
        Ok(Some(Task {
            id,
            title: Some(item.task.title.clone()),
            words: Some(words(item)),
        }))
    }

    fn claim(&mut self, fleet: Option<&mut Membership>) -> Result<Option<Claimed>, Failure> {
        let now = tasks::now(self.clock);
        let (set_aside, recover) = (&self.set_aside, self.open.rules.recover);
        // Without recovery, what a worker left behind is for a person to look at.
        let wanted =
            |item: &Item| !set_aside.contains(&item.task.id) && (recover || !item.is_stale());
        let Some(fleet) = fleet else {
            return Ok(self.open.desk.next(&self.by, wanted, &now)?);
        };
        let leasing = Leasing::with(fleet);
        let wanted = |item: &Item| wanted(item) && leasing.has(&item.task.id);
        let claimed = self.open.desk.next(&self.by, wanted, &now)?;
        leasing.conclude(claimed.is_some())?;
        Ok(claimed)
    }

    /// Notes how every task stands before the agent has the list within its reach, and returns
    /// the fingerprint of that.
    pub(super) fn note_standing(&mut self) -> Result<String, Failure> {
        let now = tasks::now(self.clock);
        match self.open.desk.look(&now) {
            Ok(items) => {
                self.gains.note(&items);
                self.copy = self.open.desk.copy();
                self.ledger.note(&mut self.open.desk, &items, &now)?;
            }
            // How it stood earlier asks for more, and not for less.
            Err(_) if !self.ledger.is_empty() => {}
            Err(error) => return Err(error.into()),
        }
        self.standing.keep(&self.ledger)
    }

    /// What became of the list if it can no longer be read as one; `restores` is whether what it
    /// held is to be put back.
    pub(super) fn mend(&self, restores: bool) -> Option<Lost> {
        let path = self.path()?.to_owned();
        let copy = self.copy.as_deref();
        let (why, put_back) = self.open.desk.mend(copy.filter(|_| restores))?;
        Some(Lost {
            path,
            how: How::Broken(why),
            restored: put_back.map(|done| done.map_err(|error| error.to_string())),
        })
    }

    /// Why the list cannot be read, if it cannot.
    pub(super) fn unreadable(&mut self) -> Option<String> {
        let now = tasks::now(self.clock);
        match self.open.desk.look(&now) {
            Err(TaskError::Source(error)) => Some(error.to_string()),
            _ => None,
        }
    }

    /// No iteration has come of it, or what came of it was looked at and the log does not name it.
    pub(super) fn forget_standing(&self) {
        self.standing.forget();
    }

    /// Whether the list says that the task is done, which only the agent can have
    /// written there.
    pub(super) fn is_closed_in_list(&mut self) -> bool {
        let now = tasks::now(self.clock);
        let Some(current) = &self.current else {
            return false;
        };
        // A list that cannot be asked says nothing; the iteration is reported first.
        match self.open.desk.find(&current.id, &now) {
            Ok(item) => item.task.status == Status::Done,
            Err(TaskError::Source(SourceError::NoSuchTask { .. })) => {
                let items = self.open.desk.look(&now);
                let ledger = &self.ledger;
                items.is_ok_and(|items| ledger.is_closed_in_other_words(&current.id, &items))
            }
            Err(_) => false,
        }
    }

    /// Writes down what an iteration came to, and sees what follows for the task.
    pub(super) fn follow(
        &mut self,
        came: &mut Came,
        screen: &Screen,
        mut fleet: Option<&mut Membership>,
    ) -> Result<(), Failure> {
        let now = tasks::now(self.clock);
        self.own.begin(&self.open.desk);
        let Some(current) = &self.current else {
            return Ok(());
        };
        let (id, fence) = (current.id.clone(), current.fence);
        let shown_id = escape::line(&id, 80);
        let shown = match came.ending.take() {
            Some(Ending::Complete(evidence)) => Some(evidence),
            other => {
                came.ending = other;
                None
            }
        };
        let desk = &mut self.open.desk;
        desk.attempted(&id, attempt(came, shown.is_some()), &now)?;
        let item = match desk.find(&id, &now) {
            Ok(item) => item,
            Err(TaskError::Source(SourceError::NoSuchTask { .. })) => {
                return self.follow_deleted(came, shown.as_deref(), screen, fleet);
            }
            Err(error) => return Err(error.into()),
        };
        let claim = item.record.claim.as_ref();
        let is_ours = claim.is_some_and(|claim| claim.fence == fence);
        let kept = is_ours.then_some(id.as_str());
        let done = self.ledger.compare(desk, kept, came.shown, &now, screen)?;
        self.done += done_beside(&id, &done, screen);
        if !is_ours {
            // Somebody has closed it with evidence, or the agent has given it up.
            self.current = None;
            if self.ledger.doubts(&id) {
                if let Some(fleet) = &mut fleet {
                    fleet.release(LeaseEnd::Ready, "closed without evidence")?;
                }
                return Ok(());
            }
            let end = match item.status {
                Status::Done => LeaseEnd::Done,
                _ => LeaseEnd::Ready,
            };
            if let Some(fleet) = &mut fleet {
                fleet.release(end, "by the agent")?;
            }
            self.done += u64::from(item.status == Status::Done);
            let status = item.status.name();
            screen.say(&format!("task {shown_id} is {status} by now"));
            return Ok(());
        }
        if let Some(fleet) = &mut fleet {
            let lost = match &shown {
                Some(evidence) => !fleet.release(LeaseEnd::Done, evidence)?,
                None => fleet.lease().is_lost(),
            };
            if lost {
                // Whoever has it now writes to the list; we do not.
                let why = "the lease is over, and somebody else may have begun";
                desk.leave(&id, fence, why, &now)?;
                fleet.lease().end();
                self.current = None;
                screen.say(&format!("task {shown_id}: {why}; nothing was changed"));
                return Ok(());
            }
        }
        if let Some(evidence) = shown {
            desk.done(&id, Some(fence), &evidence, &now)?;
            self.ledger.settle(desk, &id, &now)?;
            self.done += 1;
            self.current = None;
            let evidence = escape::line(&evidence, 200);
            screen.say(&format!("task {shown_id} is done: {evidence}"));
        } else if item.task.status == Status::Done {
            desk.refuse_close(&id, fence, "closed without evidence", &now)?;
            let items = desk.look(&now)?;
            desk.settle_what_is_back(&items, &now)?;
            screen.say(&format!(
                "task {shown_id} was closed, but there is no evidence that it is done; it is open again"
            ));
        }
        Ok(())
    }

    /// How many iterations the task has had, if those are as many as it may have.
    pub(super) fn is_exhausted(&mut self) -> Result<Option<u32>, Failure> {
        let now = tasks::now(self.clock);
        let (Some(current), Some(most)) = (&self.current, self.open.rules.attempts) else {
            return Ok(None);
        };
        let tried = self.open.desk.find(&current.id, &now)?.record.attempts_now;
        Ok((tried >= most).then_some(tried))
    }

    /// Why there is nothing more to begin with.
    pub(super) fn ending(&mut self) -> Result<Ending, Failure> {
        let now = tasks::now(self.clock);
        let items = self.open.desk.look(&now)?;
        let mut left: Vec<String> = items
            .iter()
            .filter(|item| !matches!(item.status, Status::Done | Status::Deferred))
            .map(|item| item.task.id.clone())
            .collect();
        let doubted = self.ledger.left(&items, &mut self.open.desk)?;
        let unshown = doubted.ids.len() as u64;
        left.extend(doubted.ids);
        let count = left.len() as u64;
        left.truncate(5);
        Ok(Ending::TasksOver {
            done: self.done,
            left: count,
            which: left.join(", "),
            unshown,
            gone: doubted.gone,
        })
    }
}

/// What the agent is told of its task.
fn words(item: &Item) -> String {
    let task = &item.task;
    let mut words = format!("Your task: {} {}\n", task.id, task.title);
    if !task.description.is_empty() {
        let _ = writeln!(words, "{}", task.description);
    }
    if !task.criteria.is_empty() {
        words.push_str("It is done when:\n");
        for criterion in &task.criteria {
            let _ = writeln!(words, "- {criterion}");
        }
    }
    if let Some(why) = &item.record.reopened_for {
        let _ = writeln!(
            words,
            "Somebody had begun with it and is gone ({why}); look at what is there first."
        );
    }
    let mut words: String = words.chars().take(WORDS).collect();
    words.push_str("Work on this task only.\n");
    words
}
