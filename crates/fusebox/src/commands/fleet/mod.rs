//! `fusebox fleet`: many workers on many machines.

mod pattern;
mod simulate;
mod table;

use fusebox_fleet::{
    Address, Applied, BudgetView, Coordinator, FleetError, Local, Postgres, Scope, connect,
};
use fusebox_view::escape;

use super::Context;
use crate::authority;
use crate::caller;
use crate::cli::{FleetAction, FleetBudget, FleetCommand, FleetStop};
use crate::exit;
use crate::failure::Failure;
use crate::fleet::{Party, Seat, deliver};
use crate::session::Session;

pub(super) fn run(context: &Context<'_>, command: &FleetCommand) -> Result<u8, Failure> {
    let session = context.session()?;
    let url = command.flag.url.as_deref();
    let party = Party::of(url, &session.layers.borrow(), &session.located)?;
    if let (FleetAction::Simulate(_), None) = (&command.action, &party) {
        return Err(simulate::no_server());
    }
    let party = party.map_or_else(
        || Party::needed(url, &session.layers.borrow(), &session.located),
        Ok,
    )?;
    let verb = Verb {
        context,
        session: &session,
        party: &party,
    };
    match &command.action {
        FleetAction::Init | FleetAction::Migrate => verb.prepare(),
        FleetAction::Status => verb.status(),
        FleetAction::Workers => verb.workers(),
        FleetAction::Halt(stop) => verb.halt(stop),
        FleetAction::Resume(stop) => verb.resume(stop),
        FleetAction::Budget(budget) => verb.budget(budget),
        FleetAction::Pattern(args) => pattern::run(&verb, args),
        FleetAction::Reopen { task } => verb.reopen(task),
        FleetAction::Deliver => verb.deliver(),
        FleetAction::Simulate(args) => simulate::run(context, &party, args),
    }
}

/// What a verb has at hand.
struct Verb<'a> {
    context: &'a Context<'a>,
    session: &'a Session,
    party: &'a Party,
}

