//! The past is sealed, pruned and still accounted for.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::call::{Call, Finished, wait_for};
use crate::context::{KEY, TestContext, nobody_can_play_a_person};

/// A call with logs that are sealed by every write.
fn sealing(context: &TestContext, args: &[&str]) -> Call {
    let program = std::path::Path::new(crate::context::FUSEBOX_TEST);
    let call = context.call(program, args);
    call.env("FUSEBOX_SEGMENT_BYTES", "1")
}

/// Six reports with progress, each in a log of its own.
fn sealed() -> TestContext {
    sealed_in(TestContext::new())
}

fn sealed_in(context: TestContext) -> TestContext {
    for _ in 0..6 {
        let record = ["record", "--files-changed", "1", "--no-errors"];
        sealing(&context, &record).run().expect(0);
    }
    context
}

fn sealed_logs(context: &TestContext) -> Vec<PathBuf> {
    let entries = fs::read_dir(context.store().circuit).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_sealed = |path: &PathBuf| path.extension().is_some_and(|end| end != "lock");
    paths.filter(is_sealed).collect()
}

/// Prunes with the operator's key.
fn prune(context: &TestContext, args: &[&str]) -> Finished {
    context.hold_key();
    let args = [&["prune"], args].concat();
    let call = context.fusebox(&args).env("FUSEBOX_OPERATOR_KEY", KEY);
    call.run()
}

#[test]
fn history_and_doctor_read_across_sealed_logs() {
    let context = sealed();
    assert_eq!(sealed_logs(&context).len(), 6);
    let history = context.fusebox(&["history", "--json"]).run().expect(0);
    assert_eq!(history.json_lines().len(), 6);
    let doctor = context
        .fusebox(&["doctor", "--json"])
        .run()
        .expect(0)
        .json();
    // A record for each report, and one that opens each further log.
    assert_eq!(
        (&doctor["records"], &doctor["pruned"]),
        (&12.into(), &0.into())
    );
    assert_eq!(context.state(), "Closed");
}

#[test]
fn a_sealed_log_that_is_missing_is_found_by_doctor_and_stays_found() {
    let context = sealed();
    fs::remove_file(context.store().circuit.join("log.0")).unwrap();
    context.fusebox(&["check"]).run().expect(0);
    let doctor = context.fusebox(&["doctor"]).run().expect(4).out();
    assert!(doctor.contains("is missing and was not pruned"), "{doctor}");
    context.fusebox(&["check"]).run().expect(4);
}

#[test]
fn what_is_pruned_is_said_and_remembered() {
    if nobody_can_play_a_person() {
        return;
    }
    let context = sealed();
    let before = context.memory();
    let dry = prune(&context, &["--keep-bytes", "0", "--dry-run", "--json"]).expect(0);
    assert_eq!(context.memory(), before, "a dry run left a trace");
    let dry = dry.json();
    assert_eq!(
        (&dry["segments"], &dry["dry_run"]),
        (&5.into(), &true.into())
    );
    let told = prune(&context, &["--keep-bytes", "0"]).expect(0).out();
    let freed = format!("{} records in 5 sealed logs", dry["records"]);
    assert!(told.contains(&freed) && told.contains("freed "), "{told}");
    // The newest sealed log stays, and the live one was sealed to note it.
    assert_eq!(sealed_logs(&context).len(), 2);
    let doctor = context.fusebox(&["doctor"]).run().expect(0).out();
    let pruned = format!("{0} records before record {0} were pruned", dry["records"]);
    assert!(doctor.contains(&pruned), "{doctor}");
    let history = context.fusebox(&["history", "--json"]).run().expect(0);
    assert_eq!(history.json_lines().len(), 2);
    history.says(&pruned);
    context.fusebox(&["check"]).run().expect(0);
    assert_eq!(context.state(), "Closed");
}

#[test]
fn keeping_less_than_is_configured_needs_a_person_and_as_configured_does_not() {
    let context = sealed();
    let before = context.memory();
    for less in [["--older-than", "1d"], ["--keep-bytes", "64MB"]] {
        let args = [&["prune"], &less[..]].concat();
        context.fusebox(&args).run().expect(5).complains_once();
        assert_eq!(context.memory(), before, "{less:?} left a trace");
        let dry = [&args[..], &["--dry-run"]].concat();
        context.fusebox(&dry).run().expect(0);
    }
    context.fusebox(&["prune"]).run().expect(0);
    let more = ["prune", "--older-than", "300d", "--keep-bytes", "1GB"];
    context.fusebox(&more).run().expect(0);
    assert_eq!(sealed_logs(&context).len(), 6);
    for (option, value) in [("--older-than", "soon"), ("--keep-bytes", "much")] {
        context.fusebox(&["prune", option, value]).run().expect(2);
    }
}

