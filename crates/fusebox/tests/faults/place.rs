//! A workspace, the homes its memory is kept in, and questions to both.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use serde_json::Value;
use tempfile::TempDir;

/// The program under test.
pub(crate) const FUSEBOX: &str = env!("CARGO_BIN_EXE_fusebox");

/// The same with a clock that can be set.
const FUSEBOX_WITH_CLOCK: &str = env!("CARGO_BIN_EXE_fusebox-test");

/// The key that releases a breaker where there is no terminal, and its SHA-256.
const OPERATOR_KEY: &str = "secret";
const OPERATOR_KEY_SHA256: &str =
    "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

/// One workspace and one set of homes. Copies share the workspace, so that the
/// same memory can be led to many different ends.
pub(crate) struct Place {
    workspace: Arc<TempDir>,
    homes: TempDir,
    /// The uptime of the machine, where it must not be the true one.
    uptime_ms: Option<u64>,
    /// How long a log may become, where that is not the usual length.
    segment_bytes: Option<u64>,
}

impl Place {
    /// An empty workspace that nothing is remembered of.
    pub(crate) fn new() -> Self {
        let place = Self {
            workspace: Arc::new(scratch()),
            homes: scratch(),
            uptime_ms: None,
            segment_bytes: None,
        };
        let config = format!("operator_key_sha256 = \"{OPERATOR_KEY_SHA256}\"\n");
        fs::write(place.homes.path().join("config.toml"), config).unwrap();
        place
    }

    /// The same on a machine that has been up for so long.
    pub(crate) fn up_for(self, ms: u64) -> Self {
        let uptime_ms = Some(ms);
        Self { uptime_ms, ..self }
    }

    /// The same with logs that are sealed once they hold so many bytes.
    pub(crate) fn sealing_at(self, bytes: u64) -> Self {
        let segment_bytes = Some(bytes);
        Self {
            segment_bytes,
            ..self
        }
    }

    /// The program under test, as this place needs it.
    pub(crate) fn program(&self) -> &'static str {
        let is_set = self.uptime_ms.or(self.segment_bytes);
        is_set.map_or(FUSEBOX, |_| FUSEBOX_WITH_CLOCK)
    }

    /// The same workspace with a memory of its own, equal to this one's.
    pub(crate) fn copy(&self) -> Self {
        let homes = scratch();
        copy_tree(self.homes.path(), homes.path());
        Self {
            workspace: Arc::clone(&self.workspace),
            homes,
            ..*self
        }
    }

    pub(crate) fn workspace(&self) -> &Path {
        self.workspace.path()
    }

    pub(crate) fn homes(&self) -> &Path {
        self.homes.path()
    }

    /// The command `program`, standing in the workspace and knowing the homes.
    pub(crate) fn command(&self, program: &str) -> Command {
        let homes = self.homes.path();
        let mut command = Command::new(program);
        command
            .current_dir(self.workspace())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", homes)
            .env("XDG_STATE_HOME", homes.join("state"))
            .env("XDG_DATA_HOME", homes.join("data"))
            .env("FUSEBOX_CONFIG", homes.join("config.toml"))
            .env("FUSEBOX_OPERATOR_KEY", OPERATOR_KEY)
            .stdin(Stdio::null());
        if let Some(ms) = self.uptime_ms {
            command.env("FUSEBOX_UPTIME_MS", ms.to_string());
        }
        if let Some(bytes) = self.segment_bytes {
            command.env("FUSEBOX_SEGMENT_BYTES", bytes.to_string());
        }
        command
    }

    /// Runs fusebox with `args` and hears it out.
    pub(crate) fn fusebox(&self, args: &[&str]) -> Told {
        Told::from(self.command(self.program()).args(args).output().unwrap())
    }

    /// Runs fusebox and insists on its exit code.
    pub(crate) fn expect(&self, code: i32, args: &[&str]) -> Told {
        let told = self.fusebox(args);
        assert_eq!(told.code, Some(code), "{args:?}: {told:?}");
        told
    }

    /// How things stand.
    pub(crate) fn standing(&self) -> Standing {
        self.standing_in(".")
    }

    /// How they stand in a directory of the workspace.
    pub(crate) fn standing_in(&self, directory: &str) -> Standing {
        let told = self.fusebox(&["-C", directory, "status", "--json"]);
        match told.code {
            Some(0) => Standing::believed(&told.json()),
            Some(4) => Standing::Distrusted,
            _ => panic!("status answered {told:?}"),
        }
    }

    /// The file below the homes whose path ends so, if there is one.
    pub(crate) fn find(&self, end: &str) -> Option<PathBuf> {
        let mut found = files_below(self.homes.path());
        found.retain(|path| path.ends_with(end));
        assert!(found.len() <= 1, "{end}: {found:?}");
        found.pop()
    }

    /// The log of the default circuit.
    pub(crate) fn log(&self) -> PathBuf {
        self.find("circuits/default/log").unwrap()
    }

    /// The state slots of the default circuit.
    pub(crate) fn slots(&self) -> PathBuf {
        self.find("circuits/default/slots").unwrap()
    }

    /// The second copy of the head of the default circuit.
    pub(crate) fn head(&self) -> PathBuf {
        let mut found = files_below(&self.homes.path().join("data"));
        found.retain(|path| path.ends_with("default"));
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }
}

