//! Going back to a snapshot, in a work tree that does not want to.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use fusebox_workspace::{Budget, LeftBecause, Restored, Restoring, Shadow, SnapshotId, Unmeasured};

use crate::support::{Bench, bytes, id};

/// Takes a snapshot, lets `act` work, and goes back.
fn there_and_back(bench: &Bench, act: impl FnOnce(&Bench)) -> (Shadow, SnapshotId, Restored) {
    let mut shadow = bench.shadow();
    let before = id(&mut shadow);
    act(bench);
    let restored = shadow.restore(&before).unwrap();
    (shadow, before, restored)
}

#[test]
fn every_kind_of_change_is_undone_and_can_be_redone() {
    let Some(bench) = Bench::new() else { return };
    for path in ["kept", "edited", "deleted", "dir/deep/deleted", "was-file"] {
        bench.write(path, format!("{path} before\n"));
    }
    bench.write("was-dir/inner", "inner\n");
    bench.write("tool", "#!/bin/sh\n");
    bench.make_executable("tool");
    bench.write(bytes(b"n\xff\n\"name"), [0, 159, 146, 150]);
    symlink("edited", bench.root().join("link")).unwrap();
    let (mut shadow, before, restored) = there_and_back(&bench, |bench| {
        bench.write("edited", "after\n");
        bench.remove("deleted");
        fs::remove_dir_all(bench.root().join("dir")).unwrap();
        bench.remove("was-file");
        bench.write("was-file/now/dir", "x\n");
        fs::remove_dir_all(bench.root().join("was-dir")).unwrap();
        bench.write("was-dir", "x\n");
        fs::set_permissions(bench.root().join("tool"), fs::Permissions::from_mode(0o640)).unwrap();
        bench.write(bytes(b"n\xff\n\"name"), "x\n");
        bench.remove("link");
        symlink("/etc/passwd", bench.root().join("link")).unwrap();
        bench.write("new/deep/file", "x\n");
    });
    assert_eq!(restored.now, before, "{:?}", restored.left);
    assert_eq!((restored.written, restored.deleted), (8, 3));
    assert_eq!(restored.left_in_all, 0);
    assert!(!bench.root().join("new").exists(), "emptied directories go");
    let mode = fs::metadata(bench.root().join("tool")).unwrap().mode() & 0o777;
    assert_eq!(
        mode, 0o750,
        "readers may run it again, others still may not"
    );

    let redone = shadow.restore(&restored.undo).unwrap();
    assert_eq!(redone.now, restored.undo);
    assert_eq!(fs::read(bench.root().join("edited")).unwrap(), b"after\n");
    assert_eq!(shadow.restore(&redone.now).unwrap().written, 0);
}

#[test]
fn what_is_spared_is_neither_overwritten_nor_deleted_and_what_is_foreseen_is_not_done() {
    let Some(bench) = Bench::new() else { return };
    bench.write("specs/a", "before\n");
    bench.write("specs/gone", "before\n");
    bench.write("a", "before\n");
    let mut shadow = bench.shadow();
    let before = id(&mut shadow);
    bench.write("specs/a", "after\n");
    bench.remove("specs/gone");
    bench.write("specs/new", "new\n");
    bench.write("a", "after\n");
    bench.write("b", "new\n");
    let spares = |path: &Path| path.starts_with("specs");
    let expected = [
        Restoring::Deleted("b".into()),
        Restoring::Written("a".into()),
        Restoring::Written("specs/gone".into()),
    ];
    let read = |path: &str| fs::read_to_string(bench.root().join(path)).ok();
    for done in [false, true] {
        let mut told = if done {
            shadow.restore_except(&before, spares).unwrap()
        } else {
            shadow.foresee(&before, spares).unwrap()
        };
        told.steps.sort_by_key(|step| format!("{step:?}"));
        assert_eq!(told.steps, expected);
        assert_eq!((told.written, told.deleted), (2, 1));
        let left: Vec<_> = told.left.iter().map(|left| left.path.as_path()).collect();
        assert_eq!(left, [Path::new("specs/a"), Path::new("specs/new")]);
        assert!(told.left.iter().all(|left| left.why == LeftBecause::Spared));
        assert_eq!(
            read("a").unwrap(),
            if done { "before\n" } else { "after\n" }
        );
        assert_eq!(read("b").is_some(), !done);
        assert_eq!(read("specs/gone").is_some(), done);
        assert_eq!(read("specs/a").unwrap(), "after\n");
        assert_eq!(read("specs/new").unwrap(), "new\n");
    }
}

