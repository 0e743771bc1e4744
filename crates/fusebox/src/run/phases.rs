//! What an iteration gains where the work has phases: their numbers, measured.
//!
//! The phase itself is the agent's to name, because nothing outside shows it.
//! Another phase counts anew, so an agent that went back and forth would never be
//! stopped: it is believed only when it goes forward.

use fusebox_core::Observation;
use fusebox_core::circuit::Core;
use fusebox_core::observation::{PhaseMetrics, WorkPhase};
use fusebox_evidence::claims::Phase;
use fusebox_workspace::Changes;

/// Adds phase and numbers to the facts of an iteration.
pub(super) fn tell(
    facts: &mut Observation,
    claimed: Option<Phase>,
    changes: Option<&Changes>,
    core: &Core,
) {
    let counters = &core.counters;
    let known = counters.phase.unwrap_or(WorkPhase::Red);
    let claimed = claimed
        .map(named)
        .filter(|phase| *phase as u8 > known as u8);
    let phase = claimed.unwrap_or(known);
    facts.phase = Some(phase);
    facts.metrics = numbers(phase, facts, changes, core);
}

fn numbers(
    phase: WorkPhase,
    facts: &Observation,
    changes: Option<&Changes>,
    core: &Core,
) -> PhaseMetrics {
    let (last, known) = (core.counters.last_metrics(phase), core.known_failures());
    let tests = facts.tests.seen();
    let none = PhaseMetrics::default();
    let mut metrics = tests.map_or(none, |tests| none.or_counted(tests));
    let Some(changes) = changes else {
        return metrics;
    };
    match phase {
        WorkPhase::Red => metrics.tests_generated = metrics.tests_total,
        WorkPhase::Green => {}
        // Code that changed while every test still passes, but for those that are
        // known to fail, has been improved, as far as anybody can tell from outside.
        WorkPhase::Refactor => {
            let sound =
                tests.is_some_and(|tests| u64::from(tests.failed) <= known && tests.passed > 0);
            metrics.pattern_applied = Some(sound && changes.kinds.code > 0);
        }
        WorkPhase::Document => {
            let written = last.docs_generated.unwrap_or(0) + changes.kinds.docs as u64;
            metrics.docs_generated = Some(written);
        }
    }
    metrics
}

fn named(phase: Phase) -> WorkPhase {
    match phase {
        Phase::Red => WorkPhase::Red,
        Phase::Green => WorkPhase::Green,
        Phase::Refactor => WorkPhase::Refactor,
        Phase::Document => WorkPhase::Document,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusebox_core::fact::Fact;
    use fusebox_core::observation::TestCounts;
    use fusebox_core::signals::Counters;

    #[test]
    fn a_phase_is_only_ever_left_forward() {
        let core = |phase| Core {
            counters: Counters {
                phase,
                ..Counters::default()
            },
            ..Core::default()
        };
        for (known, claimed, phase) in [
            (None, None, WorkPhase::Red),
            (None, Some(Phase::Green), WorkPhase::Green),
            (Some(WorkPhase::Green), Some(Phase::Red), WorkPhase::Green),
            (Some(WorkPhase::Green), None, WorkPhase::Green),
            (
                Some(WorkPhase::Green),
                Some(Phase::Document),
                WorkPhase::Document,
            ),
        ] {
            let mut facts = Observation::default();
            tell(&mut facts, claimed, None, &core(known));
            assert_eq!(facts.phase, Some(phase), "{known:?} then {claimed:?}");
        }
    }

    #[test]
    fn numbers_are_measured_and_never_claimed() {
        let counts = TestCounts {
            passed: 3,
            failed: 6,
            skipped: 1,
        };
        for (tests, passing, total) in [
            (Fact::Measured(counts), Some(3), Some(10)),
            (Fact::Claimed(counts), None, None),
            (Fact::Unknown, None, None),
        ] {
            let mut facts = Observation {
                tests,
                ..Observation::default()
            };
            tell(&mut facts, Some(Phase::Green), None, &Core::default());
            assert_eq!(facts.metrics.tests_passing, passing);
            assert_eq!(facts.metrics.tests_total, total);
        }
    }
}
