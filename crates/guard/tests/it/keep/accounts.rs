//! What is counted, listed and told: nothing more than there is, and nothing less.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use fusebox_guard::keep::{Author, Bounds, Change, How, Kept, Report, Why};
use fusebox_guard::{Mode, Protected, Rule};

use super::bench::{Bench, COMMANDS, sh};
use crate::workspace::Workspace;

/// What a report says was changed, in words that can be compared.
fn changes(report: &Report) -> Vec<(&str, Change)> {
    let changed = report.changed.iter();
    changed
        .map(|one| (one.path.to_str().expect("text"), one.change))
        .collect()
}

fn take(protected: &Protected, bounds: Bounds) -> (Kept, Vec<(PathBuf, Why)>, tempfile::TempDir) {
    let vault = tempfile::tempdir().expect("a directory");
    let (kept, taken) = Kept::take(vault.path(), protected, bounds).expect("copies");
    assert_eq!(taken.kept, kept.len());
    let left_out = taken.left_out.into_iter().map(|one| (one.path, one.why));
    (kept, left_out.collect(), vault)
}

#[test]
fn what_is_kept_can_be_counted_and_listed() {
    let workspace = Workspace::new();
    let nothing = Protected::with_rules(workspace.path(), Vec::new());
    let (kept, _, _vault) = take(&nothing, Bounds::default());
    assert!(kept.is_empty() && kept.paths().next().is_none());

    // The root is watched for what may fit the wildcard, and is not kept itself.
    let rules = vec![
        Rule::new("specs", Mode::Keep),
        Rule::new("CL*.md", Mode::Keep),
    ];
    let some = Protected::with_rules(workspace.path(), rules);
    let (kept, _, _vault) = take(&some, Bounds::default());
    assert!(!kept.is_empty());
    let paths: Vec<&Path> = kept.paths().collect();
    let expected = [
        "CLAUDE.md",
        "specs",
        "specs/a.md",
        "specs/sub",
        "specs/sub/b.md",
    ];
    assert_eq!(paths, expected.map(Path::new));
    assert_eq!(kept.len(), expected.len());
}

#[test]
fn whether_there_is_a_list_is_told_before_it_is_read() {
    let workspace = Workspace::new();
    let empty = tempfile::tempdir().expect("a directory");
    assert!(!Kept::is_listed(empty.path()));
    let (_kept, _, vault) = take(&Protected::new(workspace.path()), Bounds::default());
    assert!(Kept::is_listed(vault.path()));
}

#[test]
fn what_newly_fits_is_taken_over_and_comes_back() {
    let mut bench = Bench::with(|protected| protected.and(Rule::new("n*.txt", Mode::Keep)));
    sh(
        bench.workspace.path(),
        "echo new > specs/new.md; echo n > note.txt; echo x > other.txt; mkdir -p deep/.git",
    );
    let report = bench.settle(COMMANDS);
    let appeared = [
        ("note.txt", Change::Appeared),
        ("specs/new.md", Change::Appeared),
    ];
    assert_eq!(changes(&report), appeared);
    assert_eq!(bench.settle(COMMANDS), Report::default());
    sh(bench.workspace.path(), "rm specs/new.md note.txt other.txt");
    let report = bench.settle(COMMANDS);
    assert_eq!((report.missing(), report.is_whole()), (2, true));
    let note = fs::read_to_string(bench.path("note.txt"));
    assert_eq!(note.expect("the note"), "n\n");
    assert!(!bench.path("other.txt").exists());
}

#[test]
fn what_a_person_took_away_is_forgotten() {
    let mut bench = Bench::new();
    let before = bench.kept.len();
    sh(bench.workspace.path(), "rm CLAUDE.md; rm -r memory");
    let report = bench.settle(Author::Person);
    assert_eq!(
        changes(&report),
        [
            ("CLAUDE.md", Change::Removed),
            ("memory", Change::Removed),
            ("memory/empty", Change::Removed),
            ("memory/m.md", Change::Removed)
        ]
    );
    assert_eq!(bench.kept.len(), before - 4);
    assert_eq!(bench.settle(COMMANDS), Report::default());
    assert!(!bench.path("CLAUDE.md").exists());
}

