//! What one iteration does to counters and phase, and how openings come about.

use super::words;
use super::work::{Work, closed, transition};
use crate::circuit::{Cause, Core, Opening, Phase, Release, Row, push_row};
use crate::decision::{Reading, Transition};
use crate::observation::Observation;
use crate::policy::{Enforcement, ProbeRule};
use crate::signals::{Level, Progress, Sight};

impl Work<'_> {
    /// Moves counters and phase by one iteration.
    pub(super) fn tick(&self, core: &mut Core, facts: &Observation, row: &Row) -> Vec<Transition> {
        if let Phase::Probing(opening) = core.phase.clone() {
            return self.end_probe(core, &opening, row);
        }
        core.counters = core.counters.after(facts, row, self.policy);
        let (mut rows, mut trees) = (self.circuit.counted_rows().to_vec(), Vec::new());
        push_row(&mut rows, &mut trees, row.clone());
        let readings = Sight {
            counters: &core.counters,
            rows: &rows,
        }
        .read(self.policy);
        let transitions = match &core.phase {
            Phase::Open(_) => go_on_while_open(core, row, &readings),
            _ => self.follow_signals(core, &readings),
        };
        core.watched = core.watched.saturating_sub(1);
        transitions
    }

    fn follow_signals(&self, core: &mut Core, readings: &[Reading]) -> Vec<Transition> {
        let mut transitions = Vec::new();
        let mut enter = |core: &mut Core, phase: Phase| {
            transitions.extend(transition(&core.phase, &phase));
            core.phase = phase;
        };
        match words::worst(readings) {
            Some(reading) if reading.level == Level::Trip => {
                // The warning comes first even when both are due at once.
                if self.policy.watches() {
                    enter(core, Phase::Watching);
                }
                let opening = self.opening(reading, core);
                enter(core, Phase::Open(opening));
                core.totals.trips += 1;
                core.failed_probes = 0;
            }
            Some(reading) if reading.level == Level::Warn && self.policy.watches() => {
                enter(core, Phase::Watching);
            }
            _ => enter(core, Phase::Closed),
        }
        transitions
    }

    pub(super) fn opening(&self, reading: &Reading, core: &Core) -> Opening {
        // A relapse right after a recovery is a person's business.
        let relapse = core.watched > 0;
        let by_clock = self.policy.release.cooldown && !(relapse && self.policy.release.person);
        let release = if by_clock {
            Release::Cooldown(self.policy.recovery.cooldown_after(0))
        } else {
            Release::Person
        };
        Opening {
            cause: Cause::Signal(reading.signal),
            reason: reading.signal.sentence(reading.value),
            rule: reading.rule.clone(),
            since: *self.now,
            release,
            evidence: reading.evidence.clone(),
            advisory: self.policy.enforcement != Enforcement::Halt,
            escalate: relapse,
        }
    }

    /// One successful iteration closes; one that gained nothing opens again for
    /// twice as long; outside trouble proves nothing either way.
    fn end_probe(&self, core: &mut Core, opening: &Opening, row: &Row) -> Vec<Transition> {
        let from = core.phase.state();
        let success = match self.policy.release.probe {
            ProbeRule::Progress => row.progress == Progress::Made,
            ProbeRule::PositiveScore => row.score.is_some_and(|score| score > 0),
        };
        if success {
            *core = Core {
                watched: self.policy.recovery.watched,
                ..closed(core)
            };
        } else if row.progress == Progress::Exempt {
            core.phase = Phase::Open(Opening {
                since: *self.now,
                ..opening.clone()
            });
        } else {
            core.failed_probes = core.failed_probes.saturating_add(1);
            let recovery = &self.policy.recovery;
            let spent = recovery
                .probes
                .is_some_and(|most| core.failed_probes >= most);
            let by_clock = self.policy.release.cooldown && !spent;
            let release = if by_clock {
                Release::Cooldown(recovery.cooldown_after(core.failed_probes))
            } else {
                Release::Person
            };
            core.phase = Phase::Open(Opening {
                since: *self.now,
                release,
                ..opening.clone()
            });
        }
        vec![Transition {
            from,
            to: core.phase.state(),
        }]
    }

    /// Somebody reported in the supervisor's place: whatever they said, they meant
    /// to be believed instead of the measurement.
    pub(super) fn betrayed(&self, core: &mut Core) -> Vec<Transition> {
        let reason = "Somebody reported in the supervisor's place".to_owned();
        let phase = Phase::Open(self.opening_by_request(Cause::Supervisor, reason));
        let transitions = transition(&core.phase, &phase).into_iter().collect();
        core.phase = phase;
        core.totals.trips += 1;
        transitions
    }

    /// An opening that no signal brought about.
    pub(super) fn opening_by_request(&self, cause: Cause, reason: String) -> Opening {
        Opening {
            cause,
            reason,
            rule: words::request_rule(cause),
            since: *self.now,
            release: self.release_without_signal(0),
            evidence: Vec::new(),
            advisory: false,
            escalate: false,
        }
    }

    /// The release of an opening that somebody asks to open once more.
    pub(super) fn release_by_request(&self, opening: &Opening) -> Release {
        let asked = self.release_without_signal(self.circuit.core.failed_probes);
        match (opening.release, asked) {
            (Release::Cooldown(before), Release::Cooldown(now)) => {
                Release::Cooldown(before.max(now))
            }
            _ => Release::Person,
        }
    }

    fn release_without_signal(&self, failed_probes: u32) -> Release {
        if self.policy.release.cooldown && !self.policy.release.person {
            Release::Cooldown(self.policy.recovery.cooldown_after(failed_probes))
        } else {
            Release::Person
        }
    }
}

/// An opening that is only announced: progress closes it, and it is announced
/// again each time the threshold is reached once more.
fn go_on_while_open(core: &mut Core, row: &Row, readings: &[Reading]) -> Vec<Transition> {
    let from = core.phase.state();
    if row.progress == Progress::Made {
        *core = closed(core);
        return vec![Transition {
            from,
            to: core.phase.state(),
        }];
    }
    let again = readings.iter().any(|reading| {
        let times = reading
            .threshold
            .filter(|threshold| *threshold > 0)
            .map(|threshold| reading.value % threshold);
        reading.level == Level::Trip && times == Some(0)
    });
    if again {
        vec![Transition { from, to: from }]
    } else {
        Vec::new()
    }
}