#[test]
fn the_guarded_agent_cannot_prune_what_is_to_be_kept() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context.hold_key();
    let program = crate::context::FUSEBOX;
    let script = format!("{program} prune --keep-bytes 0; echo $? > code; echo x >> a.txt");
    let run = context.supervise(&["--once"], &script);
    run.env("FUSEBOX_OPERATOR_KEY", KEY).run().expect(0);
    let code = fs::read_to_string(context.work().join("code")).unwrap();
    assert_eq!(code.trim(), "5");
}

#[test]
fn a_run_prunes_what_is_older_than_configured_and_check_does_not() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    for _ in 0..4 {
        sealing(&context, &["record", "--files-changed", "1"])
            .run()
            .expect(0);
    }
    let runs = context.store().workspace.join("runs");
    let old = runs.join("20200101T000000Z-1/000001");
    fs::create_dir_all(&old).unwrap();
    fs::write(old.join("output"), "long ago").unwrap();
    fs::create_dir_all(runs.join("20200102T000000Z-1")).unwrap();
    let later = "2099-01-01T00:00:00Z";
    context.at(later, &["check"]).run().expect(0);
    assert_eq!(sealed_logs(&context).len(), 4);
    let args = ["run", "--once", "--", "sh", "-c", "echo x >> a.txt"];
    let run = context.at(later, &args).run().expect(0);
    let run = run.says("records from the log").says("the output of 1 run");
    assert_eq!(sealed_logs(&context).len(), 2, "{}", run.err());
    assert!(!old.exists());
    context.fusebox(&["doctor"]).run().expect(0);
}

/// All circuits of a workspace keep what their runs print in one place.
#[test]
fn a_run_under_way_keeps_its_output_whatever_other_circuits_do() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "touch ../started; while [ ! -e ../go ]; do sleep 0.05; done; echo x >> a.txt";
    let long = context
        .supervise(&["--circuit", "long", "--max-iterations", "1"], script)
        .start();
    wait_for("the agent to start", || context.path("started").exists());
    let runs = context.store().workspace.join("runs");
    let of_long = || {
        let entries = fs::read_dir(&runs).unwrap().flatten();
        let mut names = entries.map(|entry| entry.file_name().into_string().unwrap());
        names.any(|name| name.ends_with("-long"))
    };
    assert!(of_long());
    // As many as were once kept, and each of them older than anything is kept.
    for number in 0..21 {
        let name = format!("20200101T{number:06}Z-1-short");
        fs::create_dir(runs.join(name)).unwrap();
    }
    let later = "2099-01-01T00:00:00Z";
    let args = ["run", "--circuit", "short", "--once", "--", "true"];
    for _ in 0..2 {
        let run = context.at(later, &args).run();
        assert!(of_long(), "{}", run.err());
    }
    fs::write(context.path("go"), "").unwrap();
    long.finish().expect(45);
    // Nobody is at work there any more, and it is as old as the others.
    context.at(later, &args).run();
    assert!(!of_long());
}

/// Age and bytes say what goes, not the number of runs.
#[test]
fn many_short_runs_are_all_kept() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context.supervise(&["--once"], "true").run();
    let runs = context.store().workspace.join("runs");
    for number in 0..30 {
        fs::create_dir(runs.join(format!("20200101T{number:06}Z-1"))).unwrap();
    }
    context.supervise(&["--once"], "true").run();
    assert_eq!(fs::read_dir(&runs).unwrap().count(), 32);
}

#[test]
fn what_was_to_go_and_is_still_there_is_told() {
    let Some(context) = TestContext::unprivileged() else {
        return;
    };
    let context = sealed_in(context);
    let paths = context.store();
    let old = paths.workspace.join("runs/20200101T000000Z-1");
    fs::create_dir_all(&old).unwrap();
    fs::create_dir_all(paths.workspace.join("runs/20200102T000000Z-1")).unwrap();
    fs::write(old.join("output"), "long ago").unwrap();
    let allow = |mode| {
        for dir in [&old, &paths.circuit] {
            fs::set_permissions(dir, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    allow(0o555);
    let pruned = context.at("2099-01-01T00:00:00Z", &["prune"]).run();
    allow(0o755);
    let told = pruned.expect(0).out();
    for what in ["not pruned  the log: ", "not pruned  the output of 1 run: "] {
        assert!(told.contains(what), "{told}");
    }
    assert!(old.join("output").exists());
}
