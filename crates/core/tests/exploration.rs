//! Every sequence of a small alphabet, up to a stated depth, and long random
//! ones beyond it: what must hold of a breaker holds after each step.

use std::collections::HashSet;

use fusebox_core::circuit::{Cause, Phase, Release, State};
use fusebox_core::decision::Gate;
use fusebox_core::journal::{Actor, AuthorityProof, Event};
use fusebox_core::machine::{self, Claim, Retry, Start, Step, Trip};
use fusebox_core::observation::{Environment, ErrorReport, FileChanges};
use fusebox_core::patterns::{Anomaly, AnomalyKind, Details, analyse};
use fusebox_core::policy::{Enforcement, Preset, ProbeRule};
use fusebox_core::signals::Level;
use fusebox_core::{BootId, Circuit, Fact, Moment, Observation, Policy};
use proptest::prelude::*;

/// How deep the exhaustive search goes.
const DEPTH: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    Check,
    Progress,
    Idle,
    SameError,
    Outage,
    StaleReport,
    Trip,
    Reset,
    Retry,
    Complete,
    Wait,
    WallForward,
    Reboot,
    FindPattern,
    FindNothing,
    Resolve,
}

const ALPHABET: [Move; 13] = [
    Move::Check,
    Move::Progress,
    Move::Idle,
    Move::SameError,
    Move::Outage,
    Move::StaleReport,
    Move::Trip,
    Move::Reset,
    Move::Retry,
    Move::Complete,
    Move::Wait,
    Move::WallForward,
    Move::Reboot,
];

/// Moves that mean something only where patterns are looked for.
const WITH_PATTERNS: [Move; 3] = [Move::FindPattern, Move::FindNothing, Move::Resolve];

fn alphabet(policy: &Policy) -> Vec<Move> {
    let mut moves = ALPHABET.to_vec();
    if policy.patterns.is_some() {
        moves.extend(WITH_PATTERNS);
    }
    moves
}

/// Two anomalies that make a pattern. They are the same at any time, so once
/// acknowledged they never count again.
fn anomalies() -> [Anomaly; 2] {
    ["a", "b"].map(|task| Anomaly {
        at_ms: 0,
        task: task.into(),
        reporter: "r".into(),
        kind: AnomalyKind::ExternalBlocker,
        details: Details {
            blocker_service: Some("api".into()),
            ..Details::default()
        },
    })
}

#[derive(Clone)]
struct World {
    circuit: Circuit,
    now: Moment,
}

impl World {
    fn new() -> Self {
        Self {
            circuit: Circuit::default(),
            now: Moment {
                wall_ms: 0,
                boot_ms: 10_000_000,
                boot: BootId(0),
            },
        }
    }

    fn step(&self, policy: &Policy, chosen: Move) -> Option<Step> {
        let facts = |files, error: Option<&str>| Observation {
            files: Fact::Measured(FileChanges {
                count: files,
                paths: vec![],
            }),
            errors: Fact::Measured(
                error
                    .map(|m| ErrorReport {
                        message: m.into(),
                        ..ErrorReport::default()
                    })
                    .into_iter()
                    .collect(),
            ),
            ..Observation::default()
        };
        let record = |facts, grant| {
            let claim = Claim {
                grant,
                secret: None,
            };
            machine::record(&self.circuit, policy, facts, claim, &self.now)
        };
        let by = Actor {
            user: "t".into(),
            proof: AuthorityProof::Terminal,
        };
        match chosen {
            Move::Check => Some(machine::check(
                &self.circuit,
                policy,
                Start::default(),
                &self.now,
            )),
            Move::Progress => Some(record(facts(1, None), None)),
            Move::Idle => Some(record(facts(0, None), None)),
            Move::SameError => Some(record(facts(1, Some("boom")), None)),
            Move::Outage => Some(record(
                Observation {
                    environment: Some(Environment::Network),
                    ..facts(1, None)
                },
                None,
            )),
            Move::StaleReport => Some(record(
                facts(1, None),
                Some(fusebox_core::circuit::GrantId(u64::MAX)),
            )),
            Move::Trip => {
                let trip = Trip {
                    reason: "asked".into(),
                    by,
                    cause: Cause::Asked,
                };
                Some(machine::trip(&self.circuit, policy, trip, &self.now))
            }
            Move::Reset => machine::reset(&self.circuit, policy, "ok".into(), by, &self.now).ok(),
            Move::Retry => {
                let wish = Retry {
                    note: "again".into(),
                    by,
                    escalate: false,
                    rungs: 3,
                };
                machine::retry(&self.circuit, policy, wish, &self.now).ok()
            }
            Move::FindPattern => Some(self.analysed(policy, &anomalies())),
            Move::FindNothing => Some(self.analysed(policy, &[])),
            Move::Resolve => {
                machine::resolve(&self.circuit, policy, "ADR".into(), by, &self.now).ok()
            }
            Move::Complete => Some(machine::complete(&self.circuit, policy, &self.now)),
            Move::Wait | Move::WallForward | Move::Reboot => None,
        }
    }

