//! What the iteration under way may still spend.
//!
//! What is put aside for it is its own. Beyond that it asks as it goes: other work trees
//! of the repository draw on the same budget, and what nobody has put aside may be
//! theirs a moment later.

use fusebox_agents::Usage;
use fusebox_core::budget::Resource;
use fusebox_core::machine;

use crate::failure::Failure;
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

    /// Whether all that was spent is covered, if need be after putting more aside. What
    /// cannot be written down is not granted, and is the memory's failure.
    pub(super) fn covers(&mut self, spent: &Usage) -> Result<bool, Failure> {
        for (resource, aside) in &mut self.aside {
            let used = match resource {
                Resource::Tokens => spent.tokens(),
                Resource::Money => spent.micro_usd,
            };
            let missing = used.unwrap_or(0).saturating_sub(*aside);
            if missing == 0 {
                continue;
            }
            let Some(more) = put_aside(self.session, *resource, missing)? else {
                return Ok(false);
            };
            *aside = aside.saturating_add(more);
        }
        Ok(true)
    }
}

/// Puts aside what is missing, and a share where there is one; `None` if there is not
/// that much left.
fn put_aside(session: &Session, resource: Resource, missing: u64) -> Result<Option<u64>, Failure> {
    let mut more = None;
    session.apply(|circuit, policy, now| {
        let (step, amount) = machine::reserve_more(circuit, policy, resource, missing, now);
        more = amount;
        step
    })?;
    Ok(more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit;
    use crate::run::scratch::Scratch;

    #[test]
    fn a_damaged_memory_is_not_a_budget_that_is_used_up() {
        let scratch = Scratch::new();
        let mut purse = Purse {
            session: &scratch.session,
            aside: vec![(Resource::Money, 10)],
        };
        let mut covers = |micro_usd| {
            purse.covers(&Usage {
                micro_usd: Some(micro_usd),
                ..Usage::default()
            })
        };
        assert!(matches!(covers(10), Ok(true)));
        assert!(matches!(covers(11), Ok(false)), "no budget, so none left");
        scratch.damage();
        let failure = covers(11).expect_err("nothing is believed");
        assert_eq!(failure.code, exit::STATE, "{}", failure.what);
    }
}
