//! An agent that goes for the breaker itself: its place, its memory, its
//! reports.

use std::fs;

use crate::context::{FUSEBOX, TestContext, nobody_can_play_a_person};

#[test]
fn req_x_009_a_planted_root_opens_no_fresh_breaker() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context
        .fusebox(&["--circuit", "other", "trip", "--reason", "x"])
        .run()
        .expect(0);
    for plant in [
        "git init -q sub",
        "touch sub/fusebox.toml",
        "mkdir -p sub/.git",
    ] {
        let ask = format!("{FUSEBOX} --circuit other check; echo $? > ../code");
        let script = format!("mkdir -p sub; {plant}; cd sub; {ask}; mv ../code ../../code");
        context.supervise(&["--once"], &script).run().expect(0);
        assert_eq!(
            fs::read_to_string(context.path("code")).unwrap(),
            "42\n",
            "{plant}"
        );
        fs::remove_dir_all(context.work().join("sub")).unwrap();
        context
            .fusebox(&["record", "--files-changed", "1"])
            .run()
            .expect(0);
    }
}

/// Only the supervisor reports, because only it measures.
#[test]
fn req_x_009_an_agent_that_reports_for_itself_is_stopped() {
    let report = format!("{FUSEBOX} -q record --files-changed 1 --exit-zero");
    for way in [
        report.clone(),
        format!("{report} --grant g-$FUSEBOX_ITERATION"),
        format!("{report} --grant g-99"),
        format!("{FUSEBOX} check; {report}"),
        format!("env -u FUSEBOX_COOKIE setsid {report}"),
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let script = format!("echo x >> ../count; {way}");
        context
            .supervise(&["--max-iterations", "5"], &script)
            .run()
            .expect(43)
            .says("Somebody reported in the supervisor's place");
        ended_at_once(&context, &way);
    }
}

/// Nor can it make the supervisor look dead, and report in the place of one that is gone.
#[test]
fn req_x_009_an_agent_that_removes_the_lock_or_outlasts_its_time_does_not_report_either() {
    let report = format!("{FUSEBOX} -q record --files-changed 1 --exit-zero");
    let remove = "rm -f $XDG_STATE_HOME/fusebox/*/run-default.lock*";
    let forged = "Somebody reported in the supervisor's place";
    let removed = "The supervisor's lock was removed or replaced";
    for (options, way, says) in [
        (&[][..], format!("{remove}; {report}"), forged),
        (&[], format!("{remove}; {FUSEBOX} check; {report}"), forged),
        (&[], remove.to_owned(), removed),
        (&[], format!("{remove}; {FUSEBOX} -q status"), removed),
        (
            &["--timeout", "1s"],
            format!("trap '{FUSEBOX} check; {report}; exit' TERM; while :; do sleep 0.1; done"),
            forged,
        ),
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let script = format!("echo x >> ../count; {way}");
        let mut options = options.to_vec();
        options.extend(["--max-iterations", "5"]);
        context
            .supervise(&options, &script)
            .run()
            .expect(43)
            .says(says);
        ended_at_once(&context, &way);
    }
}

/// Another phase counts anew; whoever is inside an iteration does not choose it.
#[test]
fn an_agent_that_goes_from_phase_to_phase_is_stopped_all_the_same() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script =
        format!("echo x >> ../count; {FUSEBOX} phase start green; {FUSEBOX} phase start refactor");
    let options = ["--preset", "prp", "--max-iterations", "8"];
    context.supervise(&options, &script).run().expect(43);
    let count = fs::read_to_string(context.path("count")).unwrap();
    assert_eq!(count.lines().count(), 3);
}

/// The last of those iterations that brought nothing takes a file along: that is the graver
/// of the two.
#[test]
fn req_004_076_a_file_that_is_lost_when_the_work_stood_still_anyway_is_a_persons_matter() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    fs::create_dir(context.work().join("specs")).unwrap();
    fs::write(context.work().join("specs/a.md"), "it must not crash\n").unwrap();
    let script = "[ $FUSEBOX_ITERATION != 3 ] || rm -rf specs";
    context
        .supervise(&["--max-iterations", "5"], script)
        .run()
        .expect(47);
    left_to_a_person(&context, script);
    assert!(context.work().join("specs/a.md").is_file());
}

