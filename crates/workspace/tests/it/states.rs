//! A snapshot measures the files, whatever state the repository around them is in.

use std::fs;

use crate::support::{Bench, id, kinds};
use fusebox_workspace::{ChangeKind, head};

type Prepare = fn(&Bench);

const STATES: [(&str, Prepare); 16] = [
    ("not a repository", |_| {}),
    ("no commits", |bench| bench.git(&["init", "-q"])),
    ("one commit", repository),
    ("detached head", |bench| {
        repository(bench);
        bench.git(&["checkout", "-q", "--detach"]);
    }),
    ("mid-rebase", mid_rebase),
    ("linked work tree", linked_work_tree),
    ("submodule", submodule),
    ("nested repository", |bench| {
        repository(bench);
        bench.write("nested/inner", "inner\n");
        bench.git_in("nested", &["init", "-q"]);
    }),
    ("sparse checkout", |bench| {
        bench.write("kept/file", "kept\n");
        bench.write("left/file", "left\n");
        repository(bench);
        bench.git(&["sparse-checkout", "set", "--sparse-index", "kept"]);
    }),
    ("sha256", |bench| {
        bench.git(&["init", "-q", "--object-format=sha256"]);
        bench.commit();
    }),
    ("reftable", |bench| {
        // Older gits do not know the format; the state is then "no commits".
        bench.git_in("", &["init", "-q", "--ref-format=reftable"]);
        bench.git(&["init", "-q"]);
    }),
    ("autocrlf", |bench| {
        bench.write("crlf", "one\r\ntwo\r\n");
        bench.write(".gitattributes", "* text=auto eol=crlf\n");
        repository(bench);
        bench.git(&["config", "core.autocrlf", "true"]);
    }),
    ("stale index.lock", |bench| {
        repository(bench);
        bench.write(".git/index.lock", "");
    }),
    ("shallow", shallow),
    ("split index", |bench| {
        repository(bench);
        bench.git(&["update-index", "--split-index"]);
    }),
    ("bare", |bench| bench.git(&["init", "-q", "--bare"])),
];

fn repository(bench: &Bench) {
    bench.git(&["init", "-q"]);
    bench.commit();
}

fn mid_rebase(bench: &Bench) {
    repository(bench);
    bench.git(&["checkout", "-q", "-b", "side"]);
    bench.write("tracked", "side\n");
    bench.commit();
    bench.git(&["checkout", "-q", "main"]);
    bench.write("tracked", "main\n");
    bench.commit();
    assert!(!bench.git_in("", &["rebase", "side"]).status.success());
    assert!(bench.root().join(".git/rebase-merge").exists());
}

fn linked_work_tree(bench: &Bench) {
    let main = bench.home().join("main");
    fs::create_dir(&main).unwrap();
    fs::write(main.join("tracked"), "tracked\n").unwrap();
    for arguments in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["commit", "-qm", "all"],
        &["worktree", "add", "-q", "-f", "-b", "side", "../linked"],
    ] {
        assert!(crate::support::user_git(&main, arguments).status.success());
    }
    fs::remove_dir_all(bench.root()).unwrap();
    fs::rename(bench.home().join("linked"), bench.root()).unwrap();
    assert_eq!(head::read(&bench.root()).branch.as_deref(), Some("side"));
    assert!(head::read(&bench.root()).commit.is_some());
}

fn submodule(bench: &Bench) {
    let library = bench.home().join("library");
    fs::create_dir(&library).unwrap();
    fs::write(library.join("inner"), "inner\n").unwrap();
    for arguments in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["commit", "-qm", "all"],
    ] {
        assert!(
            crate::support::user_git(&library, arguments)
                .status
                .success()
        );
    }
    repository(bench);
    bench.git(&["submodule", "--quiet", "add", "../library", "nested"]);
}

fn shallow(bench: &Bench) {
    let origin = bench.home().join("origin");
    fs::rename(bench.root(), &origin).unwrap();
    for arguments in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["commit", "-qm", "one"],
        &["commit", "-qm", "two", "--allow-empty"],
    ] {
        assert!(
            crate::support::user_git(&origin, arguments)
                .status
                .success()
        );
    }
    let source = format!("file://{}", origin.display());
    let cloned =
        crate::support::user_git(bench.home(), &["clone", "-q", "--depth=1", &source, "root"]);
    assert!(cloned.status.success());
    assert!(bench.root().join(".git/shallow").exists());
}

