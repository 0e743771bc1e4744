//! The processes of clients, each with clocks that are wrong in its own way.
//!
//! The boot-time clock is wrong by a namespace of the kernel's, the wall clock by
//! libfaketime, each where there is one; what was reached is told by the clients and
//! printed with the figures.

use std::collections::HashSet;
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use fusebox_fleet::Id;

use crate::client::{uptime_s, wall_s};

/// The word that makes this program a process of clients.
pub(crate) const CLIENTS: &str = "clients";
/// As many processes as can have different clocks without crowding the machine.
const PROCESSES: u64 = 8;
/// How wrong a clock is at most, in seconds.
const WRONG_S: i64 = 3_600;
const FAKETIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

/// What all clients told so far.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) attempts: u64,
    pub(crate) asked_again: u64,
    pub(crate) granted: HashSet<Id>,
    /// How far their clocks are ahead of ours.
    pub(crate) wall_off_s: Vec<i64>,
    pub(crate) boot_off_s: Vec<i64>,
}

/// All processes.
pub(crate) struct Crew {
    processes: Vec<(Child, JoinHandle<()>)>,
    told: Arc<Mutex<Told>>,
}

impl Crew {
    pub(crate) fn start(url: &str, clients: u64) -> Result<Self, Box<dyn Error>> {
        let count = clients.clamp(1, PROCESSES);
        let has_namespaces = can_shift_boot_time();
        let mut crew = Self {
            processes: Vec::new(),
            told: Arc::default(),
        };
        for index in 0..count {
            // From an hour behind to an hour ahead.
            let place = i64::try_from(index * 2)?;
            let last = i64::try_from((count - 1).max(1))?;
            let off_s = place * WRONG_S / last - WRONG_S;
            let threads = clients / count + u64::from(index < clients % count);
            let mut command = wrong_by(off_s, has_namespaces)?;
            command.args([CLIENTS, url, &threads.to_string()]);
            let mut child = command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()?;
            let out = child.stdout.take().ok_or("no output")?;
            let told = Arc::clone(&crew.told);
            crew.processes
                .push((child, thread::spawn(move || listen(out, &told))));
        }
        Ok(crew)
    }

    /// Waits until what was told is enough. A process that ends before that is an error.
    pub(crate) fn wait_until(
        &self,
        pulse: Duration,
        enough: impl Fn(&Told) -> bool,
    ) -> Result<(), Box<dyn Error>> {
        loop {
            if enough(&self.told.lock().unwrap_or_else(PoisonError::into_inner)) {
                return Ok(());
            }
            if self
                .processes
                .iter()
                .any(|(_, listens)| listens.is_finished())
            {
                return Err("a process of clients has ended".into());
            }
            thread::sleep(pulse);
        }
    }

    /// Has them end what they began.
    pub(crate) fn end(self) -> Result<Told, Box<dyn Error>> {
        let mut ending = Vec::new();
        for (mut child, listens) in self.processes {
            drop(child.stdin.take());
            ending.push((child, listens));
        }
        for (mut child, listens) in ending {
            listens.join().map_err(|_| "a listener panicked")?;
            let status = child.wait()?;
            if !status.success() {
                return Err(format!("a process of clients failed: {status}").into());
            }
        }
        let told = std::mem::take(&mut *self.told.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(told)
    }
}

fn can_shift_boot_time() -> bool {
    let tried = Command::new("unshare")
        .args(["--time", "--boottime", "1", "--monotonic", "1", "true"])
        .stderr(Stdio::null())
        .status();
    tried.is_ok_and(|status| status.success())
}

/// This program with clocks that are wrong.
fn wrong_by(off_s: i64, has_namespaces: bool) -> Result<Command, Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let mut command = if has_namespaces {
        let off = off_s.to_string();
        let mut command = Command::new("unshare");
        command.args(["--time", "--boottime", &off, "--monotonic", &off]);
        command.arg(program);
        command
    } else {
        Command::new(program)
    };
    if Path::new(FAKETIME).is_file() {
        command
            .env("LD_PRELOAD", FAKETIME)
            .env("FAKETIME", format!("{off_s:+}s"))
            // Waits are measured on that one, by the kernel, which knows of no other.
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }
    Ok(command)
}

fn listen(out: ChildStdout, told: &Mutex<Told>) {
    for line in BufReader::new(out).lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split(' ').collect();
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        match words[..] {
            ["granted", name] => told.granted.extend(name.parse::<Id>().ok()),
            ["made", attempts, again] => {
                told.attempts += attempts.parse::<u64>().unwrap_or(0);
                told.asked_again += again.parse::<u64>().unwrap_or(0);
            }
            ["clocks", wall, boot] => {
                let off = |text: &str, ours: i64| text.parse().unwrap_or(ours) - ours;
                told.wall_off_s.push(off(wall, wall_s()));
                told.boot_off_s.push(off(boot, uptime_s().unwrap_or(0)));
            }
            _ => {}
        }
    }
}
