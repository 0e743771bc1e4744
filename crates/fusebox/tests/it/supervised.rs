//! While a supervisor has an iteration under way, and after it has died.

use std::process::Command;

use rustix::process::Signal;
use serde_json::json;

use crate::call::wait_for;
use crate::context::{FUSEBOX, KEY, TestContext};

/// Changes a file, says so, and stays until it is told to go.
const WORK_AND_STAY: &str =
    "echo x >> a.txt; touch ../started; while [ ! -e ../go ]; do sleep 0.05; done";

#[test]
fn a_check_from_outside_takes_nothing_from_a_run() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let run = context
        .supervise(&["--max-iterations", "1"], WORK_AND_STAY)
        .start();
    wait_for("the agent to start", || context.path("started").exists());
    let outside = context.fusebox(&["check"]).run().expect(5);
    outside.says("a run of this circuit is alive");
    let status = |args: &[&str]| context.fusebox(args).run().expect(0);
    let run_line = || {
        let told = status(&["status"]).out();
        let line = told.lines().find(|line| line.starts_with("run "));
        line.unwrap_or_else(|| panic!("{told}")).to_owned()
    };
    assert!(run_line().contains("a loop is running"), "{}", run_line());
    assert_eq!(status(&["status", "--json"]).json()["running"], true);
    std::fs::write(context.path("go"), "").unwrap();
    run.finish().expect(45).says("1 with progress");
    assert!(run_line().contains("no loop is running"), "{}", run_line());
    let status = status(&["status", "--json"]).json();
    assert_eq!(status["running"], false);
    assert_eq!(
        status["totals"]["progress"], 1,
        "the run's own report counted"
    );
}

#[test]
fn after_a_run_that_was_killed_ones_own_loop_goes_on() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let run = context.supervise(&[], WORK_AND_STAY).start();
    wait_for("the agent to start", || context.path("started").exists());
    run.signal(Signal::KILL);
    let mut granted = json!(null);
    wait_for("the dead run to be settled", || {
        let check = context.fusebox(&["check", "--json"]).run();
        // What held its lock may not have let go yet.
        if check.code == 0 {
            granted = check.json()["grant"].clone();
        }
        granted != json!(null)
    });
    let record = ["record", "--json", "--files-changed", "1"];
    let answer = context.fusebox(&record).run().expect(0).json();
    assert_eq!(
        (&granted, &answer["state"]),
        (&json!("g-2"), &json!("Closed"))
    );
}

/// Any user can mount a file over the name of this boot, in a namespace of their own. In another
/// boot every wait would be over.
#[test]
fn req_x_007_a_boot_of_ones_own_making_is_refused() {
    let context = TestContext::new();
    context.open_breaker();
    let fake = context.path("boot_id");
    std::fs::write(&fake, "11111111-2222-3333-4444-555555555555\n").unwrap();
    let script = format!(
        "mount --bind '{}' /proc/sys/kernel/random/boot_id && exec {FUSEBOX} check",
        fake.display()
    );
    let check = in_namespaces(&context, &["-Urm", "sh", "-c", &script]);
    let Some(output) = check else {
        return;
    };
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{told}");
    assert!(told.contains("mounted in its place"), "{told}");
}

/// Where process numbers begin anew, nobody sees where they come from.
#[test]
fn req_x_008_a_release_from_a_namespace_of_ones_own_making_is_refused() {
    let context = TestContext::new();
    context.open_breaker();
    context.hold_key();
    let release = [
        "-Urpf",
        "--mount-proc",
        "env",
        &format!("FUSEBOX_OPERATOR_KEY={KEY}"),
        FUSEBOX,
        "reset",
        "--reason",
        "x",
    ];
    let Some(output) = in_namespaces(&context, &release) else {
        return;
    };
    assert_eq!(output.status.code(), Some(5));
    context.fusebox(&["check"]).run().expect(42);
}

