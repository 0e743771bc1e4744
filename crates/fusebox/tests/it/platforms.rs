//! The machines, homes and users that a newcomer may have.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use crate::call::Call;
use crate::context::{FUSEBOX, TestContext};

/// All that says where a user's things are.
const PLACES: [&str; 4] = ["HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"];

#[test]
fn without_a_home_a_place_for_the_memory_is_asked_for_and_enough() {
    let context = TestContext::new();
    let homeless = |args: &[&str]| {
        let call = context.fusebox(args);
        PLACES
            .iter()
            .fold(call, |call, name| call.without_env(name))
    };
    let asked = homeless(&["check"]).run().expect(6);
    assert!(asked.err().contains("--state-dir"), "{}", asked.err());
    let state = context.path("elsewhere");
    let state = state.to_str().unwrap();
    homeless(&["--state-dir", state, "check"]).run().expect(0);
    homeless(&["--state-dir", state, "trip", "--reason", "to see it kept"])
        .run()
        .expect(0);
    homeless(&["--state-dir", state, "check"]).run().expect(42);
}

#[test]
fn a_runner_without_xdg_variables_keeps_things_below_its_home() {
    let context = TestContext::new();
    let call = context.fusebox(&["check"]);
    let call = PLACES[1..]
        .iter()
        .fold(call, |call, name| call.without_env(name));
    call.run().expect(0);
    for place in [".local/state/fusebox", ".local/share/fusebox"] {
        assert!(context.path("home").join(place).is_dir(), "{place}");
    }
}

/// `sudo` without `-H`: what is found there is another user's.
#[test]
fn a_home_of_somebody_else_is_left_alone() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: only root can give things away");
        return;
    }
    let context = TestContext::new();
    chown(context.path("home"), Some(65534), Some(65534)).unwrap();
    let sudo = |args: &[&str]| {
        let call = context.fusebox(args);
        PLACES[1..]
            .iter()
            .fold(call, |call, name| call.without_env(name))
    };
    let refused = sudo(&["check"]).run().expect(6);
    assert!(refused.err().contains("--state-dir"), "{}", refused.err());
    let own = context.path("own");
    let own = own.to_str().unwrap();
    sudo(&["--state-dir", own, "check"]).run().expect(0);
    assert!(!context.path("home/.local").exists());
    println!("proof: places 1 that is somebody else's home");
}

/// A user of their own, in the directory of the first.
fn as_nobody(context: &TestContext, args: &[&str]) -> Call {
    let home = context.path("nobody");
    let mut words = vec!["--reuid=65534", "--regid=65534", "--clear-groups", FUSEBOX];
    words.extend(args);
    let call = context.call(Path::new("setpriv"), &words);
    let call = PLACES[1..]
        .iter()
        .fold(call, |call, name| call.without_env(name));
    call.env("HOME", &home).env("TMPDIR", home)
}