#[test]
fn the_bounds_are_exact() {
    let workspace = Workspace::new();
    let rules = vec![
        Rule::new("specs/large", Mode::Keep),
        Rule::new("specs/small", Mode::Keep),
    ];
    let protected = Protected::with_rules(workspace.path(), rules);
    fs::write(workspace.path().join("specs/large"), vec![7; 100]).expect("a file");
    fs::write(workspace.path().join("specs/small"), vec![7; 20]).expect("a file");
    let bounds = |file_bytes, total_bytes| Bounds {
        file_bytes,
        total_bytes,
        entries: 10,
    };
    let large = PathBuf::from("specs/large");
    let small = PathBuf::from("specs/small");
    for (bounds, left_out) in [
        (bounds(100, 120), vec![]),
        (bounds(99, 120), vec![(large.clone(), Why::TooLarge)]),
        (bounds(100, 119), vec![(small, Why::NoRoom)]),
        // There is as much room as a file may have: that one is too large.
        (bounds(99, 99), vec![(large.clone(), Why::TooLarge)]),
        (bounds(100, 99), vec![(large, Why::NoRoom)]),
    ] {
        let (_, found, _vault) = take(&protected, bounds);
        assert_eq!(found, left_out, "{bounds:?}");
    }
    let few = Bounds {
        entries: 1,
        ..Bounds::default()
    };
    let (kept, found, _vault) = take(&protected, few);
    assert_eq!((kept.len(), found.len()), (1, 1));
}

#[test]
fn room_is_counted_anew_when_a_file_changes() {
    let workspace = Workspace::new();
    let rules = vec![Rule::new("specs/a.md", Mode::Keep)];
    let protected = Protected::with_rules(workspace.path(), rules);
    let bounds = Bounds {
        total_bytes: 10,
        ..Bounds::default()
    };
    let (mut kept, _, _vault) = take(&protected, bounds);
    let file = workspace.path().join("specs/a.md");
    // Each version fits by itself, and no two of them together.
    for version in ["12345678", "abcdefghi", "x", "0123456789"] {
        fs::write(&file, version).expect("a file");
        let report = kept.settle(&protected, Author::Agent).expect("a look");
        assert_eq!(report.left_out, [], "{version}");
        fs::remove_file(&file).expect("a file");
        kept.settle(&protected, Author::Agent).expect("a look");
        assert_eq!(fs::read_to_string(&file).expect("it is back"), version);
    }
}

/// A full vault takes nothing new, and does not undo an update that is only a little larger.
#[test]
fn what_is_kept_may_grow_a_little_where_there_is_no_room_for_more() {
    let workspace = Workspace::new();
    let rules = vec![Rule::new("specs", Mode::Keep)];
    let protected = Protected::with_rules(workspace.path(), rules);
    sh(
        workspace.path(),
        "rm -r specs; mkdir specs; printf 0123456789 > specs/p.md",
    );
    let bounds = Bounds {
        total_bytes: 12,
        ..Bounds::default()
    };
    let (mut kept, _, _vault) = take(&protected, bounds);
    let mut settle = |command: &str| {
        sh(workspace.path(), command);
        kept.settle(&protected, Author::Agent).expect("a look")
    };
    // What is new comes first in order, and does not take what the update needs.
    let report = settle("printf 0123456789abcde > specs/p.md; printf xyz > specs/n.md");
    assert_eq!(changes(&report), [("specs/p.md", Change::Updated)]);
    let [left_out] = &report.left_out[..] else {
        panic!("one is left out: {report:?}");
    };
    assert_eq!(left_out.path, Path::new("specs/n.md"));
    let report = settle("printf 0123456789abcdef > specs/p.md");
    let [lost] = &report.lost[..] else {
        panic!("one is lost: {report:?}");
    };
    assert_eq!(lost.how, How::Outgrown(Why::NoRoom));
    let back = fs::read_to_string(workspace.path().join("specs/p.md"));
    assert_eq!(back.expect("it is back"), "0123456789abcde");
}