    fn analysed(&self, policy: &Policy, anomalies: &[Anomaly]) -> Step {
        let rules = policy.patterns.unwrap_or_default();
        let known = self.circuit.anomalies.set();
        let analysis = analyse(anomalies, None, &known, &rules);
        machine::analysed(&self.circuit, policy, &analysis, &self.now)
    }

    fn advance(&mut self, policy: &Policy, chosen: Move) {
        let before = self.clone();
        match chosen {
            Move::Wait => {
                self.now.wall_ms += 1_900_000;
                self.now.boot_ms += 1_900_000;
            }
            Move::WallForward => self.now.wall_ms += 1_000_000_000,
            Move::Reboot => {
                self.now.boot = BootId(self.now.boot.0 + 1);
                self.now.boot_ms = 1_000;
                self.now.wall_ms += 1_000;
            }
            other => {
                let Some(step) = before.step(policy, other) else {
                    return;
                };
                hold(&before, policy, other, &step);
                self.circuit = step.circuit;
            }
        }
    }
}

/// What must hold of every step.
fn hold(before: &World, policy: &Policy, chosen: Move, step: &Step) {
    let (old, new) = (&before.circuit, &step.circuit);
    let context = || format!("{chosen:?}\nfrom {old:?}\nto {new:?}");

    let mut replayed = old.clone();
    for entry in &step.entries {
        let bytes = serde_json::to_vec(entry).expect("an entry can be written");
        replayed.fold(&serde_json::from_slice(&bytes).expect("and read"));
    }
    assert_eq!(
        &replayed,
        new,
        "folding what was written gives the state: {}",
        context()
    );

    let advisory = old
        .core
        .phase
        .opening()
        .is_some_and(|opening| opening.advisory);
    if old.state() == State::Open && new.state() != State::Open && !advisory {
        let Phase::Open(opening) = &old.core.phase else {
            unreachable!()
        };
        let waited = before.now.waited_since(&opening.since);
        let by_person = (chosen == Move::Reset && policy.release.person)
            || (chosen == Move::Resolve && policy.release.correction);
        let by_clock = matches!(opening.release, Release::Cooldown(ms) if waited >= ms);
        let by_clock = by_clock && chosen == Move::Check && new.state() == State::Probing;
        assert!(
            by_person || by_clock,
            "an open breaker was left without a release: {}",
            context()
        );
    }
    if old.state() == State::Probing && matches!(new.state(), State::Closed | State::Watching) {
        let gained = matches!(chosen, Move::Progress | Move::SameError);
        let allowed = gained || (chosen == Move::Reset && policy.release.person);
        assert!(allowed, "a probe closed without success: {}", context());
        if policy.release.probe == ProbeRule::PositiveScore {
            let row = step
                .entries
                .iter()
                .rev()
                .find_map(|entry| entry.outcome.row.as_ref());
            let by_person = chosen == Move::Reset;
            assert!(by_person || row.and_then(|row| row.score).is_some_and(|score| score > 0));
        }
    }
    if new.state() == State::Probing && old.state() != State::Probing {
        let person = matches!(chosen, Move::Check) && policy.release.retry;
        assert!(
            policy.release.cooldown || person,
            "a probe where there is none: {}",
            context()
        );
    }
    if new.state() == State::Watching {
        assert!(
            policy.watches(),
            "a warning state where there is none: {}",
            context()
        );
    }
    if step.decision.grant.is_some() {
        assert_eq!(chosen, Move::Check);
        assert!(
            !matches!(old.state(), State::Probing) || new.core.failed_probes > 0,
            "two probes: {}",
            context()
        );
        assert_eq!(new.core.pending.as_ref().map(|g| g.id), step.decision.grant);
    }
    if matches!(new.state(), State::Open)
        && !matches!(chosen, Move::Check | Move::Retry)
        && policy.enforcement == Enforcement::Halt
    {
        let next = machine::check(new, policy, Start::default(), &before.now);
        let waited = new
            .core
            .phase
            .opening()
            .map(|o| before.now.waited_since(&o.since));
        let retried = new
            .core
            .phase
            .opening()
            .is_some_and(|o| o.release == Release::Cooldown(0));
        if waited == Some(0) && !retried {
            assert!(
                matches!(next.decision.gate, Gate::Deny(_)),
                "a fresh opening let a step through: {}",
                context()
            );
        }
    }
    let readings = machine::status(new, policy, &before.now).readings;
    let tripped = readings.iter().any(|reading| reading.level == Level::Trip);
    if tripped {
        assert!(
            matches!(new.state(), State::Open | State::Probing),
            "a threshold was reached and did not open: {}",
            context()
        );
    }
    if new.state() == State::Open && old.core.phase.opening().is_none() && chosen != Move::Trip {
        let opening = new.core.phase.opening().expect("an opening");
        assert!(
            !opening.evidence.is_empty() && !opening.reason.is_empty(),
            "no proof: {}",
            context()
        );
        assert_eq!(step.decision.rule.as_ref(), Some(&opening.rule));
        assert!(
            step.entries
                .iter()
                .any(|e| matches!(e.event, Event::Reported(_) | Event::Analysed { .. }))
        );
    }
    if chosen == Move::FindPattern && old.core.phase.opening().is_none() {
        // Evidence of a resolved trigger never counts again; all else trips.
        let acknowledged = !old.anomalies.set().is_empty();
        let opened = new.state() == State::Open;
        assert_ne!(opened, acknowledged, "{}", context());
    }
    if matches!(chosen, Move::FindPattern | Move::FindNothing) && old.core.phase.opening().is_some()
    {
        assert_eq!(old.core.phase, new.core.phase, "{}", context());
    }
}

