//! Runs a command, but not for ever.
//!
//! The command stays in our process group, so that Ctrl-C reaches all of it
//! as people expect. The price is that running late cannot be answered by
//! killing a group; the tree under the command is looked up in `/proc`
//! instead, and nothing outside that tree is touched.

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The moment past which a command is stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    pub(crate) fn after(duration: Duration) -> Self {
        Self(Instant::now() + duration)
    }

    /// This deadline, or `duration` from now if that is sooner.
    pub(crate) fn or_after(self, duration: Duration) -> Self {
        Self(self.0.min(Instant::now() + duration))
    }

    pub(crate) fn has_passed(self) -> bool {
        Instant::now() >= self.0
    }
}

/// How a command ended.
#[derive(Debug)]
pub(crate) enum Ended {
    Exited(ExitStatus),
    /// It was still running at the deadline, and was killed with everything
    /// under it.
    Overran,
}

/// Runs `command` to its end or to the deadline.
///
/// Its standard error goes to our standard output: there is one stream, in
/// the order in which things happened, and the closing lines of every test
/// runner are in it.
pub(crate) fn run(command: &mut Command, deadline: Deadline) -> Result<Ended> {
    watch(command.stderr(Stdio::from(io::stdout())), deadline)
}

/// The same, with all that it says put into `said` instead.
pub(crate) fn hear(command: &mut Command, said: &File, deadline: Deadline) -> Result<Ended> {
    let place = || said.try_clone().context("no place for what is said");
    watch(command.stdout(place()?).stderr(place()?), deadline)
}

fn watch(command: &mut Command, deadline: Deadline) -> Result<Ended> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .spawn()
        .with_context(|| format!("`{program}` cannot be started"))?;
    loop {
        let status = child
            .try_wait()
            .with_context(|| format!("`{program}` cannot be waited for"))?;
        if let Some(status) = status {
            return Ok(Ended::Exited(status));
        }
        if deadline.has_passed() {
            kill_tree(Pid::from_child(&child));
            child
                .wait()
                .with_context(|| format!("`{program}` cannot be waited for"))?;
            return Ok(Ended::Overran);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Kills parents before children, so that none is replaced meanwhile. What
/// has already ended by itself needs no killing, hence no error either.
fn kill_tree(root: Pid) {
    let parents = parents();
    let mut tree = vec![root];
    let mut next = 0;
    while let Some(&parent) = tree.get(next) {
        let children = parents.iter().filter(|(_, of)| *of == parent);
        tree.extend(children.map(|(child, _)| child));
        next += 1;
    }
    for pid in tree {
        kill_process(pid, Signal::KILL).ok();
    }
}

/// Every process that can be seen, with its parent.
fn parents() -> Vec<(Pid, Pid)> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| {
            let stat = std::fs::read_to_string(entry.ok()?.path().join("stat")).ok()?;
            parse_stat(&stat)
        })
        .collect()
}

/// Reads `pid (name) state parent …`. The name may hold anything, closing
/// parentheses included, so the last one counts.
fn parse_stat(stat: &str) -> Option<(Pid, Pid)> {
    let (pid, _) = stat.split_once(' ')?;
    let (_, after_name) = stat.rsplit_once(')')?;
    let parent = after_name.split_whitespace().nth(1)?;
    Some((
        Pid::from_raw(pid.parse().ok()?)?,
        Pid::from_raw(parent.parse().ok()?)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_command_in_time_reports_its_status() {
        let deadline = Deadline::after(Duration::from_secs(20));
        for (script, code) in [("exit 0", 0), ("exit 7", 7)] {
            match run(&mut shell(script), deadline).unwrap() {
                Ended::Exited(status) => assert_eq!(status.code(), Some(code)),
                Ended::Overran => panic!("`{script}` does not take 20 seconds"),
            }
        }
    }

    #[test]
    fn a_command_that_overruns_is_killed_with_its_children() {
        let directory = tempfile::tempdir().unwrap();
        let note = directory.path().join("pid");
        let script = format!("sleep 60 & echo $! > {}; wait", note.display());
        let started = Instant::now();
        let deadline = Deadline::after(Duration::from_millis(500));
        let ended = run(&mut shell(&script), deadline).unwrap();
        assert!(matches!(ended, Ended::Overran), "{ended:?}");
        assert!(started.elapsed() < Duration::from_secs(20));

        let grandchild = std::fs::read_to_string(note).unwrap();
        assert!(has_ended(grandchild.trim()), "{grandchild}");
    }

    /// Whether a process is gone, or only waits to be reaped by whoever
    /// inherited it.
    fn has_ended(pid: &str) -> bool {
        let running = || match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(stat) => !stat.contains(") Z "),
            Err(_) => false,
        };
        let patience = Deadline::after(Duration::from_secs(5));
        while running() && !patience.has_passed() {
            thread::sleep(POLL_INTERVAL);
        }
        !running()
    }

    #[test]
    fn the_name_in_a_stat_line_cannot_mislead() {
        let (pid, parent) = parse_stat("12 (a) S 1 (b) ) R 7 12 12 0").unwrap();
        assert_eq!(
            (pid.as_raw_nonzero().get(), parent.as_raw_nonzero().get()),
            (12, 7)
        );
    }
}
