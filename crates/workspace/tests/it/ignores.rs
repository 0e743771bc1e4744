//! Ignore rules mean what they mean to git, and hold from the moment they are frozen.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use fusebox_workspace::{Budget, ChangeKind, Shadow, SnapshotId};
use proptest::prelude::*;

use crate::support::{Bench, id, kinds};

type Names = BTreeSet<Vec<u8>>;

fn shadow_of_nothing(bench: &Bench) -> (Shadow, SnapshotId) {
    let mut shadow = bench.shadow_within(Budget::default());
    let empty = id(&mut shadow);
    (shadow, empty)
}

/// The files that a snapshot holds, given one that holds none.
fn measured(shadow: &mut Shadow, empty: &SnapshotId) -> Names {
    let now = id(shadow);
    let changes = shadow.compare(empty, &now).unwrap();
    let names = changes.files.iter();
    names
        .map(|change| change.path.as_os_str().as_bytes().to_vec())
        .collect()
}

/// The files that git would add.
fn listed_by_git(bench: &Bench, directory: &str) -> Names {
    let listed = bench.git_in(directory, &["ls-files", "-z", "-o", "--exclude-standard"]);
    let names = listed.stdout.split(|byte| *byte == 0);
    names
        .filter(|name| !name.is_empty())
        .map(<[u8]>::to_vec)
        .collect()
}

/// Pieces that are put together to patterns; most of git's corner cases are combinations.
fn pattern() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "c",
        "*",
        "**",
        "?",
        "[ab]",
        "[!a]",
        "[a-c]",
        "[^b]",
        ".x",
        "*.x",
        "a*",
        r"\a",
        r"\*",
        "[[:alpha:]]",
        "[",
        "]",
        "a b",
        r"a\ ",
        "#",
        "!",
        r"\!a",
        r"\#",
        "[a/b]",
        r"a\/b",
    ]);
    let start = prop::sample::select(vec!["", "", "", "/", "!", "!", "!/", "**/", "#", " "]);
    let end = prop::sample::select(vec![
        "", "", "", "/", "/**", "/*", " ", "  ", "\r", r"\", r"\ ",
    ]);
    (start, prop::collection::vec(piece, 1..4), end)
        .prop_map(|(start, pieces, end)| format!("{start}{}{end}", pieces.join("/")))
}

fn ignore_file() -> impl Strategy<Value = String> {
    prop::collection::vec(pattern(), 1..6).prop_map(|patterns| patterns.join("\n"))
}

/// Paths of up to four components, directories before their contents.
fn files() -> impl Strategy<Value = BTreeSet<String>> {
    let directory = || prop::sample::select(vec!["a", "b", "c"]);
    let name = prop::sample::select(vec![
        "a", "b", "ab", "f.x", "g.x", "a b", "a ", "!a", "#", "*", "[", "z",
    ]);
    let path = (prop::collection::vec(directory(), 0..4), name).prop_map(|(directories, name)| {
        let directories: Vec<String> = directories.iter().map(|it| format!("{it}.d")).collect();
        let mut path = directories
            .join("/")
            .replace("a.d", "a")
            .replace("b.d", "b");
        if !path.is_empty() {
            path.push('/');
        }
        path + name
    });
    prop::collection::btree_set(path, 10..40)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 32,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn rules_mean_what_they_mean_to_git(
        files in files(),
        at_root in ignore_file(),
        inside in prop::option::of(ignore_file()),
        deeper in prop::option::of(ignore_file()),
        excludes in prop::option::of(ignore_file()),
    ) {
        let Some(bench) = Bench::new() else { return Ok(()) };
        bench.git(&["init", "-q"]);
        let (mut shadow, empty) = shadow_of_nothing(&bench);
        for file in &files {
            let path = bench.root().join(file);
            // A name may already be taken by a directory, or the reverse.
            if fs::create_dir_all(path.parent().unwrap()).is_ok() && !path.exists() {
                fs::write(path, "x").unwrap();
            }
        }
        bench.write(".gitignore", at_root);
        for (directory, rules) in [("a", inside), ("a/b", deeper)] {
            let directory = bench.root().join(directory);
            if let (Some(rules), true) = (rules, directory.is_dir()) {
                fs::write(directory.join(".gitignore"), rules).unwrap();
            }
        }
        if let Some(excludes) = excludes {
            bench.write(".git/info/exclude", excludes);
        }
        shadow.freeze_ignores().unwrap();
        prop_assert_eq!(measured(&mut shadow, &empty), listed_by_git(&bench, ""));
    }
}

#[test]
fn nested_work_trees_have_rules_of_their_own() {
    let Some(bench) = Bench::new() else { return };
    bench.git(&["init", "-q"]);
    bench.write(".gitignore", "*.log\nhidden/\n");
    for path in [
        "a.log",
        "a.txt",
        "nested/b.log",
        "nested/b.txt",
        "nested/b.tmp",
        "hidden/c",
    ] {
        bench.write(path, "x");
    }
    bench.git_in("nested", &["init", "-q"]);
    bench.git_in("hidden", &["init", "-q"]);
    bench.write("nested/.git/info/exclude", "*.tmp\n");
    let (mut shadow, empty) = {
        let away = bench.home().join("away");
        fs::rename(bench.root(), &away).unwrap();
        fs::create_dir(bench.root()).unwrap();
        let pair = shadow_of_nothing(&bench);
        for entry in fs::read_dir(&away).unwrap().flatten() {
            fs::rename(entry.path(), bench.root().join(entry.file_name())).unwrap();
        }
        pair
    };
    shadow.freeze_ignores().unwrap();
    let mut expected: Names = listed_by_git(&bench, "nested")
        .into_iter()
        .map(|name| [b"nested/", name.as_slice()].concat())
        .collect();
    assert!(expected.contains(&b"nested/b.log"[..]));
    assert!(!expected.contains(&b"nested/b.tmp"[..]));
    expected.extend([b".gitignore".to_vec(), b"a.txt".to_vec()]);
    assert_eq!(measured(&mut shadow, &empty), expected);
}

