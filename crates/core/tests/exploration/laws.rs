//! The laws, one function each, in the order of the list.

use fusebox_core::circuit::{Cause, Opening, Phase, Release, State};
use fusebox_core::decision::Gate;
use fusebox_core::journal::Event;
use fusebox_core::machine::{self, Step};
use fusebox_core::observation::Ended;
use fusebox_core::policy::{ProbeRule, ThresholdEdits};
use fusebox_core::signals::{Level, Progress, Signal};
use fusebox_core::{Circuit, Moment, Policy};

use crate::moves::Move;

/// One step, and what it was taken from.
pub(crate) struct Seen<'a> {
    pub(crate) old: &'a Circuit,
    pub(crate) policy: &'a Policy,
    pub(crate) now: &'a Moment,
    pub(crate) chosen: Move,
    pub(crate) step: &'a Step,
    /// The true times of all calls so far.
    pub(crate) granted: &'a [u64],
}

type Law = fn(&Seen<'_>) -> bool;

pub(crate) const LAWS: [(&str, Law); 19] = [
    ("folding what was written gives the state", folded),
    ("changes of state are told without a gap", told),
    ("an open breaker is left by a release alone", released),
    ("nothing is granted but the one probe", one_probe),
    ("a probe closes by success", proven),
    ("a wait never gets shorter", patient),
    ("there is a word for every state", named),
    ("a threshold that is reached opens", tripped),
    ("an opening has its proof and is counted", with_proof),
    ("what came too late moves nothing", late),
    ("whoever asks for a trip gets one", asked),
    ("outside trouble is nobody's fault", excused),
    ("no true window holds more than the limit", limited),
    ("looking does not touch", looked),
    ("a report in the supervisor's place opens", sealed),
    ("patterns stay resolved and openings stay put", resolved),
    ("a person's opening is left to no other model", persons),
    ("nobody ends what a supervisor has under way", left_alone),
    ("a lost file is a person's to look at", lost),
];

pub(crate) fn hold(seen: &Seen<'_>) {
    for (name, law) in LAWS {
        assert!(
            law(seen),
            "{name}: {:?}\nfrom {:?}\nto {:?}",
            seen.chosen,
            seen.old,
            seen.step.circuit
        );
    }
}

impl Seen<'_> {
    fn after(&self) -> &Circuit {
        &self.step.circuit
    }

    fn opened(&self) -> bool {
        opening(self.old).is_none() && opening(self.after()).is_some()
    }

    /// Whether the policy lets a person close by this move.
    fn by_person(&self) -> bool {
        match self.chosen {
            Move::Reset => self.policy.release.person,
            Move::Resolve => self.policy.release.correction,
            Move::Tighten | Move::Relax => self.policy.edits == ThresholdEdits::Reevaluate,
            _ => false,
        }
    }

    fn is_report(&self) -> bool {
        matches!(
            self.chosen,
            Move::Progress
                | Move::Idle
                | Move::SameError
                | Move::Outage
                | Move::Stale
                | Move::Measured
        )
    }

    /// Whether a supervisor waits for its own report and this is not it.
    fn forged(&self) -> bool {
        let pending = self.old.core.pending.as_ref();
        let waits = pending.is_some_and(|pending| pending.seal.is_some());
        waits && self.is_report() && self.chosen != Move::Measured
    }
}

fn opening(circuit: &Circuit) -> Option<&Opening> {
    circuit.core.phase.opening()
}

fn halted(circuit: &Circuit) -> bool {
    matches!(&circuit.core.phase, Phase::Open(opening) if !opening.advisory)
}

fn folded(seen: &Seen<'_>) -> bool {
    let mut replayed = seen.old.clone();
    for entry in &seen.step.entries {
        let bytes = serde_json::to_vec(entry).unwrap();
        replayed.fold(&serde_json::from_slice(&bytes).unwrap());
    }
    replayed.core.preset.get_or_insert(seen.policy.preset);
    replayed == *seen.after()
}

