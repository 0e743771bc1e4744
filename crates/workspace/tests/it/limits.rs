//! Sizes, depths and file types that a hostile workspace may hold.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, Instant};

use fusebox_workspace::{Budget, ChangeKind, Unmeasured};

use crate::support::{Bench, id, kinds, without_powers};

const SMALL: u64 = 1000;

fn small() -> Budget {
    Budget {
        hashed_file_bytes: SMALL,
        ..Budget::default()
    }
}

#[test]
fn large_files_are_told_apart_by_their_metadata() {
    let Some(bench) = Bench::new() else { return };
    let mut shadow = bench.shadow_within(small());
    let path = bench.root().join("data");
    let resize = |size| File::create(&path).unwrap().set_len(size).unwrap();
    let mut last = id(&mut shadow);
    let mut expect = |kind, meaningful, unhashed| {
        let now = shadow.snapshot().unwrap();
        let changes = shadow.compare(&last, &now.id).unwrap();
        assert_eq!(kinds(&changes), [(kind, &b"data"[..])]);
        assert_eq!(changes.files[0].meaningful, meaningful);
        assert_eq!(now.unhashed, unhashed);
        assert_eq!(id(&mut shadow), now.id, "unchanged means unchanged");
        last = now.id;
    };

    resize(SMALL + 1);
    expect(ChangeKind::Added, true, 1);
    resize(SMALL + 2);
    expect(ChangeKind::Modified, true, 1);
    let edit = || File::options().write(true).open(&path).unwrap();
    std::io::Write::write_all(&mut edit(), b"same size").unwrap();
    expect(ChangeKind::Modified, false, 1);
    fs::write(&path, "small\n").unwrap();
    expect(ChangeKind::Modified, true, 0);
    resize(SMALL + 1);
    expect(ChangeKind::Modified, true, 1);
    fs::remove_file(&path).unwrap();
    expect(ChangeKind::Deleted, true, 0);
}

#[test]
fn a_terabyte_of_nothing_takes_no_time() {
    let Some(bench) = Bench::new() else { return };
    // An empty file first: growing is the case in which git itself would read it all.
    bench.write("sparse", "");
    let mut shadow = bench.shadow();
    let before = id(&mut shadow);
    let begun = Instant::now();
    let grown = File::options()
        .write(true)
        .open(bench.root().join("sparse"))
        .unwrap();
    if grown.set_len(1 << 40).is_err() {
        eprintln!("SKIPPED: this file system has no sparse files of that size");
        return;
    }
    assert_ne!(id(&mut shadow), before);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn reading_stops_at_the_total_and_the_answer_stays_stable() {
    let Some(bench) = Bench::new() else { return };
    for at in 0..10 {
        bench.write(format!("file{at}"), "x".repeat(100));
    }
    let budget = Budget {
        hashed_bytes: 450,
        ..Budget::default()
    };
    let mut shadow = bench.shadow_within(budget);
    let first = shadow.snapshot().unwrap();
    assert_eq!((first.files, first.unhashed), (10, 6));
    assert_eq!(shadow.snapshot().unwrap(), first);
    bench.write("file9", "y".repeat(100));
    assert_ne!(shadow.snapshot().unwrap().id, first.id);
}

#[test]
fn a_crowded_shadow_starts_anew_and_keeps_its_rules() {
    let Some(bench) = Bench::new() else { return };
    bench.write(".gitignore", "noise\n");
    let budget = Budget {
        object_files: 12,
        ..Budget::default()
    };
    let mut shadow = bench.shadow_within(budget);
    shadow.freeze_ignores().unwrap();
    bench.write(".gitignore", "*\n");
    let mut renewed = 0;
    for round in 0..12 {
        renewed += u32::from(shadow.renew_if_crowded().unwrap());
        let before = shadow.snapshot().unwrap();
        bench.write("file", format!("round {round}"));
        bench.write("noise", format!("round {round}"));
        let after = shadow.snapshot().unwrap();
        let changes = shadow.compare(&before.id, &after.id).unwrap();
        assert_eq!(changes.total, 1, "round {round}");
    }
    assert!((2..12).contains(&renewed), "{renewed}");
}

#[test]
fn links_are_contents_and_never_paths() {
    let Some(bench) = Bench::new() else { return };
    let outside = bench.home().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "x").unwrap();
    symlink(&outside, bench.root().join("out")).unwrap();
    symlink("loop", bench.root().join("loop")).unwrap();
    symlink("..", bench.root().join("up")).unwrap();
    symlink("/dev/zero", bench.root().join("endless")).unwrap();
    let mut shadow = bench.shadow();
    let before = shadow.snapshot().unwrap();
    assert_eq!(before.files, 4);
    fs::write(outside.join("secret"), "edited").unwrap();
    assert_eq!(id(&mut shadow), before.id);
}

