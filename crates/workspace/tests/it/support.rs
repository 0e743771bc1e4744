//! A workspace to be measured, and a git to make it with.
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use fusebox_workspace::{Budget, ChangeKind, Changes, Git, Shadow, SnapshotId};
use tempfile::TempDir;

/// A workspace beside a state directory, both gone when dropped.
pub(crate) struct Bench {
    home: TempDir,
}

impl Bench {
    /// `None`, with a word about it, if git is not installed.
    pub(crate) fn new() -> Option<Self> {
        let search = std::env::var_os("PATH").unwrap_or_default();
        if let Err(missing) = Git::find(&search, &[]) {
            eprintln!("SKIPPED: {missing}");
            return None;
        }
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("root")).unwrap();
        Some(Self { home })
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.home.path().join("root")
    }

    /// The directory that holds root and state.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.home.path().join("state")
    }

    pub(crate) fn shadow(&self) -> Shadow {
        self.shadow_within(Budget::default())
    }

    pub(crate) fn shadow_within(&self, budget: Budget) -> Shadow {
        self.open(None, budget)
    }

    pub(crate) fn shadow_excluding(&self, user_excludes: PathBuf) -> Shadow {
        self.open(Some(user_excludes), Budget::default())
    }

    fn open(&self, user_excludes: Option<PathBuf>, budget: Budget) -> Shadow {
        let search = std::env::var_os("PATH").unwrap();
        let git = Git::find(&search, &[&self.root()]).unwrap();
        Shadow::open(git, &self.root(), &self.state(), user_excludes, budget).unwrap()
    }

    pub(crate) fn write(&self, path: impl AsRef<OsStr>, content: impl AsRef<[u8]>) {
        let path = self.root().join(path.as_ref());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    pub(crate) fn make_executable(&self, path: &str) {
        let path = self.root().join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn fifo(&self, path: &str) {
        rustix::fs::mknodat(
            rustix::fs::CWD,
            self.root().join(path),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
    }

    /// Runs the user's git in the workspace, or below it.
    pub(crate) fn git_in(&self, directory: &str, arguments: &[&str]) -> std::process::Output {
        user_git(&self.root().join(directory), arguments)
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        let output = self.git_in("", arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {said}");
    }

    pub(crate) fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "all"]);
    }
}

pub(crate) fn user_git(directory: &Path, arguments: &[&str]) -> std::process::Output {
    let identity = ["-c", "user.name=n", "-c", "user.email=e"];
    Command::new("git")
        .args(identity)
        .args([
            "-c",
            "protocol.file.allow=always",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap()
}

pub(crate) fn bytes(path: &[u8]) -> &OsStr {
    OsStr::from_bytes(path)
}

/// The id of a fresh snapshot.
pub(crate) fn id(shadow: &mut Shadow) -> SnapshotId {
    shadow.snapshot().unwrap().id
}

/// The kinds and paths of some changes, for comparison with a literal.
/// Runs a test as a user to whom files can be closed. None are to root, who becomes another one
/// for it, in a thread that has no powers left.
pub(crate) fn without_powers(test: impl FnOnce() + Send) {
    if !rustix::process::geteuid().is_root() {
        return test();
    }
    #[cfg(target_os = "linux")]
    std::thread::scope(|scope| {
        let nobody = rustix::process::Uid::from_raw(65534);
        let other = scope.spawn(move || {
            rustix::thread::set_thread_res_uid(nobody, nobody, nobody).unwrap();
            test();
        });
        other.join().unwrap();
    });
    #[cfg(not(target_os = "linux"))]
    eprintln!("SKIPPED: nothing is closed to root");
}

pub(crate) fn kinds(changes: &Changes) -> Vec<(ChangeKind, &[u8])> {
    assert_eq!(changes.total, changes.files.len());
    changes
        .files
        .iter()
        .map(|change| (change.kind, change.path.as_os_str().as_bytes()))
        .collect()
}
