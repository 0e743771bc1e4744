//! The engine: what happens to two circuits of one repository, one thing after the other.
//!
//! The moves are read from the input ([`moves`], [`facts`]); what came of each is held against
//! a plain account of what may come of it ([`laws`]). Whoever makes a move is said with it, so
//! that nothing an agent can do takes the place of a person.

mod facts;
mod laws;
mod moves;

use fusebox_core::machine::{self, Step};
use fusebox_core::patterns::Anomaly;
use fusebox_core::policy::{CallUnit, Enforcement, Preset, WindowLimit};
use fusebox_core::{BootId, Circuit, Entry, Moment, Policy};

use crate::bytes::Bytes;
use laws::{Seen, Taken};
use moves::{Machine, Move, Turn};

/// As many as it takes for whatever is remembered to be full.
const MOST_MOVES: u32 = 160;

/// Whatever happens to a breaker, in whatever order, the laws hold.
pub(crate) fn breaker(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let mut world = World::new(&mut bytes);
    for _ in 0..MOST_MOVES {
        if bytes.is_empty() {
            break;
        }
        match Turn::read(&mut bytes, &world.anomalies) {
            Turn::Of(chosen) => world.advance(&chosen),
            Turn::Elsewhere => world.circuits.swap(0, 1),
            Turn::Machine(change) => world.change(change),
        }
    }
    for own in &world.circuits {
        own.is_what_was_written();
    }
}

/// A circuit, and all that was written down of it.
#[derive(Default)]
struct Own {
    circuit: Circuit,
    log: Vec<u8>,
}

struct World {
    policy: Policy,
    /// The one that moves, and another that shares its limits.
    circuits: [Own; 2],
    anomalies: Vec<Anomaly>,
    now: Moment,
    /// The time that nobody can set, and the calls that were allowed at it.
    truth: u128,
    taken: Vec<Taken>,
}

impl World {
    fn new(bytes: &mut Bytes<'_>) -> Self {
        let mut policy = Policy::of(bytes.of(&Preset::ALL));
        policy.enforcement = bytes.of(&[
            Enforcement::Halt,
            Enforcement::Announce,
            Enforcement::Observe,
        ]);
        policy.calls.limit = bytes.of(&[policy.calls.limit, 1, 3, 10]);
        policy.calls_unit = bytes.of(&[policy.calls_unit, CallUnit::Request]);
        policy.tokens = bytes.of(&[policy.tokens, Some(budget(&policy))]);
        if let Some(threshold) = bytes.maybe(|bytes| bytes.of(&[1, 2, 5])) {
            policy = with_threshold(&policy, threshold);
        }
        Self {
            policy,
            circuits: [Own::default(), Own::default()],
            anomalies: Vec::new(),
            now: Moment {
                wall_ms: 1_000_000,
                boot_ms: bytes.of(&[0, 5_000_000]),
                boot: BootId(1),
            },
            truth: 5_000_000,
            taken: Vec::new(),
        }
    }

    fn advance(&mut self, chosen: &Move) {
        let [own, other] = &self.circuits;
        let policy = match own.circuit.core.threshold {
            Some(threshold) => with_threshold(&self.policy, threshold),
            None => self.policy.clone(),
        };
        // What is decided on, as a session does it: all that draws on one limit is added up.
        let joined = own
            .circuit
            .together_with([&other.circuit], &policy, &self.now);
        let Some(step) = chosen.make(&joined, &policy, &self.now) else {
            return;
        };
        let again = chosen.make(&joined, &policy, &self.now);
        assert_eq!(again.as_ref(), Some(&step), "{chosen:?}");
        let in_force = chosen.policy(&policy);
        let calls = chosen.calls(&step);
        if calls > 0 {
            self.taken.push(Taken {
                at: self.truth,
                calls,
            });
        }
        laws::hold(&Seen {
            old: &joined,
            policy: &in_force,
            now: &self.now,
            chosen,
            step: &step,
            taken: &self.taken,
            truth: self.truth,
        });
        if let Move::Anomaly(anomaly) = chosen {
            self.anomalies.push((**anomaly).clone());
        }
        self.circuits[0].take(&step, &policy);
    }

    fn change(&mut self, change: Machine) {
        match change {
            Machine::Wait(ms) => self.pass(ms),
            Machine::WallClock(ms) => self.now.wall_ms = ms,
            Machine::Boot { down, up } => {
                self.pass(down.saturating_add(up));
                self.now.boot = BootId(self.now.boot.0 + 1);
                self.now.boot_ms = up;
            }
            Machine::CallLimit(limit) => self.policy.calls.limit = limit,
        }
    }

    fn pass(&mut self, ms: u64) {
        self.now.wall_ms = self.now.wall_after(ms);
        self.now.boot_ms = self.now.boot_ms.saturating_add(ms);
        self.truth += u128::from(ms);
    }
}

impl Own {
    fn take(&mut self, step: &Step, policy: &Policy) {
        for entry in &step.entries {
            let line = serde_json::to_vec(entry).expect("an entry can be written");
            self.circuit
                .fold(&serde_json::from_slice(&line).expect("and read"));
            self.log.extend(line);
            self.log.push(b'\n');
        }
        let state = serde_json::to_vec(&self.circuit).expect("a state can be written");
        assert!(
            state.len() <= fusebox_store::MAX_STATE,
            "{} bytes under {:?}",
            state.len(),
            policy.preset
        );
    }

    /// Whoever has the log has the breaker.
    fn is_what_was_written(&self) {
        let mut replayed = Circuit::default();
        for line in self.log.split_inclusive(|byte| *byte == b'\n') {
            let entry: Entry = serde_json::from_slice(line).expect("it was written");
            replayed.fold(&entry);
        }
        assert_eq!(replayed, self.circuit);
        let state = serde_json::to_vec(&self.circuit).expect("a state can be written");
        let again: Circuit = serde_json::from_slice(&state).expect("and read");
        assert_eq!(again, self.circuit);
    }
}

/// A budget of which a few iterations leave nothing.
fn budget(policy: &Policy) -> WindowLimit {
    WindowLimit {
        limit: 1_000,
        window_ms: 3_600_000 + policy.iteration_limit_ms,
        reserve: 300,
        warn_percent: 80,
    }
}

fn with_threshold(policy: &Policy, threshold: u32) -> Policy {
    let edited = policy.clone().with_stagnation_threshold(threshold);
    edited.unwrap_or_else(|_| policy.clone())
}

/// Looking takes nothing, whoever looks.
fn look(circuit: &Circuit, policy: &Policy, now: &Moment) {
    let beside = machine::beside_run(circuit, policy, now);
    assert!(beside.entries.is_empty() && beside.decision.grant.is_none());
    assert_eq!(machine::status(circuit, policy, now).grant, None);
}