/// There was no second iteration, and only a person lets one run.
fn ended_at_once(context: &TestContext, way: &str) {
    let count = fs::read_to_string(context.path("count")).unwrap();
    assert_eq!(count, "x\n", "{way}");
    left_to_a_person(context, way);
}

fn left_to_a_person(context: &TestContext, way: &str) {
    let answer = context
        .fusebox(&["check", "--json"])
        .run()
        .expect(42)
        .json();
    assert_eq!(answer["release"], "person", "{way}");
}

/// A person who resets while an iteration runs reports nothing.
#[test]
fn a_reset_in_mid_iteration_is_no_report() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "echo begun >&2; while [ ! -e ../go ]; do sleep 0.02; done; echo x >> a.txt";
    let mut run = context
        .supervise(&["--max-iterations", "2"], script)
        .start();
    run.wait_to_say("begun");
    context.reset().expect(0);
    fs::write(context.path("go"), "").unwrap();
    run.finish().expect(45);
    assert_eq!(context.state(), "Closed");
}

/// Moved, replaced by a copy, or simply gone: what is measured would mean
/// nothing, so only a person lets it go on.
#[test]
fn a_moved_or_replaced_workspace_opens_the_breaker() {
    for (script, places) in [
        ("mv ../work ../elsewhere", &["elsewhere"][..]),
        (
            "mv ../work ../elsewhere; cp -a ../elsewhere ../work",
            &["elsewhere", "work"],
        ),
        (
            "mv ../work ../elsewhere; mkdir ../work",
            &["elsewhere", "work"],
        ),
        (
            "mv ../work ../elsewhere; ln -s elsewhere ../work",
            &["elsewhere", "work"],
        ),
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let script = format!("echo x >> a.txt; echo x >> ../count; {script}");
        context
            .supervise(&["--max-iterations", "5"], &script)
            .run()
            .expect(43)
            .says("was moved or replaced");
        let count = fs::read_to_string(context.path("count")).unwrap();
        assert_eq!(count.lines().count(), 1, "{script}");
        for place in places {
            let answer = context
                .fusebox(&["check", "--json"])
                .inside(context.path(place))
                .run()
                .expect(42)
                .json();
            assert_eq!(answer["release"], "person", "{script}: {place}");
        }
    }
}

/// The memory disappears under a stuck run: it must not begin to count anew.
#[test]
fn req_x_004_a_memory_deleted_in_mid_run_stops_the_run() {
    for what in [
        "$XDG_STATE_HOME/fusebox",
        "$XDG_STATE_HOME",
        "$XDG_DATA_HOME/fusebox",
        "$XDG_STATE_HOME/fusebox/*/circuits",
        "$XDG_STATE_HOME/fusebox $XDG_DATA_HOME/fusebox",
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let script = format!("echo x >> ../count; rm -rf {what}");
        let run = context.supervise(&["--max-iterations", "5"], &script).run();
        assert_eq!(run.code, 4, "{what}: {}", run.err());
        let count = fs::read_to_string(context.path("count")).unwrap();
        assert_eq!(count.lines().count(), 1, "{what}");
        context.fusebox(&["check"]).run().expect(4);
    }
}

/// Both copies put back together: nothing on the disk tells, but the
/// supervisor has seen more.
#[test]
fn req_x_009_a_memory_put_back_in_mid_run_stops_the_run() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "
        echo x >> ../count
        if [ -d ../copy ]; then rm -rf ../state ../data; cp -a ../copy/. ..
        else mkdir ../copy; cp -a ../state ../data ../copy; fi";
    context
        .supervise(&["--max-iterations", "5"], script)
        .run()
        .expect(4);
    assert_eq!(fs::read_to_string(context.path("count")).unwrap(), "x\nx\n");
    context.fusebox(&["check"]).run().expect(4);
}
