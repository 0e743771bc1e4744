//! Budgets: at most so many tokens, or so much money, in any window, under any
//! clock.
//!
//! What an iteration will use is not known before it ends. So an amount is
//! reserved when it is granted and settled when it is reported. What is settled
//! counts from that moment, the latest at which it can have been used. Until then
//! the reservation counts in full. One that is never settled counts for two
//! windows: its iteration may have run for one, and what it used at its end counts
//! for another. An iteration that used more than was reserved for it cannot be
//! undone; the overrun is counted, and nothing is granted until there is room
//! again.
//!
//! Time is measured as by the [`limiter`](crate::limiter): never by the wall
//! clock, and what happened before a reboot counts until the uptime alone covers
//! the window. Amounts share slots whose ends are rounded up, so that memory is
//! bounded and nothing is forgotten early.

use serde::{Deserialize, Serialize};

use crate::circuit::GrantId;
use crate::clock::{BootId, Moment};
use crate::policy::WindowLimit;

/// The most slots that one window is divided into.
const SLOTS: usize = 64;

/// What a budget is kept of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Tokens, of all kinds together.
    Tokens,
    /// Money, in millionths of a US dollar.
    Money,
}

/// What was reserved or settled, and under which limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spending {
    /// Of what.
    pub resource: Resource,
    /// The limit in force.
    pub rule: WindowLimit,
    /// Reserved or settled.
    pub step: SpendingStep,
}

/// The two ends of a spending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpendingStep {
    /// An iteration was granted.
    Reserved {
        /// Under which name.
        grant: GrantId,
    },
    /// An iteration was reported, or given up.
    Settled {
        /// Under which name, if it had one.
        grant: Option<GrantId>,
        /// What it used, if that is known.
        actual: Option<u64>,
    },
}

/// The budgets of one circuit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budgets {
    tokens: Budget,
    money: Budget,
}

impl Budgets {
    /// The budget of `resource`.
    #[must_use]
    pub fn of(&self, resource: Resource) -> &Budget {
        match resource {
            Resource::Tokens => &self.tokens,
            Resource::Money => &self.money,
        }
    }

    /// Counts what another circuit spends of `resource` as well, for a limit that
    /// both are held to. For deciding, not for keeping.
    pub fn join(&mut self, resource: Resource, other: &Self, rule: &WindowLimit, now: &Moment) {
        self.of_mut(resource).join(other.of(resource), rule, now);
    }

    fn of_mut(&mut self, resource: Resource) -> &mut Budget {
        match resource {
            Resource::Tokens => &mut self.tokens,
            Resource::Money => &mut self.money,
        }
    }

    pub(crate) fn fold(&mut self, spending: &Spending, now: &Moment) {
        let budget = self.of_mut(spending.resource);
        match spending.step {
            SpendingStep::Reserved { grant } => budget.put_aside(grant, &spending.rule, now),
            SpendingStep::Settled { grant, actual } => {
                budget.settle(grant, actual, &spending.rule, now);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What may still count against one limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    boot: BootId,
    /// What was used before this boot of the machine.
    earlier: u64,
    /// What was used since, oldest first.
    slots: Vec<Slot>,
    /// The reservation that is not settled yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<Reservation>,
}

/// What was used up to one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Slot {
    /// The uptime that all of it counts from.
    from: u64,
    amount: u64,
}

/// What is put aside for an iteration under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Reservation {
    grant: GrantId,
    from: u64,
    amount: u64,
}

/// How much of a budget is used and left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetLeft {
    /// The most in one window.
    pub limit: u64,
    /// The length of the window.
    pub window_ms: u64,
    /// Used or reserved in the window that ends now.
    pub used: u64,
    /// What may still be reserved now.
    pub left: u64,
    /// Whether what is left is kept for the work under way.
    pub near: bool,
    /// How long until another iteration's share is free: 0 for now, `None` for
    /// never.
    pub next_in_ms: Option<u64>,
}

/// The answer to a request for an iteration's share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// It is put aside.
    Granted,
    /// There is not enough left.
    Refused {
        /// How long until there will be; `None` for never.
        next_slot_ms: Option<u64>,
    },
}

impl Budget {
    /// How much is used and left at `now`.
    #[must_use]
    pub fn left(&self, rule: &WindowLimit, now: &Moment) -> BudgetLeft {
        let used = self.used(rule, now);
        BudgetLeft {
            limit: rule.limit,
            window_ms: rule.window_ms,
            used,
            left: rule.limit.saturating_sub(used),
            near: rule.is_near(used),
            next_in_ms: self.wait_for(rule.share(), rule, now),
        }
    }

    /// How long to wait until `amount` more may be reserved: 0 for now, `None`
    /// for never, because the limit itself is smaller.
    #[must_use]
    pub fn wait_for(&self, amount: u64, rule: &WindowLimit, now: &Moment) -> Option<u64> {
        let room = rule.limit.checked_sub(amount)?;
        let mut used = self.used(rule, now);
        if used <= room {
            return Some(0);
        }
        let mut live: Vec<(u64, u64)> = self.live(rule, now).collect();
        live.sort_unstable();
        let mut wait = 0;
        for (remaining, amount) in live {
            if used <= room {
                break;
            }
            used = used.saturating_sub(amount);
            wait = remaining;
        }
        Some(wait)
    }

    /// How long to wait until what is left need no longer be kept for the work
    /// under way.
    #[must_use]
    pub fn wait_until_calm(&self, rule: &WindowLimit, now: &Moment) -> u64 {
        self.wait_for(rule.limit - rule.calm(), rule, now)
            .unwrap_or(rule.window_ms)
    }