#[test]
fn every_state_is_measured_by_its_files() {
    for (state, prepare) in STATES {
        let Some(bench) = Bench::new() else { return };
        bench.write("tracked", "tracked\n");
        bench.write("crlf-file", "one\r\n");
        prepare(&bench);

        let mut shadow = bench.shadow();
        let before = id(&mut shadow);
        assert_eq!(id(&mut shadow), before, "{state}: nothing changed");

        bench.write("tracked", "edited\n");
        bench.write("fresh", "fresh\n");
        let after = id(&mut shadow);
        let changes = shadow.compare(&before, &after).unwrap();
        let expected = [
            (ChangeKind::Added, &b"fresh"[..]),
            (ChangeKind::Modified, b"tracked"),
        ];
        assert_eq!(kinds(&changes), expected, "{state}");

        // The same files under a shadow that remembers nothing have the same id.
        fs::remove_dir_all(bench.state()).unwrap();
        assert_eq!(id(&mut bench.shadow()), after, "{state}: from scratch");
    }
}

#[test]
fn going_back_gives_the_first_id_again() {
    for (state, prepare) in STATES {
        let Some(bench) = Bench::new() else { return };
        bench.write("tracked", "tracked\n");
        prepare(&bench);
        let original = fs::read(bench.root().join("tracked")).unwrap();
        let mut shadow = bench.shadow();
        let first = id(&mut shadow);
        bench.write("tracked", "elsewhere\n");
        assert_ne!(id(&mut shadow), first, "{state}");
        bench.write("tracked", original);
        assert_eq!(id(&mut shadow), first, "{state}");
    }
}

#[test]
fn committing_is_not_a_change_of_files() {
    let Some(bench) = Bench::new() else { return };
    bench.write("file", "one\n");
    repository(&bench);
    bench.write("file", "two\n");
    let mut shadow = bench.shadow();
    let before = id(&mut shadow);
    let commit = head::read(&bench.root()).commit;
    bench.commit();
    assert_eq!(id(&mut shadow), before);
    assert_ne!(head::read(&bench.root()).commit, commit);
    bench.git(&["reset", "-q", "--hard", "HEAD~1"]);
    assert_ne!(id(&mut shadow), before);
}

#[test]
fn work_inside_nested_work_trees_is_measured() {
    for (state, prepare) in STATES {
        if !matches!(state, "submodule" | "nested repository") {
            continue;
        }
        let Some(bench) = Bench::new() else { return };
        prepare(&bench);
        let mut shadow = bench.shadow();
        let before = id(&mut shadow);
        bench.write("nested/inner", "edited\n");
        bench.write("nested/deeper/fresh", "fresh\n");
        let after = id(&mut shadow);
        let changes = shadow.compare(&before, &after).unwrap();
        let expected = [
            (ChangeKind::Added, &b"nested/deeper/fresh"[..]),
            (ChangeKind::Modified, b"nested/inner"),
        ];
        assert_eq!(kinds(&changes), expected, "{state}");
    }
}

#[test]
fn planting_a_repository_neither_hides_nor_invents_anything() {
    let Some(bench) = Bench::new() else { return };
    bench.write("part/known", "known\n");
    repository(&bench);
    let mut shadow = bench.shadow();
    let before = id(&mut shadow);
    bench.git_in("part", &["init", "-q"]);
    assert_eq!(id(&mut shadow), before);

    bench.write("part/known", "edited\n");
    bench.write("part/.gitignore", "*\n");
    let after = id(&mut shadow);
    let changes = shadow.compare(&before, &after).unwrap();
    let expected = [
        (ChangeKind::Added, &b"part/.gitignore"[..]),
        (ChangeKind::Modified, b"part/known"),
    ];
    assert_eq!(kinds(&changes), expected);
}

#[test]
fn moved_root_is_unknown_rather_than_empty() {
    let Some(bench) = Bench::new() else { return };
    bench.write("file", "x\n");
    let mut shadow = bench.shadow();
    let before = id(&mut shadow);
    fs::rename(bench.root(), bench.home().join("away")).unwrap();
    shadow.snapshot().unwrap_err();
    fs::create_dir(bench.root()).unwrap();
    shadow.snapshot().unwrap_err();
    fs::remove_dir(bench.root()).unwrap();
    fs::rename(bench.home().join("away"), bench.root()).unwrap();
    assert_eq!(id(&mut shadow), before);
}

#[test]
fn state_inside_the_workspace_is_refused() {
    let Some(bench) = Bench::new() else { return };
    let git = fusebox_workspace::Git::at("/usr/bin/git".into());
    let inside = bench.root().join("state");
    let budget = fusebox_workspace::Budget::default();
    let opened = fusebox_workspace::Shadow::open(git, &bench.root(), &inside, None, budget);
    assert!(opened.is_err());
}
