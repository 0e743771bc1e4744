//! What a file is for, told by its path.
//!
//! Names are all there is to go by: content is what the agent writes, and reading it would
//! cost more than the answer is worth. So this is the vocabulary that the common ecosystems
//! agree on. Tests that live inside a source file, as Rust's unit tests do, count as code.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use fusebox_files::drafts;

use crate::{ChangeKind, FileChange};

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Source code of the product.
    Code,
    /// Tests and what they feed on.
    Test,
    /// Text for people.
    Docs,
    /// Settings, manifests, lock files, build scripts.
    Config,
    /// What agents and their loops keep about themselves.
    AgentState,
    /// What programs leave behind because they ran: logs, and the caches of interpreters and
    /// test runners.
    Trace,
    /// None of these.
    Other,
}

/// How many meaningful changes there are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KindCounts {
    /// Of source code.
    pub code: usize,
    /// Of tests.
    pub test: usize,
    /// Of documents.
    pub docs: usize,
    /// Of settings.
    pub config: usize,
    /// Of anything else.
    pub other: usize,
    /// Changes of agents' own state, and of traces, which are not meaningful and in no other
    /// count.
    pub agent_state: usize,
}

/// What kind of work the changes of an iteration amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Source code changed, perhaps among other things.
    Implementation,
    /// Tests changed, and nothing else did.
    Testing,
    /// Documents changed, and nothing else did.
    Documentation,
    /// Something changed, but no source code.
    Other,
}

/// Directories that hold nothing but an agent's or its loop's own state. A path in one of
/// them changes because a loop runs, not because work gets done.
const AGENT_DIRECTORIES: [&str; 7] = [
    ".prp-session/",
    ".cub/runs/",
    ".ralph/",
    ".liza/",
    ".beads/",
    ".agents/tasks/",
    ".specstory/",
];
/// Progress files at the root of a workspace.
const PROGRESS_FILES: [&str; 6] = [
    "claude-progress.txt",
    "claude-progress.md",
    "progress.txt",
    "progress.md",
    "fix_plan.md",
    "@fix_plan.md",
];
/// Directories that interpreters, test runners and package managers fill by themselves.
const CACHE_DIRECTORIES: [&str; 11] = [
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".tox",
    ".nox",
    ".nyc_output",
    ".gradle",
    ".eslintcache",
    "node_modules",
];
/// What they and others write beside the sources.
const CACHE_EXTENSIONS: [&str; 2] = ["pyc", "pyo"];
const LOG_DIRECTORIES: [&str; 3] = ["logs/", "log/", ".logs/"];
/// What is in such a directory and of one of these types is a log; sources may be there too.
const LOG_EXTENSIONS: [&str; 6] = ["log", "out", "err", "txt", "jsonl", ""];
const TEST_DIRECTORIES: [&str; 9] = [
    "test",
    "tests",
    "__tests__",
    "__mocks__",
    "__snapshots__",
    "testdata",
    "e2e",
    "cypress",
    "spec",
];
const DOCS_NAMES: [&str; 9] = [
    "readme",
    "license",
    "licence",
    "changelog",
    "changes",
    "contributing",
    "authors",
    "notice",
    "copying",
];
const CONFIG_NAMES: [&str; 15] = [
    "makefile",
    "gnumakefile",
    "justfile",
    "dockerfile",
    "containerfile",
    "procfile",
    "gemfile",
    "rakefile",
    "jenkinsfile",
    "vagrantfile",
    "cmakelists.txt",
    "requirements.txt",
    "constraints.txt",
    "go.mod",
    "go.sum",
];
const DOCS_EXTENSIONS: [&str; 9] = [
    "md", "mdx", "markdown", "rst", "adoc", "asciidoc", "org", "txt", "tex",
];
const CONFIG_EXTENSIONS: [&str; 18] = [
    "toml",
    "yaml",
    "yml",
    "json",
    "json5",
    "jsonc",
    "ini",
    "cfg",
    "conf",
    "config",
    "properties",
    "lock",
    "env",
    "gradle",
    "cmake",
    "mk",
    "csproj",
    "tf",
];
const CODE_EXTENSIONS: [&str; 61] = [
    "rs", "py", "pyi", "pyx", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "go", "java",
    "kt", "kts", "scala", "groovy", "clj", "cljs", "c", "h", "cc", "cpp", "cxx", "hh", "hpp",
    "hxx", "m", "mm", "cs", "fs", "vb", "swift", "rb", "php", "pl", "pm", "lua", "r", "jl", "ex",
    "exs", "erl", "hs", "ml", "mli", "elm", "dart", "zig", "nim", "sh", "bash", "zsh", "fish",
    "ps1", "sql", "vue", "svelte", "css", "html",
];

impl FileKind {
    /// The kind of the file at `path`, which is relative to the workspace's root.
    pub fn of(path: &Path) -> Self {
        let path = String::from_utf8_lossy(path.as_os_str().as_bytes());
        let lower = path.to_ascii_lowercase();
        let name = lower.rsplit('/').next().unwrap_or_default();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_code = CODE_EXTENSIONS.contains(&extension);
        if is_agent_state(&lower) {
            Self::AgentState
        } else if is_cache(&lower, extension) {
            Self::Trace
        } else if is_in_test_directory(&lower, is_code) || is_code && has_test_name(&path, name) {
            Self::Test
        } else if is_log(&lower, name, extension) {
            Self::Trace
        } else if is_config(&lower, name, extension) {
            Self::Config
        } else if is_code {
            Self::Code
        } else if is_docs(&lower, name, extension) {
            Self::Docs
        } else {
            Self::Other
        }
    }

    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Test => "test",
            Self::Docs => "docs",
            Self::Config => "config",
            Self::AgentState => "agent state",
            Self::Trace => "trace",
            Self::Other => "other",
        }
    }
}

