//! A workspace with everything protected in it, and things beside that are not.

mod layout;

use std::path::{Path, PathBuf};

use fusebox_guard::{Guard, Limits, Protected};
use tempfile::TempDir;

/// A throw-away workspace called `proj`.
pub(crate) struct Workspace {
    _home: TempDir,
    root: PathBuf,
}

/// What only the tests look at.
const FILES: &[(&str, &str)] = &[
    ("fusebox.toml", ""),
    (
        ".git/config",
        "[alias] one-line = !rm -rf specs\n[alias]\n\twipe = clean -fdx\n\tst = status\n\
         \tlonger = !rm \\\n -rf specs\n\tquoted = \"!rm -rf specs\" ; a comment\n\
         \tharmless = !true # rm -rf specs\n[include] path = more\n",
    ),
    (
        ".git/more",
        "[alias]\n\tincluded = !rm -rf specs\n\tlog = !rm -rf specs\n",
    ),
];

impl Workspace {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        let root = home.path().canonicalize().expect("its path").join("proj");
        layout::lay_out(&root).expect("a workspace");
        for (name, content) in FILES {
            layout::put(&root, name, content).expect("a file");
        }
        Self { _home: home, root }
    }

    /// A guard that has time even on a busy machine and without optimisation.
    pub(crate) fn guard(&self) -> Guard {
        let limits = Limits {
            cpu: std::time::Duration::from_secs(5),
            wall: std::time::Duration::from_secs(20),
            ..Limits::default()
        };
        let tools = ["Edit", "apply_patch"].map(str::to_owned);
        Guard::new(Protected::new(&self.root).with_tools(tools.to_vec()))
            .with_limits(limits)
            .with_environment([("HOME".to_owned(), "/nonexistent/home".to_owned())])
    }

    pub(crate) fn path(&self) -> &Path {
        &self.root
    }
}

/// Whether the first wrong case of a table says all there is to say: to people all are told,
/// but `cargo xtask mutants --at-once` only asks whether there is any, thousands of times.
pub(crate) fn one_is_enough() -> bool {
    std::env::var_os("FUSEBOX_MUTANT").is_some()
}
