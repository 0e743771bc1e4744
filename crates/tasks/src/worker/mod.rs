//! Who works on a task, in a way that can be checked.
//!
//! A process id alone names nobody: after a crash, a reboot or in another container
//! the same number is somebody else. A worker is the number, the moment that process
//! began, the boot it began in, and the machine and namespace where the number means
//! anything.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};

/// Where a process id means something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Here {
    /// The machine, by name and by the id that it was installed with.
    pub host: String,
    /// This boot of it.
    pub boot: String,
    /// The namespace of process ids.
    pub namespace: String,
}

impl Here {
    /// This machine, in the boot that the caller knows it to be in.
    #[must_use]
    pub fn read(boot: &str) -> Self {
        let uname = rustix::system::uname();
        let name = uname.nodename().to_string_lossy().into_owned();
        let machine = system::machine();
        Self {
            host: format!("{name}/{}", machine.trim()),
            boot: boot.to_owned(),
            namespace: system::namespace(),
        }
    }

    /// The name of the machine among people.
    #[must_use]
    pub fn host_name(&self) -> &str {
        self.host.split('/').next().unwrap_or_default()
    }
}

/// A process that cannot be mistaken for a later one with the same number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worker {
    /// Where it runs.
    pub place: Here,
    /// Its number there.
    pub pid: i32,
    /// When it began: in ticks since the machine was booted, or on macOS in microseconds
    /// of its clock.
    pub start: u64,
}

/// Whether a worker is alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Life {
    /// Its process runs.
    Alive,
    /// It cannot run any more, for this reason.
    Dead(String),
    /// That cannot be told from here, for this reason.
    Unknown(String),
}

impl Worker {
    /// The process with this number; `None` if none runs.
    #[must_use]
    pub fn of(pid: i32, here: &Here) -> Option<Self> {
        let (start, _) = system::running(pid)?;
        Some(Self {
            place: here.clone(),
            pid,
            start,
        })
    }

    /// Whether it is alive, as far as that can be told from `here`.
    #[must_use]
    pub fn life(&self, here: &Here) -> Life {
        let Self { place, pid, start } = self;
        if place.host != here.host {
            return Life::Unknown(format!("it runs on {}", place.host_name()));
        }
        if place.boot != here.boot {
            return Life::Dead("the machine was booted since".into());
        }
        if place.namespace != here.namespace {
            return Life::Unknown("it runs in another container".into());
        }
        match system::running(*pid) {
            Some((now, _)) if now == *start => Life::Alive,
            Some(_) => Life::Dead(format!("process {pid} is another one by now")),
            None if exists(*pid) => Life::Unknown(format!("process {pid} cannot be looked at")),
            None => Life::Dead(format!("process {pid} is gone")),
        }
    }

    /// Whether it is this process, or one that this process was started from.
    #[must_use]
    pub fn is_our_line(&self, here: &Here) -> bool {
        let mut pid = i32::try_from(std::process::id()).unwrap_or(0);
        while pid > 0 && self.place == *here {
            match system::running(pid) {
                Some((start, _)) if (pid, start) == (self.pid, self.start) => return true,
                Some((_, parent)) => pid = parent,
                None => return false,
            }
        }
        false
    }
}

/// Whether a process has the number, of which some part may still run.
fn exists(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| !matches!(test_kill_process(pid), Err(Errno::SRCH)))
        && system::table_is_readable()
        && !system::ended(pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> i32 {
        i32::try_from(std::process::id()).unwrap()
    }

    #[test]
    fn req_000_011_a_worker_is_dead_when_its_process_is_gone_or_is_another_one() {
        let here = Here::read("boot-1");
        let worker = Worker::of(own(), &here).unwrap();
        assert_eq!(worker.life(&here), Life::Alive);
        assert!(worker.is_our_line(&here));
        let reused = Worker {
            start: worker.start - 1,
            ..worker
        };
        assert!(matches!(reused.life(&here), Life::Dead(why) if why.contains("another one")));
        assert!(!reused.is_our_line(&here));
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let worker = Worker::of(pid, &here).unwrap();
        assert_eq!(worker.life(&here), Life::Alive);
        assert!(!worker.is_our_line(&here));
        child.kill().unwrap();
        // Dead already, though nobody has collected it yet.
        let start = std::time::Instant::now();
        while worker.life(&here) == Life::Alive && start.elapsed().as_secs() < 10 {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        assert!(matches!(worker.life(&here), Life::Dead(_)));
        child.wait().unwrap();
        assert!(matches!(worker.life(&here), Life::Dead(why) if why.contains("is gone")));
    }

    #[test]
    fn elsewhere_nothing_is_known_and_after_a_reboot_everything() {
        let here = Here::read("boot-1");
        let worker = Worker::of(own(), &here).unwrap();
        let elsewhere = Here {
            host: "other/1".into(),
            ..here.clone()
        };
        assert!(matches!(worker.life(&elsewhere), Life::Unknown(_)));
        let container = Here {
            namespace: "pid:[1]".into(),
            ..here.clone()
        };
        assert!(matches!(worker.life(&container), Life::Unknown(_)));
        let rebooted = Here {
            boot: "boot-2".into(),
            ..here
        };
        assert!(matches!(worker.life(&rebooted), Life::Dead(why) if why.contains("booted")));
    }
}
