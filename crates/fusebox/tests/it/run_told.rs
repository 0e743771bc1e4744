//! How a run ended, that it rests, and that it died, wherever somebody looks later.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::call::wait_for;
use crate::context::TestContext;
use crate::hook_turns::turn;
use crate::served::Served;

/// Adds a line to a file of the repository.
const WORK: &str = "echo $FUSEBOX_ITERATION >> a.txt";
/// Does not come to an end the first time.
const STAY: &str = "test -e ../started && exit; touch ../started; sleep 600";

impl TestContext {
    fn last_run(&self) -> Value {
        let status = self.fusebox(&["status", "--json"]).run().expect(0);
        status.json()["run"].clone()
    }

    /// A file below the top that appears.
    fn wait_for_file(&self, name: &str) {
        wait_for(name, || self.path(name).exists());
    }
}

#[test]
fn every_end_of_a_run_is_told_wherever_one_looks_later() {
    for (options, script, code, why, said) in [
        (
            &["--max-iterations", "2"][..],
            WORK,
            45,
            "iterations_used_up",
            "the iteration limit is reached",
        ),
        (&["--once"], WORK, 0, "done", "one iteration, as asked"),
        (&[], "true", 43, "paused", "No progress for 3 iterations"),
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        context.supervise(options, script).run().expect(code);
        let run = context.last_run();
        assert_eq!(run["state"], "ended", "{run}");
        assert_eq!(run["end"]["why"], why, "{run}");
        assert_eq!(run["end"]["exit_code"], code, "{run}");
        let words = run["end"]["said"].as_str().unwrap();
        assert!(words.contains(said), "{words}");
        let coded = format!("exit code {code}");
        for look in [
            &["status"][..],
            &["explain"],
            &["report"],
            &["report", "incident"],
            &["history", "--kind", "run_ended"],
        ] {
            let told = context.fusebox(look).run().expect(0);
            let whole = told.out().contains(said) || look.contains(&"history");
            let shows = told.out().contains(&coded) && whole;
            let nothing = look.contains(&"incident") && told.out().is_empty();
            assert!(shows || nothing, "{look:?}:\n{}", told.out());
        }
        let events = context.fusebox(&["events"]).run().expect(0).json_lines();
        let last = events.last().unwrap();
        assert_eq!(last["event"], "run_ended");
        assert_eq!(last["end"]["exit_code"], code);
        assert_eq!(last["end"]["why"], why);
        let report = context.fusebox(&["report", "--format", "json"]).run();
        assert_eq!(report.json()["now"]["run"]["end"]["exit_code"], code);
    }
}

#[test]
fn that_the_agent_was_not_signed_in_is_known_later() {
    let script = "break_off authentication_failed 401 'Invalid API key · Please run /login'";
    let Some(context) = TestContext::with_claude(script) else {
        return;
    };
    context.run_claude(&[]).run().expect(46);
    let run = context.last_run();
    assert_eq!(run["end"]["why"], "outside_trouble", "{run}");
    assert_eq!(run["end"]["exit_code"], 46, "{run}");
    let explained = context.fusebox(&["explain"]).run().expect(0).out();
    let why = "the agent is not signed in or not paid for: Invalid API key";
    assert!(explained.contains(why), "{explained}");
}

#[test]
fn an_interrupted_run_says_so_to_the_dashboard_and_to_who_resumes_it() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let run = context.supervise(&[], STAY).start();
    context.wait_for_file("started");
    run.signal(Signal::TERM);
    run.finish().expect(143);
    let served = Served::start(&context);
    let loops = served.json("/api/loops");
    let run = &loops[0]["status"]["run"];
    assert_eq!(run["end"]["why"], "interrupted", "{run}");
    assert_eq!(run["end"]["exit_code"], 143, "{run}");
    let line = context.fusebox(&["statusline"]).run().expect(0).out();
    assert!(line.contains("run ended with 143"), "{line}");
    context
        .fusebox(&["run", "--resume", "--once"])
        .run()
        .expect(0)
        .says("the last run: stopped · asked to terminate");
}