#[test]
fn two_users_in_one_directory_have_a_breaker_each_and_see_nothing_of_each_other() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: only root can act as two users");
        return;
    }
    let context = TestContext::new();
    for (name, mode) in [("", 0o755), ("work", 0o777), ("nobody", 0o700)] {
        let path = context.path(name);
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    chown(context.path("nobody"), Some(65534), Some(65534)).unwrap();
    if as_nobody(&context, &["--version"]).run().code != 0 {
        eprintln!("SKIPPED: cannot act as another user");
        return;
    }
    context
        .fusebox(&["trip", "--reason", "stuck"])
        .run()
        .expect(0);
    as_nobody(&context, &["check"]).run().expect(0);
    context.fusebox(&["check"]).run().expect(42);
    // Neither may use, or even read, what is the other's.
    let state = context.path("state/fusebox");
    let theirs = ["--state-dir", state.to_str().unwrap(), "check"];
    as_nobody(&context, &theirs).run().expect(4);
    println!("proof: places 1 that is somebody else's memory");
    let shown = as_nobody(&context, &["status", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(shown["state"], "Closed");
}

/// A call below a tool that changes what the program finds around it, if the tool works.
fn below(context: &TestContext, tool: &[&str], args: &[&str]) -> Option<Call> {
    let (program, flags) = tool.split_first().unwrap();
    let able = Command::new(program).args(flags).arg("true").output();
    if !able.is_ok_and(|done| done.status.success()) {
        eprintln!("SKIPPED: {program} does not work here");
        return None;
    }
    let words: Vec<&str> = flags
        .iter()
        .chain(&[FUSEBOX])
        .chain(args)
        .copied()
        .collect();
    Some(context.call(Path::new(program), &words))
}

/// The first process of a container, with a `/proc` of its own.
const CONTAINER: [&str; 6] = [
    "unshare",
    "--user",
    "--map-root-user",
    "--pid",
    "--fork",
    "--mount-proc",
];

#[test]
fn as_the_first_process_of_a_container_a_loop_runs_and_is_stopped() {
    let context = TestContext::new();
    let run = [
        "-q",
        "run",
        "--on-stagnation",
        "abort",
        "--",
        "echo",
        "almost",
    ];
    let Some(run) = below(&context, &CONTAINER, &run) else {
        return;
    };
    let told = run.run().expect(42);
    assert_eq!(told.out().lines().count(), 3, "{}", told.out());
    let asked = below(&context, &CONTAINER, &["reset", "--reason", "go on"]);
    asked.unwrap().run().expect(5);
    context.fusebox(&["check"]).run().expect(42);
}

#[test]
fn where_nothing_tells_of_processes_and_boots_nothing_is_granted() {
    let context = TestContext::new();
    let bare = [
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        "mount -t tmpfs none /proc && exec \"$0\" \"$@\"",
    ];
    let Some(check) = below(&context, &bare, &["check"]) else {
        return;
    };
    let told = check.run().expect(4);
    assert!(told.err().contains("/proc"), "{}", told.err());
    let run = below(&context, &bare, &["run", "--", "touch", "ran"]);
    run.unwrap().run().expect(4);
    assert!(!context.work().join("ran").exists());
}

/// As on a home that another machine keeps, and keeps badly.
#[test]
fn where_locks_do_not_work_nothing_is_granted() {
    let context = TestContext::new();
    let without_locks = [
        "strace",
        "-f",
        "-o",
        "/dev/null",
        "-e",
        "inject=flock:error=ENOLCK",
    ];
    for args in [&["check"][..], &["run", "--", "touch", "ran"]] {
        let Some(call) = below(&context, &without_locks, args) else {
            return;
        };
        let told = call.run().expect(4);
        assert!(told.err().contains("cannot lock"), "{}", told.err());
    }
    assert!(!context.work().join("ran").exists());
    context.fusebox(&["check"]).run().expect(0);
}

#[test]
fn every_worktree_of_a_repository_has_a_breaker_of_its_own() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let second = context.path("second");
    context.git(&["worktree", "add", "-q", second.to_str().unwrap()]);
    context
        .fusebox(&["trip", "--reason", "stuck in the first"])
        .run()
        .expect(0);
    context.fusebox(&["check"]).run().expect(42);
    context.fusebox(&["check"]).inside(&second).run().expect(0);
    fs::create_dir(second.join("below")).unwrap();
    let below = context
        .fusebox(&["check", "--json"])
        .inside(second.join("below"));
    assert_eq!(below.run().expect(0).json()["iterations"], 2);
}

#[test]
fn an_installation_says_of_itself_whether_it_is_sound() {
    let context = TestContext::new();
    let sound = context.fusebox(&["self-check"]).run().expect(0).out();
    for about in ["program", "memory", "processes", "rehearsal"] {
        assert!(sound.contains(about), "{about}: {sound}");
    }
    assert!(
        sound.contains("was stopped, released and resumed"),
        "{sound}"
    );
    let homeless = context.fusebox(&["self-check", "--json"]);
    let homeless = PLACES
        .iter()
        .fold(homeless, |call, name| call.without_env(name));
    let told = homeless.run().expect(6).json();
    assert_eq!(told[1]["level"], "broken", "{told}");
}
