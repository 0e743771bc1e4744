//! A loop that is not alone: before each iteration it takes from what it shares with
//! others, and each task is held under a lease.
//!
//! The engine's answer and the fleet's must both be yes. Where the fleet cannot be asked,
//! nothing new begins; what runs may run to its end, or to the end of its lease.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use fusebox_core::decision::Gate;
use fusebox_core::machine;
use fusebox_core::policy::Enforcement;
use fusebox_fleet::{
    Amounts, Claimed, FleetError, Grant, Id, LeaseEnd, Refusal, Take, Taken, Unit, Used,
};
use fusebox_view::{escape, phrase};

use super::Loop;
use super::ending::Ending;
use super::iteration::Came;
use super::plan::Plan;
use crate::exit;
use crate::failure::Failure;
use crate::fleet::{Courier, LEASE, LeaseWatch, Party, Seat};
use crate::session::Session;

/// What an iteration is expected to use at most, where nothing else is configured.
const TOKENS: u64 = 200_000;
const MICRO_USD: u64 = 2_000_000;
/// How long a run that does not wait puts up with a coordinator that is gone: as long
/// as a failover takes.
const FAILOVER: Duration = Duration::from_secs(30);
/// How often a coordinator is asked again while a run waits for it.
const ASK: Duration = Duration::from_secs(2);
/// What is not settled beyond this many counts in full.
const UNSETTLED: usize = 100;

/// Our part in a fleet while a run lasts.
pub(crate) struct Membership {
    seat: Seat,
    lease: LeaseWatch,
    courier: Courier,
    enrolled: bool,
    /// A request whose answer was lost; asked again, it is asked once.
    pending: Option<Take>,
    /// What the iteration under way was granted under.
    under: Option<Id>,
    unsettled: Vec<(Id, Used)>,
    /// Since when nothing can be begun, for want of a coordinator or for a halt.
    held_up: Option<Instant>,
}

/// What the fleet says to another iteration.
pub(super) enum Leave {
    Go(Option<Grant>),
    Refused(Refusal),
    Halted { scope: String, reason: String },
    Away(FleetError),
}

/// What the loop does with that.
pub(super) enum Round {
    /// The iteration may begin, as far as the fleet is concerned.
    Begins(Option<Grant>),
    /// It was waited, and the round begins anew.
    Repeats,
    /// The run is over.
    Ends(Ending),
}

impl From<Option<Ending>> for Round {
    /// After a wait, which something may have ended for good.
    fn from(ending: Option<Ending>) -> Self {
        ending.map_or(Self::Repeats, Self::Ends)
    }
}

impl Membership {
    pub(super) fn open(session: &Session, plan: &Plan, party: &Party) -> Result<Self, Failure> {
        let agent = plan.work.speaker().name();
        let seat = Seat::take(session, party, Some(agent))?;
        let lease = LeaseWatch::default();
        let boot = fusebox_store::BootId::of(&session.clock.boot_text());
        let location = session.located.circuit(&session.circuit, boot);
        let courier = Courier::start(seat.beside(party)?, location, lease.clone());
        Ok(Self {
            seat,
            lease,
            courier,
            enrolled: false,
            pending: None,
            under: None,
            unsettled: Vec::new(),
            held_up: None,
        })
    }

    /// The lease that is worked under, for whoever has to stop when it is lost.
    pub(super) fn lease(&self) -> LeaseWatch {
        self.lease.clone()
    }

    fn enrol(&mut self) -> Result<(), FleetError> {
        if !self.enrolled {
            self.seat.coordinator.enrol(&self.seat.worker)?;
            self.enrolled = true;
        }
        Ok(())
    }

    /// Asks for one more iteration.
    fn ask(&mut self, amounts: Amounts) -> Result<Leave, Failure> {
        let take = self.pending.clone().unwrap_or_else(|| Take {
            name: Id::random(),
            worker: self.seat.worker.id.clone(),
            scopes: self.seat.scopes.clone(),
            amounts,
            lease: self.lease.held(),
        });
        let asked = self.enrol().and_then(|()| {
            self.settle_rest()?;
            self.seat.coordinator.take(&take)
        });
        self.pending = None;
        let leave = match asked {
            Ok(Taken::Granted(grant)) => {
                self.under = Some(take.name);
                Leave::Go(Some(grant))
            }
            Ok(Taken::Refused(refusal)) => Leave::Refused(refusal),
            Ok(Taken::Halted { scope, reason, .. }) => Leave::Halted { scope, reason },
            Err(error) if error.is_passing() => {
                self.pending = Some(take);
                Leave::Away(error)
            }
            Err(error) => return Err(error.into()),
        };
        if !matches!(leave, Leave::Away(_) | Leave::Halted { .. }) {
            self.held_up = None;
        }
        Ok(leave)
    }

