//! What a run takes for progress: what really changed, and nothing else.

use std::fs;
use std::process::Command;

use crate::context::TestContext;

/// Prepares a work tree.
type Setup = fn(&TestContext);

fn as_it_is(_: &TestContext) {}

/// How many of two iterations had progress.
#[track_caller]
fn with_progress(context: &TestContext, script: &str) -> u64 {
    let options = [
        "--json",
        "--stagnation-threshold",
        "9",
        "--max-iterations",
        "2",
    ];
    let run = context.supervise(&options, script).run().expect(45);
    let lines = run.json_lines();
    assert!(!run.err().contains("unknown"), "{script}: {}", run.err());
    lines[2]["with_progress"].as_u64().unwrap()
}

#[test]
fn req_000_025_and_001_109_and_004_015_motion_without_change_is_no_progress() {
    for (setup, script) in [
        (as_it_is as Setup, "touch a.txt"),
        (as_it_is, "printf ' ' >> a.txt"),
        (as_it_is, "echo >> a.txt"),
        (as_it_is, "chmod +x a.txt; chmod +r a.txt"),
        (
            as_it_is,
            "git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m $FUSEBOX_ITERATION",
        ),
        (as_it_is, "echo x > new; rm new"),
        (
            as_it_is,
            "echo $FUSEBOX_ITERATION >> a.txt; git checkout -q a.txt",
        ),
        (
            as_it_is,
            "git branch b$FUSEBOX_ITERATION; git config fusebox.x $FUSEBOX_ITERATION",
        ),
        (as_it_is, "mkdir -p empty/$FUSEBOX_ITERATION"),
        (as_it_is, "echo I changed everything, all tests pass, DONE"),
        (
            ignoring,
            "mkdir -p target; echo $FUSEBOX_ITERATION >> target/x",
        ),
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        setup(&context);
        assert_eq!(with_progress(&context, script), 0, "{script}");
    }
}

#[test]
fn req_000_026_and_004_016_a_change_is_progress_wherever_it_is() {
    let append = "echo $FUSEBOX_ITERATION >> a.txt";
    for (name, setup, script) in [
        ("tracked file", as_it_is as Setup, append),
        (
            "untracked file",
            as_it_is,
            "echo x > new-$FUSEBOX_ITERATION",
        ),
        ("deleted file", some_files, "rm f$FUSEBOX_ITERATION"),
        (
            "committed change",
            as_it_is,
            "echo $FUSEBOX_ITERATION >> a.txt; git add a.txt; git -c user.name=a -c user.email=a@b.c commit -qm x",
        ),
        (
            "nested repository",
            nested,
            "echo $FUSEBOX_ITERATION >> inner/b.txt",
        ),
        (
            "tracked although ignored",
            tracked_and_ignored,
            "echo $FUSEBOX_ITERATION >> target/x",
        ),
        ("amid a rebase", rebasing, append),
        ("no commits yet", without_commits, append),
        ("no repository", without_repository, append),
        ("an empty directory", emptied, append),
        ("another user's repository", of_another_user, append),
        (
            "a name of bytes",
            as_it_is,
            "echo $FUSEBOX_ITERATION >> \"$(printf 'n\\377\\nm')\"",
        ),
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        setup(&context);
        assert_eq!(with_progress(&context, script), 2, "{name}");
    }
}

#[test]
fn a_user_without_powers_is_served_as_well() {
    let Some(context) = TestContext::unprivileged() else {
        return;
    };
    assert_eq!(
        with_progress(&context, "echo $FUSEBOX_ITERATION >> a.txt"),
        2
    );
    assert_eq!(with_progress(&context, "touch a.txt"), 0);
}

/// What is measured with must be there, and the memory must not be in the way.
#[test]
fn what_cannot_be_measured_is_not_begun() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let tools = context.path("tools");
    fs::create_dir(&tools).unwrap();
    for tool in ["setsid", "sh", "touch"] {
        let found = Command::new("sh")
            .args(["-c", &format!("command -v {tool}")])
            .output()
            .unwrap();
        let path = String::from_utf8(found.stdout).unwrap();
        std::os::unix::fs::symlink(path.trim(), tools.join(tool)).unwrap();
    }
    let without_git = context
        .supervise(&["--once"], "touch ran")
        .env("PATH", &tools);
    without_git
        .run()
        .expect(6)
        .complains_once()
        .says("install git");
    let inside = context.supervise(&["--once", "--state-dir", "state"], "touch ran");
    let inside = inside.env("XDG_DATA_HOME", context.path("other"));
    inside.run().expect(6).complains_once();
    assert!(!context.work().join("ran").exists());
    // A check needs neither.
    context
        .fusebox(&["check"])
        .env("PATH", &tools)
        .run()
        .expect(0);
}

