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

struct Sketch;

impl Tree for Sketch {
    fn kind(&self, path: &Path) -> Option<Kind> {
        let Ok(below) = path.strip_prefix(ROOT) else {
            return Path::new(ROOT).starts_with(path).then_some(Kind::Directory);
        };
        let mut files = FILES.iter().map(Path::new);
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
        let first_below = |file: &&str| {
            let path = Path::new(ROOT).join(file);
            let below = path.strip_prefix(directory).ok()?;
            Some(below.components().next()?.as_os_str().to_owned())
        };
        let mut names: Vec<OsString> = FILES.iter().filter_map(first_below).collect();
        names.sort();
        names.dedup();
        names
    }

    fn read(&self, _: &Path) -> Option<String> {
        None
    }

    fn identity(&self, _: &Path) -> Option<(u64, u64)> {
        None
    }
}

fn guard() -> Guard {
    Guard::new(Protected::new(Path::new(ROOT))).with_tree(Sketch)
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
