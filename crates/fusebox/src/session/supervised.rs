//! What a supervisor of the circuit leaves for others: its files, its socket, and what it
//! tells those it starts.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use fusebox_core::Circuit;
use fusebox_core::circuit::{Cause, Run};
use fusebox_core::journal::Losses;
use fusebox_core::machine::{self, Trip};
use fusebox_files::regular;
use fusebox_store::CircuitName;
use fusebox_supervise::{Cookie, RunLock, ancestry_of, find_orphans, supervisor};
use fusebox_view::phrase;

use super::{Outcome, Session};
use crate::caller;
use crate::failure::Failure;
use crate::last_run;

/// No mark is longer.
const COOKIE_BYTES: u64 = 256;

/// The mark in a file, if it holds one.
pub(crate) fn cookie_at(path: &Path) -> Option<Cookie> {
    let text = String::from_utf8(regular::read(path, COOKIE_BYTES).ok()?).ok()?;
    Cookie::parse(text.trim())
}

impl Session {
    /// Opens the breaker because the ground is gone. Nobody asked for it, and only a person
    /// closes it.
    pub(crate) fn trip_unasked(&self, reason: String) -> Result<Outcome, Failure> {
        let trip = Trip {
            reason,
            by: caller::anyone(),
            cause: Cause::Supervisor,
        };
        self.apply(|circuit, policy, now| machine::trip(circuit, policy, trip, now))
    }

    /// Lets the engine count what was lost of what is protected: the first that is missing
    /// opens the breaker.
    pub(crate) fn count_losses(&self, losses: Losses) -> Result<Outcome, Failure> {
        self.apply(|circuit, policy, now| machine::lost(circuit, policy, losses, now))
    }

    /// The lock that a supervisor of this circuit holds.
    pub(crate) fn run_lock(&self) -> PathBuf {
        self.of_the_run("lock")
    }

    /// Whether a supervisor of this circuit lives.
    pub(crate) fn has_live_run(&self) -> bool {
        RunLock::is_held(&self.run_lock())
    }

    /// What `look` finds of the state, and whether a supervisor of this circuit lives.
    pub(crate) fn with_life<T>(&self, look: impl FnOnce() -> T) -> (T, bool) {
        last_run::with_life(|| self.has_live_run(), look)
    }

    /// Whether the run that `circuit` knows of is under way: the log knows no end of it, and its
    /// lock is held. Anybody can hold a lock, so a lock alone shows nothing.
    pub(crate) fn is_beside_the_run_of(&self, circuit: &Circuit) -> bool {
        // Who ends tells so before the lock is free.
        under_way(circuit).is_some() && self.has_live_run()
    }

    /// Whether this process runs under the run that `circuit` knows of.
    pub(crate) fn is_inside_its_run(&self, circuit: &Circuit) -> bool {
        let told = under_way(circuit).and_then(pid_of);
        told.is_some() && supervisor(&self.run_lock()) == told
    }

    /// Whether the very process that began the run that `circuit` knows of is alive and holds
    /// the lock: whoever holds it in its place looks after nothing.
    pub(crate) fn is_looked_after(&self, circuit: &Circuit) -> bool {
        under_way(circuit).and_then(pid_of).is_some_and(|pid| {
            RunLock::is_held_by(&self.run_lock(), pid) && !ancestry_of(pid).line.is_empty()
        })
    }

    /// Whether a supervisor of the circuit with this name lives.
    pub(crate) fn has_supervisor(&self, circuit: &CircuitName) -> bool {
        RunLock::is_held(&self.of_a_run(circuit, "lock"))
    }

    /// A circuit of this workspace that has a supervisor now.
    pub(crate) fn running(&self) -> Option<CircuitName> {
        let dir = fs::read_dir(self.located.workspace_dir()).ok()?;
        let locks = dir.flatten().filter_map(|entry| {
            let name = entry.file_name();
            let name = name.to_str()?.strip_prefix("run-")?.strip_suffix(".lock")?;
            name.parse().ok()
        });
        let mut circuits = locks.filter(|circuit| self.has_supervisor(circuit));
        circuits.next()
    }

    /// The file with the mark of the processes that a supervisor started.
    pub(crate) fn cookie_file(&self) -> PathBuf {
        self.of_the_run("cookie")
    }

    /// Processes of a run whose supervisor is gone, in a line; the next run ends
    /// them.
    pub(crate) fn orphans(&self) -> Option<String> {
        if RunLock::is_held(&self.run_lock()) {
            return None;
        }
        let left = find_orphans(&cookie_at(&self.cookie_file())?);
        let names: Vec<String> = left
            .iter()
            .take(5)
            .map(|one| format!("{} {}", one.pid, one.name))
            .collect();
        (!left.is_empty()).then(|| {
            format!(
                "{} of a run that was killed still alive ({}); the next `fusebox run` ends them",
                phrase::count(left.len() as u64, "process"),
                names.join(", ")
            )
        })
    }

    /// Where a supervisor of this circuit is asked for something.
    pub(crate) fn request_file(&self) -> PathBuf {
        self.of_the_run("request")
    }

    /// What hooks and other commands inside a step have to be told so that they mean this
    /// circuit, and not the one they would find by themselves.
    pub(crate) fn bearings(&self) -> Vec<(OsString, OsString)> {
        let mut told = vec![("FUSEBOX_CIRCUIT".into(), self.circuit.to_string().into())];
        if self.named_state {
            let state = self.homes.state.clone();
            told.push(("FUSEBOX_STATE_DIR".into(), state.into()));
        }
        // A step starts in the root of the workspace, wherever we were started.
        if let Some(Ok(config)) = self.config.as_ref().map(std::path::absolute) {
            told.push(("FUSEBOX_CONFIG".into(), config.into()));
        }
        told
    }

    /// Where a supervisor of this circuit hears hooks.
    pub(crate) fn socket(&self) -> PathBuf {
        self.of_the_run("sock")
    }

    fn of_the_run(&self, kind: &str) -> PathBuf {
        self.of_a_run(&self.circuit, kind)
    }

    fn of_a_run(&self, circuit: &CircuitName, kind: &str) -> PathBuf {
        let dir = self.located.workspace_dir();
        dir.join(format!("run-{circuit}.{kind}"))
    }
}

/// The run that began and did not end.
fn under_way(circuit: &Circuit) -> Option<&Run> {
    circuit.run.as_ref().filter(|run| run.ended.is_none())
}

/// Its supervisor's process.
fn pid_of(run: &Run) -> Option<i32> {
    run.pid.and_then(|pid| pid.try_into().ok())
}