#[test]
fn a_run_that_was_killed_is_told_to_have_died_and_looking_changes_nothing() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let run = context.supervise(&[], STAY).start();
    context.wait_for_file("started");
    run.signal(Signal::KILL);
    wait_for("its processes to end", || {
        let status = context.fusebox(&["status", "--json"]).run().expect(0);
        status.json()["running"] == false
    });
    let before = std::fs::read(&context.store().log).unwrap();
    let run = context.last_run();
    assert_eq!(run["state"], "died", "{run}");
    assert_eq!(run["open_iteration"], 1, "{run}");
    for look in [&["status"][..], &["explain"], &["statusline"]] {
        let told = context.fusebox(look).run().expect(0).out();
        assert!(told.contains("died"), "{look:?}:\n{told}");
    }
    let after = std::fs::read(&context.store().log).unwrap();
    assert!(before == after, "somebody wrote");
    context
        .fusebox(&["run", "--resume", "--once"])
        .run()
        .expect(0)
        .says("the last run: died without saying why (process ")
        .says("iteration 1 was under way");
}

#[test]
fn a_run_that_rests_is_seen_to_and_nobody_takes_its_iterations() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = format!("{WORK}; touch ../started; sleep 1");
    let mut run = context.supervise(&[], &script).start();
    context.wait_for_file("started");
    let beside = context.fusebox(&["check"]).run().expect(5);
    beside.says("a run of this circuit is alive");
    context.fusebox(&["pause"]).run().expect(0);
    run.wait_to_say("paused by request");
    wait_for("it to be seen to rest", || {
        context.last_run()["state"] == "paused"
    });
    let paused = context.last_run();
    assert_eq!(paused["paused"]["waits_for"], "resume");
    for look in [&["status"][..], &["statusline"], &["explain"], &["doctor"]] {
        let told = context.fusebox(look).run().out();
        assert!(told.contains("paused"), "{look:?}:\n{told}");
    }
    let iterations = || {
        let status = context.fusebox(&["status", "--json"]).run();
        status.json()["iterations"].clone()
    };
    let before = iterations();
    for ask in [&["check", "--json"][..], &["check", "--peek", "--json"]] {
        let told = context.fusebox(ask).run().expect(43).json();
        assert_eq!(told["grant"], json!(null));
        assert_eq!(
            told["reason"],
            "A run is paused here, by request from another terminal"
        );
    }
    let ours = "only what its supervisor measures counts";
    let report = ["record", "--files-changed", "1"];
    context.fusebox(&report).run().expect(5).says(ours);
    let line = json!({"jsonrpc": "2.0", "id": 1, "method": "record", "params": {"report": {"files_changed": 1}}});
    let piped = context.fusebox(&["serve", "--stdio"]);
    let piped = piped.input(format!("{line}\n")).run().expect(0);
    assert!(piped.out().contains(ours), "{}", piped.out());
    // Of an iteration that is over it tells nobody anything.
    let late = context.fusebox(&[&report[..], &["--grant", "g-1"]].concat());
    late.run().expect(0);
    turn(&context, Some("b.txt"), &json!({"stop_hook_active": true}));
    assert_eq!(iterations(), before);
    context.fusebox(&["resume"]).run().expect(0);
    run.wait_to_say("going on");
    wait_for("it to be seen to go on", || {
        context.last_run()["state"] == "running"
    });
    run.signal(Signal::INT);
    run.finish().expect(130);
    // What was granted was reported, all of it, and one of them twice.
    let status = context.fusebox(&["status", "--json"]).run().json();
    let granted = status["iterations"].as_u64().unwrap();
    assert_eq!(status["totals"]["reported"], granted + 1, "{status}");
}

#[test]
fn req_d_066_iterations_that_nobody_reported_are_told_as_such() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context.fusebox(&["check"]).run().expect(0);
    for number in 1..=2 {
        context
            .fusebox(&["check"])
            .run()
            .expect(0)
            .says(&format!("iteration {number} was never reported"));
    }
    let reason = "No progress for 3 iterations: none of them was ever reported";
    context
        .fusebox(&["check"])
        .run()
        .expect(42)
        .says(reason)
        .says("every `fusebox check` is to be followed by `fusebox record`");
    let history = |kind: &str| {
        let lines = context
            .fusebox(&["history", "--json", "--kind", kind])
            .run();
        lines.expect(0).json_lines().len()
    };
    assert_eq!((history("unreported"), history("reported")), (3, 0));
    // What is reported now changes nothing, and no more is asked for.
    let late = context.fusebox(&["record", "--from-git"]).run().expect(42);
    late.says("the breaker was open before this report")
        .says(reason);
    let status = context.fusebox(&["status"]).run().expect(0);
    assert!(
        status
            .out()
            .contains("1 reported, 3 never reported, 0 with progress"),
        "{}",
        status.out()
    );
    let day = context.fusebox(&["report", "day"]).run().expect(0);
    assert!(
        day.out()
            .contains("1 reported, 3 never reported, 0 with progress"),
        "{}",
        day.out()
    );
}

