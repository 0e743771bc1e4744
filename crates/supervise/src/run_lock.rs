//! One run at a time, and never beside the remains of another.
//!
//! Two locks, because two things can be alive. The *run lock* is the
//! supervisor's and goes with it. The *tree lock*, a file beside it, is taken
//! by every keeper before it starts anything, and goes when the keeper has
//! ended the tree. So a supervisor killed in mid-run leaves its workspace
//! locked exactly as long as its agent may still write there, and the message
//! can say which of the two it is. Both are `flock`s: the system drops them
//! with their holder, so no stale file ever blocks anyone, and the name inside
//! is only for the message; nobody is ever signalled because of it.

#[cfg(feature = "fuzzing")]
mod door;

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fusebox_files::regular::{self, Links};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::process::getpid;
use rustix::system::uname;

#[cfg(feature = "fuzzing")]
pub(crate) use door::read_owner;

/// How long a keeper waits for another keeper that is just taking down the
/// tree of a supervisor that died.
const TREE_PATIENCE: Duration = Duration::from_secs(3);

/// How long whoever only asks whether a lock is held may keep it: they take it for a moment, if
/// it is free.
const GLANCE: Duration = Duration::from_millis(100);

/// From one attempt to the next.
const PAUSE: Duration = Duration::from_millis(20);

/// Who wrote itself into a lock file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockOwner {
    /// Its process id.
    pub pid: i32,
    /// When it took the lock.
    pub since: SystemTime,
    /// On which host: lock files on a shared disk are seen by several.
    pub host: String,
}

/// Why a lock could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another supervisor is running.
    #[error("a run is already in progress here{} (lock file {})", named(owner), path.display())]
    Supervised {
        /// The lock file.
        path: PathBuf,
        /// Who holds it, if that could be read.
        owner: Option<LockOwner>,
    },
    /// A supervisor has died, and its keeper is still ending the tree.
    #[error("the last run has died, and its processes are still being ended{} (lock file {})", named(owner), path.display())]
    TreeAlive {
        /// The lock file.
        path: PathBuf,
        /// The keeper, if its name could be read.
        owner: Option<LockOwner>,
    },
    /// The lock file cannot be used.
    #[error("cannot lock {}: {source}", path.display())]
    Unusable {
        /// The lock file.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
}

fn named(owner: &Option<LockOwner>) -> String {
    owner
        .as_ref()
        .map(|owner| format!(" ({owner})"))
        .unwrap_or_default()
}

/// Held by the supervisor of a workspace as long as it lives.
#[derive(Debug)]
pub struct RunLock {
    path: PathBuf,
    /// Closing it is what releases the lock.
    file: File,
}

impl RunLock {
    /// Takes the lock or says who has it. Waits for those alone who only ask.
    pub fn take(path: &Path) -> Result<Self, LockError> {
        let path = path.to_owned();
        let file = match lock_within(&path, GLANCE)? {
            Attempt::Taken(file) => file,
            Attempt::Held(owner) => return Err(LockError::Supervised { path, owner }),
        };
        let lock = Self { path, file };
        // No keeper of ours runs yet, so whoever holds the tree lock is left
        // over. Ours will take it again for every step.
        let tree = lock.tree_lock().path;
        match lock_within(&tree, GLANCE)? {
            Attempt::Taken(_) => Ok(lock),
            Attempt::Held(owner) => Err(LockError::TreeAlive { path: tree, owner }),
        }
    }

    /// Whether a supervisor holds the lock, or a keeper what is left of its tree.
    /// Changes nothing, and takes a free lock no longer than it takes to ask; a lock that cannot
    /// be looked at counts as held.
    #[must_use]
    pub fn is_held(path: &Path) -> bool {
        let tree = Self::tree_path(path);
        [path, &tree]
            .into_iter()
            .any(|path| match regular::open(path, Links::Refuse) {
                Ok(file) => flock(&file, FlockOperation::NonBlockingLockShared).is_err(),
                Err(error) => error.kind() != io::ErrorKind::NotFound,
            })
    }

    /// Whether the lock is held, and by this process as far as its holder says. Changes
    /// nothing.
    #[must_use]
    pub fn is_held_by(path: &Path, pid: i32) -> bool {
        let Ok(mut file) = regular::open(path, Links::Refuse) else {
            return false;
        };
        let is_held = flock(&file, FlockOperation::NonBlockingLockShared) == Err(Errno::WOULDBLOCK);
        is_held && LockOwner::read(&mut file).is_some_and(|owner| owner.pid == pid)
    }

    /// Whether what others find at its path is still this lock. One that was removed keeps
    /// nobody out.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        let there = fs::symlink_metadata(&self.path);
        let (Ok(there), Ok(held)) = (there, self.file.metadata()) else {
            return false;
        };
        (there.dev(), there.ino()) == (held.dev(), held.ino())
    }

    /// The lock that keepers hold, for [`Step::hold`](crate::Step::hold).
    #[must_use]
    pub fn tree_lock(&self) -> TreeLock {
        TreeLock {
            path: Self::tree_path(&self.path),
        }
    }

    fn tree_path(path: &Path) -> PathBuf {
        let mut path = OsString::from(path);
        path.push(".tree");
        path.into()
    }
}

/// Names the lock that is held as long as anything of a tree may live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeLock {
    path: PathBuf,
}

