//! Races, forgeries, kills and damage: the answer is right or it is "unknown".

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use fusebox_workspace::{Budget, Git, Shadow, Unmeasured};

use crate::support::{Bench, id};

#[test]
fn forged_times_do_not_hide_an_edit() {
    let Some(bench) = Bench::new() else { return };
    let path = bench.root().join("file");
    let old = FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1000));
    let mut shadow = bench.shadow();
    let mut last = None;
    for round in 0..30 {
        fs::write(&path, format!("round {round:02}\n")).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_times(old).unwrap();
        let now = Some(id(&mut shadow));
        assert_ne!(now, last, "round {round}");
        last = now;
    }
}

#[test]
fn touching_is_not_an_edit() {
    let Some(bench) = Bench::new() else { return };
    bench.write("file", "same\n");
    let mut shadow = bench.shadow();
    let before = id(&mut shadow);
    bench.write("file", "same\n");
    let file = File::options()
        .write(true)
        .open(bench.root().join("file"))
        .unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(60))
        .unwrap();
    assert_eq!(id(&mut shadow), before);
}

/// Turns one name after another into everything it can be.
fn mutate(root: &Path, stop: &AtomicBool) {
    let mut seed = 7_u32;
    while !stop.load(Ordering::Relaxed) {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let path = root.join(format!("name{}", (seed >> 8) % 6));
        let other = root.join(format!("name{}", (seed >> 12) % 6));
        // Most of these fail at any given moment, which is the point.
        let _ = match (seed >> 20) % 8 {
            0 => fs::write(&path, "x".repeat((seed >> 16) as usize % 5000)),
            1 => fs::remove_file(&path),
            2 => fs::create_dir(&path),
            3 => fs::remove_dir_all(&path),
            4 => symlink("..", &path),
            5 => fs::rename(&path, &other),
            6 => fs::write(path.join("inside"), "y"),
            _ => fs::create_dir_all(path.join(".git/objects")),
        };
    }
}

#[test]
fn racing_agent_gets_valid_answers_or_none() {
    let Some(bench) = Bench::new() else { return };
    for at in 0..50 {
        bench.write(format!("steady/{at}"), "x\n");
    }
    let mut shadow = bench.shadow();
    let stop = AtomicBool::new(false);
    let root = bench.root();
    let mut known = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| mutate(&root, &stop));
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(1500) {
            known += usize::from(shadow.snapshot().is_ok());
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(known > 0);
    // What was pieced together during the race ends up equal to a measurement from scratch.
    let pieced = id(&mut shadow);
    fs::remove_dir_all(bench.state()).unwrap();
    assert_eq!(id(&mut bench.shadow()), pieced);
}

#[test]
fn leftovers_of_a_killed_git_do_not_matter() {
    let Some(bench) = Bench::new() else { return };
    bench.write("file", "one\n");
    let before = id(&mut bench.shadow());
    let git_dir = bench.state().join("shadow.git");
    fs::create_dir_all(git_dir.join("objects/pack")).unwrap();
    let leftovers = [
        "refs/heads/snapshot.lock",
        "objects/pack/tmp_pack_abc",
        "fast_import_crash_1",
    ];
    for leftover in leftovers {
        fs::write(git_dir.join(leftover), "").unwrap();
    }
    fs::write(bench.state().join("ledger.new"), "half a led").unwrap();
    bench.write("file", "two\n");
    let after = bench.shadow().snapshot().unwrap();
    assert_ne!(after.id, before);
    assert!(!after.rebuilt);
    for leftover in leftovers {
        assert!(!git_dir.join(leftover).exists(), "{leftover}");
    }
}

type Damage = fn(&Path);

