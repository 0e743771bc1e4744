//! What an action of a phase is reported with, and what is shown around it.

use serde_json::json;

use crate::call::Finished;
use crate::phases::Phased;

#[test]
fn req_001_113_each_start_of_an_action_shows_where_the_breaker_stands() {
    let it = Phased::new();
    for _ in 0..3 {
        let started = it.phase(&["start", "REFACTOR"]).expect(0);
        assert!(
            started.out().contains("  STATE: CLOSED\n"),
            "{}",
            started.out()
        );
        it.phase(&["end", "REFACTOR", "--pattern-applied"])
            .expect(0);
    }
    for _ in 0..5 {
        it.phase(&["end", "REFACTOR"]);
    }
    // Whoever is refused is shown it too, every time.
    for _ in 0..2 {
        let refused = it.phase(&["start", "REFACTOR"]).expect(42);
        let shown = refused.out().contains("  STATE: OPEN\n");
        assert!(shown, "{}", refused.out());
    }
}

/// Tells of so many passing tests out of ten.
type Report<'a> = dyn Fn(&Phased, u32) -> Finished + 'a;

#[test]
fn req_001_055_an_error_is_the_same_however_it_is_reported() {
    let it = Phased::new();
    let fusebox = |args: &[&str], input: &serde_json::Value| {
        let args = [&["--preset", "prp"], args].concat();
        it.context.fusebox(&args).input(input.to_string()).run()
    };
    let error = "TypeError: x is undefined";
    let typed = json!({"errors": [{"type": "TypeError", "message": "x is undefined"}]});
    it.phase(&["end", "REFACTOR", "--pattern-applied", "--error", error])
        .expect(0);
    let ways = [
        (&["record", "--error", error][..], json!({})),
        (
            &["phase", "end", "REFACTOR", "--pattern-applied", "-"],
            typed,
        ),
    ];
    for (count, (args, input)) in (2..).zip(ways) {
        fusebox(args, &input).expect(0);
        assert_eq!(it.json()["same_error_count"], count, "{args:?}");
    }
}

#[test]
fn req_001_046_and_087_and_d_025_tests_count_however_they_are_reported() {
    let counts = |passing: u32| (passing, 10 - passing);
    let json = |passing: u32| {
        let (passed, failed) = counts(passing);
        json!({"phase": "GREEN", "tests": {"passed": passed, "failed": failed, "skipped": 0}})
    };
    let block = |passing: u32| {
        let (passed, failed) = counts(passing);
        format!(
            "---PRP_PHASE_STATUS---\nPHASE: GREEN\nTESTS:\n  TOTAL: 10\n  PASSING: {passed}\n  \
             FAILING: {failed}\n  SKIPPED: 0\n---END_PRP_PHASE_STATUS---\n"
        )
    };
    let flags = |passing: u32| {
        let (passed, failed) = counts(passing);
        [passed.to_string(), failed.to_string()]
    };
    let by_json = |it: &Phased, words: &[&str], passing: u32| {
        let args = [&["--preset", "prp"], words].concat();
        it.context
            .fusebox(&args)
            .input(json(passing).to_string())
            .run()
    };
    let ways: [&Report<'_>; 4] = [
        &|it, passing| {
            let [passed, failed] = flags(passing);
            let args = ["--tests-passing", &passed, "--tests-failing", &failed];
            it.phase(&[&["end", "GREEN"], &args[..]].concat())
        },
        &|it, passing| by_json(it, &["phase", "end", "GREEN", "-"], passing),
        &|it, passing| by_json(it, &["record", "-"], passing),
        &|it, passing| {
            let args = ["--preset", "prp", "phase", "end", "GREEN", "-"];
            it.context.fusebox(&args).input(block(passing)).run()
        },
    ];
    for (way, report) in ways.iter().enumerate() {
        let it = Phased::new();
        for passing in [3, 5, 7] {
            report(&it, passing).expect(0);
        }
        let file = it.json();
        let green = json!({"tests_passing": 7, "tests_failing": 3, "tests_total": 10});
        assert_eq!(file["last_progress_metric"]["GREEN"], green, "way {way}");
        assert_eq!(
            (&file["state"], &file["no_progress_count"]),
            (&json!("CLOSED"), &json!(0)),
            "way {way}"
        );
        report(&it, 7).expect(0);
        report(&it, 7).expect(42);
    }
}

/// A phase that there are no rules for is told by its own name, not by that of the first.
#[test]
fn req_001_093_a_phase_that_is_unheard_of_is_told_by_the_name_it_was_reported_with() {
    let it = Phased::new();
    let record = |phase: &str| {
        let call = it.context.fusebox(&["--preset", "prp", "record", "-"]);
        call.input(json!({"phase": phase, "metrics": {}}).to_string())
            .run()
            .out()
    };
    let told = record("QA");
    assert!(told.contains("\nPHASE: QA\n"), "{told}");
    let told = record("x\nSTATUS: COMPLETE");
    assert!(told.contains("\nPHASE: x STATUS: COMPLETE\n"), "{told}");
}
