//! A loop that is steered from another terminal, and one that is taken up again.

use std::fs;

use rustix::process::Signal;

use crate::call::{Running, wait_for};
use crate::context::{KEY, TestContext, nobody_can_play_a_person};
use crate::stand_in::{IDLE, WORK};

/// Works, then stays until a file beside the work tree lets it go.
const STAY: &str = "echo $FUSEBOX_ITERATION >> a.txt
while [ ! -e ../go ]; do sleep 0.05; done
finish 'One line more.'";

fn started(context: &TestContext, calls: usize) {
    wait_for(&format!("call {calls}"), || context.calls().len() >= calls);
}

#[test]
fn req_000_013_and_061_and_101_a_run_is_taken_up_after_whatever_ended_it() {
    type Start = fn(&TestContext) -> Running;
    let ends: [(&str, Start, i32); 3] = [
        (
            "kill -9",
            |context| {
                let run = context.run_claude(&["--max-iterations", "9"]).start();
                started(context, 1);
                run.signal(Signal::KILL);
                run
            },
            -9,
        ),
        (
            "Ctrl-C",
            |context| {
                let run = context.run_claude(&["--max-iterations", "9"]).start();
                started(context, 1);
                run.signal(Signal::INT);
                run
            },
            130,
        ),
        (
            "stop",
            |context| {
                let run = context.run_claude(&["--max-iterations", "9"]).start();
                started(context, 1);
                context
                    .fusebox(&["stop"])
                    .run()
                    .expect(0)
                    .says("stopping now");
                run
            },
            143,
        ),
    ];
    for (what, end, code) in ends {
        let Some(context) = TestContext::with_claude(STAY) else {
            return;
        };
        end(&context).finish().expect(code);
        fs::write(context.path("go"), "").unwrap();
        let resumed = context
            .among_stand_ins(&["run", "--resume", "--max-iterations", "2"])
            .run()
            .expect(45)
            .says("resuming the last run: Claude Code")
            .says("2 iterations done");
        assert_eq!(context.calls().len(), 3, "{what}: {}", resumed.err());
        assert_eq!(context.told(3), "Do the task.", "{what}");
    }
}

/// A run reports by itself. What it leaves unreported is what it died of.
#[test]
fn a_trip_after_a_run_was_killed_advises_nothing_about_reports() {
    let script = format!("[ $FUSEBOX_ITERATION = 2 ] && while :; do sleep 0.05; done; {IDLE}");
    let Some(context) = TestContext::with_claude(&script) else {
        return;
    };
    let run = context.run_claude(&[]).start();
    started(&context, 2);
    run.signal(Signal::KILL);
    run.finish().expect(-9);
    let tripped = context.among_stand_ins(&["run", "--resume"]).run();
    let told = tripped
        .expect(43)
        .says("No progress for 3 iterations")
        .err();
    assert!(
        told.contains("iteration 2: "),
        "it is among the evidence: {told}"
    );
    assert!(!told.contains("is to be followed by"), "{told}");
}

#[test]
fn req_000_101_a_paused_run_is_taken_up_by_a_person() {
    if nobody_can_play_a_person() {
        return;
    }
    for (preset, script, code, calls) in [
        ("cub", IDLE.to_owned(), 43, 4),
        (
            "cub",
            format!("[ $FUSEBOX_ITERATION -gt 3 ] && {{ {WORK}; exit; }}; {IDLE}"),
            45,
            5,
        ),
    ] {
        let Some(context) = TestContext::with_claude(&script) else {
            return;
        };
        context.run_claude(&["--preset", preset]).run().expect(43);
        context.hold_key();
        context
            .among_stand_ins(&["run", "--resume", "--max-iterations", "2"])
            .env("FUSEBOX_OPERATOR_KEY", KEY)
            .run()
            .expect(code);
        assert_eq!(context.calls().len(), calls);
    }
}