/// In namespaces of several users, as root and whoever has subordinate users makes them, the
/// table of processes looks like a container's. Whether an agent stands there is then told by
/// where the supervisor stands.
#[test]
fn req_x_008_a_release_from_namespaces_of_the_agent_is_refused_and_a_persons_is_not() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let Some(namespaces) = of_several_users() else {
        return;
    };
    context.hold_key();
    let release =
        |reason: &str| format!("env FUSEBOX_OPERATOR_KEY={KEY} {FUSEBOX} reset --reason {reason}");
    // Nothing of its environment tells where it comes from.
    let mut bare = "env -i".to_owned();
    for (name, value) in context.environment() {
        bare.push_str(&format!(" {name}='{}'", value.display()));
    }
    let agent = format!(
        "{FUSEBOX} -q trip --reason x; {bare} {namespaces} {} 2>../told; \
         echo $? >../code; {FUSEBOX} status --json >../status; {WORK_AND_STAY}",
        release("by-the-agent")
    );
    let run = context
        .supervise(&["--max-iterations", "1"], &agent)
        .start();
    wait_for("the agent to try", || context.path("started").exists());
    let left = |name: &str| std::fs::read_to_string(context.path(name)).unwrap();
    assert_eq!(left("code").trim(), "5", "{}", left("told"));
    assert!(left("told").contains("an iteration is under way elsewhere"));
    let status: serde_json::Value = serde_json::from_str(&left("status")).unwrap();
    assert_eq!(status["state"], "Open");
    let outside = context.fusebox(&["reset", "--reason", "seen"]);
    outside.env("FUSEBOX_OPERATOR_KEY", KEY).run().expect(0);
    std::fs::write(context.path("go"), "").unwrap();
    run.finish();

    // When the iteration is over, nobody can hide there.
    context.open_breaker();
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{namespaces} {}", release("by-a-person"))]);
    command
        .envs(context.environment())
        .current_dir(context.work());
    assert!(command.status().unwrap().success());
}

/// A container in which the run was started is where its person stands.
#[test]
fn a_person_releases_in_the_container_that_the_run_was_started_in() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let Some(namespaces) = of_several_users() else {
        return;
    };
    context.hold_key();
    let inside = format!(
        "{FUSEBOX} run --skip-preflight --max-iterations 1 -- sh -c '{WORK_AND_STAY}' & \
         while [ ! -e ../started ]; do sleep 0.05; done; {FUSEBOX} trip --reason x; \
         FUSEBOX_OPERATOR_KEY={KEY} {FUSEBOX} reset --reason seen; code=$?; touch ../go; wait; exit $code"
    );
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{namespaces} sh -c \"$1\""), "sh", &inside]);
    command
        .envs(context.environment())
        .current_dir(context.work());
    assert!(command.status().unwrap().success());
}

/// The words that start a command in namespaces with processes and users of their own, as a
/// container has them; nothing where none can be made.
fn of_several_users() -> Option<&'static str> {
    let ways = [
        "unshare --pid --fork --mount-proc",
        "unshare --map-root-user --map-auto --user --pid --fork --mount-proc",
    ];
    let works = |way: &&str| {
        let tried = Command::new("sh")
            .args(["-c", &format!("{way} true")])
            .output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    let found = ways.into_iter().find(works);
    if found.is_none() {
        eprintln!("SKIPPED: no namespaces of several users can be made here");
    }
    found
}

/// What a command says in namespaces that it made itself; nothing where none can be made.
fn in_namespaces(context: &TestContext, args: &[&str]) -> Option<std::process::Output> {
    let able = Command::new("unshare")
        .args(["-Urmpf", "--mount-proc", "true"])
        .status();
    if !able.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: namespaces cannot be made here");
        return None;
    }
    let mut command = Command::new("unshare");
    command.args(args).envs(context.environment());
    Some(command.current_dir(context.work()).output().unwrap())
}

#[test]
fn a_clock_of_ones_own_making_is_refused() {
    let namespace = ["-UrT", "--boottime", "7200"];
    let able = Command::new("unshare").args(namespace).arg("true").status();
    if !able.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: time namespaces cannot be made here");
        return;
    }
    let context = TestContext::new();
    context.fusebox(&["limit", "take", "100"]).run().expect(0);
    let mut shifted = Command::new("unshare");
    shifted
        .args(namespace)
        .arg(FUSEBOX)
        .args(["limit", "take", "1"]);
    shifted
        .env("HOME", context.path("home"))
        .current_dir(context.work());
    assert_eq!(shifted.status().unwrap().code(), Some(4));
    context.fusebox(&["limit", "take", "1"]).run().expect(44);
}