const DAMAGES: [(&str, Damage); 9] = [
    ("ledger removed", |state| {
        fs::remove_file(state.join("ledger")).unwrap();
    }),
    ("ledger emptied", |state| {
        fs::write(state.join("ledger"), "").unwrap();
    }),
    ("ledger cut", |state| {
        let whole = fs::read(state.join("ledger")).unwrap();
        fs::write(state.join("ledger"), &whole[..whole.len() / 2]).unwrap();
    }),
    ("configuration edited", |state| {
        let config = state.join("shadow.git/config");
        let ours = fs::read_to_string(&config).unwrap();
        fs::write(config, ours + "[diff]\n\texternal = /bin/false\n").unwrap();
    }),
    ("attributes added", |state| {
        fs::create_dir(state.join("shadow.git/info")).unwrap();
        fs::write(state.join("shadow.git/info/attributes"), "* -diff\n").unwrap();
    }),
    ("alternates added", |state| {
        fs::create_dir_all(state.join("shadow.git/objects/info")).unwrap();
        fs::write(state.join("shadow.git/objects/info/alternates"), "/tmp\n").unwrap();
    }),
    ("repository removed", |state| {
        fs::remove_dir_all(state.join("shadow.git")).unwrap();
    }),
    ("repository replaced by a link", |state| {
        fs::rename(state.join("shadow.git"), state.join("elsewhere")).unwrap();
        symlink("elsewhere", state.join("shadow.git")).unwrap();
    }),
    ("objects removed", |state| {
        fs::remove_dir_all(state.join("shadow.git/objects")).unwrap();
        fs::create_dir(state.join("shadow.git/objects")).unwrap();
    }),
];

#[test]
fn damage_is_repaired_and_reported_and_never_reads_as_no_change() {
    for (name, damage) in DAMAGES {
        let Some(bench) = Bench::new() else { return };
        bench.write("file", "one\n");
        bench.write("other", "x\n");
        let before = bench.shadow().snapshot().unwrap();
        assert!(!before.rebuilt);
        damage(&bench.state());
        bench.write("file", "two\n");

        let mut shadow = bench.shadow();
        let after = shadow.snapshot().unwrap();
        assert!(after.rebuilt, "{name}");
        assert_ne!(after.id, before.id, "{name}");
        shadow.compare(&before.id, &after.id).unwrap_err();
        let again = shadow.snapshot().unwrap();
        assert_eq!((again.rebuilt, again.id), (false, after.id), "{name}");
    }
}

#[test]
fn objects_lost_unnoticed_are_found_out_by_the_next_comparison() {
    let Some(bench) = Bench::new() else { return };
    bench.write("file", "one\n");
    let mut shadow = bench.shadow();
    let before = id(&mut shadow);
    bench.write("file", "two\n");
    let after = id(&mut shadow);
    let objects = bench.state().join("shadow.git/objects");
    fs::remove_dir_all(&objects).unwrap();
    fs::create_dir(&objects).unwrap();
    shadow.compare(&before, &after).unwrap_err();
    let repaired = shadow.snapshot().unwrap();
    assert_eq!((repaired.rebuilt, &repaired.id), (true, &after));
    bench.write("file", "three\n");
    let next = id(&mut shadow);
    assert_eq!(shadow.compare(&repaired.id, &next).unwrap().total, 1);
}

/// A program in place of git.
fn stand_in(bench: &Bench, script: &str) -> Git {
    let program: PathBuf = bench.home().join("git");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    Git::at(program)
}

fn snapshot_with(bench: &Bench, git: Git) -> Result<(), Unmeasured> {
    let budget = Budget {
        per_command: Duration::from_millis(300),
        ..Budget::default()
    };
    let mut shadow = Shadow::open(git, &bench.root(), &bench.state(), None, budget)?;
    shadow.snapshot().map(drop)
}

#[test]
fn slow_or_broken_git_is_unknown_within_the_budget() {
    let Some(bench) = Bench::new() else { return };
    // More than a pipe holds, so that a git which does not read blocks its writer.
    bench.write("file", "x".repeat(1 << 20));
    for (script, reason) in [
        ("sleep 60", "storing a snapshot did not finish within 300ms"),
        (
            "sleep 60 & cat >/dev/null; wait",
            "storing a snapshot did not finish within 300ms",
        ),
        (
            "echo 'fatal: no' >&2; exit 128",
            "git failed while storing a snapshot: fatal: no",
        ),
        (
            "exit 3",
            "git failed while storing a snapshot: exit status: 3",
        ),
        (
            "cat >/dev/null; echo nonsense",
            r"git failed while storing a snapshot: an answer without a tree: nonsense\n",
        ),
    ] {
        let git = stand_in(&bench, script);
        let begun = Instant::now();
        let error = snapshot_with(&bench, git).unwrap_err();
        assert_eq!(error.to_string(), reason, "{script}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{script}");
    }
    let error = snapshot_with(&bench, Git::at(bench.home().join("absent"))).unwrap_err();
    assert!(matches!(error, Unmeasured::Io { .. }), "{error}");

    // None of the failures left anything behind that a working git would stumble over.
    assert!(!bench.shadow().snapshot().unwrap().rebuilt);
}
