//! The copies themselves: how much is kept, what becomes of damaged ones, what a look costs.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use fusebox_guard::keep::{Author, Bounds, KeepError, Kept, Report, Why};
use fusebox_guard::{Mode, Protected, Rule};

use super::bench::{Bench, COMMANDS, sh};
use crate::workspace::Workspace;

#[test]
fn what_is_too_large_or_too_much_is_said() {
    let workspace = Workspace::new();
    let protected = Protected::new(workspace.path());
    fs::write(workspace.path().join("specs/large"), vec![7; 5_000]).expect("a file");
    for (bounds, path, why) in [
        (
            Bounds {
                file_bytes: 4_096,
                ..Bounds::default()
            },
            "specs/large",
            Why::TooLarge,
        ),
        (
            Bounds {
                total_bytes: 4_096,
                ..Bounds::default()
            },
            "specs/large",
            Why::NoRoom,
        ),
        (
            Bounds {
                entries: 8,
                ..Bounds::default()
            },
            "",
            Why::TooMany,
        ),
    ] {
        let vault = tempfile::tempdir().expect("a directory");
        let (_, taken) = Kept::take(vault.path(), &protected, bounds).expect("copies");
        let left_out = taken.left_out.iter().find(|one| one.why == why);
        let found = left_out.map(|one| one.path.starts_with(path));
        assert_eq!(found, Some(true), "{why:?}: {taken:?}");
    }
}

#[test]
fn copies_survive_the_process_and_a_damaged_list_is_told_from_a_missing_one() {
    let bench = Bench::new();
    let vault = bench.vault.path();
    sh(bench.workspace.path(), "rm -rf specs");
    let mut again = Kept::load(vault, Bounds::default())
        .expect("a list")
        .expect("copies");
    assert_eq!(again.len(), bench.kept.len());
    assert_eq!(
        again
            .look(&bench.protected, COMMANDS)
            .expect("a look")
            .missing(),
        4
    );
    assert!(!bench.path("specs").exists(), "a look puts nothing back");
    assert!(
        again
            .settle(&bench.protected, COMMANDS)
            .expect("a look")
            .is_whole()
    );
    fs::write(vault.join("list"), "fusebox kept 1\n").expect("a list");
    let damaged = Kept::load(vault, Bounds::default());
    assert!(matches!(damaged, Err(KeepError::Damaged { .. })));
    fs::remove_file(vault.join("list")).expect("a list");
    let taken_away = Kept::load(vault, Bounds::default());
    assert!(matches!(taken_away, Err(KeepError::Damaged { .. })));
    // A person who takes copies anew has looked.
    let (anew, _) = Kept::take(vault, &bench.protected, Bounds::default()).expect("copies");
    let again = Kept::load(vault, Bounds::default()).expect("a list");
    assert_eq!(again.expect("copies").len(), anew.len());
    fs::remove_dir_all(vault).expect("copies");
    let never = Kept::load(vault, Bounds::default()).expect("no list");
    assert!(never.is_none());
}

#[test]
fn a_list_that_cannot_be_read_is_not_a_missing_one() {
    let bench = Bench::new();
    let list = bench.vault.path().join("list");
    fs::remove_file(&list).expect("a list");
    fs::create_dir(&list).expect("a directory");
    let unreadable = Kept::load(bench.vault.path(), Bounds::default());
    assert!(matches!(unreadable, Err(KeepError::Vault { .. })));
}

#[test]
fn of_copies_that_are_no_longer_wanted_the_oldest_go_first() {
    let workspace = Workspace::new();
    let vault = tempfile::tempdir().expect("a directory");
    let rules = vec![Rule::new("CLAUDE.md", Mode::Keep)];
    let protected = Protected::with_rules(workspace.path(), rules);
    let bounds = Bounds {
        total_bytes: 30,
        ..Bounds::default()
    };
    Kept::take(vault.path(), &protected, bounds).expect("copies");
    let objects = vault.path().join("objects");
    for (name, days) in [("newest", 1), ("oldest", 3), ("older", 2)] {
        let copy = fs::File::create(objects.join(name)).expect("a copy");
        copy.set_len(20).expect("a length");
        let age = std::time::Duration::from_secs(days * 86_400);
        let time = std::time::SystemTime::now() - age;
        copy.set_modified(time).expect("a time");
    }
    let left = || -> Vec<bool> {
        let names = ["oldest", "older", "newest"];
        names.map(|name| objects.join(name).exists()).to_vec()
    };
    // 60 bytes where 40 may be; what is kept is not among them.
    let roomy = Bounds {
        total_bytes: 40,
        ..bounds
    };
    let (mut kept, _) = Kept::take(vault.path(), &protected, roomy).expect("copies");
    assert_eq!(left(), [false, true, true]);
    Kept::take(vault.path(), &protected, bounds).expect("copies");
    assert_eq!(left(), [false, false, true]);
    fs::remove_file(workspace.path().join("CLAUDE.md")).expect("a file");
    assert!(
        kept.settle(&protected, COMMANDS)
            .expect("a look")
            .is_whole()
    );
}

