//! What a report is to the iteration that waits for one.

use super::Claim;
use crate::circuit::{Grant, GrantId, name_id};

/// What a report is to the iteration that waits for one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is the report that was waited for.
    Answers,
    /// It names an iteration that is no longer waiting.
    Late,
    /// It comes from somebody who is not the supervisor.
    InAnothersPlace,
}

impl Standing {
    /// `pending` is the iteration that waits, if one does.
    pub(super) fn of(claim: Claim, pending: Option<&Grant>) -> Self {
        let waiting = pending.map(|pending| pending.id);
        let sealed = pending.and_then(|pending| pending.seal);
        if sealed.is_some() && claim.secret.map(seal) != sealed {
            // Whoever names an earlier iteration does not speak for the supervisor's.
            return match is_earlier(claim.grant, waiting) {
                true => Self::Late,
                false => Self::InAnothersPlace,
            };
        }
        match claim.grant.is_none_or(|named| Some(named) == waiting) {
            true => Self::Answers,
            false => Self::Late,
        }
    }
}

/// Whether the iteration that is named came before the one that waits.
fn is_earlier(named: Option<GrantId>, waiting: Option<GrantId>) -> bool {
    named
        .zip(waiting)
        .is_some_and(|(named, waiting)| (1..waiting.0).contains(&named.0))
}

/// What is kept of a supervisor's secret.
pub(super) fn seal(secret: u64) -> u64 {
    name_id(&secret.to_string())
}
