//! How a step ends by itself, and what the command gets to see.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use fusebox_supervise::{Cookie, LeaderEnd, StartFailureKind, Step, StepEnd, StepInput};
use tempfile::TempDir;

use crate::support::{run_and_collect, shell};

#[test]
fn exit_codes_and_signals_are_reported() {
    for (script, end, leader) in [
        ("exit 0", StepEnd::Exited(0), LeaderEnd::Exited(0)),
        ("exit 3", StepEnd::Exited(3), LeaderEnd::Exited(3)),
        ("exit 127", StepEnd::Exited(127), LeaderEnd::Exited(127)),
        (
            "kill -KILL $$",
            StepEnd::Signaled(9),
            LeaderEnd::Signaled(9),
        ),
        (
            "kill -TERM 0",
            StepEnd::Signaled(15),
            LeaderEnd::Signaled(15),
        ),
    ] {
        let (report, _) = run_and_collect(&shell(script));
        assert_eq!((report.end, report.leader), (end, Some(leader)), "{script}");
        assert_eq!((report.killed, report.escaped.len()), (0, 0), "{script}");
    }
}

fn executable(dir: &TempDir, name: &str, text: &str, mode: u32) -> OsString {
    let path = dir.path().join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path.into()
}

#[test]
fn what_never_ran_says_exactly_why() {
    let dir = TempDir::new().unwrap();
    let plain = executable(&dir, "plain", "#!/bin/sh\n", 0o644);
    let orphan = executable(&dir, "orphan", "#!/no/such/interpreter\n", 0o755);
    let missing = dir.path().join("missing");
    let directory = dir.path().as_os_str().to_owned();
    let step = |program: &OsStr| Step::new(program, "/", Cookie::random().unwrap());
    let mut no_cwd = step("true".as_ref());
    no_cwd.cwd = missing.clone();
    let mut no_input = step("true".as_ref());
    no_input.input = StepInput::File(missing.clone());
    let mut too_long = step("true".as_ref());
    too_long.args = vec!["x".repeat(200 * 1024).into()];
    for (step, kind) in [
        (
            step("no-such-command-anywhere".as_ref()),
            StartFailureKind::NotFound,
        ),
        (step("--".as_ref()), StartFailureKind::NotFound),
        (step("".as_ref()), StartFailureKind::NotFound),
        (step(missing.as_os_str()), StartFailureKind::NotFound),
        (step(&plain), StartFailureKind::NotExecutable),
        (step(&directory), StartFailureKind::IsDirectory),
        (step(&orphan), StartFailureKind::BadInterpreter),
        (no_cwd, StartFailureKind::WorkingDirectory),
        (no_input, StartFailureKind::Input),
        (too_long, StartFailureKind::TooLong),
    ] {
        let (report, _) = run_and_collect(&step);
        let StepEnd::NotStarted(failure) = report.end else {
            panic!("{:?} started: {:?}", step.program, report.end);
        };
        assert_eq!(failure.kind, kind, "{:?}: {failure}", step.program);
        assert_ne!(failure.errno, 0, "{failure}");
        assert_eq!(report.leader, None);
    }
}

#[test]
fn arguments_arrive_byte_for_byte() {
    let dir = TempDir::new().unwrap();
    executable(&dir, "-dashed", "#!/bin/sh\nprintf '<%s>' \"$@\"\n", 0o755);
    let mut step = shell("");
    step.program = "-dashed".into();
    let path = std::env::var("PATH").unwrap();
    step.env = vec![(
        "PATH".into(),
        format!("{}:{path}", dir.path().display()).into(),
    )];
    let odd = OsStr::from_bytes(b"\xff\x1b[1m\n'\"").to_owned();
    step.args = vec!["--".into(), "".into(), "-n".into(), "__keeper".into(), odd];
    let mut collected = crate::support::Collect::default();
    crate::support::run(&step, &mut collected);
    assert_eq!(collected.stdout, b"<--><><-n><__keeper><\xff\x1b[1m\n'\">");
}

#[test]
fn directory_environment_and_input_are_as_told() {
    let dir = TempDir::new().unwrap();
    let dir_path = dir.path().canonicalize().unwrap();
    let input = dir_path.join("prompt");
    fs::write(&input, "do it").unwrap();
    let mut step = shell("pwd; echo $ADDED; echo $FUSEBOX_COOKIE; cat");
    step.cwd = dir_path.clone();
    step.env = vec![("ADDED".into(), "a b".into())];
    step.input = StepInput::File(input);
    let (_, output) = run_and_collect(&step);
    assert_eq!(
        output,
        format!("{}\na b\n{}\ndo it", dir_path.display(), step.cookie)
    );
}

#[test]
fn the_command_inherits_nothing_of_ours() {
    let dir = TempDir::new().unwrap();
    let lock = fusebox_supervise::RunLock::take(&dir.path().join("run.lock")).unwrap();
    let mut step = shell(
        "ls -l /proc/self/fd; grep -E 'Sig(Blk|Ign)' /proc/self/status; ls /dev/tty >/dev/null && : </dev/tty",
    );
    step.hold = Some(lock.tree_lock());
    let (report, output) = run_and_collect(&step);
    assert!(
        !output.contains("socket") && !output.contains("run.lock"),
        "{output}"
    );
    // Whoever started the test may have left descriptors open for everyone.
    let directly = Command::new("ls")
        .args(["-l", "/proc/self/fd"])
        .output()
        .unwrap();
    let directly = String::from_utf8_lossy(&directly.stdout).into_owned();
    assert_eq!(
        output.matches(" -> ").count(),
        directly.matches(" -> ").count(),
        "{output}"
    );
    let mask = |name: &str| {
        let line = output.lines().find(|line| line.starts_with(name)).unwrap();
        u64::from_str_radix(line.split_whitespace().last().unwrap(), 16).unwrap()
    };
    assert_eq!(mask("SigBlk"), 0);
    assert_eq!(mask("SigIgn") & (1 << 12), 0, "SIGPIPE is ignored");
    assert_ne!(report.end, StepEnd::Exited(0), "the command has a terminal");
}