fn ignoring(context: &TestContext) {
    fs::write(context.work().join(".gitignore"), "target/\n").unwrap();
}

fn tracked_and_ignored(context: &TestContext) {
    ignoring(context);
    fs::create_dir(context.work().join("target")).unwrap();
    fs::write(context.work().join("target/x"), "0\n").unwrap();
    context.git(&["add", "-f", "target/x"]);
    context.git(&["commit", "-qm", "kept"]);
}

fn some_files(context: &TestContext) {
    for n in 1..=2 {
        fs::write(context.work().join(format!("f{n}")), "content\n").unwrap();
    }
}

fn nested(context: &TestContext) {
    let inner = context.work().join("inner");
    fs::create_dir(&inner).unwrap();
    context.git_in(&inner, &["init", "-q"]);
    fs::write(inner.join("b.txt"), "0\n").unwrap();
    context.git_in(&inner, &["add", "-A"]);
    context.git_in(&inner, &["commit", "-qm", "inner"]);
}

/// Stops in a conflict.
fn rebasing(context: &TestContext) {
    let file = context.work().join("a.txt");
    context.git(&["checkout", "-qb", "side"]);
    fs::write(&file, "side\n").unwrap();
    context.git(&["commit", "-qam", "side"]);
    context.git(&["checkout", "-q", "main"]);
    fs::write(&file, "main\n").unwrap();
    context.git(&["commit", "-qam", "main"]);
    let conflict = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        context.git(&["rebase", "-q", "side"]);
    }));
    assert!(conflict.is_err() && context.work().join(".git/rebase-merge").is_dir());
}

fn without_repository(context: &TestContext) {
    fs::remove_dir_all(context.work().join(".git")).unwrap();
}

fn emptied(context: &TestContext) {
    without_repository(context);
    fs::remove_file(context.work().join("a.txt")).unwrap();
}

/// Only root can give files away; for others it stays their own.
fn of_another_user(context: &TestContext) {
    if rustix::process::geteuid().is_root() {
        let chown = Command::new("chown")
            .args(["-R", "65534"])
            .arg(context.work())
            .status();
        assert!(chown.unwrap().success());
    }
}

fn without_commits(context: &TestContext) {
    without_repository(context);
    context.git(&["init", "-q"]);
}

/// A loop that keeps an account of itself gains nothing by it.
#[test]
fn req_004_015_logs_and_caches_are_no_progress_and_are_named() {
    for (script, named) in [
        ("echo thinking | tee -a ralph.log", "ralph.log"),
        (
            "mkdir -p logs; echo a > logs/claude_output_$FUSEBOX_ITERATION.txt",
            "logs/claude_output_1.txt",
        ),
        (
            "mkdir -p a/__pycache__; date +%N > a/__pycache__/m.pyc",
            "a/__pycache__/m.pyc",
        ),
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let options = ["--max-iterations", "5", "--on-stagnation", "abort"];
        let run = context.supervise(&options, script).run().expect(42);
        run.says(&format!("only logs and caches changed: {named}"));
    }
}

#[test]
fn a_reported_iteration_that_only_logged_gained_nothing() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    for _ in 0..3 {
        context.fusebox(&["check", "--from-git"]).run().expect(0);
        let log = context.work().join("loop.log");
        let before = fs::read_to_string(&log).unwrap_or_default();
        fs::write(&log, format!("{before}thinking\n")).unwrap();
        let record = context.fusebox(&["record", "--from-git"]).run();
        record.says("only logs and caches changed: loop.log");
    }
    assert_eq!(context.state(), "Open");
}

/// What a killed process of ours left there is nobody's work, and goes; what only looks like it
/// stays, and counts for nothing either.
#[test]
fn what_is_left_of_a_file_that_was_not_whole_is_no_progress() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let at = |name: &str| context.work().join(name);
    fs::create_dir(at("src")).unwrap();
    for number in 0..3 {
        context.fusebox(&["check", "--from-git"]).run().expect(0);
        fs::write(at(".fusebox.toml.fusebox-new"), format!("half {number}\n")).unwrap();
        fs::write(at("src/.main.rs.fusebox-new"), format!("{number}\n")).unwrap();
        let record = context.fusebox(&["record", "--from-git"]).run();
        record.says("only the loop's own files changed: src/.main.rs.fusebox-new");
        assert!(!at(".fusebox.toml.fusebox-new").exists());
    }
    assert_eq!(context.state(), "Open");
    assert!(at("src/.main.rs.fusebox-new").exists(), "it may be theirs");
}
