//! What the last iteration did.

use fusebox_core::State;
use fusebox_core::machine::Claim;
use fusebox_core::policy::Enforcement;
use fusebox_view::phrase;

use super::looking_after;
use super::step::{refuse_to_tell, tell};
use crate::failure::Failure;
use crate::intake::{Intake, strangers};
use crate::session::measure::Measure;
use crate::session::{Outcome, Session};

/// What came of a report.
pub(crate) struct Recorded {
    pub(crate) outcome: Outcome,
    /// Whether the iteration has lost something protected.
    pub(crate) lost: bool,
}

/// Takes the report, whoever brings it, looks after what is protected, and says whether the next
/// iteration may run.
pub(crate) fn decide(
    session: &Session,
    intake: Intake,
    from_git: bool,
) -> Result<Recorded, Failure> {
    let claim = Claim {
        grant: intake.grant,
        secret: None,
    };
    refuse_to_tell(session, claim)?;
    let looked = looking_after::after(session)?;
    let reported = report(session, (intake, claim), from_git)?;
    Ok(match looked.count(session)? {
        None => Recorded {
            outcome: reported,
            lost: false,
        },
        Some((mut outcome, told)) => {
            outcome.notes.extend(reported.notes);
            outcome.notes.extend(told);
            Recorded {
                outcome,
                lost: true,
            }
        }
    })
}

fn report(
    session: &Session,
    (mut intake, claim): (Intake, Claim),
    from_git: bool,
) -> Result<Outcome, Failure> {
    if from_git {
        let measured = Measure::open(session)?.changes_into(session, &mut intake.facts)?;
        intake.notes.extend(measured);
    }
    let wanted = intake.facts.retry_at_ms;
    let mut unknown = Vec::new();
    let mut unreadable = None;
    let mut late = None;
    let mut outcome = session.try_apply(|circuit, policy, now| {
        let before = circuit.core.phase.opening();
        let open = before.filter(|_| circuit.state() == State::Open);
        let halts =
            open.filter(|opening| !opening.advisory || policy.enforcement == Enforcement::Halt);
        late = halts.map(|opening| opening.since.wall_ms);
        let new = |name: &&str| !circuit.core.strangers.iter().any(|known| known == name);
        unknown = strangers(&intake.facts)
            .filter(new)
            .map(str::to_owned)
            .collect();
        let facts = intake.facts_by(policy.errors);
        let told = tell(session, circuit, policy, (facts, claim), now)?;
        unreadable = told.unreadable;
        Ok(told.step)
    })?;
    if let Some(failure) = unreadable {
        return Err(failure);
    }
    match late {
        // What was measured of it is of no use.
        Some(since) => outcome.notes.push(format!(
            "the breaker was open before this report ({}): it is kept, and counts for nothing",
            phrase::time(since)
        )),
        None => outcome.notes.extend(intake.notes),
    }
    outcome.notes.extend(cut_short(wanted, &outcome));
    if !unknown.is_empty() {
        let names = unknown
            .iter()
            .map(|name| fusebox_view::escape::line(name, 40))
            .collect::<Vec<_>>();
        outcome.notes.push(format!(
            "unknown fields ignored (but stored): {}",
            names.join(", ")
        ));
    }
    Ok(outcome)
}

/// What is said of a time that lies further ahead than anything is waited for.
fn cut_short(wanted_ms: Option<i64>, outcome: &Outcome) -> Option<String> {
    let outage = outcome.circuit.core.outage.as_ref()?;
    let wanted = u64::try_from(wanted_ms?.saturating_sub(outage.at.wall_ms)).ok()?;
    (wanted > outage.wait_ms).then(|| {
        let until = outage.at.wall_after(outage.wait_ms);
        format!(
            "retry_at is further ahead than anything is waited for; checks are denied until {}",
            phrase::time(until)
        )
    })
}
