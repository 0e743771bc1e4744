//! One run of a test program: in a room of its own, within limits, and without leaving anything
//! behind. A mutant may loop for ever, fill the memory, or leave children and files.

use super::program::Program;
use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Far more than any test needs.
const MEMORY: u64 = 4 << 30;

const LONGEST_FILE: u64 = 1 << 30;

/// What came of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Passed,
    Failed,
    /// It took far longer than without a mutant.
    Overran,
}

/// What a run is told.
pub(super) struct Trial<'a> {
    pub(super) program: &'a Program,
    /// One of the test programs, and the tests in it.
    pub(super) test_program: &'a Path,
    pub(super) tests: Vec<&'a str>,
    /// Variables for the switch in the program.
    pub(super) variables: Vec<(&'static str, String)>,
    /// How long it takes without a mutant.
    pub(super) usual: Duration,
}

impl Trial<'_> {
    /// Runs the tests with a temporary directory of their own below `scratch`.
    pub(super) fn run(&self, scratch: &Path) -> Result<Ended> {
        let temporary = scratch.join("tmp");
        fs::create_dir_all(&temporary)
            .with_context(|| format!("cannot make {}", temporary.display()))?;
        let mut command = self.command();
        let mut child = command
            .args(["--exact", "--test-threads=1"])
            .args(&self.tests)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .env("CARGO_MANIFEST_DIR", &self.program.directory)
            .env("TMPDIR", &temporary)
            .current_dir(&self.program.directory)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .with_context(|| format!("{} cannot be started", self.test_program.display()))?;
        let ended = self.watch(&mut child);
        // Some tests take the right to write from what they make.
        if fs::remove_dir_all(&temporary).is_err() {
            let aside = scratch.join(format!("left-{}", child.id()));
            fs::rename(&temporary, aside).context("what a test has left cannot be moved away")?;
        }
        ended
    }

    /// Time of the processor is limited rather than time, which depends on who else is at
    /// work; only what sleeps for ever is ended by the clock.
    fn seconds(&self) -> (u64, u64) {
        let usual = self.usual.as_secs();
        (usual * 5 + 5, usual * 20 + 60)
    }

    fn command(&self) -> Command {
        let (processor, _) = self.seconds();
        if !Path::new(PRLIMIT).exists() {
            return Command::new(self.test_program);
        }
        let mut command = Command::new(PRLIMIT);
        command
            // At the second limit it would be killed like any other that fails.
            .arg(format!("--cpu={processor}:{}", processor + 5))
            .arg(format!("--as={MEMORY}"))
            .arg(format!("--fsize={LONGEST_FILE}"))
            .arg("--core=0")
            .arg(self.test_program);
        command
    }

    /// Waits for the end, and ends what the program has started: its whole group, while the
    /// program itself is not yet reaped, so that the group's number is still its own.
    fn watch(&self, child: &mut Child) -> Result<Ended> {
        let (_, clock) = self.seconds();
        let started = Instant::now();
        let pid = Pid::from_child(child);
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let mut overran = false;
        while waitid(WaitId::Pid(pid), options)
            .context("a test program cannot be waited for")?
            .is_none()
        {
            if started.elapsed() > Duration::from_secs(clock) {
                overran = true;
                break;
            }
            thread::sleep(POLL_INTERVAL);
        }
        kill_process_group(pid, Signal::KILL).ok();
        let status = child
            .wait()
            .context("a test program cannot be waited for")?;
        let no_time = status.signal() == Some(Signal::XCPU.as_raw());
        Ok(if overran || no_time {
            Ended::Overran
        } else if status.success() {
            Ended::Passed
        } else {
            Ended::Failed
        })
    }
}

/// Sets limits and becomes the program it is given.
const PRLIMIT: &str = "/usr/bin/prlimit";