/// Also what is left of a file that we were writing when somebody killed us. Whoever gives such a
/// name to a file of their own only keeps it from counting as work.
fn is_agent_state(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    drafts::is_named_so(OsStr::new(name))
        || AGENT_DIRECTORIES.iter().any(|dir| path.starts_with(dir))
        || PROGRESS_FILES.contains(&path)
        || path.starts_with(".aider.") && !path.starts_with(".aider.conf")
}

fn is_cache(path: &str, extension: &str) -> bool {
    CACHE_EXTENSIONS.contains(&extension)
        || path
            .split('/')
            .any(|part| CACHE_DIRECTORIES.contains(&part))
}

/// A loop that keeps an account of itself changes its log with every iteration. Also one that
/// was put aside, as `loop.log.1`.
fn is_log(path: &str, name: &str, extension: &str) -> bool {
    let aside = name.rsplit_once('.').is_some_and(|(rest, number)| {
        rest.ends_with(".log") && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    extension == "log"
        || aside
        || LOG_EXTENSIONS.contains(&extension)
            && LOG_DIRECTORIES.iter().any(|dir| path.starts_with(dir))
}

/// `spec` is where Ruby keeps its tests, but for others it is where documents are.
fn is_in_test_directory(path: &str, is_code: bool) -> bool {
    let directories = path.rsplit_once('/').map_or("", |(above, _)| above);
    directories
        .split('/')
        .any(|name| TEST_DIRECTORIES.contains(&name) && (name != "spec" || is_code))
}

/// Whether a source file is named as the tests of some ecosystem are.
///
/// Where a word begins with a capital letter, the capital is part of the convention:
/// `UserTest.java` holds tests, `Contest.java` does not.
fn has_test_name(path: &str, name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let original = &path[path.len() - name.len()..];
    let original = original.split('.').next().unwrap_or_default();
    ["test", "tests", "conftest"].contains(&stem)
        || stem.starts_with("test_")
        || ["_test", "_tests", "_spec"]
            .iter()
            .any(|end| stem.ends_with(end))
        || [".test.", ".spec.", ".e2e.", ".cy."]
            .iter()
            .any(|part| name.contains(part))
        || ["Test", "Tests", "TestCase", "Spec", "IT"]
            .iter()
            .any(|end| original.ends_with(end) && original.len() > end.len())
}

fn is_config(path: &str, name: &str, extension: &str) -> bool {
    CONFIG_NAMES.contains(&name)
        || CONFIG_EXTENSIONS.contains(&extension)
        || name.contains(".config.")
        || name.ends_with(".gradle.kts")
        || [".github/", ".gitlab/", ".circleci/", ".claude/", ".vscode/"]
            .iter()
            .any(|dir| path.starts_with(dir))
        || name.starts_with('.') && !DOCS_EXTENSIONS.contains(&extension)
}

fn is_docs(path: &str, name: &str, extension: &str) -> bool {
    DOCS_EXTENSIONS.contains(&extension)
        || DOCS_NAMES.contains(&name.split(['.', '-']).next().unwrap_or_default())
        || path.starts_with("docs/")
        || path.starts_with("doc/")
}

impl FileChange {
    /// What the changed file is for.
    pub fn file_kind(&self) -> FileKind {
        FileKind::of(&self.path)
    }

    /// Whether the change is an agent's note to itself, or a trace of programs.
    ///
    /// Notes under `memory/` are only ever appended to, and only appending is excused: a
    /// project may well keep documents of its own under that name.
    pub fn is_bookkeeping(&self) -> bool {
        let is_note = || {
            self.path.starts_with("memory") && self.path.extension().is_some_and(|it| it == "md")
        };
        let only_appends = || {
            matches!(self.kind, ChangeKind::Added | ChangeKind::Modified)
                && self.deleted_lines == Some(0)
        };
        matches!(self.file_kind(), FileKind::AgentState | FileKind::Trace)
            || is_note() && only_appends()
    }
}

impl KindCounts {
    pub(crate) fn add(&mut self, kind: FileKind) {
        *match kind {
            FileKind::Code => &mut self.code,
            FileKind::Test => &mut self.test,
            FileKind::Docs => &mut self.docs,
            FileKind::Config => &mut self.config,
            FileKind::AgentState | FileKind::Trace => &mut self.agent_state,
            FileKind::Other => &mut self.other,
        } += 1;
    }

    /// What the changes amount to, or `None` if none of them means anything.
    pub fn work(&self) -> Option<Work> {
        let all = self.code + self.test + self.docs + self.config + self.other;
        match all {
            0 => None,
            _ if self.code > 0 => Some(Work::Implementation),
            _ if self.test == all => Some(Work::Testing),
            _ if self.docs == all => Some(Work::Documentation),
            _ => Some(Work::Other),
        }
    }
}

#[cfg(test)]
mod tests;
