//! Stands in for the real executable in tests: it can be either stage, a whole
//! supervisor for the tests that have to kill one, and a process that asks
//! whether it is guarded and how deep.
//!
//! Under the name that begins with `searching` its keeper adopts nobody, as
//! where the system hands orphans to its first process.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use fusebox_supervise::{
    Cookie, KEEPER_WORD, LEADER_WORD, Orphans, RunLock, Signals, Step, StepObserver, Stream,
    Supervisor, ancestry, keeper_main, keeper_main_with, leader_main, nesting_depth,
};

fn main() -> ExitCode {
    let mut args = env::args_os().skip(1);
    match args.next() {
        Some(word) if word == KEEPER_WORD && is_searching() => {
            keeper_main_with(Orphans::Searched, args)
        }
        Some(word) if word == KEEPER_WORD => keeper_main(args),
        Some(word) if word == LEADER_WORD => leader_main(args),
        Some(word) if word == "supervise" => supervise(args).unwrap_or(ExitCode::FAILURE),
        Some(word) if word == "is-guarded" => {
            let _ = writeln!(io::stdout(), "guarded: {}", ancestry().is_guarded());
            ExitCode::SUCCESS
        }
        Some(word) if word == "depth" => {
            let _ = writeln!(io::stdout(), "depth: {}", nesting_depth());
            ExitCode::SUCCESS
        }
        _ => ExitCode::FAILURE,
    }
}

/// By the name of the file, which a keeper is started by.
fn is_searching() -> bool {
    let program = env::args_os().next().unwrap_or_default();
    let name = Path::new(&program).file_name().unwrap_or_default();
    name.to_string_lossy().starts_with("searching")
}

/// In seconds; how long a whole step may take, and how long it may be idle.
const LIMITS: [&str; 2] = ["TEST_OVERALL", "TEST_IDLE"];

fn limit(variable: &str) -> Option<Duration> {
    env::var(variable)
        .ok()?
        .parse()
        .ok()
        .map(Duration::from_secs_f32)
}

/// `supervise LOCK COOKIE COMMAND…`: holds the lock, runs the command, and
/// prints its output and the end.
fn supervise(mut args: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let lock = RunLock::take(Path::new(&args.next()?)).ok()?;
    let cookie = Cookie::parse(args.next()?.to_str()?)?;
    let mut step = Step::new(args.next()?, "/", cookie);
    step.args = args.collect();
    step.hold = Some(lock.tree_lock());
    step.limits.grace = Duration::from_secs(20);
    [step.limits.overall, step.limits.idle] = LIMITS.map(limit);
    let mut signals = Signals::catch().ok()?;
    let report = supervisor().run(&step, &mut Echo, &mut signals).ok()?;
    writeln!(io::stdout(), "{:?}", report.end).ok()?;
    Some(ExitCode::SUCCESS)
}

/// Whoever searches starts its keeper by the name it has itself.
fn supervisor() -> Supervisor {
    match env::args_os().next() {
        Some(program) if is_searching() => {
            Supervisor::with_stages_from(program).searching_for_orphans()
        }
        _ => Supervisor::default(),
    }
}

struct Echo;

impl StepObserver for Echo {
    fn output(&mut self, _: Stream, bytes: &[u8]) {
        let _ = io::stdout()
            .write_all(bytes)
            .and_then(|()| io::stdout().flush());
    }
}