fn told(seen: &Seen<'_>) -> bool {
    let mut at = seen.old.state();
    for change in &seen.step.decision.transitions {
        if change.from != at {
            return false;
        }
        at = change.to;
    }
    at == seen.after().state() && at == seen.step.decision.state
}

fn released(seen: &Seen<'_>) -> bool {
    let (Phase::Open(opening), false) = (
        &seen.old.core.phase,
        seen.after().state() == State::Open || !halted(seen.old),
    ) else {
        return true;
    };
    let waited = seen.now.waited_since(&opening.since);
    let due = matches!(opening.release, Release::Cooldown(ms) if waited >= ms);
    let asked = matches!(seen.chosen, Move::Check | Move::Supervise);
    seen.by_person() || (due && asked && seen.after().state() == State::Probing)
}

fn one_probe(seen: &Seen<'_>) -> bool {
    let Some(grant) = seen.step.decision.grant else {
        return seen.step.decision.gate != Gate::AllowOnce || seen.after().state() == State::Open;
    };
    // A probe that is past its deadline is settled first; it opened again then.
    let free = matches!(seen.old.state(), State::Closed | State::Watching) || !halted(seen.old);
    let probe = seen.after().state() == State::Probing && halted(seen.old);
    let pending = seen.after().core.pending.as_ref().map(|pending| pending.id);
    pending == Some(grant)
        && (free || probe)
        && !matches!(seen.old.state(), State::Probing | State::Complete)
}

fn proven(seen: &Seen<'_>) -> bool {
    let closed = matches!(seen.after().state(), State::Closed | State::Watching);
    if seen.old.state() != State::Probing || !closed || seen.by_person() {
        return true;
    }
    let [entry] = &seen.step.entries[..] else {
        return false;
    };
    let (Event::Reported(report), Some(row)) = (&entry.event, &entry.outcome.row) else {
        return false;
    };
    let pending = seen.old.core.pending.as_ref();
    let in_time = pending.is_some_and(|pending| {
        pending.seal.is_some() || seen.now.waited_since(&pending.at) < pending.limit_ms
    });
    let success = match seen.policy.release.probe {
        ProbeRule::Progress => row.progress == Progress::Made,
        ProbeRule::PositiveScore => row.score.is_some_and(|score| score > 0),
    };
    success && in_time && report.facts.ended != Some(Ended::TimedOut)
}

fn patient(seen: &Seen<'_>) -> bool {
    let (Some(old), Some(new)) = (opening(seen.old), opening(seen.after())) else {
        return true;
    };
    if matches!(seen.chosen, Move::Retry | Move::Climb) {
        return seen.policy.release.retry;
    }
    let failed = seen.after().core.failed_probes;
    let doubled = failed == seen.old.core.failed_probes
        || match new.release {
            Release::Person => true,
            Release::Cooldown(ms) => ms >= seen.policy.recovery.cooldown_after(failed),
        };
    let kept = match (old.release, new.release) {
        // A person's retry is a wait of nothing, which only holds for one probe.
        (_, Release::Person) | (Release::Cooldown(0), Release::Cooldown(_)) => true,
        (Release::Cooldown(before), Release::Cooldown(now)) => now >= before,
        (Release::Person, Release::Cooldown(_)) => false,
    };
    doubled && kept && seen.now.waited_since(&new.since) <= seen.now.waited_since(&old.since)
}

fn named(seen: &Seen<'_>) -> bool {
    let policy = seen.policy;
    match seen.after().state() {
        State::Closed | State::Open => true,
        State::Watching => policy.watches(),
        State::Probing => policy.release.cooldown || policy.release.retry,
        State::Complete => policy.labels.complete.is_some(),
    }
}

fn tripped(seen: &Seen<'_>) -> bool {
    let readings = &seen.step.decision.readings;
    let reached = readings.iter().any(|reading| reading.level == Level::Trip);
    !reached || opening(seen.after()).is_some()
}

