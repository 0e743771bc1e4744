//! Lists of tasks, found in a directory as they are found in a repository.

use std::fs;
use std::path::{Path, PathBuf};

use fusebox_tasks::{Move, Places, find};

const NAMES: [&str; 5] = [
    "prd.json",
    "tasks/tasks.json",
    "feature_list.json",
    "fix_plan.md",
    ".cub/tasks.jsonl",
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
        if let Ok(Some(found)) = find(&places, Some(name)) {
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

fn root() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let below = if memory.is_dir() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    };
    below.join(format!("fusebox-fuzz-{}", std::process::id()))
}