/// What a command said, and how it ended.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Told {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            signal: output.status.signal(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Told {
    /// The one JSON document on standard output.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|why| panic!("{why}: {self:?}"))
    }

    /// Whether the caller may rely on what was asked for: the command ended by
    /// itself with an answer, or had said one already when it was killed.
    pub(crate) fn is_acknowledged(&self) -> bool {
        matches!(self.code, Some(0 | 42 | 44)) || self.stdout.ends_with('\n')
    }

    /// Whether a whole answer on standard output carries a grant.
    pub(crate) fn grants(&self) -> bool {
        self.stdout.ends_with('\n') && self.json()["grant"].is_string()
    }
}

/// What the program says of its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Exit code 4: not to be believed, hence open.
    Distrusted,
    Believed {
        state: String,
        no_progress: u64,
        iterations: u64,
        reported: u64,
        trips: u64,
        calls_used: u64,
    },
}

impl Standing {
    fn believed(answer: &Value) -> Self {
        let number = |value: &Value| value.as_u64().unwrap();
        let signals = answer["signals"].as_array().unwrap();
        let no_progress = signals.iter().find(|one| one["name"] == "no_progress");
        Self::Believed {
            state: answer["state"].as_str().unwrap().to_owned(),
            no_progress: no_progress.map_or(0, |signal| number(&signal["value"])),
            iterations: number(&answer["iterations"]),
            reported: number(&answer["totals"]["reported"]),
            trips: number(&answer["totals"]["trips"]),
            calls_used: number(&answer["limits"]["calls"]["used"]),
        }
    }

    /// Whether the breaker is known to be open.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self, Self::Believed { state, .. } if state == "Open")
    }
}

/// A directory in memory where there is one: no process can tell it from a
/// disk, and thousands of flushes cost nothing there.
pub(crate) fn scratch() -> TempDir {
    TempDir::new_in("/dev/shm").unwrap_or_else(|_| TempDir::new().unwrap())
}

/// All regular files below `dir`.
pub(crate) fn files_below(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => files_below(&path),
            false => vec![path],
        })
        .collect()
}

/// Copies everything below one directory to another that is there. Of a socket there is nothing
/// to copy.
pub(crate) fn copy_tree(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        let metadata = path.metadata().unwrap();
        if metadata.is_dir() {
            let mut builder = fs::DirBuilder::new();
            let mode = metadata.permissions().mode();
            builder.mode(mode).create(&target).unwrap();
            copy_tree(&path, &target);
        } else if metadata.is_file() {
            fs::copy(&path, &target).unwrap();
        }
    }
}