#[test]
fn req_x_004_what_somebody_else_wrote_down_is_not_started() {
    let Some(context) = TestContext::with_claude(WORK) else {
        return;
    };
    let resume = ["run", "--resume"];
    context
        .among_stand_ins(&resume)
        .run()
        .expect(6)
        .complains_once()
        .says("no earlier run here");
    context.run_claude(&["--once"]).run().expect(0);
    let plan = context.store().workspace.join("run-default.plan");
    let text = fs::read_to_string(&plan).unwrap();
    fs::write(&plan, text.replace("Do the task.", "Do as I say.")).unwrap();
    context
        .among_stand_ins(&resume)
        .run()
        .expect(4)
        .complains_once()
        .says("somebody changed it");
    assert_eq!(context.calls().len(), 1, "nothing was started");
}

#[test]
fn a_loop_waits_goes_on_and_ends_as_another_terminal_asks() {
    let script = "echo $FUSEBOX_ITERATION >> a.txt; sleep 1.2; finish 'One line more.'";
    let Some(context) = TestContext::with_claude(script) else {
        return;
    };
    let mut run = context.run_claude(&[]).start();
    started(&context, 1);
    context
        .fusebox(&["pause"])
        .run()
        .expect(0)
        .says("will pause after this iteration");
    run.wait_to_say("paused by request from another terminal");
    let calls = context.calls().len();
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(context.calls().len(), calls, "it waits");
    context.fusebox(&["resume"]).run().expect(0).says("resumed");
    started(&context, calls + 1);
    context
        .fusebox(&["stop", "--after-iteration"])
        .run()
        .expect(0)
        .says("will stop after this iteration");
    // Who asks for less, the agent among them, takes nothing of that back. It may be over by then.
    context.fusebox(&["pause"]).run();
    let ended = run
        .finish()
        .expect(143)
        .says("by request from another terminal");
    let calls = context.calls().len() as u64;
    let whole = fs::read_to_string(context.work().join("a.txt")).unwrap();
    assert!(whole.ends_with(&format!("\n{calls}\n")), "{whole}");
    assert!(
        ended.err().contains(&format!("{calls} with progress")),
        "the last one ended by itself:\n{}",
        ended.err()
    );
}

#[test]
fn nobody_is_asked_where_no_loop_runs() {
    let Some(context) = TestContext::with_claude(WORK) else {
        return;
    };
    context.run_claude(&["--once"]).run().expect(0);
    for request in [
        &["pause"][..],
        &["resume"],
        &["stop"],
        &["stop", "--after-iteration"],
    ] {
        context
            .fusebox(request)
            .run()
            .expect(6)
            .complains_once()
            .says("no loop is running on circuit `default` here");
    }
}

#[test]
fn a_loop_that_waits_is_paused_and_goes_on_waiting() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let mut run = context.supervise(&["--wait"], "touch ../ran").start();
    run.wait_to_say("waiting · ");
    context.fusebox(&["pause"]).run().expect(0);
    run.wait_to_say("paused by request from another terminal");
    fs::remove_file(context.path("ran")).unwrap();
    let released = !nobody_can_play_a_person();
    if released {
        // What it waited for has come, and it is paused all the same.
        context.reset().expect(0);
        std::thread::sleep(std::time::Duration::from_millis(1_500));
        assert!(!context.path("ran").exists());
    }
    context.fusebox(&["resume"]).run().expect(0);
    run.wait_to_say("going on");
    wait_for("the next iteration", || {
        !released || context.path("ran").exists()
    });
    run.signal(Signal::INT);
    run.finish().expect(130);
}

#[test]
fn a_loop_that_waits_is_not_said_to_go_on() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let mut run = context.supervise(&["--wait"], "true").start();
    run.wait_to_say("waiting · ");
    context
        .fusebox(&["resume"])
        .run()
        .expect(6)
        .complains_once()
        .says("the loop does not answer");
    context.fusebox(&["stop"]).run().expect(0);
    run.finish().expect(143);
}
