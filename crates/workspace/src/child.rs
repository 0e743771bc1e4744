//! One git process on a leash.
//!
//! The leash is a thread that kills the whole process group when time is up. That
//! turns every blocking read and write on the pipes into one that ends, so the rest
//! of the crate can be written as plain blocking code.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use crate::Unmeasured;

const KEPT_STDERR: u64 = 4096;
const SHOWN_STDERR: usize = 200;

/// A running git. Dropping it ends the process, so an early return leaves nothing behind.
pub(crate) struct Running {
    child: Child,
    group: Pid,
    doing: &'static str,
    limit: Duration,
    leash: Option<Leash>,
    stderr: Option<JoinHandle<Vec<u8>>>,
}

struct Leash {
    release: Sender<()>,
    killed: JoinHandle<bool>,
}

impl Running {
    /// Starts `command`; `doing` is the gerund that error messages use.
    ///
    /// Standard input is a pipe when `fed`, and empty otherwise.
    pub(crate) fn spawn(
        command: &mut Command,
        fed: bool,
        doing: &'static str,
        limit: Duration,
    ) -> Result<Self, Unmeasured> {
        let program = command.get_program().to_os_string();
        let failed = |source| Unmeasured::Io {
            doing: "start",
            path: program.into(),
            source,
        };
        let mut child = command
            .stdin(if fed { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let group = Pid::from_child(&child);
        let stderr = child.stderr.take().map(keep_beginning);
        Ok(Self {
            child,
            group,
            doing,
            limit,
            leash: Some(Leash::new(group, limit)),
            stderr,
        })
    }

    pub(crate) fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    pub(crate) fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Waits for the end and turns anything but success into an error.
    pub(crate) fn finish(mut self) -> Result<(), Unmeasured> {
        self.child.stdin.take();
        // The process is observed dead but not yet reaped, so its number still
        // belongs to it for as long as the leash may use that number.
        while rustix::process::waitid(
            WaitId::Pid(self.group),
            WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
        )
        .is_err_and(|error| error == rustix::io::Errno::INTR)
        {}
        let timed_out = self.release();
        let status = self.reap();
        let said = self
            .stderr
            .take()
            .and_then(|reader| reader.join().ok())
            .unwrap_or_default();
        match status {
            _ if timed_out => Err(Unmeasured::Timeout {
                doing: self.doing,
                limit: self.limit,
            }),
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Unmeasured::GitFailed {
                doing: self.doing,
                said: first_line(&said).unwrap_or_else(|| status.to_string()),
            }),
            Err(error) => Err(Unmeasured::GitFailed {
                doing: self.doing,
                said: error.to_string(),
            }),
        }
    }

    /// Reads everything that git prints, up to `limit` bytes, and waits for its end.
    pub(crate) fn output(mut self, limit: u64) -> Result<Vec<u8>, Unmeasured> {
        let mut printed = Vec::new();
        if let Some(stdout) = self.take_stdout() {
            // A failing read ends in `finish`, which knows the better reason.
            let _ = stdout.take(limit + 1).read_to_end(&mut printed);
        }
        if printed.len() as u64 > limit {
            return Err(Unmeasured::TooMuchOutput {
                doing: self.doing,
                limit,
            });
        }
        self.finish()?;
        Ok(printed)
    }

    fn release(&mut self) -> bool {
        let Some(Leash { release, killed }) = self.leash.take() else {
            return false;
        };
        drop(release);
        killed.join().unwrap_or(false)
    }

    fn reap(&mut self) -> std::io::Result<std::process::ExitStatus> {
        // Whatever git started must not outlive it; the group exists until `wait`.
        let _ = rustix::process::kill_process_group(self.group, Signal::KILL);
        self.child.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.leash.is_some() {
            self.release();
            let _ = self.reap();
        }
    }
}

impl Leash {
    fn new(group: Pid, limit: Duration) -> Self {
        let (release, released) = mpsc::channel();
        let killed = thread::spawn(move || {
            let late = released.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            if late {
                let _ = rustix::process::kill_process_group(group, Signal::KILL);
            }
            late
        });
        Self { release, killed }
    }
}

/// Keeps the first bytes and drains the rest, so that a talkative process never blocks.
fn keep_beginning(mut from: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut kept = Vec::new();
        let _ = from.by_ref().take(KEPT_STDERR).read_to_end(&mut kept);
        let _ = std::io::copy(&mut from, &mut std::io::sink());
        kept
    })
}

/// The first line of hostile text, fit to be printed.
fn first_line(said: &[u8]) -> Option<String> {
    let line = said.split(|byte| *byte == b'\n').next()?;
    let shown = &line[..line.len().min(SHOWN_STDERR)];
    (!shown.is_empty()).then(|| shown.escape_ascii().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn shell(script: &str, limit: Duration) -> Running {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        Running::spawn(&mut command, false, "testing", limit).unwrap()
    }

    /// Whether anything in a process group runs. An orphan that was killed stays listed as a
    /// zombie until the system's first process collects it, which is not ours to hurry.
    fn is_alive(group: Pid) -> bool {
        let runs = |stat: String| {
            let (_, fields) = stat.rsplit_once(')').unwrap();
            let fields: Vec<&str> = fields.split_whitespace().collect();
            fields[2] == group.as_raw_pid().to_string() && fields[0] != "Z"
        };
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter_map(|process| std::fs::read_to_string(process.path().join("stat")).ok())
            .any(runs)
    }

    /// A signal has been sent by now, but may take a moment to arrive.
    fn assert_dies(group: Pid) {
        let begun = Instant::now();
        while is_alive(group) {
            assert!(
                begun.elapsed() < Duration::from_secs(10),
                "something lives on"
            );
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn late_process_is_killed_with_its_children() {
        let begun = Instant::now();
        let running = shell("sleep 60 & wait", Duration::from_millis(200));
        let group = running.group;
        let error = running.output(100).unwrap_err();
        assert!(matches!(error, Unmeasured::Timeout { .. }), "{error}");
        assert!(begun.elapsed() < Duration::from_secs(20));
        assert_dies(group);
    }

    #[test]
    fn dropping_ends_the_process() {
        let running = shell("sleep 60", Duration::from_secs(60));
        let group = running.group;
        assert!(is_alive(group));
        drop(running);
        assert_dies(group);
    }

    #[test]
    fn error_text_is_one_escaped_line() {
        let limit = Duration::from_secs(10);
        let error = shell(r"printf 'a\033[2Jb\nsecond\n' >&2; exit 3", limit)
            .output(100)
            .unwrap_err();
        assert_eq!(error.to_string(), r"git failed while testing: a\x1b[2Jb",);
    }

    #[test]
    fn endless_output_is_refused_and_endless_complaints_are_drained() {
        let limit = Duration::from_secs(20);
        let error = shell("while :; do echo yes; done", limit)
            .output(10_000)
            .unwrap_err();
        assert!(matches!(error, Unmeasured::TooMuchOutput { .. }), "{error}");

        let complaints =
            "i=0; while [ $i -lt 20000 ]; do echo complaint >&2; i=$((i+1)); done; echo ok";
        assert_eq!(shell(complaints, limit).output(100).unwrap(), b"ok\n");
    }
}
