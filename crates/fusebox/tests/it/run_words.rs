//! Words and numbers that must not mislead whoever reads them.

use rustix::process::Signal;

use crate::call::wait_for;
use crate::context::TestContext;

#[test]
fn where_nothing_was_recorded_explain_says_so_in_a_line() {
    let context = TestContext::new();
    let explained = || context.fusebox(&["explain"]).run().expect(0).out();
    let told = explained();
    assert!(
        told.starts_with("nothing has been recorded here yet"),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1, "{told}");
    context.fusebox(&["check"]).run().expect(0);
    assert!(explained().starts_with("proceed"), "{}", explained());
}

#[test]
fn a_second_trip_is_told_which_reason_stands() {
    let context = TestContext::new();
    let trip = |reason: &str| {
        context
            .fusebox(&["trip", "--reason", reason])
            .run()
            .expect(0)
    };
    let first = trip("the first");
    assert!(!first.err().contains("open already"), "{}", first.err());
    trip("the second")
        .says("the breaker was open already, and stays so for what opened it first: the first");
}

#[test]
fn a_trip_that_takes_the_release_from_the_clock_says_so_once() {
    let context = TestContext::new();
    context.open_breaker();
    let trip = || {
        context
            .fusebox(&["trip", "--reason", "wait"])
            .run()
            .expect(0)
    };
    let only = "from now on only a person releases it";
    trip().says(only);
    let again = trip().err();
    assert!(
        again.contains("open already") && !again.contains(only),
        "{again}"
    );
    assert_eq!(context.state(), "Open");
}

#[test]
fn more_lines_of_history_than_are_shown_are_spoken_of() {
    let context = TestContext::new();
    let record = ["record", "--files-changed", "1"];
    for (records, speaks) in [(20, false), (1, true)] {
        (0..records).for_each(|_| drop(context.fusebox(&record).run().expect(0)));
        let told = context.fusebox(&["history"]).run().expect(0);
        assert_eq!(told.out().lines().count(), 20);
        let err = told.err();
        assert_eq!(err.contains("these are the last 20 lines"), speaks, "{err}");
    }
    let asked = context.fusebox(&["history", "-n", "2"]).run().expect(0);
    assert_eq!(
        (asked.out().lines().count(), asked.err()),
        (2, String::new())
    );
}

#[test]
fn what_nobody_told_is_no_zero_among_the_metrics() {
    let context = TestContext::new();
    let record = ["record", "--files-changed", "1"];
    context.fusebox(&record).run().expect(0);
    let samples = |name: &str| {
        let text = context.fusebox(&["metrics"]).run().expect(0).out();
        let begins = format!("{name}{{");
        let samples = text.lines().filter(|line| line.starts_with(&begins));
        samples.count()
    };
    let told = [
        "fusebox_tokens_total",
        "fusebox_cost_usd_total",
        "fusebox_iteration_seconds_total",
    ];
    assert_eq!(told.map(samples), [0; 3]);
    assert_eq!(samples("fusebox_iterations_total"), 1);
    let usage = r#"{"duration_ms": 1500, "usage": {"output_tokens": 9, "cost_usd": 0.5}}"#;
    let record = context.fusebox(&["record", "-"]).input(usage);
    record.run().expect(0);
    assert_eq!(told.map(samples), [1; 3]);
}

/// An agent's output is a stream of events, which nobody wants to read as an error.
#[test]
fn an_agent_that_breaks_off_is_told_in_words() {
    for (stderr, words) in [
        (
            r#"echo '{"level":"fatal","msg":"no route"}' >&2;"#,
            "no route",
        ),
        ("", "crashed\n"),
    ] {
        let script = format!("say 'I will look at it'; {stderr} kill -KILL $$");
        let Some(context) = TestContext::with_claude(&script) else {
            return;
        };
        let options = ["--max-iterations", "1"];
        context.run_claude(&options).run().expect(45);
        let history = ["history", "--kind", "reported"];
        let history = context.fusebox(&history).run().expect(0).out();
        assert!(!history.contains('{'), "{history}");
        assert!(history.contains(words), "{history}");
    }
}

#[test]
fn the_time_of_a_run_is_told_from_its_beginning_to_its_end() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context.supervise(&["--once"], "sleep 2").run().expect(0);
    let events = context.fusebox(&["events"]).run().expect(0).json_lines();
    let at = |name: &str| {
        let event = events.iter().find(|event| event["event"] == name).unwrap();
        event["time"].as_str().unwrap().to_owned()
    };
    let (began, ended) = (at("run_began"), at("run_ended"));
    assert_ne!(began, ended);
    let report = context.fusebox(&["report"]).run().expect(0).out();
    let span = format!("| time | {began} to {ended} |");
    assert!(report.contains(&span), "{span}:\n{report}");
}

#[test]
fn only_lines_of_files_that_count_are_counted() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "echo three >> a.txt; mkdir -p .cub/runs; seq 9 > .cub/runs/notes";
    let run = context.supervise(&["--once"], script).run().expect(0);
    let told = run.err();
    assert!(told.contains("1 file changed (+1 −0)"), "{told}");
}

#[test]
fn the_first_signal_is_answered_at_once() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "trap '' INT TERM; touch ../started; while :; do sleep 1; done";
    let mut run = context.supervise(&[], script).start();
    wait_for("the agent to start", || context.path("started").exists());
    run.signal(Signal::INT);
    run.wait_to_say("stopping the agent; Ctrl-C again kills it");
    run.signal(Signal::INT);
    run.wait_to_say("killing the agent");
    run.finish().expect(130);
}

/// Whoever forbids an agent something must not believe that it is forbidden.
#[test]
fn flags_that_a_command_never_sees_are_refused_or_spoken_of() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let run = |options: &[&str]| {
        let options = [&["--once"], options].concat();
        context.supervise(&options, "touch ../ran").run()
    };
    let refused = run(&["--permissions", "read-only"]).expect(2);
    refused
        .complains_once()
        .says("`--permissions` needs `--agent`")
        .says("hint: a command after `--` is given its own flags");
    assert!(!context.path("ran").exists());
    for options in [&["--model", "haiku"][..], &["--continue-session"]] {
        let told = format!("warning: `{}` is ignored without `--agent`", options[0]);
        run(options).expect(0).says(&told);
    }
}

#[test]
fn a_threshold_that_the_preset_does_not_have_is_spoken_of() {
    for (preset, has_it) in [("liza", false), ("native", true), ("bmad", true)] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let options = [
            "--preset",
            preset,
            "--stagnation-threshold",
            "4",
            "--dry-run",
        ];
        let told = context.supervise(&options, "true").run().err();
        let warned = told.contains("warning: `--stagnation-threshold` has no effect");
        assert_eq!(warned, !has_it, "{preset}: {told}");
    }
}