#[test]
fn req_d_066_an_iteration_that_was_reported_after_one_that_was_not_counts() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    for _ in 0..2 {
        context.fusebox(&["check"]).run().expect(0);
    }
    context
        .fusebox(&["record", "--files-changed", "0"])
        .run()
        .expect(0);
    context.fusebox(&["check"]).run().expect(0);
    context
        .fusebox(&["record", "--files-changed", "0"])
        .run()
        .expect(42)
        .says("No progress for 3 iterations: 1 of them was never reported");
}

#[test]
fn req_x_006_a_hang_a_crash_and_a_failure_of_the_agent_are_told_as_such() {
    for (options, script, said) in [
        (
            &["--timeout", "1s"][..],
            "sleep 60",
            "killed: time limit, no file changed",
        ),
        (
            &[],
            "kill -SEGV $$",
            "the agent crashed (signal 11: SIGSEGV), no file changed",
        ),
        (
            &[],
            "exit 7",
            "the agent ended with exit code 7, no file changed",
        ),
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let options = [options, &["--stagnation-threshold", "1"]].concat();
        let run = context.supervise(&options, script).run().expect(43);
        let told = format!("iteration 1: {said}");
        assert!(run.err().contains(&told), "{told}:\n{}", run.err());
        let explained = context.fusebox(&["explain"]).run().expect(0);
        assert!(explained.out().contains(&told), "{}", explained.out());
    }
}

#[test]
fn req_x_006_a_claim_that_is_refuted_is_explained_to_everybody() {
    let script = r"echo $FUSEBOX_ITERATION >> a.txt; finish '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---'";
    let Some(context) = TestContext::with_claude(script) else {
        return;
    };
    let criteria = "- [x] it builds\n- [ ] the tests pass\n- [ ] it is documented\n";
    std::fs::write(context.work().join("done.md"), criteria).unwrap();
    let evidence = ["--require", "proof.txt", "--criteria", "done.md"];
    let options = [&evidence[..], &["--max-iterations", "2"]].concat();
    let missing = "proof.txt is not there";
    let unmet = r#"2 criteria in done.md not met: "the tests pass", "it is documented""#;
    let run = context.run_claude(&options).run().expect(45);
    let told = format!("completion was claimed, but {missing}; {unmet}");
    assert!(run.err().contains(&told), "{}", run.err());
    let prompt = context.told(2);
    for line in [missing, unmet] {
        assert!(prompt.contains(&format!("- {line}")), "{prompt}");
        for look in ["explain", "report"] {
            let told = context.fusebox(&[look]).run().expect(0).out();
            assert!(told.contains(line), "{look}:\n{told}");
        }
    }
}

#[test]
fn the_criteria_of_a_run_are_protected_while_it_runs() {
    for configured in [false, true] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        std::fs::write(context.work().join("done.md"), "- [ ] a\n").unwrap();
        let mut options = vec!["--max-iterations", "2"];
        if configured {
            let file = "[evidence]\ncriteria = \"done.md\"\n";
            std::fs::create_dir_all(context.path("config/fusebox")).unwrap();
            std::fs::write(context.path("config/fusebox/config.toml"), file).unwrap();
        } else {
            options.extend(["--criteria", "done.md"]);
        }
        let script = "echo x >> a.txt; rm -f done.md";
        let run = context.supervise(&options, script).run().expect(47);
        assert!(
            run.err().contains("done.md was deleted; it is back"),
            "{}",
            run.err()
        );
        let text = std::fs::read_to_string(context.work().join("done.md")).unwrap();
        assert_eq!(text, "- [ ] a\n");
    }
}