    /// Says what the iteration used, and that there is something new to tell.
    pub(super) fn settle(&mut self, used: Used) {
        if let Some(name) = self.under.take()
            && self.unsettled.len() < UNSETTLED
        {
            self.unsettled.push((name, used));
        }
        // What cannot be settled now is settled before the next iteration; until then it
        // counts as all that was reserved.
        let _ = self.settle_rest();
        self.courier.nudge();
    }

    fn settle_rest(&mut self) -> Result<(), FleetError> {
        while let Some((name, used)) = self.unsettled.last() {
            self.seat.coordinator.settle(name, used)?;
            self.unsettled.pop();
        }
        Ok(())
    }

    /// Tries to get the lease on a task.
    fn claim(&mut self, task: &str) -> Result<bool, Failure> {
        self.enrol()?;
        let claimed = self
            .seat
            .coordinator
            .claim(&self.seat.worker, Some(task), LEASE)?;
        match claimed {
            Claimed::Yours {
                held, good_until, ..
            } => {
                self.lease.begin(held, good_until);
                Ok(true)
            }
            Claimed::Taken { .. } | Claimed::Over(_) | Claimed::Nothing | Claimed::Halted(_) => {
                Ok(false)
            }
        }
    }

    /// Ends the lease. A lease that is somebody else's by now is left alone.
    pub(super) fn release(&mut self, end: LeaseEnd, note: &str) -> Result<bool, Failure> {
        let Some(held) = self.lease.held() else {
            return Ok(true);
        };
        let note = escape::line(note, 300);
        let ended = loop {
            let Seat {
                coordinator,
                worker,
                ..
            } = &mut self.seat;
            match coordinator.finish(worker, &held, end, &note) {
                Ok(ours) => break Ok(ours),
                // It ends by itself, and nobody else can begin before that.
                Err(error) if error.is_passing() && end == LeaseEnd::Ready => break Ok(false),
                Err(error) if error.is_passing() && !self.lease.is_lost() => {
                    std::thread::sleep(ASK / 4);
                }
                Err(error) if error.is_passing() => break Ok(false),
                Err(error) => break Err(error.into()),
            }
        };
        self.lease.end();
        ended
    }
}

/// Getting the lease on one task after the other, until the list lets us have one too.
pub(super) struct Leasing<'a> {
    fleet: RefCell<&'a mut Membership>,
    failed: RefCell<Option<Failure>>,
}

impl<'a> Leasing<'a> {
    pub(super) fn with(fleet: &'a mut Membership) -> Self {
        Self {
            fleet: RefCell::new(fleet),
            failed: RefCell::new(None),
        }
    }

    /// Whether the lease on `task` is ours. One that was to no avail is given back.
    pub(super) fn has(&self, task: &str) -> bool {
        if self.failed.borrow().is_some() {
            return false;
        }
        let mut fleet = self.fleet.borrow_mut();
        let given_back = fleet.release(LeaseEnd::Ready, "the list would not have it");
        let claimed = given_back.and_then(|_| fleet.claim(task));
        claimed.unwrap_or_else(|failure| {
            *self.failed.borrow_mut() = Some(failure);
            false
        })
    }

    /// Says what went wrong, and keeps the last lease only if it is of use.
    pub(super) fn conclude(self, of_use: bool) -> Result<(), Failure> {
        if let Some(failure) = self.failed.into_inner() {
            return Err(failure);
        }
        if !of_use {
            let why = "the list would not have it";
            self.fleet.into_inner().release(LeaseEnd::Ready, why)?;
        }
        Ok(())
    }
}

impl Loop<'_, '_> {
    /// Asks the fleet, where there is one.
    pub(super) fn leave_of_fleet(&mut self) -> Result<Round, Failure> {
        if self.ready.fleet.is_none() || self.is_denied_here()? {
            return Ok(Round::Begins(None));
        }
        let amounts = self.amounts();
        let observes = self.ready.policy.enforcement == Enforcement::Observe;
        let Some(fleet) = &mut self.ready.fleet else {
            return Ok(Round::Begins(None));
        };
        let leave = fleet.ask(amounts)?;
        Ok(match leave {
            Leave::Go(grant) => Round::Begins(grant),
            _ if observes => Round::Begins(None),
            Leave::Refused(refusal) => self.refused(&refusal).into(),
            Leave::Halted { scope, reason } => self.halted(&scope, &reason).into(),
            Leave::Away(error) => self.away(&error).into(),
        })
    }