impl TreeLock {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Takes a tree lock for the calling keeper.
pub(crate) fn hold_tree_lock(path: &Path) -> Result<File, LockError> {
    match lock_within(path, TREE_PATIENCE)? {
        Attempt::Taken(file) => Ok(file),
        Attempt::Held(owner) => Err(LockError::TreeAlive {
            path: path.to_owned(),
            owner,
        }),
    }
}

/// Tries until the lock is free or the time is over.
fn lock_within(path: &Path, patience: Duration) -> Result<Attempt, LockError> {
    let until = Instant::now() + patience;
    loop {
        match try_lock(path)? {
            Attempt::Held(_) if Instant::now() < until => thread::sleep(PAUSE),
            attempt => return Ok(attempt),
        }
    }
}

enum Attempt {
    Taken(File),
    Held(Option<LockOwner>),
}

fn try_lock(path: &Path) -> Result<Attempt, LockError> {
    let unusable = |source: io::Error| LockError::Unusable {
        path: path.to_owned(),
        source,
    };
    let mut file = regular::update(path).map_err(unusable)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Ok(Attempt::Held(LockOwner::read(&mut file))),
        Err(errno) => return Err(unusable(errno.into())),
    }
    LockOwner::this_process()
        .write(&mut file)
        .map_err(unusable)?;
    Ok(Attempt::Taken(file))
}

impl LockOwner {
    fn this_process() -> Self {
        Self {
            pid: getpid().as_raw_pid(),
            since: SystemTime::now(),
            host: uname().nodename().to_string_lossy().into_owned(),
        }
    }

    fn seconds(&self) -> u64 {
        self.since
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs()
    }

    fn write(&self, file: &mut File) -> io::Result<()> {
        file.set_len(0)?;
        write!(file, "{} {} {}", self.pid, self.seconds(), self.host)
    }

    /// The holder may be about to write this, or someone else may have written
    /// anything; then there is no name to tell.
    fn read(file: &mut File) -> Option<Self> {
        let mut text = String::new();
        file.take(1024).read_to_string(&mut text).ok()?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut fields = text.splitn(3, ' ');
        let pid = fields.next()?.parse().ok()?;
        let seconds = Duration::from_secs(fields.next()?.parse().ok()?);
        let since = UNIX_EPOCH.checked_add(seconds)?;
        Some(Self {
            pid,
            since,
            host: fields.next()?.to_owned(),
        })
    }
}

impl fmt::Display for LockOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let age = self.since.elapsed().unwrap_or_default().as_secs();
        write!(f, "process {} on {}, for {age} s", self.pid, self.host)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::sync::{Arc, Barrier};

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn of_fifty_contenders_exactly_one_wins() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("run.lock");
        let start = Arc::new(Barrier::new(50));
        let contenders: Vec<_> = (0..50)
            .map(|_| {
                let (path, start) = (path.clone(), Arc::clone(&start));
                thread::spawn(move || {
                    start.wait();
                    RunLock::take(&path).ok()
                })
            })
            .collect();
        let taken: Vec<_> = contenders
            .into_iter()
            .filter_map(|c| c.join().unwrap())
            .collect();
        assert_eq!(taken.len(), 1);
        drop(taken);
        RunLock::take(&path).unwrap();
    }

    /// Prompts and status lines ask all the time.
    #[test]
    fn who_only_asks_keeps_no_run_from_beginning() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("run.lock");
        for asked in [path.clone(), RunLock::tree_path(&path)] {
            let glance = regular::update(&asked).unwrap();
            flock(&glance, FlockOperation::NonBlockingLockShared).unwrap();
            let asker = thread::spawn(move || {
                thread::sleep(Duration::from_millis(30));
                drop(glance);
            });
            RunLock::take(&path).unwrap();
            asker.join().unwrap();
        }
    }

    #[test]
    fn the_refusal_names_the_owner() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("run.lock");
        let _held = RunLock::take(&path).unwrap();
        let Err(LockError::Supervised {
            owner: Some(owner), ..
        }) = RunLock::take(&path)
        else {
            panic!("the lock was not refused with a name");
        };
        let here = getpid().as_raw_pid();
        assert_eq!(owner.pid, here);
        assert!(RunLock::is_held_by(&path, here));
        assert!(!RunLock::is_held_by(&path, here + 1));
        assert!(owner.since.elapsed().unwrap() < Duration::from_secs(60));
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_tree_that_outlives_its_supervisor_keeps_the_workspace_locked() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("run.lock");
        let tree = RunLock::take(&path).unwrap().tree_lock();
        let held = hold_tree_lock(tree.path()).unwrap();
        let refused = RunLock::take(&path);
        assert!(matches!(
            refused,
            Err(LockError::TreeAlive { owner: Some(_), .. })
        ));
        drop(held);
        RunLock::take(&path).unwrap();
    }

    #[test]
    fn a_name_in_a_stale_file_means_nothing() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("run.lock");
        let mut bystander = std::process::Command::new("sleep")
            .arg("30")
            .spawn()
            .unwrap();
        fs::write(
            &path,
            format!("{} 0 elsewhere and much longer", bystander.id()),
        )
        .unwrap();
        let named = bystander.id().try_into().unwrap();
        assert!(!RunLock::is_held_by(&path, named), "a name holds nothing");
        let taken = RunLock::take(&path);
        let alive = bystander.try_wait().unwrap().is_none();
        bystander.kill().unwrap();
        bystander.wait().unwrap();
        assert!(taken.is_ok() && alive);
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            !text.contains("elsewhere"),
            "the old name is still there: {text}"
        );
    }

    #[test]
    fn a_symbolic_link_is_not_followed() {
        let dir = TempDir::new().unwrap();
        let target = dir.path().join("precious");
        fs::write(&target, "keep").unwrap();
        symlink(&target, dir.path().join("run.lock")).unwrap();
        let refused = RunLock::take(&dir.path().join("run.lock"));
        assert!(matches!(refused, Err(LockError::Unusable { .. })));
        assert_eq!(fs::read_to_string(&target).unwrap(), "keep");
    }
}
