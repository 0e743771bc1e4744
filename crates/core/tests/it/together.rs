//! Circuits that draw on the same calls and budgets.

use fusebox_core::budget::Resource;
use fusebox_core::machine::{self, Claim, Start};
use fusebox_core::observation::{FileChanges, Usage};
use fusebox_core::policy::{CallLimit, WindowLimit};
use fusebox_core::{Circuit, Fact, Moment, Observation, Policy};
use proptest::prelude::*;

use crate::harness::{RULE, up};

const TOKENS: u64 = 100;
const CALLS: u32 = 6;

fn policy() -> Policy {
    Policy {
        calls: CallLimit {
            limit: CALLS,
            window_ms: RULE.window_ms,
            warn_percent: 80,
        },
        tokens: Some(WindowLimit {
            limit: TOKENS,
            reserve: 10,
            ..RULE
        }),
        ..Policy::native()
    }
}

/// One loop among several: what it may use, and what it has used of that.
#[derive(Default)]
struct Worker {
    circuit: Circuit,
    reserved: u64,
}

struct Family {
    workers: Vec<Worker>,
    policy: Policy,
    now: Moment,
}

impl Family {
    fn of(count: usize) -> Self {
        Self {
            workers: (0..count).map(|_| Worker::default()).collect(),
            policy: policy(),
            now: up(0),
        }
    }

    fn seen_by(&self, at: usize) -> Circuit {
        let others = self.workers.iter().enumerate();
        let others = others.filter(|(other, _)| *other != at);
        let others = others.map(|(_, worker)| &worker.circuit);
        let own = &self.workers[at].circuit;
        own.together_with(others, &self.policy, &self.now)
    }

    fn keep(&mut self, at: usize, entries: &[fusebox_core::Entry]) {
        let circuit = &mut self.workers[at].circuit;
        entries.iter().for_each(|entry| circuit.fold(entry));
    }

    fn begin(&mut self, at: usize) -> bool {
        let seen = self.seen_by(at);
        let step = machine::check(&seen, &self.policy, Start::default(), &self.now);
        self.keep(at, &step.entries);
        let granted = step.decision.grant.is_some();
        if granted {
            self.workers[at].reserved = 10;
        }
        granted
    }

    fn need_more(&mut self, at: usize, missing: u64) -> Option<u64> {
        let seen = self.seen_by(at);
        let (step, more) =
            machine::reserve_more(&seen, &self.policy, Resource::Tokens, missing, &self.now);
        self.keep(at, &step.entries);
        assert_eq!(step.entries.is_empty(), more.is_none());
        self.workers[at].reserved += more.unwrap_or(0);
        more
    }

    fn end(&mut self, at: usize, used: u64) {
        let facts = Observation {
            files: Fact::Measured(FileChanges {
                count: 1,
                paths: vec![],
                ..FileChanges::default()
            }),
            usage: Usage {
                input_tokens: Some(used),
                ..Usage::default()
            },
            ..Observation::default()
        };
        let seen = self.seen_by(at);
        let step = machine::record(&seen, &self.policy, facts, Claim::default(), &self.now);
        self.keep(at, &step.entries);
        self.workers[at].reserved = 0;
    }
}

#[test]
fn what_one_took_the_others_cannot() {
    let mut family = Family::of(3);
    for call in 0..CALLS {
        assert!(family.begin((call % 3) as usize), "{call}");
        family.end((call % 3) as usize, 1);
    }
    for at in 0..3 {
        assert!(!family.begin(at));
        let left = machine::peek(&family.seen_by(at), &family.policy, &family.now).calls;
        assert_eq!((left.used, left.left), (CALLS, 0));
        let own = family.workers[at]
            .circuit
            .calls
            .left(&family.policy.calls, &family.now);
        assert_eq!(own.used, 2, "each remembers its own");
    }
    family.now = up(RULE.window_ms);
    assert!(family.begin(0));
}

#[test]
fn an_iteration_that_needs_more_gets_it_as_long_as_there_is_some() {
    let mut family = Family::of(2);
    assert!(family.begin(0) && family.begin(1));
    assert_eq!(family.need_more(0, 1), Some(10), "a share at a time");
    assert_eq!(family.need_more(0, 65), Some(65), "or what is missing");
    assert_eq!(family.need_more(0, 6), None, "all but 5 of 100 is taken");
    assert_eq!(family.need_more(1, 2), Some(5), "what is left of a share");
    assert_eq!(family.need_more(1, 1), None);
    family.end(0, 20);
    assert_eq!(family.need_more(1, 60), Some(60), "the rest was given back");
    family.end(1, 75);
    assert_eq!(family.need_more(1, 1), None, "nothing is under way");
}

#[derive(Clone, Debug)]
enum Move {
    Wait(u64),
    Begin(usize),
    More(usize, u64),
    End(usize),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        2 => (1..RULE.window_ms / 3).prop_map(Move::Wait),
        3 => (0_usize..3).prop_map(Move::Begin),
        4 => (0_usize..3, 1_u64..30).prop_map(|(at, missing)| Move::More(at, missing)),
        3 => (0_usize..3).prop_map(Move::End),
    ];
    prop::collection::vec(one, 1..150)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// Each uses all that was put aside for it, at the end of its iteration.
    #[test]
    fn no_window_holds_more_than_the_limit_of_all_together(moves in moves()) {
        let mut family = Family::of(3);
        let (mut used, mut calls) = (Vec::new(), Vec::new());
        for step in moves {
            match step {
                // Nothing is under way for longer than a window.
                Move::Wait(ms) if family.workers.iter().all(|one| one.reserved == 0) => {
                    family.now.boot_ms += ms;
                }
                Move::Wait(_) => {}
                Move::Begin(at) if family.workers[at].reserved == 0 => {
                    if family.begin(at) {
                        calls.push((family.now.boot_ms, 1));
                    }
                }
                Move::Begin(_) => {}
                Move::More(at, missing) if family.workers[at].reserved > 0 => {
                    family.need_more(at, missing);
                }
                Move::More(..) => {}
                Move::End(at) if family.workers[at].reserved > 0 => {
                    let all = family.workers[at].reserved;
                    used.push((family.now.boot_ms, all));
                    family.end(at, all);
                }
                Move::End(_) => {}
            }
        }
        for (taken, limit) in [(&used, TOKENS), (&calls, u64::from(CALLS))] {
            for (start, _) in taken {
                let inside = taken.iter().filter(|(at, _)| at >= start && at - start < RULE.window_ms);
                let sum: u64 = inside.map(|(_, amount)| amount).sum();
                prop_assert!(sum <= limit, "{taken:?}");
            }
        }
    }
}