/// All policies that are explored: each preset, and one that only advises.
fn policies() -> Vec<Policy> {
    let mut all: Vec<Policy> = Preset::ALL.map(Policy::of).to_vec();
    for enforcement in [Enforcement::Announce, Enforcement::Observe] {
        all.push(Policy {
            enforcement,
            ..Policy::of(Preset::Cub)
        });
    }
    all
}

#[test]
fn req_004_094_every_short_sequence_keeps_the_laws_in_every_preset() {
    let deep = std::env::var_os("FUSEBOX_DEEP").is_some();
    let depth = if deep { DEPTH + 1 } else { DEPTH };
    let (mut steps, mut states) = (0_u64, 0_u64);
    for policy in policies() {
        let mut frontier = vec![World::new()];
        let mut seen = HashSet::new();
        for _ in 0..depth {
            let mut next = Vec::new();
            for world in &frontier {
                for chosen in alphabet(&policy) {
                    let mut world = world.clone();
                    world.advance(&policy, chosen);
                    steps += 1;
                    // Two ways to one state have one future: it is explored once.
                    let key = serde_json::to_string(&(&world.circuit, &world.now)).unwrap();
                    if seen.insert(fingerprint(&key)) {
                        states += 1;
                        next.push(world);
                    }
                }
            }
            frontier = next;
        }
    }
    println!("explored {steps} steps, {states} distinct states, depth {depth}, 7 policies");
    assert!(states > 10_000);
}

fn fingerprint(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn long_random_sequences_keep_the_laws(moves in prop::collection::vec(any::<prop::sample::Index>(), 1..120)) {
        for policy in policies() {
            let mut world = World::new();
            for chosen in &moves {
                world.advance(&policy, *chosen.get(&alphabet(&policy)));
            }
        }
    }
}