/// However much is found in place of what was lost, in one step or in many, and however often
/// it is rightly changed: the copies stay within their bound, and nobody's work is thrown away.
#[test]
fn what_is_put_aside_is_bounded_as_well() {
    let workspace = Workspace::new();
    let vault = tempfile::tempdir().expect("a directory");
    let rules = vec![Rule::new("specs", Mode::Keep)];
    let protected = Protected::with_rules(workspace.path(), rules);
    for number in 0..10 {
        let path = workspace.path().join(format!("specs/{number}"));
        fs::write(path, "kept").expect("a file");
    }
    let bounds = Bounds {
        total_bytes: 1_000,
        ..Bounds::default()
    };
    let (mut kept, _) = Kept::take(vault.path(), &protected, bounds).expect("copies");
    let objects = vault.path().join("objects");
    // Somebody else's, and the first to go if it could.
    fs::create_dir_all(objects.join("theirs/in-it")).expect("a directory");
    let held = || -> u64 {
        let copies = fs::read_dir(&objects).expect("copies").flatten();
        let files = copies.filter_map(|copy| copy.metadata().ok());
        files.filter(|one| one.is_file()).map(|one| one.len()).sum()
    };
    for round in 0..3 {
        for number in 0..10 {
            let path = workspace.path().join(format!("specs/{number}"));
            fs::write(path, format!("{round}{number}").repeat(150)).expect("a file");
        }
        let report = kept.settle(&protected, COMMANDS).expect("a look");
        assert_eq!(report.replaced(), 10, "{report:?}");
        assert!(report.is_whole(), "{report:?}");
        // What is kept comes on top of what is not.
        assert!(held() <= 1_000 + 1_250, "{} bytes", held());
        let aside = workspace.path().join("specs/9.aside.1");
        let found = fs::read_to_string(&aside).expect("what was there");
        assert!(found.starts_with("09"), "{found}");
    }
    let plan = workspace.path().join("specs/0");
    for round in 0..10 {
        fs::write(&plan, format!("{round}").repeat(300)).expect("a file");
        let report = kept.settle(&protected, Author::Agent).expect("a look");
        assert_eq!(report.lost, []);
        assert!(held() <= 1_000 + 1_250, "{} bytes", held());
    }
}

#[test]
fn a_damaged_copy_is_never_put_back() {
    let mut bench = Bench::new();
    for copy in fs::read_dir(bench.vault.path().join("objects"))
        .expect("copies")
        .flatten()
    {
        fs::write(copy.path(), "forged\n").expect("a copy");
    }
    sh(bench.workspace.path(), "rm CLAUDE.md");
    let report = bench.settle(COMMANDS);
    assert!(!report.is_whole(), "{report:?}");
    assert!(!bench.path("CLAUDE.md").exists());
}

#[test]
fn what_was_lost_with_its_copies_is_told_all_the_same() {
    let mut bench = Bench::new();
    fs::remove_dir_all(bench.vault.path()).expect("copies");
    sh(bench.workspace.path(), "rm CLAUDE.md");
    let report = bench.settle(COMMANDS);
    assert_eq!((report.missing(), report.is_whole()), (1, false));
}

#[test]
fn an_unchanged_file_is_not_read_again() {
    let mut bench = Bench::new();
    std::thread::sleep(std::time::Duration::from_millis(150));
    bench.settle(COMMANDS);
    let accessed = |path: &Path| {
        let about = path.metadata().expect("a file");
        (about.atime(), about.atime_nsec())
    };
    let file = bench.path("specs/a.md");
    let old = fs::File::open(&file).expect("a file");
    let times = fs::FileTimes::new().set_accessed(std::time::UNIX_EPOCH);
    // Setting a time changes the signature: one more look, and it is known again.
    old.set_times(times).expect("times");
    std::thread::sleep(std::time::Duration::from_millis(150));
    bench.settle(COMMANDS);
    let before = accessed(&file);
    let report = bench.settle(COMMANDS);
    assert_eq!(report, Report::default());
    assert_eq!(accessed(&file), before);
    let list = bench
        .vault
        .path()
        .join("list")
        .metadata()
        .expect("a list")
        .mtime_nsec();
    bench.settle(COMMANDS);
    let again = bench
        .vault
        .path()
        .join("list")
        .metadata()
        .expect("a list")
        .mtime_nsec();
    assert_eq!(list, again, "nothing is written either");
}

/// After every tool call, so it must cost next to nothing. The bound leaves room for a busy
/// machine and a program without optimisation, in which hashing alone would break it.
#[test]
fn a_look_at_two_hundred_unchanged_files_costs_little() {
    let workspace = Workspace::new();
    let protected = workspace.guard().protected().clone();
    for number in 0..200 {
        let path = workspace.path().join(format!("specs/{number}.md"));
        fs::write(path, vec![b'x'; 64 << 10]).expect("a file");
    }
    let vault = tempfile::tempdir().expect("a directory");
    std::thread::sleep(std::time::Duration::from_millis(150));
    Kept::take(vault.path(), &protected, Bounds::default()).expect("copies");
    let look = || {
        let begun = std::time::Instant::now();
        let kept = Kept::load(vault.path(), Bounds::default());
        let mut kept = kept.expect("a list").expect("copies");
        let report = kept.settle(&protected, COMMANDS).expect("a look");
        assert_eq!(report, Report::default());
        begun.elapsed()
    };
    let best = (0..20).map(|_| look()).min().expect("some looks");
    eprintln!("a look at {} paths took {best:?}", 200);
    assert!(best < std::time::Duration::from_millis(15), "{best:?}");
}
