//! What the last iteration did.

use fusebox_core::State;
use fusebox_core::decision::Gate;
use fusebox_core::machine::{self, Claim};
use fusebox_core::policy::Enforcement;
use fusebox_view::phrase;

use super::check::{after, begun_again, completed};
use super::looking_after;
use crate::failure::Failure;
use crate::features;
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
    let looked = looking_after::after(session)?;
    let reported = report(session, intake, from_git)?;
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

fn report(session: &Session, intake: Intake, from_git: bool) -> Result<Outcome, Failure> {
    let Intake {
        mut facts,
        grant,
        mut notes,
    } = intake;
    if from_git {
        notes.extend(Measure::open(session)?.changes_into(session, &mut facts)?);
    }
    let wanted = facts.retry_at_ms;
    let mut unknown = Vec::new();
    let mut unreadable = None;
    let mut late = None;
    let mut outcome = session.apply(|circuit, policy, now| {
        let before = circuit.core.phase.opening();
        let open = before.filter(|_| circuit.state() == State::Open);
        let halts =
            open.filter(|opening| !opening.advisory || policy.enforcement == Enforcement::Halt);
        late = halts.map(|opening| opening.since.wall_ms);
        // A list that cannot be read any more shows nothing passing.
        let list = features::read(&session.located.root, policy).unwrap_or_else(|failure| {
            unreadable = Some(failure);
            None
        });
        features::tell_reported(list.as_ref(), &circuit.core, &mut facts);
        let new = |name: &&str| !circuit.core.strangers.iter().any(|known| known == name);
        unknown = strangers(&facts).filter(new).map(str::to_owned).collect();
        let claim = Claim {
            grant,
            secret: None,
        };
        let begun = begun_again(circuit, policy, list.as_ref(), now);
        let step = after(begun, circuit, |circuit| {
            machine::record(circuit, policy, facts, claim, now)
        });
        match completed(&step.circuit, policy, list.as_ref(), now) {
            Some(mut end) => {
                end.entries.splice(0..0, step.entries);
                end
            }
            None => step,
        }
    })?;
    // The report is taken, and the next check would end with this.
    if let Some(failure) = unreadable.filter(|_| !matches!(outcome.decision.gate, Gate::Deny(_))) {
        return Err(failure);
    }
    match late {
        // What was measured of it is of no use.
        Some(since) => outcome.notes.push(format!(
            "the breaker was open before this report ({}): it is kept, and counts for nothing",
            phrase::time(since)
        )),
        None => outcome.notes.extend(notes),
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