    /// Puts one iteration's share aside for `grant`, if there is enough left.
    pub fn reserve(&mut self, grant: GrantId, rule: &WindowLimit, now: &Moment) -> Reserved {
        match self.wait_for(rule.share(), rule, now) {
            Some(0) => {
                self.put_aside(grant, rule, now);
                Reserved::Granted
            }
            next_slot_ms => Reserved::Refused { next_slot_ms },
        }
    }

    /// Puts the share aside without asking whether there is enough.
    ///
    /// There is one iteration at a time. One that is put aside for again needs more
    /// than it was thought to; one whose report never came was used up in full as
    /// far as anybody knows.
    fn put_aside(&mut self, grant: GrantId, rule: &WindowLimit, now: &Moment) {
        self.forget_old(rule, now);
        let mut amount = rule.share();
        match self.open.take() {
            Some(open) if open.grant == grant => amount = amount.saturating_add(open.amount),
            Some(lost) => self.add(lost.amount, rule, now),
            None => {}
        }
        self.open = Some(Reservation {
            grant,
            from: now.boot_ms,
            amount,
        });
    }

    /// Counts another budget's amounts as well. An iteration that is under way there
    /// counts as it does there: for what is put aside, until it can no longer matter.
    fn join(&mut self, other: &Self, rule: &WindowLimit, now: &Moment) {
        self.forget_old(rule, now);
        let mut other = other.clone();
        other.forget_old(rule, now);
        self.earlier = self.earlier.saturating_add(other.earlier);
        let under_way = other.open.map(|open| Slot {
            from: open.latest(rule),
            amount: open.amount,
        });
        self.slots.extend(other.slots.into_iter().chain(under_way));
        self.slots.sort_unstable_by_key(|slot| slot.from);
    }

    /// Replaces what was put aside for `grant` by what was `actual`ly used.
    ///
    /// Unknown is not zero: then the whole share counts. If the reservation was
    /// given up earlier, its share has been counted already and stays so; what is
    /// reported now was used as late as now.
    pub fn settle(
        &mut self,
        grant: Option<GrantId>,
        actual: Option<u64>,
        rule: &WindowLimit,
        now: &Moment,
    ) {
        self.forget_old(rule, now);
        let named = |open: &mut Reservation| grant.is_none_or(|grant| grant == open.grant);
        let unknown = match (self.open.take_if(named), grant) {
            (Some(open), _) => open.amount,
            (None, Some(_)) => 0,
            (None, None) => rule.share(),
        };
        self.add(actual.unwrap_or(unknown), rule, now);
    }

    fn add(&mut self, amount: u64, rule: &WindowLimit, now: &Moment) {
        if amount == 0 {
            return;
        }
        // One slot is the one that is being filled, another may end just now.
        let width = rule.window_ms.div_ceil(SLOTS as u64 - 2).max(1);
        let from = now.boot_ms.div_ceil(width).saturating_mul(width);
        match self.slots.last_mut() {
            Some(last) if last.from >= from => last.amount = last.amount.saturating_add(amount),
            _ => self.slots.push(Slot { from, amount }),
        }
        // Slots of another width may be left from before the limit was edited.
        if self.slots.len() > SLOTS {
            let oldest = self.slots.remove(0);
            self.slots[0].amount = self.slots[0].amount.saturating_add(oldest.amount);
        }
    }

    fn used(&self, rule: &WindowLimit, now: &Moment) -> u64 {
        let amounts = self.live(rule, now).map(|(_, amount)| amount);
        amounts.fold(0, u64::saturating_add)
    }

    /// What still counts: for how long yet, and how much.
    fn live(&self, rule: &WindowLimit, now: &Moment) -> impl Iterator<Item = (u64, u64)> {
        let same_boot = self.boot == now.boot;
        let slots = self.slots.iter().map(|slot| (slot.from, slot.amount));
        let open = self
            .open
            .iter()
            .map(move |open| (open.latest(rule), open.amount));
        std::iter::once((0, self.earlier))
            .chain(slots)
            .chain(open)
            .map(move |(from, amount)| {
                let from = if same_boot { from } else { 0 };
                (remaining(from, rule, now), amount)
            })
            .filter(|(remaining, _)| *remaining > 0)
    }

    /// Drops what has aged out and, at the first use in a new boot, turns what is
    /// left into amounts of an earlier one. An iteration that was under way then
    /// has ended with it.
    fn forget_old(&mut self, rule: &WindowLimit, now: &Moment) {
        if self.boot != now.boot {
            *self = Self {
                boot: now.boot,
                earlier: self.used(rule, now),
                ..Self::default()
            };
        }
        if remaining(0, rule, now) == 0 {
            self.earlier = 0;
        }
        self.slots
            .retain(|slot| remaining(slot.from, rule, now) > 0);
        self.open = self
            .open
            .filter(|open| remaining(open.latest(rule), rule, now) > 0);
    }
}

impl Reservation {
    /// The latest moment at which its iteration can have used anything, provided
    /// that it ends within a window.
    fn latest(&self, rule: &WindowLimit) -> u64 {
        self.from.saturating_add(rule.window_ms)
    }
}

/// How long what counts `from` an uptime goes on counting.
fn remaining(from: u64, rule: &WindowLimit, now: &Moment) -> u64 {
    from.saturating_add(rule.window_ms)
        .saturating_sub(now.boot_ms)
}
