//! What can happen to a breaker, one move at a time.

use fusebox_core::circuit::{Cause, GrantId, State};
use fusebox_core::decision::Gate;
use fusebox_core::journal::{Actor, AuthorityProof, Losses, PauseFor};
use fusebox_core::machine::{self, Adoption, Beginning, Claim, Reset, Retry, Start, Step, Trip};
use fusebox_core::observation::{Observation, WorkPhase};
use fusebox_core::patterns::{Anomaly, analyse};
use fusebox_core::policy::ThresholdEdits;
use fusebox_core::signature::Signature;
use fusebox_core::{Circuit, Moment, Policy};

use super::facts::{self, moment, observation};
use crate::bytes::Bytes;

/// What a supervisor knows, and what somebody else guesses.
const SECRETS: [Option<u64>; 3] = [None, Some(7), Some(8)];

/// One thing that happens.
pub(super) enum Turn {
    Of(Box<Move>),
    /// What follows happens in the other work tree.
    Elsewhere,
    Machine(Machine),
}

/// What happens to the machine and its settings.
#[derive(Clone, Copy)]
pub(super) enum Machine {
    Wait(u64),
    WallClock(i64),
    Boot { down: u64, up: u64 },
    CallLimit(u32),
}

/// What is asked of a circuit.
#[derive(Clone, Debug)]
pub(super) enum Move {
    Check(Start),
    Record(Box<Observation>, Claim),
    Take(u32),
    Trip(Cause),
    Lose(Losses),
    Complete,
    TakeUp,
    Abandon,
    Withdraw,
    Enter(WorkPhase),
    Adopt(Adoption),
    Anomaly(Box<Anomaly>),
    Analyse(Vec<Anomaly>),
    Spend(u64),
    /// The loop's own wish to go on with the next model.
    Climb,
    Note(Note, String),
    /// What only a person may.
    Person(Wish),
}

/// What is merely written down.
#[derive(Clone, Copy, Debug)]
pub(super) enum Note {
    Block,
    Reopen,
    Begin,
    Pause,
    GoOn,
    RefuseEdit,
}

/// What a person wishes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wish {
    Reset,
    Retry,
    Recover(Option<u32>),
    Resolve,
    Threshold(u32),
    Forget,
    SkipPhase,
}

impl Turn {
    pub(super) fn read(bytes: &mut Bytes<'_>, anomalies: &[Anomaly]) -> Self {
        let chosen = match bytes.byte() % 32 {
            // Most of what happens is this.
            0..=4 => Move::Check(start(bytes)),
            5..=9 => {
                let facts = observation(bytes);
                Move::Record(Box::new(facts), claim(bytes))
            }
            10 => Move::Take(bytes.count()),
            11 => Move::Trip(bytes.of(&[Cause::Asked, Cause::Supervisor])),
            12 => Move::Lose(losses(bytes)),
            13 => Move::Complete,
            14 => Move::TakeUp,
            15 => bytes.of(&[Machinery::Abandon, Machinery::Withdraw]).into(),
            16 => Move::Enter(facts::phase(bytes)),
            17 => Move::Adopt(adoption(bytes)),
            18 => Move::Anomaly(Box::new(facts::anomaly(bytes))),
            19 => Move::Analyse(anomalies.to_vec()),
            20 => Move::Spend(bytes.number()),
            21 => Move::Climb,
            22 => Move::Note(note(bytes), bytes.text()),
            23..=25 => Move::Person(wish(bytes)),
            26 => return Self::Elsewhere,
            27..=29 => return Self::Machine(Machine::Wait(wait(bytes))),
            30 => return Self::Machine(Machine::WallClock(moment(bytes.number()))),
            _ => {
                return Self::Machine(match bytes.flag() {
                    true => Machine::CallLimit(bytes.of(&[1, 2, 5, 100])),
                    false => Machine::Boot {
                        down: bytes.number(),
                        up: wait(bytes),
                    },
                });
            }
        };
        Self::Of(Box::new(chosen))
    }
}

#[derive(Clone, Copy)]
enum Machinery {
    Abandon,
    Withdraw,
}

impl From<Machinery> for Move {
    fn from(machinery: Machinery) -> Self {
        match machinery {
            Machinery::Abandon => Self::Abandon,
            Machinery::Withdraw => Self::Withdraw,
        }
    }
}