    /// Whether the engine will say no. Then nothing is taken from others for it.
    fn is_denied_here(&self) -> Result<bool, Failure> {
        let looked = self.ready.session.look(machine::peek)?;
        Ok(matches!(looked.decision.gate, Gate::Deny(_)))
    }

    /// Tells what an iteration used.
    pub(super) fn settle_with_fleet(&mut self, came: &Came) {
        if let Some(fleet) = &mut self.ready.fleet {
            fleet.settle(Used {
                tokens: came.facts.usage.tokens(),
                micro_usd: came.facts.usage.micro_usd,
            });
        }
    }

    /// Nothing began, so nothing was used but the call.
    pub(super) fn give_back_leave(&mut self) {
        if let Some(fleet) = &mut self.ready.fleet {
            fleet.settle(Used {
                tokens: Some(0),
                micro_usd: Some(0),
            });
        }
    }

    fn amounts(&self) -> Amounts {
        let share = |wanted, usual| {
            let mut budgets = self.ready.policy.budgets();
            let rule = budgets.find(|(resource, _)| *resource == wanted);
            rule.map_or(usual, |(_, rule)| rule.share())
        };
        Amounts {
            calls: 1,
            tokens: share(fusebox_core::budget::Resource::Tokens, TOKENS),
            micro_usd: share(fusebox_core::budget::Resource::Money, MICRO_USD),
        }
    }

    fn refused(&mut self, refusal: &Refusal) -> Option<Ending> {
        let scope = escape::line(&refusal.scope, 100);
        let what = format!("the {} of {scope} are used up", of(refusal.unit));
        let patience = self.plan.wait.then_some(self.plan.bounds.longest_wait);
        match (refusal.wait, patience) {
            (Some(wait), Some(patience)) if wait <= patience => {
                self.screen.say(&format!("{what}; waiting {}", spell(wait)));
                self.sit_out(wait)
            }
            (wait, _) => {
                let when = wait.map_or_else(
                    || "never: the budget itself is smaller".to_owned(),
                    |wait| format!("free in {}", spell(wait)),
                );
                Some(Ending::Fleet {
                    code: match refusal.unit {
                        Unit::Calls => exit::LIMIT,
                        Unit::Tokens | Unit::MicroUsd => exit::BUDGET,
                    },
                    word: "fleet_limited",
                    said: format!("{what}, {when}"),
                })
            }
        }
    }

    fn halted(&mut self, scope: &str, reason: &str) -> Option<Ending> {
        let said = format!(
            "{} is halted: {}",
            escape::line(scope, 100),
            escape::line(reason, 300)
        );
        if self.plan.wait && self.has_patience() {
            return self.hold_on(&said);
        }
        Some(Ending::Fleet {
            code: self.ready.policy.exits.open,
            word: "fleet_halted",
            said,
        })
    }

    fn away(&mut self, error: &FleetError) -> Option<Ending> {
        if self.has_patience() {
            return self.hold_on(&error.to_string());
        }
        Some(Ending::Fleet {
            code: exit::MISSING,
            word: "no_coordinator",
            said: error.to_string(),
        })
    }

    /// Whether it is not yet time to give up.
    fn has_patience(&mut self) -> bool {
        let patience = if self.plan.wait {
            self.plan.bounds.longest_wait
        } else {
            FAILOVER
        };
        let fleet = self.ready.fleet.as_mut();
        fleet.is_some_and(|fleet| fleet.held_up.is_none_or(|since| since.elapsed() < patience))
    }

    /// Waits a moment, having said why the first time.
    fn hold_on(&mut self, said: &str) -> Option<Ending> {
        if let Some(fleet) = &mut self.ready.fleet
            && fleet.held_up.is_none()
        {
            fleet.held_up = Some(Instant::now());
            self.screen.say(&format!("paused · {said}"));
        }
        self.sit_out(ASK)
    }
}

fn of(unit: Unit) -> &'static str {
    match unit {
        Unit::Calls => "calls",
        Unit::Tokens => "tokens",
        Unit::MicroUsd => "dollars",
    }
}

fn spell(wait: Duration) -> String {
    phrase::duration(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
}
