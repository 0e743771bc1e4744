//! Commands, paths and patches, held against a workspace that is only sketched: no input
//! reaches the disk.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fusebox_guard::{Decision, Guard, Kind, Mode, Protected, Rule, Stop, Tree, Write};

const ROOT: &str = "/w";

const FILES: [&str; 5] = [
    "CLAUDE.md",
    "AGENTS.md",
    "specs/a.md",
    "memory/m.md",
    "src/main.c",
];

/// The tree, and what all those of its files hold that are not [`FILES`].
#[derive(Default)]
struct Sketch {
    files: &'static [&'static str],
    content: Vec<u8>,
}

impl Sketch {
    fn holds(&self, path: &Path) -> bool {
        let below = path.strip_prefix(ROOT).ok();
        below.is_some_and(|below| self.files.iter().any(|file| Path::new(file) == below))
    }

    fn names(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        FILES.iter().chain(self.files).copied()
    }
}

impl Tree for Sketch {
    fn kind(&self, path: &Path) -> Option<Kind> {
        let Ok(below) = path.strip_prefix(ROOT) else {
            return Path::new(ROOT).starts_with(path).then_some(Kind::Directory);
        };
        let mut files = self.names().map(Path::new);
        if files.clone().any(|file| file == below) {
            return Some(Kind::File);
        }
        let is_above = files.any(|file| file.starts_with(below));
        is_above.then_some(Kind::Directory)
    }

    fn read_link(&self, _: &Path) -> Option<PathBuf> {
        None
    }

    fn list(&self, directory: &Path) -> Vec<OsString> {
        let first_below = |file: &'static str| {
            let path = Path::new(ROOT).join(file);
            let below = path.strip_prefix(directory).ok()?;
            Some(below.components().next()?.as_os_str().to_owned())
        };
        let mut names: Vec<OsString> = self.names().filter_map(first_below).collect();
        names.sort();
        names.dedup();
        names
    }

    fn read(&self, path: &Path) -> Option<String> {
        let text = self.holds(path).then(|| self.content.clone())?;
        String::from_utf8(text).ok()
    }

    fn length(&self, path: &Path) -> Option<u64> {
        let length = u64::try_from(self.content.len()).ok()?;
        self.holds(path).then_some(length)
    }

    fn bytes(&self, path: &Path, offset: u64, length: usize) -> Option<Vec<u8>> {
        let rest = self.content.get(usize::try_from(offset).ok()?..);
        let rest = rest.filter(|_| self.holds(path))?;
        Some(rest[..length.min(rest.len())].to_vec())
    }

    fn identity(&self, _: &Path) -> Option<(u64, u64)> {
        None
    }
}

fn guard() -> Guard {
    with_tree(Sketch::default())
}

fn with_tree(tree: Sketch) -> Guard {
    Guard::new(Protected::new(Path::new(ROOT))).with_tree(tree)
}

/// Any text may be a command: it gets an answer, and what follows a removal does not hide it.
pub(crate) fn shell(bytes: &[u8]) {
    let (guard, root) = (guard(), Path::new(ROOT));
    let verdict = guard.judge_command(bytes, root);
    assert_ne!(verdict.stopped, Some(Stop::Failed));
    let removal = [b"rm -rf specs\n", bytes].concat();
    assert_eq!(guard.judge_command(&removal, root).decision, Decision::Deny);
}

/// Any text may be a rule and any a path: a rule without wildcards covers what it names, and
/// no way of writing a path leads around one.
pub(crate) fn paths(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let (pattern, path) = text.split_once('\n').unwrap_or((text, text));
    let root = Path::new(ROOT);
    let rule = Rule::new(pattern, Mode::Keep);
    let protected = Protected::with_rules(root, vec![rule.clone()]);
    let names = |text: &str| text.split('/').any(|name| !matches!(name, "" | "."));
    let climbs = pattern.split('/').any(|name| name == "..");
    if let Some(named) = rule.path(root)
        && names(pattern)
        && !climbs
    {
        assert!(protected.rule_of(&named).is_some(), "{pattern:?}");
        let below = named.join("below");
        assert!(protected.rule_of(&below).is_some(), "{pattern:?}");
    }
    let guard = guard();
    let _ = guard.judge_write("Write", Path::new(path), root, Write::Update);
    // Out into nothing that is there, and back in: the same file.
    let detour = format!("./specs/../{}CLAUDE.md", "./".repeat(path.len() % 7));
    let verdict = guard.judge_write("Write", Path::new(&detour), root, Write::Delete);
    assert_eq!(verdict.decision, Decision::Deny);
}

/// Any text may be a patch: whatever stands before it, a deletion of something protected is
/// found.
pub(crate) fn patch(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let (guard, root) = (guard(), Path::new(ROOT));
    let _ = guard.judge_patch(text, root);
    let deleting = format!("{text}\n*** Delete File: CLAUDE.md\n");
    assert_eq!(guard.judge_patch(&deleting, root).decision, Decision::Deny);
}

/// The files that commands read, each with a command that reads it.
const READ: &[(&str, &[&str])] = &[
    ("make", &["Makefile"]),
    ("npm test", &["package.json"]),
    ("just", &["justfile"]),
    ("sh a.sh", &["a.sh"]),
    (". ./a.sh", &["a.sh"]),
    ("python3 a.py", &["a.py"]),
    ("node a.js", &["a.js"]),
    ("tar xf a.tar", &["a.tar"]),
    ("unzip a.zip", &["a.zip"]),
    (
        "git checkout .",
        &[".git/index", ".git/config", ".git/HEAD"],
    ),
    ("git clean -fd", &[".git/config", ".gitignore"]),
    ("git apply a.patch", &["a.patch"]),
    ("xargs rm <list", &["list"]),
    ("sed -f a.sed -i src/main.c", &["a.sed"]),
    ("rsync --files-from=list . /tmp/x", &["list"]),
];

/// Any bytes may be what a command reads: it gets an answer, and a removal beside it is found.
pub(crate) fn scripts(bytes: &[u8]) {
    let root = Path::new(ROOT);
    for (command, files) in READ {
        let content = bytes.to_vec();
        let guard = with_tree(Sketch { files, content });
        let verdict = guard.judge_command(command.as_bytes(), root);
        assert_ne!(verdict.stopped, Some(Stop::Failed), "{command}");
        let removal = format!("rm -rf specs\n{command}");
        let verdict = guard.judge_command(removal.as_bytes(), root);
        assert_eq!(verdict.decision, Decision::Deny, "{command}");
    }
}
