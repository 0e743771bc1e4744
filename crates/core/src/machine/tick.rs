//! What one iteration does to counters and phase, and how openings come about.

use super::words;
use super::work::{Work, closed, transition};
use crate::circuit::{Cause, Core, Opening, Phase, ROWS_KEPT, Release, Row};
use crate::decision::{Reading, Transition};
use crate::observation::{Ended, Observation};
use crate::policy::{Enforcement, Policy, ProbeRule};
use crate::signals::{Counters, Level, Progress, Sight, Signal};
use crate::signature::Identified;

impl Work<'_> {
    /// Moves counters and phase by one iteration.
    pub(super) fn tick(
        &mut self,
        core: &mut Core,
        facts: &Observation,
        errors: &Identified<'_>,
        row: &Row,
    ) -> Vec<Transition> {
        if let Phase::Probing(opening) = core.phase.clone() {
            return self.end_probe(core, &opening, facts, row);
        }
        let rows = (self.circuit.counted_rows(), row);
        core.counters = core.counters.after(facts, errors, rows, self.policy);
        let transitions = if matches!(core.phase, Phase::Open(_)) {
            self.go_on_while_open(core, row, facts.task.as_deref())
        } else {
            let worst = self.worst_with(row, &core.counters);
            self.follow_signals(core, worst.as_ref(), facts.task.as_deref())
        };
        core.watched = core.watched.saturating_sub(1);
        transitions
    }

    /// What matters most once `row` has joined the others. It only visits them:
    /// it stays when its entry is folded.
    fn worst_with(&mut self, row: &Row, counters: &Counters) -> Option<Reading> {
        let rows = &mut self.circuit.rows;
        rows.push(row.clone());
        let counted = ROWS_KEPT.min(counters.ticks as usize);
        let sight = Sight {
            counters,
            rows: &rows[rows.len().saturating_sub(counted)..],
        };
        let worst = sight.worst(self.policy);
        rows.pop();
        worst
    }

    /// `task` is what was worked on, as far as that was said.
    fn follow_signals(
        &self,
        core: &mut Core,
        worst: Option<&Reading>,
        task: Option<&str>,
    ) -> Vec<Transition> {
        let mut transitions = Vec::new();
        let mut enter = |core: &mut Core, phase: Phase| {
            transitions.extend(transition(&core.phase, &phase));
            core.phase = phase;
        };
        match worst {
            Some(reading) if reading.level == Level::Trip => {
                // The warning comes first even when both are due at once.
                if self.policy.warns_of(reading.signal) {
                    enter(core, Phase::Watching);
                }
                let opening = Opening {
                    reason: reading.sentence_on(task),
                    ..self.opening(reading, core)
                };
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

    /// Moves the phase by what the counters say as they are.
    pub(super) fn follow_counters(&self, core: &mut Core) -> Vec<Transition> {
        let sight = Sight {
            counters: &core.counters,
            rows: self.circuit.counted_rows(),
        };
        let worst = sight.worst(self.policy);
        if core.phase == Phase::Complete {
            return Vec::new();
        }
        self.follow_signals(core, worst.as_ref(), None)
    }

    pub(super) fn opening(&self, reading: &Reading, core: &Core) -> Opening {
        let cause = Cause::Signal(reading.signal);
        let relapse = core.watched > 0;
        Opening {
            cause,
            reason: reading.sentence_on(None),
            rule: reading.rule.clone(),
            since: *self.now,
            release: self.release(cause, relapse, 0),
            evidence: reading.evidence.clone(),
            advisory: self.policy.enforcement != Enforcement::Halt,
            escalate: relapse,
            placeholder: false,
            unannounced: 0,
        }
    }

    /// Who or what may close an opening after so many failed probes. What a
    /// signal found, time may heal. A relapse right after a recovery, a request,
    /// the loss of what was protected and probes that keep failing are a person's
    /// business, where the policy leaves anything to persons.
    pub(super) fn release(&self, cause: Cause, relapse: bool, failed_probes: u32) -> Release {
        let Policy {
            release, recovery, ..
        } = self.policy;
        let requested =
            !matches!(cause, Cause::Signal(_)) || cause == Cause::Signal(Signal::ProtectedLost);
        let spent = recovery.probes.is_some_and(|most| failed_probes >= most);
        let persons = release.person && (relapse || requested || spent);
        if release.cooldown && !persons {
            Release::Cooldown(recovery.cooldown_after(failed_probes))
        } else {
            Release::Person
        }
    }

    /// One successful iteration closes; one that gained nothing opens again for
    /// twice as long. Outside trouble proves nothing either way, unless only a
    /// score above zero is taken for success and all else for failure.
    fn end_probe(
        &self,
        core: &mut Core,
        opening: &Opening,
        facts: &Observation,
        row: &Row,
    ) -> Vec<Transition> {
        let from = core.phase.state();
        let rule = self.policy.release.probe;
        core.totals.probes += 1;
        if self.in_time(facts) && shows_success(rule, row) {
            *core = Core {
                watched: self.policy.recovery.watched,
                ..closed(core)
            };
        } else {
            let excused = row.progress == Progress::Exempt && rule == ProbeRule::Progress;
            let release = if excused {
                opening.release
            } else {
                core.failed_probes = core.failed_probes.saturating_add(1);
                self.release(opening.cause, opening.escalate, core.failed_probes)
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

    /// Whether a probe kept its deadline. A supervisor sees to that itself, and
    /// reports when it has measured what came of it.
    fn in_time(&self, facts: &Observation) -> bool {
        let pending = self.circuit.core.pending.as_ref();
        let overdue = pending.is_some_and(|pending| {
            pending.seal.is_none() && self.now.waited_since(&pending.at) >= pending.limit_ms
        });
        !overdue && facts.ended != Some(Ended::TimedOut)
    }

    /// Somebody reported in the supervisor's place: whatever they said, they meant
    /// to be believed instead of the measurement.
    pub(super) fn betrayed(&self, core: &mut Core) -> Vec<Transition> {
        let reason = "Somebody reported in the supervisor's place".to_owned();
        let release = self.release_by_request(core);
        let phase = Phase::Open(self.opening_by_request(Cause::Supervisor, reason, release));
        let transitions = transition(&core.phase, &phase).into_iter().collect();
        core.phase = phase;
        core.totals.trips += 1;
        transitions
    }

    /// An opening that no signal brought about.
    pub(super) fn opening_by_request(
        &self,
        cause: Cause,
        reason: String,
        release: Release,
    ) -> Opening {
        Opening {
            cause,
            reason,
            rule: words::request_rule(cause),
            since: *self.now,
            release,
            evidence: Vec::new(),
            advisory: false,
            escalate: false,
            placeholder: false,
            unannounced: 0,
        }
    }

    /// The release of what somebody asks to open, or to open once more.
    pub(super) fn release_by_request(&self, core: &mut Core) -> Release {
        self.release_anew(Cause::Asked, false, core)
    }

    /// The release of what opens in the middle of things, be it open already or not. A probe
    /// that is cut short has failed, and a wait only ever grows: whoever is guarded must not
    /// gain by pulling the breaker themselves, nor by losing what is protected.
    pub(super) fn release_anew(&self, cause: Cause, relapse: bool, core: &mut Core) -> Release {
        match &core.phase {
            Phase::Probing(_) => {
                core.failed_probes = core.failed_probes.saturating_add(1);
                core.totals.probes += 1;
            }
            Phase::Open(_) => {}
            Phase::Closed | Phase::Watching | Phase::Complete => core.failed_probes = 0,
        }
        let asked = self.release(cause, relapse, core.failed_probes);
        match (core.phase.opening().map(|opening| opening.release), asked) {
            (None, asked) => asked,
            (Some(Release::Cooldown(before)), Release::Cooldown(now)) => {
                Release::Cooldown(before.max(now))
            }
            (Some(_), _) => Release::Person,
        }
    }

    /// An opening that is only announced: progress closes it, and without it the
    /// announcement is made again every so many ticks, with what is the case by
    /// then.
    fn go_on_while_open(
        &mut self,
        core: &mut Core,
        row: &Row,
        task: Option<&str>,
    ) -> Vec<Transition> {
        let from = core.phase.state();
        if row.progress == Progress::Made {
            *core = closed(core);
        } else if let Phase::Open(opening) = &mut core.phase {
            opening.unannounced = opening.unannounced.saturating_add(1);
            if opening.unannounced < self.policy.stagnation_threshold().unwrap_or(1) {
                return Vec::new();
            }
            opening.unannounced = 0;
            let worst = self.worst_with(row, &core.counters);
            // What opened it stays what opened it; only its number has grown.
            let still = |reading: &Reading| {
                reading.level == Level::Trip
                    && opening.advisory
                    && opening.cause == Cause::Signal(reading.signal)
            };
            if let Some(reading) = worst.filter(still) {
                opening.reason = reading.sentence_on(task);
                opening.evidence = reading.evidence;
            }
        }
        vec![Transition {
            from,
            to: core.phase.state(),
        }]
    }
}

fn shows_success(rule: ProbeRule, row: &Row) -> bool {
    match rule {
        ProbeRule::Progress => row.progress == Progress::Made,
        ProbeRule::PositiveScore => row.score.is_some_and(|score| score > 0),
    }
}
