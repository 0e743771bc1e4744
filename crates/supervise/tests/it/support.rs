//! Running small shell scripts as steps, and finding what they leave behind.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use fusebox_supervise::{
    Cookie, Signals, Step, StepObserver, StepReport, Stream, Supervisor, Tick, Wish,
};

/// The executable that can be every stage.
pub(crate) const STAGES: &str = env!("CARGO_BIN_EXE_keeper-for-tests");

/// Far longer than anything here takes, even on a crowded machine.
pub(crate) const AGES: Duration = Duration::from_secs(20);

/// A step that runs `script` in a shell, patient enough for crowded machines
/// and impatient enough for tests.
pub(crate) fn shell(script: &str) -> Step {
    let mut step = Step::new("sh", "/", Cookie::random().unwrap());
    step.args = vec!["-c".into(), script.into()];
    step.limits.grace = Duration::from_millis(600);
    step.limits.overall = Some(Duration::from_secs(60));
    step
}

pub(crate) fn run(step: &Step, observer: &mut dyn StepObserver) -> StepReport {
    let supervisor = Supervisor::with_stages_from(STAGES);
    supervisor
        .run(step, observer, &mut Signals::none())
        .unwrap()
}

/// Runs `step` to its end and returns what it wrote to standard output, too.
pub(crate) fn run_and_collect(step: &Step) -> (StepReport, String) {
    let mut collected = Collect::default();
    let report = run(step, &mut collected);
    (
        report,
        String::from_utf8_lossy(&collected.stdout).into_owned(),
    )
}

/// Keeps standard output.
#[derive(Default)]
pub(crate) struct Collect {
    pub(crate) stdout: Vec<u8>,
}

impl StepObserver for Collect {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        if stream == Stream::Stdout {
            self.stdout.extend_from_slice(bytes);
        }
    }
}

/// Wishes the end once the step has said "ready".
pub(crate) struct StopWhenReady {
    pub(crate) seen: Collect,
    pub(crate) wishes: &'static [Wish],
}

impl StopWhenReady {
    pub(crate) fn with(wishes: &'static [Wish]) -> Self {
        Self {
            seen: Collect::default(),
            wishes,
        }
    }
}

impl StepObserver for StopWhenReady {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        self.seen.output(stream, bytes);
    }

    fn tick(&mut self, _: Tick) -> Wish {
        if !String::from_utf8_lossy(&self.seen.stdout).contains("ready") {
            return Wish::GoOn;
        }
        match self.wishes.split_first() {
            Some((wish, rest)) => {
                self.wishes = rest;
                *wish
            }
            None => Wish::GoOn,
        }
    }
}

/// A length of sleep that nobody else sleeps, by which processes are found
/// whatever their parent, session and environment.
pub(crate) struct Mark(String);

impl Mark {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(format!("1000.{:07}{number:03}", std::process::id()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The command that sleeps.
    pub(crate) fn sleep(&self) -> String {
        format!("sleep {}", self.0)
    }

    /// How many processes have the mark as one of their arguments.
    pub(crate) fn sleepers(&self) -> usize {
        self.marked().count()
    }

    /// How many of them are stopped.
    pub(crate) fn stopped(&self) -> usize {
        let stats = self
            .marked()
            .filter_map(|entry| fs::read_to_string(entry.join("stat")).ok());
        stats.filter(|stat| stat.contains(") T ")).count()
    }

    fn marked(&self) -> impl Iterator<Item = PathBuf> {
        let carries_mark = |entry: &PathBuf| {
            fs::read(entry.join("cmdline")).is_ok_and(|cmdline| {
                cmdline
                    .split(|byte| *byte == 0)
                    .any(|word| word == self.0.as_bytes())
            })
        };
        let entries = fs::read_dir("/proc").unwrap().flatten();
        entries.map(|entry| entry.path()).filter(carries_mark)
    }
}

/// Tries all rows of a table at once: most of them only wait.
pub(crate) fn side_by_side<T: Send>(rows: impl IntoIterator<Item = T>, test: impl Fn(T) + Sync) {
    let test = &test;
    std::thread::scope(|scope| {
        for row in rows {
            scope.spawn(move || test(row));
        }
    });
}

/// Waits until `condition` holds; false if it does not within [`AGES`].
pub(crate) fn eventually(mut condition: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + AGES;
    while Instant::now() < until {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

/// Whether a tool of the system is there; says so loudly if not.
pub(crate) fn have(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|dir| dir.join(OsStr::new(tool)).exists());
    if !found {
        eprintln!("SKIPPED: `{tool}` is not installed");
    }
    found
}

/// The words that stop a process by tracing it, for as long as they run; nothing, with a word
/// about it, where that cannot be done.
pub(crate) fn holder() -> Option<&'static str> {
    // PTRACE_SEIZE and PTRACE_INTERRUPT: whom it leaves goes on.
    const HOLD: &str = "python3 -c 'import ctypes, sys, time; trace = ctypes.CDLL(None).ptrace; \
                        pid = int(sys.argv[1]); \
                        sys.exit(7) if trace(0x4206, pid, None, None) \
                        or trace(0x4207, pid, None, None) else time.sleep(float(sys.argv[2]))'";
    // Its own parent, as the agent of a keeper would.
    let tried = Command::new("sh")
        .args(["-c", &format!("{HOLD} $$ 0")])
        .stderr(Stdio::null())
        .status();
    if !tried.is_ok_and(|tried| tried.success()) {
        eprintln!("SKIPPED: no process can be traced by its child here");
        return None;
    }
    Some(HOLD)
}
