//! One verdict from many signals.
//!
//! Every signal is read on its own and says, by its rungs, what should follow;
//! the gravest of them decides, the others that point the same way are told
//! beside it. There are no weights between signals, so that a verdict can be
//! checked by reading its first line of evidence.

use super::digest::Digest;
use super::policy::{CallPolicy, Points};
use super::state::{CallState, Foretold};
use super::verdict::{CallEvidence, CallSignal, CallVerdict, Level};
use super::words;

/// What one signal reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) signal: CallSignal,
    pub(super) value: u32,
    /// Which loop it is.
    pub(super) identity: Digest,
    pub(super) calls: Vec<u32>,
}

/// A reading that something follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    reading: Reading,
    level: Level,
    threshold: u32,
}

/// The verdict, if there is one. `next` is the call that is about to be made, if
/// its outcome can be foretold.
pub(super) fn verdict(
    state: &mut CallState,
    policy: &CallPolicy,
    highest: Level,
    next: Option<&Foretold>,
) -> Option<CallVerdict> {
    let mut found: Vec<Found> = readings(state, &policy.points, next)
        .into_iter()
        .filter_map(|reading| judged(reading, policy, state.touched))
        .collect();
    // The first of equals stays first: the order of the signals is their weight.
    found.sort_by_key(|found| std::cmp::Reverse(found.level));
    let first = found.first()?;
    let level = match first.level {
        // What has run cannot be kept from running.
        Level::Block if next.is_none() => Level::Steer,
        level => level,
    };
    let level = level.min(highest);
    let identity = first.reading.identity;
    if level <= Level::Steer && !is_news(state, level, first) {
        return None;
    }
    Some(CallVerdict {
        level,
        call: state.calls,
        identity,
        message: words::message(state, &first.reading),
        evidence: found.into_iter().map(evidence).collect(),
    })
}

/// Whether the agent was not told of this yet. A stretch in which nothing new
/// came up is told once, and again where it turns into another round.
fn is_news(state: &mut CallState, level: Level, found: &Found) -> bool {
    let at_level = |about| Digest::joined(&[about, Digest::of(level.name().as_bytes())]);
    let news = state.tell(at_level(found.reading.identity));
    if found.reading.signal == CallSignal::NothingNew {
        let stretch = stretch(state);
        state.tell(at_level(stretch));
    }
    news
}

/// Which stretch of the session it is.
fn stretch(state: &CallState) -> Digest {
    Digest::of(&state.nothing_new.stretch().to_le_bytes())
}

fn judged(reading: Reading, policy: &CallPolicy, touched: bool) -> Option<Found> {
    let rungs = policy.rungs_of(reading.signal);
    let (level, threshold) = rungs.level(reading.value, touched)?;
    Some(Found {
        reading,
        level,
        threshold,
    })
}

fn evidence(found: Found) -> CallEvidence {
    let Reading {
        signal,
        value,
        calls,
        ..
    } = found.reading;
    CallEvidence {
        signal,
        value,
        threshold: found.threshold,
        confidence: confidence(value, found.threshold),
        calls,
    }
}

/// Three quarters at the threshold; what is left of the doubt shrinks as the
/// reading grows beyond it.
fn confidence(value: u32, threshold: u32) -> u8 {
    let doubt = 25 * u64::from(threshold) / u64::from(value.max(1));
    u8::try_from(100 - doubt.min(100)).unwrap_or_default()
}

/// What every signal reads, in the order of their weight, but for zeros.
pub(super) fn readings(
    state: &CallState,
    points: &Points,
    next: Option<&Foretold>,
) -> Vec<Reading> {
    let mut out = Vec::with_capacity(4);
    let made = next.map(|next| &next.made);
    let stretch = stretch(state);
    let value = match next {
        Some(next) => state.nothing_new.foretold(next.is_small, points),
        None => state.nothing_new.value(),
    };
    if value > 0 {
        out.push(Reading {
            signal: CallSignal::NothingNew,
            value,
            identity: state.repetition.path().unwrap_or(stretch),
            calls: state.nothing_new.calls(),
        });
    }
    let run = state.repetition.run(made);
    out.extend(run.map(|run| Reading {
        signal: CallSignal::Repeat,
        value: run.length,
        identity: run.identity,
        calls: run.calls,
    }));
    let cycle = state.repetition.cycle(made);
    out.extend(cycle.map(|cycle| Reading {
        signal: CallSignal::Cycle,
        // As long as there is nothing to lose, a long round counts by its length.
        value: if state.touched {
            cycle.rounds
        } else {
            cycle.length / 2
        },
        identity: cycle.identity,
        calls: cycle.calls,
    }));
    let (error, met) = state.memory.most_met_error().unwrap_or_default();
    let counts = [
        (CallSignal::IdleTurns, state.turns.value(), stretch),
        (CallSignal::RecurringError, met, error),
        (
            CallSignal::FutileEdits,
            state.futile.value(),
            state.futile.failure(),
        ),
        (CallSignal::Failures, state.failures.value(), stretch),
        (
            CallSignal::Oscillation,
            state.oscillation.value(),
            state.oscillation.target(),
        ),
        (
            CallSignal::Paging,
            state.paging.value(),
            state.paging.target(),
        ),
        (CallSignal::Claims, state.effort.claims(), stretch),
        (CallSignal::Denials, state.denials.value(), stretch),
        (CallSignal::Compaction, state.effort.compactions(), stretch),
        (CallSignal::Spending, state.effort.spent(), stretch),
    ];
    let counts = counts.into_iter().filter(|(_, value, _)| *value > 0);
    out.extend(counts.map(|(signal, value, about)| Reading {
        signal,
        value,
        identity: Digest::joined(&[Digest::of(signal.name().as_bytes()), about]),
        calls: vec![state.calls],
    }));
    out
}
