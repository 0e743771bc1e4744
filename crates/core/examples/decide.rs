//! What a decision costs, measured in process: how long the question before an
//! iteration takes, how long the tick after it, and how large the state becomes.
//! Prints mean and 99th percentile of both in nanoseconds, then bytes.

#![expect(clippy::print_stdout, reason = "figures for whoever asked")]

use std::time::Duration;

use fusebox_core::circuit::State;
use fusebox_core::journal::{Actor, AuthorityProof};
use fusebox_core::machine::{self, Claim, Start};
use fusebox_core::observation::{Claims, ErrorReport, FileChanges, TestCounts, Usage, WorkType};
use fusebox_core::policy::{Preset, WindowLimit};
use fusebox_core::{BootId, Circuit, Fact, Moment, Observation, Policy};
use rustix::time::{ClockId, clock_gettime};

/// Ticks that are timed, after as many as fill every list and cache.
const TICKS: u32 = 100_000;
const WARM: u32 = 5_000;
/// Iterations over which the state is weighed.
const WEIGHED: u32 = 10_000;

/// A loop that does a bit of everything: works, fails, claims, trips and is
/// reset.
struct Loop {
    circuit: Circuit,
    policy: Policy,
    now: Moment,
}

impl Loop {
    fn new() -> Self {
        let budget = |limit| WindowLimit {
            limit,
            window_ms: 3_600_000,
            reserve: 1,
            warn_percent: 80,
        };
        let policy = Policy {
            tokens: Some(budget(10_000_000)),
            micro_usd: Some(budget(100_000_000)),
            ..Policy::of(Preset::Native)
        };
        Self {
            circuit: Circuit::default(),
            policy,
            now: Moment {
                wall_ms: 0,
                boot_ms: 0,
                boot: BootId(1),
            },
        }
    }

    fn reset(&mut self) {
        let by = Actor {
            user: "bench".into(),
            proof: AuthorityProof::Demonstration,
        };
        if let Ok(step) = machine::reset(&self.circuit, &self.policy, String::new(), by, &self.now)
        {
            self.circuit = step.circuit;
        }
    }

    /// Once round: the question and, if the answer is yes, the report. Returns
    /// what each of the two took.
    fn go_round(&mut self, n: u32) -> [Duration; 2] {
        self.now.boot_ms += 40_000;
        self.now.wall_ms += 40_000;
        // An open breaker answers soonest; what costs is work, so it goes on.
        if self.circuit.state() == State::Open {
            self.reset();
        }
        let facts = facts(n);
        let Self {
            circuit,
            policy,
            now,
        } = self;
        let (asked, question) = timed(|| machine::check(circuit, policy, Start::default(), now));
        let claim = Claim {
            grant: asked.decision.grant,
            secret: None,
        };
        let (step, tick) = timed(|| machine::record(&asked.circuit, policy, facts, claim, now));
        *circuit = step.circuit;
        [question, tick]
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = cpu_time();
    let done = work();
    (done, cpu_time() - began)
}

/// The processor's time that this thread has used. Other people's work on the
/// machine is not the engine's.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

fn facts(n: u32) -> Observation {
    let error = |k: u32| ErrorReport {
        kind: Some("E0308".into()),
        message: format!(
            "src/part_{k}.rs:{n}: mismatched types in item {}",
            k * 7 + n % 11
        ),
        file: Some(format!("src/part_{k}.rs")),
        line: Some(n),
        ..ErrorReport::default()
    };
    let count = u64::from(n % 5);
    Observation {
        task: Some(format!("task-{}", n / 9)),
        approach: Some(format!("approach {}", n % 7)),
        work_type: Some(if n.is_multiple_of(4) {
            WorkType::Testing
        } else {
            WorkType::Implementation
        }),
        files: Fact::Measured(FileChanges {
            count,
            paths: (0..count).map(|k| format!("src/part_{k}.rs")).collect(),
            ..FileChanges::default()
        }),
        tree: Fact::Measured(format!("{:064x}", n / 2)),
        tasks_completed: Fact::Measured(u32::from(n.is_multiple_of(6))),
        tests: Fact::Measured(TestCounts {
            passed: 100 + n % 13,
            failed: n % 3,
            skipped: 1,
        }),
        errors: Fact::Measured((0..n % 4).map(error).collect()),
        output_lines: Fact::Measured(u64::from(100 + n % 90)),
        usage: Usage {
            input_tokens: Some(20_000),
            output_tokens: Some(900),
            micro_usd: Some(40_000),
            ..Usage::default()
        },
        claimed: Claims {
            complete: Some(n.is_multiple_of(10)),
            files_modified: Some(count),
            ..Claims::default()
        },
        ..Observation::default()
    }
}

/// The mean and the 99th percentile, in nanoseconds.
fn summary(mut times: Vec<Duration>) -> String {
    let mean = times.iter().sum::<Duration>() / TICKS;
    times.sort_unstable();
    let p99 = times[times.len() * 99 / 100];
    format!("{} {}", mean.as_nanos(), p99.as_nanos())
}

fn main() {
    let mut it = Loop::new();
    for n in 0..WARM {
        it.go_round(n);
    }
    let times = (WARM..WARM + TICKS).map(|n| it.go_round(n).into());
    let (questions, ticks): (Vec<Duration>, Vec<Duration>) = times.unzip();

    let mut it = Loop::new();
    let largest = (0..WEIGHED).map(|n| {
        it.go_round(n);
        serde_json::to_vec(&it.circuit).map_or(0, |bytes| bytes.len())
    });
    let largest = largest.max().unwrap_or(0);
    println!("{} {} {largest}", summary(questions), summary(ticks));
}
