//! A home, a memory and a work tree for one test.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::call::{Call, Finished};

/// The program as it is shipped.
pub(crate) const FUSEBOX: &str = env!("CARGO_BIN_EXE_fusebox");
/// The same program with a clock that can be set.
pub(crate) const FUSEBOX_TEST: &str = env!("CARGO_BIN_EXE_fusebox-test");

/// The operator's key, where a test plays a person.
pub(crate) const KEY: &str = "secret";
const KEY_SHA256: &str = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

/// Everything one test owns; gone when dropped.
pub(crate) struct TestContext {
    top: TempDir,
    /// What goes before every call: a command that gives up root's powers.
    prefix: &'static [&'static str],
}

/// Acts as a user without powers.
const AS_NOBODY: [&str; 4] = [
    "setpriv",
    "--reuid=65534",
    "--regid=65534",
    "--clear-groups",
];

impl TestContext {
    pub(crate) fn new() -> Self {
        let top = tempfile::tempdir().unwrap();
        for name in ["home", "work"] {
            fs::DirBuilder::new()
                .mode(0o700)
                .create(top.path().join(name))
                .unwrap();
        }
        Self { top, prefix: &[] }
    }

    /// With a git repository that has one commit; `None`, with a word about it,
    /// if git is not installed.
    pub(crate) fn with_repository() -> Option<Self> {
        let context = Self::new();
        if Command::new("git").arg("--version").output().is_err() {
            eprintln!("SKIPPED: git is not installed");
            return None;
        }
        context.git(&["init", "-q", "-b", "main"]);
        fs::write(context.work().join("a.txt"), "one\ntwo\n").unwrap();
        context.git(&["add", "-A"]);
        context.git(&["commit", "-qm", "first"]);
        Some(context)
    }

    /// Whose calls can be denied access; `None`, with a word about it, where
    /// only root is to be had.
    pub(crate) fn unprivileged() -> Option<Self> {
        let mut context = Self::new();
        if !rustix::process::geteuid().is_root() {
            return Some(context);
        }
        context.prefix = &AS_NOBODY;
        for name in ["", "home", "work"] {
            std::os::unix::fs::chown(context.path(name), Some(65534), Some(65534)).unwrap();
        }
        let able = context.fusebox(&["--version"]).run();
        if able.code != 0 {
            eprintln!("SKIPPED: cannot act as another user: {}", able.err());
            return None;
        }
        Some(context)
    }

