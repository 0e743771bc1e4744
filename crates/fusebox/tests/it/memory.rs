//! Nothing that is done to its memory makes it forget.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::context::{StorePaths, TestContext, nobody_can_play_a_person};

/// Something done to a path, by name.
type Damage = (&'static str, fn(&Path));

/// A part of the store, by name.
type Part = (&'static str, fn(&StorePaths) -> &Path);

const TO_FILES: [Damage; 7] = [
    ("deleted", delete),
    ("emptied", |path| fs::write(path, "").unwrap()),
    ("cut in half", cut_in_half),
    ("changed", change),
    ("a link", replace_by_link),
    ("a pipe", replace_by_pipe),
    ("a directory", replace_by_directory),
];

fn delete(path: &Path) {
    let done = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    done.unwrap();
}

fn cut_in_half(path: &Path) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
}

fn change(path: &Path) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, bytes.iter().map(|byte| byte ^ 1).collect::<Vec<_>>()).unwrap();
}

fn flip(path: &Path, offset: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[offset] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn replace_by_link(path: &Path) {
    let copy = path.with_extension("copy");
    fs::rename(path, &copy).unwrap();
    symlink(&copy, path).unwrap();
}

fn replace_by_pipe(path: &Path) {
    delete(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn replace_by_directory(path: &Path) {
    delete(path);
    fs::create_dir(path).unwrap();
}

/// Everything that can be done to everything that is kept.
fn each_damage(then: impl Fn(&str, &dyn Fn(&StorePaths))) {
    let files: [Part; 3] = [
        ("log", |s| &s.log),
        ("slots", |s| &s.slots),
        ("head", |s| &s.head),
    ];
    let directories: [Part; 4] = [
        ("heads", |s| &s.heads),
        ("circuit", |s| &s.circuit),
        ("workspace", |s| &s.workspace),
        ("state", |s| &s.state),
    ];
    for (what, which) in files {
        for (how, damage) in TO_FILES {
            then(&format!("{what} {how}"), &|store| damage(which(store)));
        }
    }
    for (what, which) in directories {
        then(&format!("{what} deleted"), &|store| delete(which(store)));
    }
    then("state moved away", &|store| {
        fs::rename(&store.state, store.state.with_extension("moved")).unwrap();
    });
}

/// With the breaker open and with two of three counted: nobody is told to go
/// on, `doctor` says what it is, and a person's reset starts afresh and keeps
/// what was found.
#[test]
fn req_x_004_damaged_memory_never_means_go_on() {
    let no_person = nobody_can_play_a_person();
    each_damage(|name, damage| {
        for reports in [2, 3] {
            let context = TestContext::new();
            for _ in 0..reports {
                context.fusebox(&["record", "--exit-zero"]).run().expect(0);
            }
            damage(&context.store());
            let name = format!("{name}, {reports} reports");
            says_no(&context, &name);
            if reports == 3 && !no_person {
                starts_afresh(&context, &name);
            }
        }
    });
}

fn says_no(context: &TestContext, name: &str) {
    for args in [
        &["check", "--peek"][..],
        &["doctor"],
        &["record", "--files-changed", "9"],
        &["check"],
    ] {
        let came = context.fusebox(args).run();
        let said = match args {
            ["doctor"] => came.out(),
            _ => came.err(),
        };
        assert_eq!(came.code, 4, "{name}: {args:?} said {said}");
        assert!(
            said.contains("the state is inconsistent or was tampered with: "),
            "{name}: {said}"
        );
    }
}

fn starts_afresh(context: &TestContext, name: &str) {
    let log = context.store().log;
    let had_log = fs::symlink_metadata(log).is_ok_and(|found| found.is_file());
    let reset = context.reset();
    assert_eq!(reset.code, 0, "{name}: {}", reset.err());
    context.fusebox(&["check"]).run().expect(0);
    if had_log {
        let kept = fs::read_dir(context.store().circuit.join("quarantine")).unwrap();
        let logs = kept.filter(|copy| copy.as_ref().unwrap().path().join("log").exists());
        assert!(logs.count() > 0, "{name}: nothing was kept");
    }
}

/// A run, too, reads its memory before it starts anything.
#[test]
fn req_x_004_no_run_starts_on_damaged_memory() {
    for (how, damage) in TO_FILES {
        let context = TestContext::new();
        context
            .fusebox(&["record", "--files-changed", "1"])
            .run()
            .expect(0);
        damage(&context.store().log);
        let came = context
            .fusebox(&["run", "--once", "--", "touch", "ran"])
            .run();
        assert_eq!(came.code, 4, "log {how}: {}", came.err());
        assert!(!context.work().join("ran").exists(), "log {how}");
    }
}

/// More behind the last record than any write can have left there.
#[test]
fn noise_after_the_log_is_noticed() {
    let context = TestContext::new();
    context.open_breaker();
    let mut log = fs::File::options()
        .append(true)
        .open(context.store().log)
        .unwrap();
    log.write_all(&vec![7; 2 << 20]).unwrap();
    context.fusebox(&["check"]).run().expect(4);
}

/// Bytes that are put back after they were found changed change nothing.
#[test]
fn a_finding_is_latched() {
    let context = TestContext::new();
    context
        .fusebox(&["record", "--files-changed", "1"])
        .run()
        .expect(0);
    let head = context.store().head;
    let sound = fs::read(&head).unwrap();
    change(&head);
    context.fusebox(&["check"]).run().expect(4);
    fs::write(&head, sound).unwrap();
    context.fusebox(&["check"]).run().expect(4).says("noted in");
}

#[test]
fn req_x_009_an_older_copy_put_back_is_noticed() {
    for (open, copied) in [(true, 1), (true, 2), (false, 1)] {
        let context = TestContext::new();
        let record = ["record", "--exit-zero", "--files-changed", "0"];
        for _ in 0..copied {
            context.fusebox(&record).run().expect(0);
        }
        let (state, copy) = (context.path("state"), context.path("copy"));
        let cp = |from: &Path, to: &Path| {
            assert!(
                Command::new("cp")
                    .arg("-a")
                    .args([from, to])
                    .status()
                    .unwrap()
                    .success()
            );
        };
        cp(&state, &copy);
        let more = if open { 3 - copied } else { 1 };
        for _ in 0..more {
            context.fusebox(&record).run().expect(0);
        }
        fs::remove_dir_all(&state).unwrap();
        cp(&copy, &state);
        context.fusebox(&["check"]).run().expect(4);
    }
}

/// What is lost without harm: an index that can be found again by path.
#[test]
fn the_index_alone_can_be_lost() {
    let context = TestContext::new();
    context.open_breaker();
    fs::remove_dir_all(context.store().index).unwrap();
    context.fusebox(&["check"]).run().expect(42);
}

/// With both copies gone nothing is left to know it by; then it says so.
#[test]
fn a_first_use_is_announced() {
    let context = TestContext::new();
    context.open_breaker();
    for copy in ["state", "data"] {
        fs::remove_dir_all(context.path(copy)).unwrap();
    }
    context
        .fusebox(&["check"])
        .run()
        .expect(0)
        .says("new workspace ");
}

/// Old records are not read by a check; `doctor` and the next run do read them.
#[test]
fn a_changed_old_record_is_found_by_doctor_and_by_the_next_run() {
    for finder in [&["doctor"][..], &["run", "--once", "--", "touch", "ran"]] {
        let context = TestContext::new();
        for task in ["the-first", "b", "c", "d"] {
            context
                .fusebox(&["record", "--files-changed", "1", "--task", task])
                .run()
                .expect(0);
        }
        let log = context.store().log;
        let bytes = fs::read(&log).unwrap();
        let at = bytes
            .windows(9)
            .position(|text| text == b"the-first")
            .unwrap();
        flip(&log, at);
        context.fusebox(&["check"]).run().expect(0);
        let found = context.fusebox(finder).run().expect(4);
        if finder == ["doctor"] {
            assert!(found.out().starts_with("✗ memory "), "{}", found.out());
        } else {
            found.complains_once_on_stderr();
        }
        assert!(!context.work().join("ran").exists());
        context.fusebox(&["check"]).run().expect(4);
        flip(&log, at);
        context.fusebox(&["check"]).run().expect(4);
    }
}