impl Move {
    /// The step; nothing where it is refused.
    pub(super) fn make(&self, circuit: &Circuit, policy: &Policy, now: &Moment) -> Option<Step> {
        Some(match self {
            Self::Check(start) => machine::check(circuit, policy, start.clone(), now),
            Self::Record(facts, claim) => {
                machine::record(circuit, policy, (**facts).clone(), *claim, now)
            }
            Self::Take(calls) => machine::take(circuit, policy, *calls, now),
            Self::Trip(cause) => {
                let trip = Trip {
                    reason: "asked".into(),
                    by: anyone(),
                    cause: *cause,
                };
                machine::trip(circuit, policy, trip, now)
            }
            Self::Lose(losses) => machine::lost(circuit, policy, losses.clone(), now),
            Self::Complete => machine::complete(circuit, policy, now),
            Self::TakeUp => machine::take_up(circuit, policy, now),
            Self::Abandon => machine::abandon(circuit, policy, now),
            Self::Withdraw => machine::withdraw(circuit, policy, now),
            Self::Enter(phase) => machine::enter_phase(circuit, policy, *phase, now),
            Self::Adopt(adoption) => {
                let file = ("file".to_owned(), "says".to_owned());
                machine::adopt(circuit, policy, adoption, file, now)
            }
            Self::Anomaly(anomaly) => {
                machine::report_anomaly(circuit, policy, (**anomaly).clone(), anyone(), now)
            }
            Self::Analyse(anomalies) => {
                let (rules, known) = (policy.patterns.unwrap_or_default(), circuit.anomalies.set());
                let analysis = analyse(anomalies, None, &known, &rules);
                machine::analysed(circuit, policy, &analysis, now)
            }
            Self::Spend(missing) => {
                let resource = fusebox_core::budget::Resource::Tokens;
                machine::reserve_more(circuit, policy, resource, *missing, now).0
            }
            Self::Climb => return retry(circuit, policy, anyone(), now),
            Self::Note(note, words) => note.write(circuit, policy, words.clone(), now),
            Self::Person(wish) => return wish.fulfil(circuit, policy, now),
        })
    }

    /// The policy that is in force afterwards.
    pub(super) fn policy(&self, policy: &Policy) -> Policy {
        match self {
            Self::Person(Wish::Threshold(threshold)) => super::with_threshold(policy, *threshold),
            _ => policy.clone(),
        }
    }

    /// How many calls came of it.
    pub(super) fn calls(&self, step: &Step) -> u32 {
        match self {
            Self::Take(calls) if step.decision.gate == Gate::Allow => *calls,
            Self::Check(_) => u32::from(step.decision.grant.is_some()),
            _ => 0,
        }
    }

    /// Whether this is one of the releases that a policy may know.
    pub(super) fn may_close(&self, policy: &Policy) -> bool {
        match self {
            Self::Person(Wish::Reset | Wish::SkipPhase) => policy.release.person,
            Self::Person(Wish::Resolve) => policy.release.correction,
            Self::Person(Wish::Threshold(_) | Wish::Forget) => {
                policy.edits == ThresholdEdits::Reevaluate
            }
            _ => false,
        }
    }
}

impl Note {
    fn write(self, circuit: &Circuit, policy: &Policy, words: String, now: &Moment) -> Step {
        match self {
            Self::Block => machine::block_task(circuit, policy, words, "why".into(), anyone(), now),
            Self::Reopen => machine::reopen_task(circuit, policy, words, anyone(), now),
            Self::Begin => {
                let begins = Beginning {
                    plan: "0123".into(),
                    takes_tasks: true,
                    pid: 7,
                };
                machine::begin_run(circuit, policy, begins, now)
            }
            Self::Pause => machine::pause_run(circuit, policy, PauseFor::Resume, now),
            Self::GoOn => machine::go_on_with_run(circuit, policy, now),
            Self::RefuseEdit => machine::refuse_edit(circuit, policy, ("file".into(), words), now),
        }
    }
}