    /// A path beside the work tree.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.top.path().join(name)
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.path("work")
    }

    /// The environment every call gets, and nothing else.
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        vec![
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", self.path("home").into()),
            ("XDG_STATE_HOME", self.path("state").into()),
            ("XDG_DATA_HOME", self.path("data").into()),
            ("XDG_CONFIG_HOME", self.path("config").into()),
            ("TMPDIR", self.path("home").into()),
            ("USER", "somebody".into()),
            ("LANG", "C.UTF-8".into()),
        ]
    }

    /// A call of any program.
    pub(crate) fn call(&self, program: &Path, args: &[&str]) -> Call {
        self.environment()
            .into_iter()
            .fold(
                Call::new(self.prefix, program, args),
                |call, (name, value)| call.env(name, value),
            )
            .inside(self.work())
    }

    /// A call of the program as it is shipped.
    pub(crate) fn fusebox(&self, args: &[&str]) -> Call {
        self.call(Path::new(FUSEBOX), args)
    }

    /// The program in a place that everybody can reach, for those who start it once more: what
    /// is built may lie in a home that is closed to others.
    pub(crate) fn program_for_all(&self) -> PathBuf {
        let place = self.path("fusebox");
        if !place.exists() {
            fs::copy(FUSEBOX, &place).unwrap();
        }
        place
    }

    /// A call that believes it is `now`.
    pub(crate) fn at(&self, now: &str, args: &[&str]) -> Call {
        self.call(Path::new(FUSEBOX_TEST), args)
            .env("FUSEBOX_NOW", now)
    }

    /// A call that supervises a shell script; `options` go before it.
    pub(crate) fn supervise(&self, options: &[&str], script: &str) -> Call {
        let mut args = vec!["run"];
        args.extend(options);
        args.extend(["--", "sh", "-c", script]);
        self.fusebox(&args)
    }

    /// Runs git in the work tree.
    pub(crate) fn git(&self, args: &[&str]) {
        self.git_in(&self.work(), args);
    }

    pub(crate) fn git_in(&self, directory: &Path, args: &[&str]) {
        let done = Command::new("git")
            .current_dir(directory)
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
            .args(args)
            .env_clear()
            .envs(self.environment())
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
    }

    /// Puts a program into a directory of its own and gives its path.
    pub(crate) fn script(&self, name: &str, text: &str) -> PathBuf {
        let directory = self.path("bin");
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Opens the breaker by three reports without progress.
    pub(crate) fn open_breaker(&self) {
        for code in [0, 0, 42] {
            self.fusebox(&["record", "--files-changed", "0"])
                .run()
                .expect(code);
        }
    }

    /// The state as `status --json` tells it.
    #[track_caller]
    pub(crate) fn state(&self) -> String {
        let status = self.fusebox(&["status", "--json"]).run().expect(0);
        status.json()["state"].as_str().unwrap().to_owned()
    }

    /// Writes the hash of the operator's key where the user keeps it.
    pub(crate) fn hold_key(&self) {
        let directory = self.path("config/fusebox");
        fs::create_dir_all(&directory).unwrap();
        let line = format!("operator_key_sha256 = \"{KEY_SHA256}\"\n");
        fs::write(directory.join("config.toml"), line).unwrap();
    }

    /// Resets with the operator's key.
    pub(crate) fn reset(&self) -> Finished {
        self.hold_key();
        self.fusebox(&["reset", "--reason", "looked at it"])
            .env("FUSEBOX_OPERATOR_KEY", KEY)
            .run()
    }

    /// Every file of the memory with its content; both copies.
    pub(crate) fn memory(&self) -> Files {
        let mut files = Files::new();
        for name in ["state", "data"] {
            collect(&self.path(name), &mut files);
        }
        files
    }

    /// Where the one workspace of this test keeps the circuit `default`.
    pub(crate) fn store(&self) -> StorePaths {
        let state = self.path("state/fusebox");
        let workspace = fs::read_dir(&state)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .find(|path| path.join("workspace").exists() || path.join("circuits").exists())
            .unwrap();
        let heads = self
            .path("data/fusebox/heads")
            .join(workspace.file_name().unwrap());
        let circuit = workspace.join("circuits/default");
        StorePaths {
            log: circuit.join("log"),
            slots: circuit.join("slots"),
            head: heads.join("default"),
            index: state.join("index"),
            workspace,
            circuit,
            state,
            heads,
        }
    }
}

/// Where things are kept.
pub(crate) struct StorePaths {
    pub(crate) state: PathBuf,
    pub(crate) index: PathBuf,
    pub(crate) workspace: PathBuf,
    pub(crate) circuit: PathBuf,
    pub(crate) log: PathBuf,
    pub(crate) slots: PathBuf,
    pub(crate) heads: PathBuf,
    pub(crate) head: PathBuf,
}

/// File contents by path.
pub(crate) type Files = BTreeMap<PathBuf, Vec<u8>>;

fn collect(directory: &Path, files: &mut Files) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files.insert(path.clone(), Vec::new());
            collect(&path, files);
        } else {
            files.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

/// Whether this test's own ancestors would be refused as agents; if so, no test
/// can play a person here, and it says so.
pub(crate) fn nobody_can_play_a_person() -> bool {
    let context = TestContext::new();
    let refused = context.reset();
    let inside = refused.code == 5;
    if inside {
        eprintln!("SKIPPED: {}", refused.err());
    }
    inside
}
