//! `fusebox tasks`: what can be begun, who has what, and who is gone.

mod doubts;
mod inside;

use std::cell::RefCell;

use fusebox_fleet::LeaseEnd;
use fusebox_tasks::{BUILT_IN, Claimant, Claimed, Item, Places, Settled, Worker};
use fusebox_view::{escape, phrase};

use super::Context;
use crate::authority;
use crate::caller;
use crate::cli::{Tasks, TasksAction};
use crate::evidence::EvidencePlan;
use crate::exit;
use crate::failure::Failure;
use crate::fleet::Leases;
use crate::session::Session;
use crate::sight;
use crate::tasks::table::Rows;
use crate::tasks::{self, Open};

pub(super) fn run(context: &Context<'_>, args: &Tasks) -> Result<u8, Failure> {
    let session = context.session()?;
    if let TasksAction::Add { title, kind } = &args.action {
        return add(context, &session, title, kind.as_deref());
    }
    let open = tasks::needed(&session)?;
    let leases = if args.action.needs_a_lease() {
        let stale_ms = open.rules.stale_ms();
        Leases::open(&session, args.fleet.url.as_deref(), stale_ms)?
    } else {
        None
    };
    let mut verb = Verb {
        context,
        session: &session,
        open,
        leases,
    };
    match &args.action {
        TasksAction::List => verb.show(|_| true),
        TasksAction::Ready => verb.show(Item::is_ready),
        TasksAction::Stale => verb.show(Item::is_stale),
        TasksAction::Next(flags) => verb.next(flags.pid, flags.actor.as_deref()),
        TasksAction::Claim { id, flags } => verb.claim(id, flags.pid, flags.actor.as_deref()),
        TasksAction::Heartbeat(who) => {
            let now = verb.now();
            verb.with_lease(|leases| leases.renew(&who.id))?;
            verb.open.desk.heartbeat(&who.id, who.fence, &now)?;
            verb.after(&who.id, "is known to be worked on")
        }
        TasksAction::Release { speaker, reason } => {
            let now = verb.now();
            verb.refuse_giving_back(&speaker.id)?;
            verb.end(&speaker.id, LeaseEnd::Ready, reason)?;
            verb.open
                .desk
                .release(&speaker.id, speaker.fence, reason, &now)?;
            verb.after(&speaker.id, "can be taken by anybody")
        }
        TasksAction::Block { speaker, reason } => {
            let now = verb.now();
            verb.end(&speaker.id, LeaseEnd::Blocked, reason)?;
            verb.open
                .desk
                .block(&speaker.id, speaker.fence, reason, &now)?;
            verb.after(&speaker.id, "is given up")
        }
        TasksAction::Done { speaker, evidence } => {
            verb.done(&speaker.id, speaker.fence, evidence.as_deref())
        }
        TasksAction::Reopen { id, reason } => verb.reopen(id, reason),
        TasksAction::Settle { ids, reason } => verb.settle(ids, reason),
        TasksAction::Add { .. } => Ok(exit::GO),
    }
}

/// What a verb has at hand.
struct Verb<'a> {
    context: &'a Context<'a>,
    session: &'a Session,
    open: Open,
    /// Our leases, where tasks are shared with others.
    leases: Option<Leases>,
}