#[test]
fn many_files_in_one_directory() {
    let Some(bench) = Bench::new() else { return };
    for at in 0..5000 {
        bench.write(format!("many/file{at}"), format!("{at}"));
    }
    let mut shadow = bench.shadow();
    let before = shadow.snapshot().unwrap();
    assert_eq!(before.files, 5000);
    bench.write("many/file2500", "edited");
    let after = id(&mut shadow);
    assert_eq!(shadow.compare(&before.id, &after).unwrap().total, 1);
}

#[test]
fn what_is_beyond_the_budget_is_unknown() {
    let Some(bench) = Bench::new() else { return };
    for at in 0..300 {
        bench.write(format!("file{at}"), "x");
    }
    let few = Budget {
        paths: 299,
        ..Budget::default()
    };
    let error = bench.shadow_within(few).snapshot().unwrap_err();
    assert!(matches!(error, Unmeasured::TooManyPaths { .. }), "{error}");

    let hurried = Budget {
        scan: Duration::ZERO,
        ..Budget::default()
    };
    let error = bench.shadow_within(hurried).snapshot().unwrap_err();
    assert!(matches!(error, Unmeasured::Timeout { .. }), "{error}");

    bench.shadow().snapshot().unwrap();
    let deep = "d/".repeat(250);
    fs::create_dir_all(bench.root().join(deep)).unwrap();
    let error = bench.shadow().snapshot().unwrap_err();
    assert!(matches!(error, Unmeasured::TooDeep { .. }), "{error}");
}

#[test]
fn closed_doors_are_neither_deletions_nor_silence_nor_work() {
    without_powers(|| {
        let Some(bench) = Bench::new() else { return };
        for path in ["file", "closed/one", "closed/two", "listed/three"] {
            bench.write(path, "x\n");
        }
        let mode = |path: &str, mode| {
            let path = bench.root().join(path);
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        let mut shadow = bench.shadow();
        let before = id(&mut shadow);
        for (path, closed, open) in [
            ("file", 0, 0o644),
            ("closed", 0, 0o755),
            ("listed", 0o600, 0o755),
        ] {
            mode(path, closed);
            let shut = shadow.snapshot();
            mode(path, open);
            let changes = shadow.compare(&before, &shut.unwrap().id).unwrap();
            let deleted =
                |change: &&fusebox_workspace::FileChange| change.kind == ChangeKind::Deleted;
            assert_eq!(changes.files.iter().filter(deleted).count(), 0, "{path}");
            assert_eq!(changes.meaningful, 0, "{path}");
            assert_eq!(id(&mut shadow), before, "{path} opened again");
        }
    });
}

#[test]
fn what_is_closed_is_different_if_its_size_is_and_no_more_so_when_it_opens() {
    without_powers(|| {
        let Some(bench) = Bench::new() else { return };
        bench.write("file", "x\n");
        let mode = |mode| {
            let path = bench.root().join("file");
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        let mut shadow = bench.shadow();
        let mut last = id(&mut shadow);
        let mut meaningful = || {
            let now = id(&mut shadow);
            let changes = shadow.compare(&last, &now).unwrap();
            last = now;
            changes.meaningful
        };
        // Touched, and closed: what is in it cannot be told to differ.
        bench.write("file", "x\n");
        mode(0);
        assert_eq!(meaningful(), 0);
        mode(0o644);
        assert_eq!(meaningful(), 0);
        bench.write("file", "longer\n");
        mode(0);
        assert_eq!(meaningful(), 1);
        mode(0o644);
        assert_eq!(meaningful(), 0);
        bench.write("file", "longer still\n");
        assert_eq!(meaningful(), 1);
    });
}
