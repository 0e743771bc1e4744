//! What may come of a move, in plain terms.

use fusebox_core::circuit::{Opening, Phase, Release, State, name_id};
use fusebox_core::decision::{DeniedBy, Gate};
use fusebox_core::machine::{self, Step};
use fusebox_core::observation::Ended;
use fusebox_core::policy::{Enforcement, ProbeRule};
use fusebox_core::signals::Progress;
use fusebox_core::{Circuit, Event, Moment, Policy};

use super::moves::{Move, Wish, is_running};

/// Calls that were allowed, at a time that nobody can set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) at: u128,
    pub(super) calls: u32,
}

/// One step, and what it was taken from.
pub(super) struct Seen<'a> {
    pub(super) old: &'a Circuit,
    pub(super) policy: &'a Policy,
    pub(super) now: &'a Moment,
    pub(super) chosen: &'a Move,
    pub(super) step: &'a Step,
    pub(super) taken: &'a [Taken],
    pub(super) truth: u128,
}

type Law = fn(&Seen<'_>) -> bool;

const LAWS: [(&str, Law); 13] = [
    ("folding what was written gives the state", folded),
    ("changes of state are told without a gap", told),
    ("an open breaker is left by a release alone", released),
    ("a probe closes by success, and in time", proven),
    ("nothing is granted but the one probe", one_probe),
    ("what makes a loop wait never gets less", patient),
    ("whoever asks for a trip gets one", asked),
    ("a report in the supervisor's place opens", sealed),
    ("outside trouble is nobody's fault", excused),
    ("no true window holds more than the limit", limited),
    ("whoever waits as told is let through", waited),
    ("looking does not touch", looked),
    ("what is written down moves nothing", noted),
];

pub(super) fn hold(seen: &Seen<'_>) {
    for (name, law) in LAWS {
        assert!(
            law(seen),
            "{name}: {:?}\nunder {:?}, {:?}\nfrom {:?}\nto {:?}",
            seen.chosen,
            seen.policy.preset,
            seen.policy.enforcement,
            seen.old,
            seen.step
        );
    }
    super::look(&seen.step.circuit, seen.policy, seen.now);
}

impl Seen<'_> {
    fn after(&self) -> &Circuit {
        &self.step.circuit
    }

    /// Whether a supervisor waits for its own report and this is somebody else's.
    fn forged(&self) -> bool {
        let (Move::Record(_, claim), Some(pending)) = (self.chosen, &self.old.core.pending) else {
            return false;
        };
        let shown = claim.secret.map(|secret| name_id(&secret.to_string()));
        let earlier = claim
            .grant
            .is_some_and(|grant| (1..pending.id.0).contains(&grant.0));
        pending.seal.is_some() && shown != pending.seal && !earlier
    }
}

fn opening(circuit: &Circuit) -> Option<&Opening> {
    circuit.core.phase.opening()
}

/// Whether the loop stands still: an opening that is only announced is for those who asked for
/// that.
fn halting<'a>(circuit: &'a Circuit, policy: &Policy) -> Option<&'a Opening> {
    match &circuit.core.phase {
        Phase::Open(opening) => {
            let halts = !opening.advisory || policy.enforcement == Enforcement::Halt;
            halts.then_some(opening)
        }
        _ => None,
    }
}

