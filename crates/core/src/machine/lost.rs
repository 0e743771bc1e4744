//! Protected files were lost: found out in the middle of things, not at a tick.

use super::Step;
use super::work::Work;
use crate::circuit::{Circuit, Opening, Phase, Release};
use crate::clock::Moment;
use crate::decision::{Evidence, Place};
use crate::journal::{Event, Losses};
use crate::observation::{ERRORS_KEPT, NAME_BYTES};
use crate::policy::Policy;
use crate::signals::{Level, Sight, Signal};
use crate::text::clip;

/// The rule that one missing file is enough.
const MISSING: &str = "004.76";

/// Notes that protected files were lost. One that is missing opens the breaker at
/// once; those that were emptied or replaced are counted until their signal trips.
/// Nothing opens where the policy does not have that signal.
#[must_use]
pub fn lost(circuit: &Circuit, policy: &Policy, losses: Losses, now: &Moment) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    let losses = bounded(losses);
    let mut core = work.circuit.core.clone();
    let counters = &mut core.counters;
    counters.protected_lost = counters.protected_lost.saturating_add(losses.replaced);
    let phase = match policy.rules.get(Signal::ProtectedLost) {
        Some(rule) if !is_a_persons(&core.phase) => {
            let sight = Sight {
                counters: &core.counters,
                rows: &[],
            };
            let reading = sight.reading(Signal::ProtectedLost, rule, policy);
            if losses.missing > 0 || reading.level == Level::Trip {
                let opening = work.opening_by_loss(&losses, &work.opening(&reading, &core));
                let mut opening = opening.in_place_of(core.phase.opening());
                opening.release = work.release_anew(opening.cause, opening.escalate, &mut core);
                if !matches!(core.phase, Phase::Open(_)) {
                    core.totals.trips += 1;
                }
                Phase::Open(opening)
            } else if reading.level == Level::Warn
                && policy.watches()
                && core.phase == Phase::Closed
            {
                Phase::Watching
            } else {
                core.phase.clone()
            }
        }
        _ => core.phase.clone(),
    };
    work.move_to(core, phase, Event::ProtectedLost(losses));
    work.end_here()
}

/// Whether nobody but a person ends what is open already. Anything else gives way: the same
/// iteration may have stood still, for which a while is enough, and lost a file, for which
/// it is not.
fn is_a_persons(phase: &Phase) -> bool {
    matches!(phase, Phase::Open(opening) if opening.release == Release::Person)
}

impl Work<'_> {
    fn opening_by_loss(&self, losses: &Losses, counted: &Opening) -> Opening {
        let evidence = losses.found.iter().map(|found| Evidence {
            place: Place::Iteration(self.circuit.core.iterations),
            found: found.clone(),
        });
        let (reason, rule) = match (losses.missing, losses.found.first()) {
            (0, _) => (counted.reason.clone(), counted.rule.clone()),
            (1, Some(first)) => (
                format!("A protected file was lost: {first}"),
                MISSING.into(),
            ),
            (1, None) => ("A protected file was lost".to_owned(), MISSING.into()),
            (missing, _) => (
                format!("{missing} protected files were lost"),
                MISSING.into(),
            ),
        };
        Opening {
            reason,
            rule,
            evidence: evidence.collect(),
            ..counted.clone()
        }
    }
}

fn bounded(mut losses: Losses) -> Losses {
    losses.found.truncate(ERRORS_KEPT);
    for found in &mut losses.found {
        let kept = clip(found, NAME_BYTES).len();
        found.truncate(kept);
    }
    losses
}
