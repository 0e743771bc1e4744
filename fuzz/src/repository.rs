//! Files of a repository that somebody hostile wrote.

use std::fs;
use std::path::{Path, PathBuf};

use fusebox_workspace::{common_dir, doors, head};

use crate::tasks;

/// A line with this and a name begins a file of the repository.
const MARK: &[u8] = b"%% ";

/// The files that an input may hold, by the names of its marks, and where they are.
const FILES: [(&str, &str); 11] = [
    ("commondir", "work/.git/commondir"),
    ("exclude", "work/.git/info/exclude"),
    ("gitdir", "work/.git/worktrees/side/gitdir"),
    ("head", "work/.git/HEAD"),
    ("ignore", "work/.gitignore"),
    ("index", "work/.git/index"),
    ("log", "work/.git/logs/refs/heads/main"),
    ("main", "work/.git/refs/heads/main"),
    ("packed", "work/.git/packed-refs"),
    ("pointer", "pointer/.git"),
    ("stash", "work/.git/logs/refs/stash"),
];

/// What is there beside them, whatever the input.
const OTHERS: [(&str, &str); 7] = [
    ("work/.git/worktrees/side/HEAD", "ref: refs/heads/side\n"),
    ("work/.git/worktrees/side/commondir", "../..\n"),
    ("side/.git", "gitdir: ../work/.git/worktrees/side\n"),
    ("side/a.c", ""),
    ("work/a.o", ""),
    ("work/sub/kept.o", ""),
    ("work/sub/deep/b.c", ""),
];

/// Any bytes may be what a repository holds: it is gone through twice with the same result, what
/// is tracked is found, and no pointer makes it one with a repository that knows nothing of it.
pub(crate) fn repository(bytes: &[u8]) {
    doors::repository_file(bytes);
    let (path, rules) = line(bytes);
    doors::ignore_rules(rules, &plain(path));

    let ground = tasks::root().join("repository");
    let given = lay_out(&ground, bytes);
    let work = ground.join("work");
    doors::go_through(&work);
    let found = head::read(&work);
    assert_eq!(found, head::read(&work));
    let is_id =
        |id: &str| matches!(id.len(), 40 | 64) && id.bytes().all(|digit| digit.is_ascii_hexdigit());
    assert!(found.commit.as_deref().is_none_or(is_id), "{found:?}");
    let is_plain = |name: &str| name.split('/').all(|part| !matches!(part, "" | "." | ".."));
    assert!(found.branch.as_deref().is_none_or(is_plain), "{found:?}");

    let real = |path: &Path| path.canonicalize().expect("it is there");
    let (work, side) = (real(&work), real(&ground.join("side")));
    let pointer = real(&ground.join("pointer"));
    if !given.contains(&"gitdir") {
        assert_eq!(common_dir(&side), Some(work.join(".git")));
        assert_eq!(common_dir(&pointer), None);
    }
    for tree in doors::work_trees(&work) {
        assert_eq!(real(&tree), tree);
        let is_named = tree == pointer && given.contains(&"pointer");
        assert!(tree == work || tree == side || is_named, "{tree:?}");
    }
}

/// Makes the repository anew, and answers which of its files the input holds.
fn lay_out(ground: &Path, bytes: &[u8]) -> Vec<&'static str> {
    let write = |below: &str, content: &[u8]| {
        let path = ground.join(below);
        fs::create_dir_all(path.parent().unwrap_or(ground)).expect("a directory");
        fs::write(path, content).expect("a file");
    };
    for (_, below) in FILES {
        // Most are not there.
        let _ = fs::remove_file(ground.join(below));
    }
    if !ground.join("pointer").is_dir() {
        fs::create_dir_all(ground.join("pointer")).expect("a directory");
        OTHERS
            .iter()
            .for_each(|(below, content)| write(below, content.as_bytes()));
    }
    write("work/.git/HEAD", b"ref: refs/heads/main\n");
    let back: PathBuf = ground.join("side/.git");
    let back = back.as_os_str().as_encoded_bytes();
    write("work/.git/worktrees/side/gitdir", back);
    let mut given = Vec::new();
    let mut rest = bytes;
    while let Some(begun) = rest.strip_prefix(MARK) {
        let (name, content) = line(begun);
        let next = content
            .windows(MARK.len() + 1)
            .position(|at| at == b"\n%% ");
        let (content, after) = content.split_at(next.map_or(content.len(), |at| at + 1));
        rest = after;
        if let Some((name, below)) = FILES.iter().find(|(known, _)| known.as_bytes() == name) {
            write(below, content);
            given.push(*name);
        }
    }
    given
}

/// The first line, and what follows it.
fn line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[]),
    }
}

/// A path as a directory has them, and no longer than the system takes.
fn plain(bytes: &[u8]) -> Vec<u8> {
    let letters: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    let names = letters[..letters.len().min(4096)].split(|byte| *byte == b'/');
    let names: Vec<&[u8]> = names.filter(|name| !name.is_empty()).collect();
    let path = names.join(&b'/');
    // A line end takes one of these with it.
    match path.strip_suffix(b"\r") {
        None if !path.is_empty() => path,
        _ => b"a".to_vec(),
    }
}
