//! Supervised commands that can be found again, whatever becomes of them.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::place::{FUSEBOX, Place};

/// Longer than anything here takes, even on a machine that has much to do.
pub(crate) const AGES: Duration = Duration::from_secs(60);

/// A length of sleep that nobody else sleeps: sleepers are found by it whatever
/// their parent, session and environment are.
pub(crate) struct Mark(String);

impl Mark {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(format!("3000.{:07}{number:04}", std::process::id()))
    }

    /// `script` with each `SLEEP` replaced by a sleep under this mark, and `NAP` by its length.
    pub(crate) fn in_script(&self, script: &str) -> String {
        let script = script.replace("SLEEP", &format!("sleep {}", self.0));
        script.replace("NAP", &self.0)
    }

    /// The processes that have the mark as an argument of its own.
    pub(crate) fn sleepers(&self) -> Vec<i32> {
        processes_where(|words, _| words.contains(&self.0.as_bytes()))
    }

    /// The keeper of a command that has the mark somewhere in its script.
    pub(crate) fn keeper(&self) -> Option<i32> {
        let kept = |words: &[&[u8]], _: &[u8]| {
            words.contains(&b"__keeper".as_slice())
                && words.iter().any(|word| contains(word, self.0.as_bytes()))
        };
        processes_where(kept).first().copied()
    }
}

/// The mark that fusebox itself gave to the processes of one run.
pub(crate) struct Cookie(Vec<u8>);

impl Cookie {
    /// The cookie of `circuit`'s last run; `None` if none came that far.
    pub(crate) fn of_last_run(place: &Place, circuit: &str) -> Option<Self> {
        let cookie = fs::read(place.find(&format!("run-{circuit}.cookie"))?).unwrap();
        (!cookie.is_empty()).then_some(Self(cookie))
    }

    /// The processes that carry it in their environment, the keeper included.
    pub(crate) fn carriers(&self) -> Vec<i32> {
        processes_where(|_, environ| contains(environ, &self.0))
    }
}

/// The processes whose words and environment are as asked for. One that ends
/// meanwhile has neither.
fn processes_where(wanted: impl Fn(&[&[u8]], &[u8]) -> bool) -> Vec<i32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let read = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let cmdline = read("cmdline");
        let words: Vec<_> = cmdline.split(|byte| *byte == 0).collect();
        wanted(&words, &read("environ"))
    })
    .collect()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Waits until `condition` holds; how long that took, or `None` if it does not
/// come to hold within `limit`.
pub(crate) fn eventually(limit: Duration, condition: impl Fn() -> bool) -> Option<Duration> {
    let began = Instant::now();
    while !condition() {
        if began.elapsed() > limit {
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Some(began.elapsed())
}

pub(crate) fn signal(pid: i32, signal: Signal) {
    // Whoever is gone already has no more to fear.
    let _ = kill_process(Pid::from_raw(pid).unwrap(), signal);
}

/// `fusebox run`, started and not waited for.
pub(crate) struct Supervised {
    child: Child,
    stdout: PathBuf,
    stderr: PathBuf,
    iterations: Iterations,
}

impl Supervised {
    pub(crate) fn start(place: &Place, args: &[&str]) -> Self {
        let mut command = place.command(FUSEBOX);
        command.args(args);
        Self::spawn(place, &mut command)
    }

    pub(crate) fn spawn(place: &Place, command: &mut Command) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let kept = ["stdout", "stderr"].map(|name| place.homes().join(format!("{name}-{number}")));
        let [stdout, stderr] = kept;
        let child = command
            .stdout(File::create(&stdout).unwrap())
            .stderr(File::create(&stderr).unwrap())
            .spawn()
            .unwrap();
        Self {
            child,
            iterations: Iterations::in_output(File::open(&stdout).unwrap()),
            stdout,
            stderr,
        }
    }

    pub(crate) fn pid(&self) -> i32 {
        Pid::from_child(&self.child).as_raw_pid()
    }

    /// Kills it with SIGKILL and says what it had announced by then.
    pub(crate) fn kill(mut self) -> Vec<Value> {
        self.strike();
        self.events()
    }

    /// Kills it with SIGKILL and leaves what it said where it is.
    pub(crate) fn strike(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// How many iterations it has announced by now.
    pub(crate) fn announced(&mut self) -> usize {
        self.iterations.counted()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// What it has said on standard error by now.
    pub(crate) fn stderr(&self) -> String {
        fs::read_to_string(&self.stderr).unwrap()
    }

    /// The exit code, which must come within [`AGES`], and all that was said.
    pub(crate) fn end(mut self) -> (Option<i32>, Vec<Value>) {
        (self.exit_code(), self.events())
    }

    /// The exit code, which must come within [`AGES`].
    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        let began = Instant::now();
        while !self.has_ended() {
            assert!(began.elapsed() < AGES, "the run hangs");
            std::thread::sleep(Duration::from_millis(5));
        }
        self.child.wait().unwrap().code()
    }

    /// The events on standard output that were written to their end.
    fn events(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.stdout).unwrap();
        let whole = text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        whole
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

impl Drop for Supervised {
    /// A test that fails must not leave its run behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Counts what is announced as it is written: each byte is read once, and none is kept, however
/// long the output becomes.
struct Iterations {
    output: BufReader<File>,
    /// The beginning of a line that was not written to its end when it was read.
    begun: Vec<u8>,
    count: usize,
}

impl Iterations {
    fn in_output(output: File) -> Self {
        Self {
            output: BufReader::new(output),
            begun: Vec::new(),
            count: 0,
        }
    }

    fn counted(&mut self) -> usize {
        while self.output.read_until(b'\n', &mut self.begun).unwrap() > 0 {
            if self.begun.ends_with(b"\n") {
                self.count += usize::from(contains(&self.begun, b"\"event\":\"iteration\""));
                self.begun.clear();
            }
        }
        self.count
    }
}

/// Whether a tool of the system is there; says so loudly if not.
pub(crate) fn have(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|dir| dir.join(tool).exists());
    if !found {
        eprintln!("SKIPPED: `{tool}` is not installed");
    }
    found
}
