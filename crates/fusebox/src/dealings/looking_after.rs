//! The protected files around the iterations of somebody else's loop: copied when it asks
//! whether the next one may run, looked at when it reports one, put back and counted as in a run
//! of ours.
//!
//! Where a supervisor is at work it sees to that itself, and hooks do so around each tool: what
//! is found here is what neither has seen.

use fusebox_core::{Circuit, Policy};
use fusebox_guard::keep::{Author, Bounds, KeepError, Kept, Report};
use fusebox_view::escape;

use crate::caller;
use crate::failure::Failure;
use crate::kept::{self, AtWork, unkept};
use crate::protection::{Protection, vault};
use crate::session::{Outcome, Session};
use crate::turn::flight::is_tool_under_way;

/// The widest that a reason becomes.
const WIDTH: usize = 600;
/// Losses that are told one by one.
const MOST_TOLD: usize = 20;

/// Why a person's own edit was undone, and how it is not.
const WHOSE_IT_IS: &str = "an iteration is under way (no `record` followed `check`), so a change \
    counts as the agent's; edit protected files after `record`";

/// Before an iteration. While none is under way, a person may have changed and removed
/// whatever they like; else it is looked at as after one. Answers with what there is to say.
pub(super) fn before(session: &Session) -> Result<Vec<String>, Failure> {
    // Whatever is wrong with memory or configuration is told by who decides.
    let Ok(circuit) = session.store.peek().map(|view| view.state.0) else {
        return Ok(Vec::new());
    };
    let Some(policy) = restoring(session, &circuit) else {
        return Ok(Vec::new());
    };
    let may_be_an_agents = circuit.core.pending.is_some()
        || AtWork::beside(session).is_anybody()
        || is_tool_under_way(&session.located.workspace_dir())
        || caller::is_inside_an_agent();
    if may_be_an_agents {
        let counted = look(session, &policy)?.count(session)?;
        let mut told = counted.map_or_else(Vec::new, |(_, told)| told);
        if !told.is_empty() && circuit.core.pending.is_some() && !caller::is_inside_an_agent() {
            told.push(WHOSE_IT_IS.to_owned());
        }
        return Ok(told);
    }
    take(session, &policy)
}

/// After an iteration, and before its report is taken: a report that is refused because this
/// could not be done has not been counted.
pub(super) fn after(session: &Session) -> Result<Looked, Failure> {
    let Ok(circuit) = session.store.peek().map(|view| view.state.0) else {
        return Ok(Looked::Well);
    };
    match restoring(session, &circuit) {
        Some(policy) => look(session, &policy),
        None => Ok(Looked::Well),
    }
}

/// What was found.
pub(super) enum Looked {
    /// Nothing is missing.
    Well,
    /// This was lost, and has been put back as far as it can be.
    Lost(Report),
    /// The copies are not to be believed.
    Damaged(KeepError),
}

impl Looked {
    /// Lets the engine count it. Answers with how things stand then, and with what there is to
    /// say of it.
    pub(super) fn count(
        self,
        session: &Session,
    ) -> Result<Option<(Outcome, Vec<String>)>, Failure> {
        match self {
            Self::Well => Ok(None),
            Self::Lost(report) => {
                let told = lines(report.lost.iter().map(kept::of_loss));
                Ok(Some((session.count_losses(kept::losses(&report))?, told)))
            }
            Self::Damaged(error) => {
                let what = format!("The protected files cannot be looked at: {error}");
                let outcome = session.trip_unasked(escape::line(&what, WIDTH))?;
                Ok(Some((outcome, Vec::new())))
            }
        }
    }
}

/// The policy in force, where it puts files back and nobody else does.
fn restoring(session: &Session, circuit: &Circuit) -> Option<Policy> {
    let policy = session.policy(circuit).ok()?;
    let by_us = policy.capabilities.restore_files
        && !session.is_looked_after(circuit)
        && !AtWork::beside(session).is_watched();
    by_us.then_some(policy)
}

/// Takes everything as it is now; answers with what is not kept. Where nothing has changed,
/// nothing is written.
fn take(session: &Session, policy: &Policy) -> Result<Vec<String>, Failure> {
    session.located.register()?;
    let protection = Protection::of_session(session, policy);
    let (vault, protected) = (vault(session), &protection.protected);
    let left_out = match Kept::load(&vault, Bounds::default()) {
        Ok(Some(mut kept)) => {
            let settled = kept.settle(protected, Author::Person);
            settled.map_err(|error| unkept(&error))?.left_out
        }
        Ok(None) => {
            let taken = Kept::take(&vault, protected, Bounds::default());
            taken.map_err(|error| unkept(&error))?.1.left_out
        }
        // What is missing may have been lost before: only a person can say that all is well.
        Err(error) => return Err(unkept(&error)),
    };
    Ok(lines(left_out.iter().map(kept::of_left_out)))
}

/// Puts back what an agent lost. Where there were no copies yet, there are from now on.
fn look(session: &Session, policy: &Policy) -> Result<Looked, Failure> {
    match settle(session, policy) {
        Ok(Some(report)) if report.lost.is_empty() => Ok(Looked::Well),
        Ok(Some(report)) => Ok(Looked::Lost(report)),
        Ok(None) => take(session, policy).map(|_| Looked::Well),
        Err(error @ KeepError::Damaged { .. }) => Ok(Looked::Damaged(error)),
        Err(error) => Err(unkept(&error)),
    }
}

fn settle(session: &Session, policy: &Policy) -> Result<Option<Report>, KeepError> {
    let Some(mut kept) = Kept::load(&vault(session), Bounds::default())? else {
        return Ok(None);
    };
    let protection = Protection::of_session(session, policy);
    let at_work = AtWork::beside(session);
    let report = kept.settle(&protection.protected, Author::Agent)?;
    if report.is_whole() {
        at_work.settled(&vault(session));
    }
    Ok(Some(report))
}

fn lines(all: impl Iterator<Item = String>) -> Vec<String> {
    all.take(MOST_TOLD)
        .map(|line| escape::line(&line, WIDTH))
        .collect()
}