fn folded(seen: &Seen<'_>) -> bool {
    let mut replayed = seen.old.clone();
    for entry in &seen.step.entries {
        replayed.fold(entry);
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
    let Some(opening) = halting(seen.old, seen.policy) else {
        return true;
    };
    if halting(seen.after(), seen.policy).is_some() || seen.chosen.may_close(seen.policy) {
        return true;
    }
    let waited = seen.now.waited_since(&opening.since);
    let due = matches!(opening.release, Release::Cooldown(ms) if waited >= ms);
    let asked = matches!(seen.chosen, Move::Check(_));
    asked && due && seen.after().state() == State::Probing
}

fn proven(seen: &Seen<'_>) -> bool {
    let left = seen.old.state() == State::Probing && opening(seen.after()).is_none();
    if !left || seen.chosen.may_close(seen.policy) {
        return true;
    }
    // Work that is complete needs no probe; what it was about is over.
    if matches!(seen.chosen, Move::Complete) {
        return false;
    }
    let Some(entry) = seen.step.entries.last() else {
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
    success && in_time && !report.late && report.facts.ended != Some(Ended::TimedOut)
}

fn one_probe(seen: &Seen<'_>) -> bool {
    let Some(grant) = seen.step.decision.grant else {
        return true;
    };
    let pending = seen.after().core.pending.as_ref().map(|pending| pending.id);
    let stood_still = halting(seen.old, seen.policy).is_some();
    let allowed = match seen.after().state() {
        State::Probing => stood_still,
        State::Closed | State::Watching => {
            is_running(seen.old.state()) || seen.chosen.may_close(seen.policy)
        }
        State::Open => !stood_still && halting(seen.after(), seen.policy).is_none(),
        State::Complete => false,
    };
    matches!(seen.chosen, Move::Check(_)) && pending == Some(grant) && allowed
}

fn patient(seen: &Seen<'_>) -> bool {
    let (Some(old), Some(new)) = (opening(seen.old), opening(seen.after())) else {
        return true;
    };
    if matches!(seen.chosen, Move::Climb | Move::Person(Wish::Retry)) {
        return seen.policy.release.retry;
    }
    let kept = match (old.release, new.release) {
        // A person's retry is a wait of nothing, which only holds for one probe.
        (_, Release::Person) | (Release::Cooldown(0), Release::Cooldown(_)) => true,
        (Release::Cooldown(before), Release::Cooldown(now)) => now >= before,
        (Release::Person, Release::Cooldown(_)) => false,
    };
    let later = seen.now.waited_since(&new.since) <= seen.now.waited_since(&old.since);
    // What halted everybody does not become an announcement.
    let as_firm = old.advisory || !new.advisory;
    kept && later && as_firm
}

fn asked(seen: &Seen<'_>) -> bool {
    let halted = matches!(&seen.after().core.phase, Phase::Open(opening) if !opening.advisory);
    !matches!(seen.chosen, Move::Trip(_)) || halted
}

fn sealed(seen: &Seen<'_>) -> bool {
    let shut = matches!(seen.after().state(), State::Open | State::Complete);
    let waits = seen.after().core.pending == seen.old.core.pending;
    !seen.forged() || (shut && waits)
}

fn excused(seen: &Seen<'_>) -> bool {
    let Move::Record(facts, _) = seen.chosen else {
        return true;
    };
    let (old, new) = (&seen.old.core, &seen.after().core);
    facts.environment.is_none() || new.counters.no_progress <= old.counters.no_progress
}

/// The plain account: every call that was allowed, and when.
fn limited(seen: &Seen<'_>) -> bool {
    let rule = &seen.policy.calls;
    if seen.chosen.calls(seen.step) == 0 || seen.policy.enforcement == Enforcement::Observe {
        return true;
    }
    let recent = seen.taken.iter();
    let recent = recent.filter(|taken| seen.truth - taken.at < u128::from(rule.window_ms));
    let sum: u64 = recent.map(|taken| u64::from(taken.calls)).sum();
    sum <= u64::from(rule.limit)
}

fn waited(seen: &Seen<'_>) -> bool {
    let rule = &seen.policy.calls;
    let window = &seen.after().calls;
    let after = |ms: u64| Moment {
        wall_ms: seen.now.wall_after(ms),
        boot_ms: seen.now.boot_ms.saturating_add(ms),
        boot: seen.now.boot,
    };
    let wait = window.left(rule, seen.now).next_in_ms;
    let denied = match &seen.step.decision.gate {
        Gate::Deny(denial) => denial.by == DeniedBy::CallLimit,
        _ => false,
    };
    let told = !denied || wait > 0 || matches!(seen.chosen, Move::Take(_));
    let (due, early) = (after(wait), after(wait.saturating_sub(1)));
    told && window.left(rule, &due).left > 0
        && (wait == 0 || window.left(rule, &early).left == 0)
        && wait <= rule.window_ms
}

fn looked(seen: &Seen<'_>) -> bool {
    let Move::Check(start) = seen.chosen else {
        return true;
    };
    let peeked = machine::peek(seen.old, seen.policy, seen.now).gate;
    start.task.is_some() || peeked == seen.step.decision.gate
}

fn noted(seen: &Seen<'_>) -> bool {
    let moves_nothing = matches!(
        seen.chosen,
        Move::Note(..) | Move::Anomaly(_) | Move::Spend(_) | Move::Take(_)
    );
    let (old, new) = (&seen.old.core, &seen.after().core);
    !moves_nothing || (old.phase == new.phase && old.counters == new.counters)
}
