//! A budget in a rolling window, as the database keeps it, for one machine.

use serde::{Deserialize, Serialize};

use super::total;
use crate::identity::Id;
use crate::terms::{Scope, Unit};

/// Uses beyond this many share slices of the window.
const APART: usize = 40;
/// Reservations that were given up and may still be settled; beyond these the oldest go first.
const MOST_GIVEN_UP: usize = 1_000;
/// The longest that a grant is good for.
const FRESH_MS: u64 = 30_000;

/// What may still count against one limit. Times are milliseconds since the machine
/// was started.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Budget {
    pub(super) scope: String,
    pub(super) unit: Unit,
    pub(super) most: u64,
    pub(super) span_ms: u64,
    /// What was used, oldest first.
    uses: Vec<Use>,
    /// What is granted and not yet settled, oldest first.
    reserved: Vec<Reservation>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Use {
    at: u64,
    amount: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Reservation {
    name: Id,
    at: u64,
    amount: u64,
    /// Whether it stopped counting because nobody settled it in time. Whoever does so later
    /// has used something all the same.
    #[serde(default)]
    given_up: bool,
}

impl Budget {
    pub(super) fn new(scope: &Scope, unit: Unit, most: u64, span_ms: u64) -> Self {
        Self {
            scope: scope.to_string(),
            unit,
            most,
            span_ms,
            uses: Vec::new(),
            reserved: Vec::new(),
        }
    }

    /// How long a grant is good for.
    pub(super) fn fresh_ms(&self) -> u64 {
        FRESH_MS.min(self.span_ms / 10)
    }

    /// What is used and reserved.
    pub(super) fn used(&self, now: u64) -> u64 {
        let used = total(self.live(now).map(|one| one.amount));
        used.saturating_add(self.reserved(now))
    }

    /// What is reserved.
    pub(super) fn reserved(&self, now: u64) -> u64 {
        total(self.open(now).map(|one| one.amount))
    }

    /// How long until `amount` is free: 0 for now, `None` for never.
    pub(super) fn wait_for(&self, amount: u64, now: u64) -> Option<u64> {
        if amount > self.most {
            return None;
        }
        let mut short = self.used(now).saturating_add(amount);
        short = short.saturating_sub(self.most);
        if short == 0 {
            return Some(0);
        }
        let uses = self
            .live(now)
            .map(|one| (one.at.saturating_add(self.use_ms()), one.amount));
        // Only what was counted can be freed: one that is long over frees nothing now.
        let open = self.open(now);
        let open = open.map(|one| (one.at.saturating_add(self.reservation_ms()), one.amount));
        let mut leaving: Vec<(u64, u64)> = uses.chain(open).collect();
        leaving.sort_unstable();
        for (at, amount) in leaving {
            short = short.saturating_sub(amount);
            if short == 0 {
                return Some(at.saturating_sub(now));
            }
        }
        None
    }

    /// Notes a grant. Calls count at once, everything else when it is settled.
    pub(super) fn grant(&mut self, name: &Id, amount: u64, now: u64) {
        if self.unit == Unit::Calls {
            return self.enter(amount, now);
        }
        self.give_up(now);
        self.reserved.push(Reservation {
            name: name.clone(),
            at: now,
            amount,
            given_up: false,
        });
    }

    /// Settles what was granted under a name, if it was.
    pub(super) fn settle(&mut self, name: &Id, actual: Option<u64>, now: u64) {
        let Some(at) = self.reserved.iter().position(|one| one.name == *name) else {
            return;
        };
        let reservation = self.reserved.remove(at);
        self.enter(actual.unwrap_or(reservation.amount), now);
    }

    /// After a reboot all that is certain is that everything happened before it.
    pub(super) fn survive_reboot(&mut self) {
        self.uses.iter_mut().for_each(|one| one.at = 0);
        self.reserved.iter_mut().for_each(|one| one.at = 0);
    }

    fn give_up(&mut self, now: u64) {
        let longest = self.reservation_ms();
        let over = |one: &&mut Reservation| one.at.saturating_add(longest) <= now;
        let over = self.reserved.iter_mut().filter(over);
        over.for_each(|one| one.given_up = true);
        let given_up = self.reserved.iter().filter(|one| one.given_up).count();
        let mut surplus = given_up.saturating_sub(MOST_GIVEN_UP);
        self.reserved.retain(|one| {
            let goes = one.given_up && surplus > 0;
            surplus -= usize::from(goes);
            !goes
        });
    }

    fn enter(&mut self, amount: u64, now: u64) {
        let live: Vec<Use> = self.live(now).copied().collect();
        self.uses = live;
        let slice = (self.span_ms / 40).max(1);
        let crowded = self.uses.len() >= APART;
        match self.uses.last_mut() {
            Some(last) if crowded && last.at / slice == now / slice => {
                last.at = now;
                last.amount = last.amount.saturating_add(amount);
            }
            _ if amount > 0 => self.uses.push(Use { at: now, amount }),
            _ => {}
        }
    }

    fn open(&self, now: u64) -> impl Iterator<Item = &Reservation> {
        let counts_ms = self.reservation_ms();
        let open = self.reserved.iter();
        open.filter(move |one| !one.given_up && one.at.saturating_add(counts_ms) > now)
    }

    fn live(&self, now: u64) -> impl Iterator<Item = &Use> {
        let counts_ms = self.use_ms();
        self.uses
            .iter()
            .filter(move |one| one.at.saturating_add(counts_ms) > now)
    }

    fn use_ms(&self) -> u64 {
        self.span_ms.saturating_add(self.fresh_ms())
    }

    fn reservation_ms(&self) -> u64 {
        let spans = self.span_ms.saturating_mul(2);
        spans.saturating_add(self.fresh_ms())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: u64 = 60_000;

    /// 100 tokens an hour.
    fn budget() -> Budget {
        Budget::new(&Scope::Fleet, Unit::Tokens, 100, 60 * MINUTE)
    }

    #[test]
    fn a_reservation_that_is_over_frees_nothing() {
        let mut budget = budget();
        let [dead, long] = [Id::random(), Id::random()];
        budget.grant(&dead, 50, 0);
        assert_eq!(budget.wait_for(50, 119 * MINUTE), Some(0));
        budget.grant(&long, 50, 119 * MINUTE);
        budget.settle(&long, Some(100), 125 * MINUTE);
        let wait = budget.wait_for(1, 130 * MINUTE);
        assert_eq!(wait, Some(55 * MINUTE + FRESH_MS));
    }

    #[test]
    fn what_is_settled_late_counts_all_the_same_and_once() {
        let mut budget = budget();
        let [late, other] = [Id::random(), Id::random()];
        budget.grant(&late, 50, 0);
        // By now it is given up: there is room for somebody else.
        budget.grant(&other, 100, 150 * MINUTE);
        assert_eq!(budget.used(150 * MINUTE), 100);
        budget.settle(&other, Some(0), 151 * MINUTE);
        budget.settle(&late, Some(70), 152 * MINUTE);
        assert_eq!(budget.used(152 * MINUTE), 70);
        budget.settle(&late, Some(70), 153 * MINUTE);
        assert_eq!(
            (budget.used(153 * MINUTE), budget.reserved(153 * MINUTE)),
            (70, 0)
        );
    }

    #[test]
    fn what_was_given_up_is_bounded_and_does_not_come_back_with_a_reboot() {
        let mut budget = budget();
        let first = Id::random();
        budget.grant(&first, 50, 0);
        let mut last = first.clone();
        let end = MOST_GIVEN_UP as u64 + 1;
        for round in 1..=end {
            last = Id::random();
            budget.grant(&last, 50, round * 200 * MINUTE);
        }
        // All but the last were given up, and all of those are still known but the first.
        assert_eq!(budget.reserved.len(), MOST_GIVEN_UP + 1);
        budget.survive_reboot();
        assert_eq!(budget.used(0), 50, "only what may still be under way");
        let known = |name: &Id| budget.reserved.iter().any(|one| one.name == *name);
        assert!(!known(&first) && known(&last));
    }

    #[test]
    fn what_an_earlier_release_reserved_is_read() {
        let text = serde_json::json!({"name": Id::random(), "at": 1, "amount": 2});
        let read: Reservation = serde_json::from_value(text).expect("a reservation");
        assert!(!read.given_up);
    }
}