impl Verb<'_> {
    fn coordinator(&self) -> Result<Box<dyn Coordinator>, Failure> {
        Ok(connect(&self.party.address)?)
    }

    fn say(&self, words: &str) {
        self.context.speech.say(words);
    }

    fn prepare(&self) -> Result<u8, Failure> {
        let address = self.party.address.to_string();
        let applied = match &self.party.address {
            Address::Server(server) => Postgres::new(server).migrate()?,
            Address::Directory(directory) => {
                let fleet = Local::found(directory)?;
                self.believe(&fleet)?;
                fleet.begin()?;
                Applied {
                    steps: Vec::new(),
                    version: 0,
                }
            }
        };
        let speech = self.context.speech;
        if speech.json {
            let data = serde_json::json!({
                "schema": 1, "address": address, "version": applied.version, "applied": applied.steps,
            });
            speech.json(&data);
            return Ok(exit::GO);
        }
        if applied.steps.is_empty() {
            self.say(&format!("{} is ready", escape::line(&address, 200)));
        } else {
            self.say(&format!(
                "{} has schema {} now: {}",
                escape::line(&address, 200),
                applied.version,
                applied.steps.join(", ")
            ));
            for line in [
                "a user for workers: create role NAME login password '…' in role fusebox_worker",
                "one for people: create role NAME login password '…' in role fusebox_operator",
            ] {
                speech.add(line);
            }
        }
        Ok(exit::GO)
    }

    /// A state that is not what it was is believed again when a person says so.
    fn believe(&self, fleet: &Local) -> Result<(), Failure> {
        match fleet.look() {
            Err(doubt @ (FleetError::Forgotten { .. } | FleetError::Directory { .. })) => {
                let what = escape::line(&doubt.to_string(), 300);
                self.person(&format!(
                    "Fleet · {what}; from now on it counts as it is, and one that cannot be read begins anew"
                ))?;
                Ok(fleet.accept()?)
            }
            looked => Ok(looked?),
        }
    }

    fn status(&self) -> Result<u8, Failure> {
        let overview = self.coordinator()?.overview()?;
        let speech = self.context.speech;
        if speech.json {
            speech.json(&overview);
        } else {
            let address = self.party.address.to_string();
            speech.data(&table::overview(&address, &overview));
        }
        Ok(exit::GO)
    }

    fn workers(&self) -> Result<u8, Failure> {
        let workers = self.coordinator()?.workers()?;
        let speech = self.context.speech;
        if speech.json {
            speech.json(&workers);
        } else {
            speech.data(&table::workers(&workers));
        }
        Ok(exit::GO)
    }

    fn scope(&self, named: Option<&Scope>) -> Scope {
        named
            .cloned()
            .unwrap_or_else(|| self.party.repository_scope())
    }

    fn halt(&self, stop: &FleetStop) -> Result<u8, Failure> {
        let scope = self.scope(stop.scope.as_ref());
        let by = caller::anyone().user;
        self.coordinator()?.halt(&scope, &stop.reason, &by)?;
        self.say(&format!(
            "{} is halted: nobody there begins another iteration",
            escape::line(&scope.to_string(), 200)
        ));
        Ok(exit::GO)
    }

    fn resume(&self, stop: &FleetStop) -> Result<u8, Failure> {
        let scope = self.scope(stop.scope.as_ref());
        let shown = escape::line(&scope.to_string(), 200);
        let mut coordinator = self.coordinator()?;
        let halts = coordinator.overview()?.halts;
        let halt = halts.iter().find(|halt| halt.scope == scope.to_string());
        let why = halt.map_or_else(String::new, |halt| {
            format!(", halted: {}", escape::line(&halt.reason, 200))
        });
        let by = self.person(&format!("Fleet · {shown}{why}"))?;
        if !coordinator.resume(&scope, &stop.reason, &by)? {
            return Err(
                Failure::new(exit::REFUSED, format!("{shown} is not halted"))
                    .hint("`fusebox fleet status` shows what is"),
            );
        }
        self.say(&format!("{shown} goes on"));
        Ok(exit::GO)
    }

    fn budget(&self, budget: &FleetBudget) -> Result<u8, Failure> {
        let scope = escape::line(&budget.scope.to_string(), 200);
        let unit = budget.unit.name();
        let words = budget.most.map_or_else(
            || format!("{scope} has no budget of {unit}"),
            |most| {
                format!(
                    "{scope} may use {most} {unit} in {}",
                    table::span(budget.per)
                )
            },
        );
        let mut coordinator = self.coordinator()?;
        let budgets = coordinator.overview()?.budgets;
        let name = budget.scope.to_string();
        let now = budgets
            .iter()
            .find(|one| one.scope == name && one.unit == budget.unit);
        // Anyone may tighten; to relax is to release.
        if now.is_some_and(|now| !is_stricter(budget, now)) {
            self.person(&format!("Fleet · from now on {words}"))?;
        }
        coordinator.set_budget(&budget.scope, budget.unit, budget.most, budget.per)?;
        self.say(&words);
        Ok(exit::GO)
    }

    fn reopen(&self, task: &str) -> Result<u8, Failure> {
        let shown = escape::line(task, 200);
        self.person(&format!("Fleet · task {shown} is to be done again"))?;
        if !self.coordinator()?.reopen(&self.party.repository, task)? {
            return Err(Failure::new(
                exit::USAGE,
                format!("the fleet knows no task {shown} here"),
            ));
        }
        self.say(&format!("{shown} can be taken by anybody"));
        Ok(exit::GO)
    }

    fn deliver(&self) -> Result<u8, Failure> {
        let mut seat = Seat::take(self.session, self.party, None)?;
        let mut events = 0;
        while let Some(log) = self.session.store.log()? {
            let delivered = deliver(&mut seat, &log)?;
            events += delivered.events;
            if !delivered.more {
                break;
            }
        }
        self.say(&format!("{events} events delivered"));
        Ok(exit::GO)
    }

    /// A release, and a limit that is relaxed, take a person.
    fn person(&self, question: &str) -> Result<String, Failure> {
        Ok(authority::person(self.session, question)?.user)
    }
}

/// Whether a budget lets nothing through that the one in force would not.
fn is_stricter(new: &FleetBudget, now: &BudgetView) -> bool {
    new.most.is_some_and(|most| most <= now.most) && new.per.as_millis() >= u128::from(now.span_ms)
}
