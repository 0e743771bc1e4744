//! What the iteration under way may still spend.
//!
//! What is put aside for it is its own. Beyond that it asks as it goes: other work trees
//! of the repository draw on the same budget, and what nobody has put aside may be
//! theirs a moment later.

use fusebox_agents::Usage;
use fusebox_core::budget::Resource;
use fusebox_core::machine;

use crate::session::{Outcome, Session};

/// What was put aside, of each budget there is.
pub(super) struct Purse<'a> {
    session: &'a Session,
    aside: Vec<(Resource, u64)>,
}

impl<'a> Purse<'a> {
    /// What was put aside when the iteration was granted.
    pub(super) fn of(session: &'a Session, asked: &Outcome) -> Self {
        let shares = asked.policy.budgets();
        Self {
            session,
            aside: shares
                .map(|(resource, rule)| (resource, rule.share()))
                .collect(),
        }
    }

    /// Whether all that was spent is covered, if need be after putting more aside.
    pub(super) fn covers(&mut self, spent: &Usage) -> bool {
        let session = self.session;
        self.aside.iter_mut().all(|(resource, aside)| {
            let used = match resource {
                Resource::Tokens => spent.tokens(),
                Resource::Money => spent.micro_usd,
            };
            let missing = used.unwrap_or(0).saturating_sub(*aside);
            missing == 0 || put_aside(session, *resource, missing, aside)
        })
    }
}

/// Puts aside what is missing, and a share where there is one. What cannot be written
/// down is not granted.
fn put_aside(session: &Session, resource: Resource, missing: u64, aside: &mut u64) -> bool {
    let mut more = None;
    let outcome = session.apply(|circuit, policy, now| {
        let (step, amount) = machine::reserve_more(circuit, policy, resource, missing, now);
        more = amount;
        step
    });
    match (outcome, more) {
        (Ok(_), Some(more)) => {
            *aside = aside.saturating_add(more);
            true
        }
        _ => false,
    }
}
