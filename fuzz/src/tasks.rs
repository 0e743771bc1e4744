//! Lists of tasks, found in a directory as they are found in a repository.

use std::fs;
use std::path::{Path, PathBuf};

use fusebox_tasks::{Move, Places, find};

const NAMES: [&str; 16] = [
    ".cub/tasks.jsonl",
    ".taskmaster/tasks/tasks.json",
    "tasks/tasks.json",
    "prd.json",
    ".agents/tasks/prd.json",
    "scripts/ralph/prd.json",
    "feature_list.json",
    ".ralph/fix_plan.md",
    ".ralph/@fix_plan.md",
    "@fix_plan.md",
    "fix_plan.md",
    "IMPLEMENTATION_PLAN.md",
    ".ralph/IMPLEMENTATION_PLAN.md",
    "plan/feature_list.json",
    ".beads/issues.jsonl",
    "own/list.jsonl",
];

/// Recognised or not: read without a panic, and still readable after a move.
pub(crate) fn tasks(bytes: &[u8]) {
    let root = root();
    for name in NAMES {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&root)).expect("a directory");
        fs::write(&path, bytes).expect("a file");
        let own = root.join("own");
        let places = Places {
            root: &root,
            own: &own,
            path: None,
            actor: "somebody",
        };
        let wanted = match name {
            "own/list.jsonl" => "built-in",
            name => name,
        };
        if let Ok(Some(found)) = find(&places, Some(wanted)) {
            let tasks = found.source.list().unwrap_or_default();
            if let Some(first) = tasks.first() {
                let close = Move::Close {
                    at_ms: 0,
                    evidence: "done",
                };
                if found.source.apply(first, &close).is_ok() {
                    found.source.list().expect("still a list");
                }
            }
        }
        fs::remove_file(&path).expect("it was there");
    }
}

/// A directory of this process alone, in memory where there is such a place.
pub(crate) fn root() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let below = if memory.is_dir() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    };
    below.join(format!("fusebox-fuzz-{}", std::process::id()))
}