#[test]
fn the_users_excludes_are_the_weakest_rules() {
    let Some(bench) = Bench::new() else { return };
    let excludes = bench.home().join("excludes");
    fs::write(&excludes, "*.bak\n*.swp\n").unwrap();
    let mut shadow = bench.shadow_excluding(excludes);
    let empty = id(&mut shadow);
    bench.write(".gitignore", "!kept.bak\n");
    for path in ["a.bak", "kept.bak", "b.swp", "c"] {
        bench.write(path, "x");
    }
    shadow.freeze_ignores().unwrap();
    let expected = [&b".gitignore"[..], b"c", b"kept.bak"].map(<[u8]>::to_vec);
    assert_eq!(measured(&mut shadow, &empty), Names::from(expected));
}

#[test]
fn rules_written_during_a_run_hide_nothing() {
    let Some(bench) = Bench::new() else { return };
    bench.git(&["init", "-q"]);
    bench.write(".gitignore", "*.log\n");
    bench.write("source", "x\n");
    let mut shadow = bench.shadow();
    shadow.freeze_ignores().unwrap();
    id(&mut shadow);
    for file in [".gitignore", "sub/.gitignore", ".git/info/exclude"] {
        bench.write(file, "*\n");
    }
    let before = id(&mut shadow);
    bench.write("source", "edited\n");
    bench.write("sub/output", "fresh\n");
    bench.write("noise.log", "ignored from the start\n");
    // Neither a restart nor a rebuilt shadow takes the new rules.
    drop(shadow);
    let mut shadow = bench.shadow();
    let after = id(&mut shadow);
    assert_eq!(shadow.compare(&before, &after).unwrap().total, 2);

    shadow.freeze_ignores().unwrap();
    let hidden = id(&mut shadow);
    bench.write("source", "no longer measured\n");
    assert_eq!(id(&mut shadow), hidden);
}

#[test]
fn tracked_files_are_measured_even_where_ignored() {
    let Some(bench) = Bench::new() else { return };
    bench.git(&["init", "-q"]);
    bench.write(".gitignore", "build/\n*.key\n");
    for path in [
        "build/deep/tracked",
        "build/untracked",
        "tracked.key",
        "untracked.key",
    ] {
        bench.write(path, "x\n");
    }
    bench.git(&["add", "-f", "build/deep/tracked", "tracked.key"]);
    let mut shadow = bench.shadow();
    let mut last = id(&mut shadow);
    for (path, seen) in [
        ("build/deep/tracked", true),
        ("build/untracked", false),
        ("build/deep/fresh", false),
        ("tracked.key", true),
        ("untracked.key", false),
    ] {
        bench.write(path, format!("edited {path}\n"));
        let snapshot = shadow.snapshot().unwrap();
        assert_eq!(snapshot.id != last, seen, "{path}");
        assert!(!snapshot.index_unread);
        last = snapshot.id;
    }

    // A repository planted in between takes nothing away from the one around it.
    bench.git_in("build/deep", &["init", "-q"]);
    bench.write("build/deep/tracked", "edited again\n");
    let after = id(&mut shadow);
    let changes = shadow.compare(&last, &after).unwrap();
    let expected = [(ChangeKind::Modified, &b"build/deep/tracked"[..])];
    assert_eq!(kinds(&changes), expected);
}

#[test]
fn unreadable_index_is_said_and_survived() {
    let Some(bench) = Bench::new() else { return };
    bench.git(&["init", "-q"]);
    bench.write(".gitignore", "ignored\n");
    bench.write("ignored", "x\n");
    bench.write("file", "x\n");
    for garbage in ["", "DIRC", "DIRC\0\0\0\x02\0\0\0\x09", "nonsense"] {
        bench.write(".git/index", garbage);
        assert!(
            bench.shadow().snapshot().unwrap().index_unread,
            "{garbage:?}"
        );
    }
    bench.remove(".git/index");
    bench.fifo(".git/index");
    assert!(bench.shadow().snapshot().unwrap().index_unread);
}

#[test]
fn companions_own_files_are_never_measured() {
    let Some(bench) = Bench::new() else { return };
    bench.git(&["init", "-q"]);
    bench.write("file", "x\n");
    bench.write(".cub/config", "measured\n");
    let mut shadow = bench.shadow();
    let before = id(&mut shadow);
    for path in [".prp-session/state", ".cub/runs/1/log", ".ralph/logs/loop"] {
        bench.write(path, "x\n");
    }
    bench.git(&["add", "-A"]);
    assert_eq!(id(&mut shadow), before);
    bench.write(".cub/config", "edited\n");
    assert_ne!(id(&mut shadow), before);
}