#[test]
fn links_lead_no_rollback_astray() {
    let Some(bench) = Bench::new() else { return };
    let outside = bench.home().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "theirs\n").unwrap();
    bench.write("dir/file", "ours\n");
    bench.write("top", "ours\n");
    let (_, before, restored) = there_and_back(&bench, |bench| {
        fs::remove_dir_all(bench.root().join("dir")).unwrap();
        symlink(&outside, bench.root().join("dir")).unwrap();
        bench.remove("top");
        symlink(outside.join("file"), bench.root().join("top")).unwrap();
        symlink(
            outside.join("file"),
            bench.root().join(".fusebox-unfinished"),
        )
        .unwrap();
    });
    assert_eq!(restored.now, before, "{:?}", restored.left);
    assert_eq!(fs::read(outside.join("file")).unwrap(), b"theirs\n");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn what_no_snapshot_holds_is_never_touched() {
    let Some(bench) = Bench::new() else { return };
    bench.git(&["init", "-q"]);
    bench.write(".gitignore", "*.log\n");
    bench.write("dir/file", "1\n");
    bench.write("gone", "1\n");
    let (_, _, restored) = there_and_back(&bench, |bench| {
        bench.write(".git/description", "theirs\n");
        bench.write("ignored.log", "theirs\n");
        bench.remove("dir/file");
        bench.write("dir/file/kept.log", "theirs\n");
        bench.remove("gone");
        bench.fifo("gone");
        bench.write("nested/file", "1\n");
        bench.git(&["init", "-q", "nested"]);
    });
    let left: Vec<_> = restored
        .left
        .iter()
        .map(|left| (left.path.as_path(), &left.why))
        .collect();
    assert_eq!(
        left,
        [
            (Path::new("dir/file"), &LeftBecause::InTheWay),
            (Path::new("gone"), &LeftBecause::InTheWay),
        ]
    );
    for kept in [
        ".git/description",
        "ignored.log",
        "dir/file/kept.log",
        "nested/.git/HEAD",
    ] {
        assert!(bench.root().join(kept).exists(), "{kept}");
    }
    assert!(!bench.root().join("nested/file").exists());
}

#[test]
fn content_that_was_not_stored_is_reported_and_left() {
    let Some(bench) = Bench::new() else { return };
    let mut shadow = bench.shadow_within(Budget {
        hashed_file_bytes: 100,
        ..Budget::default()
    });
    let large = "large\n".repeat(100);
    bench.write("large", &large);
    bench.write("stays-large", &large);
    bench.write("grows", "small\n");
    let before = id(&mut shadow);
    bench.write("large", "small now\n");
    bench.write("grows", &large);
    bench.write("new-large", &large);
    let restored = shadow.restore(&before).unwrap();
    let left: Vec<_> = restored
        .left
        .iter()
        .map(|left| (left.path.as_path(), left.why.clone()))
        .collect();
    assert_eq!(
        left,
        [
            (Path::new("grows"), LeftBecause::WouldBeLost),
            (Path::new("large"), LeftBecause::NeverStored),
            (Path::new("new-large"), LeftBecause::WouldBeLost),
        ]
    );
    let content = |path| fs::read_to_string(bench.root().join(path)).unwrap();
    assert_eq!(content("grows"), large);
    assert_eq!(content("large"), "small now\n", "the only content there is");
}

#[test]
fn an_interrupted_rollback_is_completed_by_another() {
    let Some(bench) = Bench::new() else { return };
    let paths: Vec<PathBuf> = (0..5).map(|n| PathBuf::from(format!("d/{n}"))).collect();
    for path in &paths {
        bench.write(path, "before\n");
    }
    let (mut shadow, before, _) = there_and_back(&bench, |bench| {
        for path in &paths {
            bench.write(path, "after\n");
        }
    });
    // As a killed one leaves it: some files old, some new, one in between.
    bench.write("d/3", "after\n");
    bench.remove("d/4");
    bench.write("d/.fusebox-unfinished", "befo");
    assert_eq!(shadow.restore(&before).unwrap().now, before);
    assert!(!bench.root().join("d/.fusebox-unfinished").exists());
}

#[test]
fn read_only_files_are_restored_and_stay_read_only() {
    let Some(bench) = Bench::new() else { return };
    bench.write("sealed", "before\n");
    let sealed = bench.root().join("sealed");
    let (_, before, restored) = there_and_back(&bench, |bench| {
        bench.write("sealed", "after\n");
        fs::set_permissions(&sealed, fs::Permissions::from_mode(0o444)).unwrap();
    });
    assert_eq!(restored.now, before);
    assert_eq!(fs::read(&sealed).unwrap(), b"before\n");
    assert_eq!(fs::metadata(&sealed).unwrap().mode() & 0o777, 0o444);
}

#[test]
fn unknown_and_forgotten_snapshots_are_refused_before_anything_is_touched() {
    let Some(bench) = Bench::new() else { return };
    bench.write("file", "before\n");
    let mut shadow = bench.shadow();
    let before = id(&mut shadow);
    bench.write("file", "after\n");
    id(&mut shadow);
    fs::remove_dir_all(bench.state().join("shadow.git")).unwrap();
    let unknown = "0123456789abcdef0123456789abcdef01234567".parse().unwrap();
    for gone in [&before, &unknown] {
        let error = shadow.restore(gone).unwrap_err();
        assert!(matches!(error, Unmeasured::SnapshotGone { .. }), "{error}");
    }
    assert_eq!(fs::read(bench.root().join("file")).unwrap(), b"after\n");
}