fn with_proof(seen: &Seen<'_>) -> bool {
    let (old, new) = (seen.old.core.totals.trips, seen.after().core.totals.trips);
    if !seen.opened() {
        let forged = seen.forged() && !halted(seen.old);
        // The trial of a probe is over then, and it is another matter.
        let lost = seen.chosen == Move::Lose && seen.old.state() == State::Probing;
        return new == old || ((forged || lost) && new == old + 1);
    }
    let Some(opening) = opening(seen.after()) else {
        return false;
    };
    let requested = seen.chosen == Move::Trip || seen.forged();
    let rule = seen.step.decision.rule.as_ref() == Some(&opening.rule);
    let told = !opening.reason.is_empty() && (requested || !opening.evidence.is_empty());
    new == old + 1 && told && (rule || opening.advisory)
}

fn late(seen: &Seen<'_>) -> bool {
    let too_late = seen.chosen == Move::Stale || halted(seen.old);
    let (old, new) = (&seen.old.core, &seen.after().core);
    !too_late
        || !seen.is_report()
        || seen.forged()
        || (old.phase == new.phase && old.counters == new.counters)
}

fn asked(seen: &Seen<'_>) -> bool {
    seen.chosen != Move::Trip || halted(seen.after())
}

fn excused(seen: &Seen<'_>) -> bool {
    if seen.chosen != Move::Outage || seen.forged() {
        return true;
    }
    let (old, new) = (&seen.old.core, &seen.after().core);
    new.counters.no_progress <= old.counters.no_progress
        && new.totals.progress == old.totals.progress
        && !seen.opened()
}

fn limited(seen: &Seen<'_>) -> bool {
    let rule = &seen.policy.calls;
    let Some(last) = seen.granted.last() else {
        return true;
    };
    let in_window = seen.granted.iter().filter(|at| last - *at < rule.window_ms);
    in_window.count() <= rule.limit as usize
}

fn looked(seen: &Seen<'_>) -> bool {
    if seen.chosen != Move::Check {
        return true;
    }
    let supervised = seen.old.core.pending.as_ref();
    let supervised = supervised.is_some_and(|pending| pending.seal.is_some());
    let peeked = machine::peek(seen.old, seen.policy, seen.now).gate;
    supervised || peeked == seen.step.decision.gate
}

fn sealed(seen: &Seen<'_>) -> bool {
    !seen.forged() || seen.old.state() == State::Complete || halted(seen.after())
}

fn resolved(seen: &Seen<'_>) -> bool {
    let found = seen.chosen == Move::FindPattern;
    if !found && seen.chosen != Move::FindNothing {
        return true;
    }
    if opening(seen.old).is_some() {
        return seen.old.core.phase == seen.after().core.phase;
    }
    let fresh = seen.old.anomalies.set().is_empty();
    seen.opened() == (found && fresh)
}

fn persons(seen: &Seen<'_>) -> bool {
    let Some(old) = opening(seen.old).filter(|_| seen.chosen == Move::Climb) else {
        return true;
    };
    let by_work = matches!(old.cause, Cause::Signal(signal) if signal != Signal::ProtectedLost);
    let as_always = !seen.policy.release.cooldown || old.release != Release::Person;
    seen.after() == seen.old || (by_work && as_always)
}

fn left_alone(seen: &Seen<'_>) -> bool {
    let pending = seen.old.core.pending.as_ref();
    let sealed = pending.is_some_and(|pending| pending.seal.is_some());
    let ends_it = matches!(
        seen.chosen,
        Move::Measured | Move::Reset | Move::Resolve | Move::Complete
    );
    !sealed || ends_it || seen.after().core.pending.as_ref() == pending
}

fn lost(seen: &Seen<'_>) -> bool {
    let Policy { rules, release, .. } = seen.policy;
    let counts = rules.get(Signal::ProtectedLost).is_some() && release.person;
    let persons = opening(seen.after()).is_some_and(|now| now.release == Release::Person);
    seen.chosen != Move::Lose || !counts || persons
}