impl Wish {
    fn fulfil(self, circuit: &Circuit, policy: &Policy, now: &Moment) -> Option<Step> {
        let why = || "looked at".to_owned();
        match self {
            Self::Reset => {
                let wish = Reset {
                    reason: why(),
                    by: person(),
                    guidance: Some(why()),
                };
                machine::redirect(circuit, policy, wish, now).ok()
            }
            Self::Retry => retry(circuit, policy, person(), now),
            Self::Recover(strategy) => {
                machine::recover(circuit, policy, strategy, why(), person(), now).ok()
            }
            Self::Resolve => machine::resolve(circuit, policy, why(), person(), now).ok(),
            Self::Threshold(threshold) => {
                machine::set_threshold(circuit, policy, threshold, why(), person(), now).ok()
            }
            Self::Forget => Some(machine::forget_failures(
                circuit,
                policy,
                why(),
                person(),
                now,
            )),
            Self::SkipPhase => machine::skip_phase(circuit, policy, why(), person(), now).ok(),
        }
    }
}

fn retry(circuit: &Circuit, policy: &Policy, by: Actor, now: &Moment) -> Option<Step> {
    let wish = Retry {
        note: "again".into(),
        escalate: by.proof == AuthorityProof::NotNeeded,
        by,
        rungs: 3,
    };
    machine::retry(circuit, policy, wish, now).ok()
}

fn person() -> Actor {
    Actor {
        user: "ann".into(),
        proof: AuthorityProof::Terminal,
    }
}

fn anyone() -> Actor {
    Actor {
        user: "ann".into(),
        proof: AuthorityProof::NotNeeded,
    }
}

fn start(bytes: &mut Bytes<'_>) -> Start {
    let secret = bytes.of(&SECRETS);
    match bytes.flag() {
        false => Start {
            secret,
            ..Start::default()
        },
        true => Start {
            secret,
            tree: bytes.maybe(Bytes::text),
            passing: bytes.maybe(|bytes| vec![bytes.number(); usize::from(bytes.byte())]),
            standpoint: bytes.maybe(Bytes::text),
            task: bytes.maybe(Bytes::text),
            standing: bytes.maybe(Bytes::text),
        },
    }
}

fn claim(bytes: &mut Bytes<'_>) -> Claim {
    Claim {
        grant: bytes.maybe(|bytes| GrantId(bytes.number())),
        secret: bytes.of(&SECRETS),
    }
}

fn losses(bytes: &mut Bytes<'_>) -> Losses {
    Losses {
        missing: bytes.count(),
        replaced: bytes.count(),
        found: vec![bytes.text(); usize::from(bytes.byte() % 64)],
    }
}

fn adoption(bytes: &mut Bytes<'_>) -> Adoption {
    Adoption {
        open: bytes.maybe(Bytes::text),
        placeholder: bytes.flag(),
        opened_ms: bytes.maybe(|bytes| moment(bytes.number())),
        no_progress: bytes.count(),
        threshold: bytes.maybe(Bytes::count),
        error: bytes.maybe(|bytes| (Signature(bytes.number()), bytes.count())),
        phase: bytes.maybe(facts::phase),
        metrics: Vec::new(),
    }
}

fn note(bytes: &mut Bytes<'_>) -> Note {
    bytes.of(&[
        Note::Block,
        Note::Reopen,
        Note::Begin,
        Note::Pause,
        Note::GoOn,
        Note::RefuseEdit,
    ])
}

fn wish(bytes: &mut Bytes<'_>) -> Wish {
    match bytes.byte() % 7 {
        0 => Wish::Reset,
        1 => Wish::Retry,
        2 => Wish::Recover(bytes.maybe(Bytes::count)),
        3 => Wish::Resolve,
        4 => Wish::Threshold(bytes.count()),
        5 => Wish::Forget,
        _ => Wish::SkipPhase,
    }
}

/// Around what the rules wait for, or anything else.
fn wait(bytes: &mut Bytes<'_>) -> u64 {
    const MINUTE: u64 = 60_000;
    match bytes.byte() % 6 {
        0 => MINUTE,
        1 => 30 * MINUTE,
        2 => 60 * MINUTE - 1,
        3 => 60 * MINUTE,
        4 => 1_440 * MINUTE,
        _ => bytes.number().min(1 << 40),
    }
}

/// The states that a step may have been taken from without a release.
pub(super) fn is_running(state: State) -> bool {
    matches!(state, State::Closed | State::Watching)
}
