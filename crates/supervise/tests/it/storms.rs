//! Trees that multiply or run away faster than one can look.
//!
//! With a control group these are no match, so they run where none can be
//! made; the rounds of SIGKILL have to do.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fusebox_supervise::Cookie;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::support::{Mark, STAGES, eventually, have};

/// A control group that can have none below it; `None` where none could be
/// made anyway.
struct BarrenGroup(PathBuf);

impl BarrenGroup {
    fn create(cookie: &Cookie) -> Option<Self> {
        let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
        let mount = mounts
            .lines()
            .find(|line| line.contains(" cgroup2 "))?
            .split(' ')
            .nth(1)?;
        let dir = Path::new(mount).join(format!("barren-{cookie}"));
        fs::create_dir(&dir).ok()?;
        fs::write(dir.join("cgroup.max.descendants"), "0").ok()?;
        Some(Self(dir))
    }
}

impl Drop for BarrenGroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// A supervisor of `command`, and what must outlive it.
struct Supervised {
    supervisor: Child,
    _group: Option<BarrenGroup>,
    _dir: TempDir,
}

impl Supervised {
    fn start(command: &[&str]) -> Self {
        let dir = TempDir::new().unwrap();
        let cookie = Cookie::random().unwrap();
        let group = BarrenGroup::create(&cookie);
        let join = group
            .as_ref()
            .map(|group| format!("echo 0 >{}/cgroup.procs;", group.0.display()));
        let supervisor = Command::new("sh")
            .args([
                "-c",
                &format!("{} exec \"$@\"", join.unwrap_or_default()),
                "sh",
            ])
            .args([STAGES, "supervise"])
            .arg(dir.path().join("run.lock"))
            .arg(cookie.as_str())
            .args(command)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            supervisor,
            _group: group,
            _dir: dir,
        }
    }

    fn terminate(&self) {
        kill_process(Pid::from_child(&self.supervisor), Signal::TERM).unwrap();
    }

    fn end(self) -> String {
        let output = self.supervisor.wait_with_output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

#[test]
fn a_storm_of_forks_is_ended() {
    let mark = Mark::new();
    // Each shell starts two more, eight levels deep; all ignore SIGTERM.
    let storm =
        "trap '' TERM INT; f() { [ $1 -gt 0 ] && { f $(($1-1)) & f $(($1-1)) & }; SLEEP; }; f 8";
    let storm = storm.replace("SLEEP", &mark.sleep());
    let supervised = Supervised::start(&["sh", "-c", &storm]);
    assert!(eventually(|| mark.sleepers() > 100));
    let began = Instant::now();
    supervised.terminate();
    std::thread::sleep(Duration::from_millis(50));
    supervised.terminate();
    // Shells that outlive a child for a moment may say so.
    let output = supervised.end();
    assert!(output.ends_with("Stopped { by: Signal(15) }\n"), "{output}");
    println!("the storm was over after {:?}", began.elapsed());
    assert_eq!(mark.sleepers(), 0);
}

#[test]
fn a_process_that_never_stays_the_same_is_caught() {
    if !have("perl") {
        return;
    }
    let mark = Mark::new();
    // Every generation forks, leaves its session and exits; none lives for a
    // millisecond. Should it get away, it ends by itself after 30 seconds.
    let runaway = "use POSIX; %ENV = (); $SIG{TERM} = 'IGNORE'; my $end = time + 30;
        while (time < $end) { exit if fork; POSIX::setsid(); }";
    let began = Instant::now();
    let supervised = Supervised::start(&["perl", "-e", runaway, mark.as_str()]);
    assert_eq!(supervised.end(), "Exited(0)\n");
    println!("the runaway was caught after {:?}", began.elapsed());
    // It could slip through one look at the table, but not through fifty.
    assert_eq!((0..50).map(|_| mark.sleepers()).sum::<usize>(), 0);
}