#[test]
fn odd_names_links_and_permissions_come_back_as_they_were() {
    let mut bench = Bench::new();
    let specs = bench.path("specs");
    let odd = specs.join(OsString::from_vec(b"100% \n \xff.md".to_vec()));
    fs::write(&odd, "odd\n").expect("a file");
    fs::set_permissions(&odd, fs::Permissions::from_mode(0o640)).expect("a mode");
    symlink("a.md", specs.join("link")).expect("a link");
    fs::write(specs.join("empty"), "").expect("a file");
    let appeared = bench.settle(COMMANDS);
    assert_eq!(appeared.changed.len(), 3, "{appeared:?}");
    // Read anew, they are the same; touched, a link and an empty file are what they were.
    let kept = Kept::load(bench.vault.path(), Bounds::default());
    bench.kept = kept.expect("a list").expect("copies");
    sh(&specs, "touch -h link empty");
    assert_eq!(bench.settle(COMMANDS), Report::default());
    let before = bench.state();
    sh(&specs, "rm -f 100* empty; ln -sfn sub link");
    let report = bench.settle(COMMANDS);
    assert_eq!((report.missing(), report.replaced()), (2, 1), "{report:?}");
    assert!(report.is_whole(), "{report:?}");
    assert_eq!(bench.state(), before);
    let mode = odd.metadata().expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn where_a_file_went_is_found_below_and_not_among_what_is_kept() {
    let mut bench = Bench::new();
    sh(
        bench.workspace.path(),
        "mkdir -p deep/er; mv CLAUDE.md deep/er/c; mv AGENTS.md .git/a; ln IMPLEMENTATION_PLAN.md specs/p",
    );
    bench.settle(Author::Person);
    sh(
        bench.workspace.path(),
        "mv specs/a.md deep/er/a; mv memory/m.md .git/m; rm IMPLEMENTATION_PLAN.md",
    );
    let report = bench.settle(COMMANDS);
    let how = |path: &str| {
        let lost = report.lost.iter().find(|lost| lost.path == Path::new(path));
        lost.map(|lost| lost.how.clone())
    };
    assert_eq!(how("specs/a.md"), Some(How::Renamed("deep/er/a".into())));
    assert_eq!(how("memory/m.md"), Some(How::Missing));
    // It has another name that is kept, which is no place that it went to.
    assert_eq!(how("IMPLEMENTATION_PLAN.md"), Some(How::Missing));
    assert!(report.is_whole());
}

#[test]
fn what_nothing_protects_any_more_is_dropped() {
    let mut bench = Bench::new();
    bench.protected =
        Protected::with_rules(bench.workspace.path(), vec![Rule::new("specs", Mode::Keep)]);
    sh(bench.workspace.path(), "rm CLAUDE.md; rm specs/a.md");
    let report = bench.settle(COMMANDS);
    assert_eq!(report.lost.len(), 1, "{report:?}");
    assert!(!bench.path("CLAUDE.md").exists() && bench.path("specs/a.md").exists());
}

#[test]
fn a_root_that_is_a_file_is_not_made_anew() {
    let mut bench = Bench::new();
    let root = bench.workspace.path().to_owned();
    fs::rename(&root, root.with_extension("moved")).expect("a directory");
    fs::write(&root, "in the way").expect("a file");
    let failed = bench.kept.settle(&bench.protected, COMMANDS);
    assert!(failed.is_err());
    assert_eq!(fs::read(&root).expect("a file"), b"in the way");
}

#[test]
fn a_search_for_what_fits_follows_no_link_and_enters_no_repository() {
    let workspace = Workspace::new();
    let outside = tempfile::tempdir().expect("a directory");
    fs::write(outside.path().join("far.lock"), "far").expect("a file");
    let root = workspace.path();
    sh(
        root,
        "mkdir -p src/deep/.git; for d in src src/deep src/deep/.git .git; do echo x > $d/a.lock; done",
    );
    symlink(outside.path(), root.join("src/link")).expect("a link");
    let rules = vec![Rule::new("**/*.lock", Mode::Keep)];
    let (kept, left_out, _vault) = take(&Protected::with_rules(root, rules), Bounds::default());
    let paths: Vec<&Path> = kept.paths().collect();
    assert_eq!(paths, ["src/a.lock", "src/deep/a.lock"].map(Path::new));
    assert_eq!(left_out, []);
}
