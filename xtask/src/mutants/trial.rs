//! One run of a test program: in a room of its own, within limits, and without leaving anything
//! behind. A mutant may loop for ever, fill the memory, leave children and files; and since what
//! is changed removes and renames files, it may do that to any file there is.

use super::program::Program;
use anyhow::{Context, Result, ensure};
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

/// Becomes the rest of its words, where everything is read-only but `$1`, in which there is a
/// directory for what is thrown away. What the system only seems to keep in files stays as
/// it is.
const ROOM: &str = r#"
set -e
room=$1
shift
mount --make-rprivate /
mount --bind "$room" "$room"
mount -t tmpfs -o size=1g none "$room/tmp"
if [ -d /dev/shm ]; then mount -t tmpfs -o size=1g none /dev/shm; fi
while read -r _ _ _ _ place _ rest; do
    case $place in "$room" | "$room"/* | /dev/shm) continue ;; esac
    case "${rest#*- }" in proc\ * | sysfs\ * | cgroup* | devpts\ * | mqueue\ *) continue ;; esac
    mount -o remount,bind,ro "$place"
done < /proc/self/mountinfo
exec "$@"
"#;

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
    /// Runs the tests in a room at `room`.
    pub(super) fn run(&self, room: &Path) -> Result<Ended> {
        let temporary = room.join("tmp");
        fs::create_dir_all(&temporary)
            .with_context(|| format!("cannot make {}", temporary.display()))?;
        let (processor, _) = self.seconds();
        let mut child = in_room(room)
            .arg("prlimit")
            // At the second limit it would be killed like any other that fails.
            .arg(format!("--cpu={processor}:{}", processor + 5))
            .arg(format!("--as={MEMORY}"))
            .arg("--core=0")
            .arg(self.test_program)
            .args(["--exact", "--test-threads=1"])
            .args(&self.tests)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .env("CARGO_MANIFEST_DIR", &self.program.directory)
            .env("TMPDIR", &temporary)
            .current_dir(&self.program.directory)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .context("`unshare` cannot be started")?;
        self.watch(&mut child)
    }

    /// Time of the processor is limited rather than time, which depends on who else is at
    /// work; only what sleeps for ever is ended by the clock.
    fn seconds(&self) -> (u64, u64) {
        let usual = self.usual.as_secs();
        (usual * 5 + 5, usual * 20 + 60)
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

/// Whether there can be such a room; no mutant is let loose without one.
pub(super) fn ensure_rooms(scratch: &Path) -> Result<()> {
    let temporary = scratch.join("tmp");
    fs::create_dir_all(&temporary).context("there is no place for a room")?;
    let outside = tempfile::tempdir().context("there is no temporary directory")?;
    let (kept, written) = (outside.path().join("kept"), scratch.join("written"));
    let gone = temporary.join("gone");
    fs::write(&kept, "").context("nothing can be written")?;
    let script = "rm -f \"$1\"; touch \"$2\" && prlimit --core=0 touch \"$3\"";
    let tried = in_room(scratch)
        .args(["sh", "-c", script, "sh"])
        .args([&kept, &gone, &written])
        .output()
        .context("`unshare` cannot be started")?;
    ensure!(
        kept.exists() && written.exists() && !gone.exists(),
        "mutants need a room of their own, which cannot be made here: {}",
        String::from_utf8_lossy(&tried.stderr).trim()
    );
    Ok(())
}

/// The beginning of a command that is run in a room.
fn in_room(room: &Path) -> Command {
    let mut unshare = Command::new("unshare");
    // Whoever is root keeps being so; everybody else is, inside.
    if !rustix::process::geteuid().is_root() {
        unshare.arg("--map-root-user");
    }
    unshare.args(["--mount", "sh", "-c", ROOM, "sh"]).arg(room);
    unshare.stdin(Stdio::null());
    unshare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_of_a_room_is_changed() {
        let scratch = tempfile::tempdir().unwrap();
        if let Err(why) = ensure_rooms(scratch.path()) {
            eprintln!("SKIPPED: {why:#}");
            return;
        }
        let outside = tempfile::tempdir().unwrap();
        let inside = scratch.path().join("tmp/x");
        let script =
            "rm -rf \"$1\"; : > /dev/null; touch /dev/inside; echo in > \"$2\"; cat \"$2\"";
        let output = in_room(scratch.path())
            .args(["sh", "-c", script, "sh"])
            .args([outside.path(), &inside])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "in\n");
        assert!(outside.path().exists() && !Path::new("/dev/inside").exists());
        assert!(!inside.exists());
    }
}