impl Verb<'_> {
    fn now(&self) -> fusebox_tasks::Now {
        tasks::now(self.session.clock)
    }

    fn with_lease(
        &mut self,
        ask: impl FnOnce(&mut Leases) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.leases.as_mut().map_or(Ok(()), ask)
    }

    fn end(&mut self, id: &str, end: LeaseEnd, note: &str) -> Result<(), Failure> {
        self.with_lease(|leases| leases.end(id, end, note))
    }

    fn show(&mut self, wanted: impl Fn(&Item) -> bool) -> Result<u8, Failure> {
        let now = self.now();
        let mut items = self.open.desk.look(&now)?;
        let all = items.len();
        items.retain(wanted);
        let rows = Rows {
            items: &items,
            now: &now,
        };
        let speech = self.context.speech;
        if speech.json {
            speech.json(&rows);
            return Ok(exit::GO);
        }
        speech.data(&rows.told());
        let name = escape::line(self.open.desk.name(), 200);
        let all = phrase::count(all as u64, "task");
        speech.say(&format!("{} of {all} in {name}", items.len()));
        self.say_doubts()?;
        if !self.open.also.is_empty() {
            let others = escape::line(&self.open.also.join(", "), 200);
            speech.add(&format!("not looked at: {others}; `tasks.source` chooses"));
        }
        Ok(exit::GO)
    }

    fn claimant(&self, pid: Option<i32>, actor: Option<&str>) -> Result<Claimant, Failure> {
        let clock = self.session.clock;
        let worker = match pid {
            Some(pid) => Some(Worker::of(pid, &tasks::here(clock)).ok_or_else(|| {
                Failure::new(exit::USAGE, format!("there is no process {pid}")).hint(
                    "`--pid` names the process whose life counts, such as `--pid $$` in a shell",
                )
            })?),
            None => None,
        };
        let actor = actor.map_or_else(|| tasks::actor(clock), str::to_owned);
        Ok(Claimant { actor, worker })
    }

    fn next(&mut self, pid: Option<i32>, actor: Option<&str>) -> Result<u8, Failure> {
        let (by, now) = (self.claimant(pid, actor)?, self.now());
        let speech = self.context.speech;
        // A task whose lease is somebody else's is as good as taken.
        let leases = RefCell::new(self.leases.as_mut());
        let wanted = |item: &Item| match leases.borrow_mut().as_mut() {
            Some(leases) => leases.claim(&item.task.id).is_ok(),
            None => true,
        };
        match self.open.desk.next(&by, wanted, &now)? {
            Some(claimed) => self.claimed(&claimed),
            None => {
                if speech.json {
                    speech.json(&[(); 0]);
                }
                speech.say("there is nothing to begin with; `fusebox tasks list` says what the tasks wait for");
                Ok(exit::COMPLETE)
            }
        }
    }

    fn claim(&mut self, id: &str, pid: Option<i32>, actor: Option<&str>) -> Result<u8, Failure> {
        let (by, now) = (self.claimant(pid, actor)?, self.now());
        self.with_lease(|leases| leases.claim(id))?;
        match self.open.desk.claim(id, &by, &now) {
            Ok(claimed) => self.claimed(&claimed),
            Err(error) => {
                self.end(id, LeaseEnd::Ready, "the list would not have it")?;
                Err(error.into())
            }
        }
    }

    /// Prints the id alone, so that a shell can take it as it is.
    fn claimed(&mut self, claimed: &Claimed) -> Result<u8, Failure> {
        let speech = self.context.speech;
        let id = &claimed.item.task.id;
        if let Some(why) = &claimed.taken_for {
            speech.say(&format!(
                "taken from a worker who is gone: {}",
                escape::line(why, 200)
            ));
        }
        if speech.json {
            self.after(id, "")?;
        } else {
            speech.data(&format!("{}\n", escape::line(id, 200)));
            speech.say(&format!(
                "claim {} · {}",
                claimed.fence,
                escape::line(&claimed.item.task.title, 120)
            ));
        }
        Ok(exit::GO)
    }

    /// Says how the task stands now.
    fn after(&mut self, id: &str, words: &str) -> Result<u8, Failure> {
        let speech = self.context.speech;
        if speech.json {
            let now = self.now();
            let item = self.open.desk.find(id, &now)?;
            let rows = Rows {
                items: &[item],
                now: &now,
            };
            speech.json(&rows);
        } else {
            speech.say(&format!("{} {words}", escape::line(id, 200)));
        }
        Ok(exit::GO)
    }

    fn done(&mut self, id: &str, fence: Option<u64>, word: Option<&str>) -> Result<u8, Failure> {
        // Nothing is measured for a task that there is not.
        self.open.desk.find(id, &self.now())?;
        if let Some(code) = self.said_inside(id, word)? {
            return Ok(code);
        }
        let evidence = self.evidence(id, word)?;
        let now = self.now();
        self.end(id, LeaseEnd::Done, &evidence)?;
        self.open.desk.done(id, fence, &evidence, &now)?;
        self.after(id, &format!("is done: {}", escape::line(&evidence, 300)))
    }

    /// What was measured; only where nothing can be, the word of a person.
    fn evidence(&self, id: &str, word: Option<&str>) -> Result<String, Failure> {
        let session = self.session;
        let in_force = session.in_force(&session.store.peek()?.state.0)?;
        let plan = EvidencePlan::configured(&session.layers.borrow());
        if !plan.is_empty() {
            let shown = tasks::evidence::gather(session, &plan, &in_force, self.context.speech)?;
            return Ok(match word {
                Some(word) => format!("{shown}; {word}"),
                None => shown,
            });
        }
        let Some(word) = word else {
            return Err(Failure::new(
                exit::REFUSED,
                format!("there is no evidence that {id} is done"),
            )
            .hint("configure `evidence.test` or `evidence.required`; `tasks done` then checks them")
            .hint("or let a person state the evidence: `--evidence TEXT`"));
        };
        let question = format!("Task {} is said to be done: {word}", escape::line(id, 80));
        let by = authority::person(session, &question)?;
        Ok(format!("{word} (says {})", by.user))
    }

    fn reopen(&mut self, id: &str, reason: &str) -> Result<u8, Failure> {
        // Its attempts are counted from here on.
        let (session, what) = (self.session, "taking a task up again");
        caller::refuse_inside(what)?;
        sight::refuse_out_of_sight(&session.homes, session.clock, what)?;
        let now = self.now();
        let by = tasks::actor(self.session.clock);
        match self.open.desk.reopen(id, reason, &by, &now)? {
            Settled::Reopened => self.after(id, "can be taken by anybody"),
            Settled::Blocked => self.after(id, "was left behind too often, and is given up"),
        }
    }
}

/// Adds a task to the built-in list. Beside another list nobody would ever see it.
fn add(
    context: &Context<'_>,
    session: &Session,
    title: &str,
    kind: Option<&str>,
) -> Result<u8, Failure> {
    if let Some(list) = tasks::name(session)?.filter(|list| list != BUILT_IN) {
        let what = format!(
            "the list in use here is {}, and tasks are added to the built-in one alone",
            escape::line(&list, 200)
        );
        return Err(Failure::new(exit::REFUSED, what).hint(
            "add it there; or `tasks.source = \"built-in\"` in fusebox.toml uses the built-in list",
        ));
    }
    // Makes the directory, too.
    tasks::journal(session)?;
    let own = tasks::directory(session);
    let places = Places {
        root: &session.located.root,
        own: &own,
        path: None,
        actor: "",
    };
    let id = fusebox_tasks::add(&places, title, kind, session.stamp_ms())?;
    if context.speech.json {
        context
            .speech
            .json(&[serde_json::json!({"id": id, "title": title, "status": "open"})]);
    } else {
        context.speech.data(&format!("{id}\n"));
    }
    Ok(exit::GO)
}
