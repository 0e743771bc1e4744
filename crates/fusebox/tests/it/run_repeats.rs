//! Failures that look alike while work gets somewhere, and failures that really are the same.

use crate::context::TestContext;

/// Changes one line more in each iteration, of those that the checks below count.
const CHANGE: &str = "echo $FUSEBOX_ITERATION >> done.txt; finish 'Fixed one.'";

/// As many lines as there are, and as many failures as are left of twelve.
const COUNT: &str = "n=$(wc -l < done.txt); left=$((12 - n));";
const STUCK: &str = "n=3; left=9;";

/// What `cargo test` prints: all failures say the same.
const CARGO: &str = r#"printf 'failures:\n\n'; i=$n; while [ $i -lt 12 ]; do
    printf -- "---- case_$i stdout ----\nthread 'case_$i' panicked at src/lib.rs:$i:9:\n"
    printf 'assertion `left == right` failed\n\n'; i=$((i+1)); done
    echo "test result: FAILED. $n passed; $left failed; 0 ignored"; exit 1"#;

/// What `rustc` prints: all errors say the same, and are in one file.
const RUSTC: &str = r#"i=$n; while [ $i -lt 12 ]; do
    printf "error[E0308]: mismatched types\n --> src/lib.rs:$i:9\n\n"; i=$((i+1)); done; exit 1"#;

/// A runner that nobody knows, and one that says even less.
const OWN: &str = r#"i=$n; while [ $i -lt 12 ]; do echo "FAIL case_$i"; i=$((i+1)); done
    echo "$left failing"; exit 1"#;
const TERSE: &str = r#"echo "...FF.F $left of 12 failing in 0.0${n}3s"; exit 1"#;

/// Runs twelve iterations at most with this check, and says how that ended.
fn run(preset: &str, flag: &str, check: &str) -> Option<(TestContext, crate::call::Finished)> {
    let context = TestContext::with_claude(CHANGE)?;
    let options = [
        "--preset",
        preset,
        "--on-stagnation",
        "abort",
        "--max-iterations",
        "10",
        flag,
        check,
    ];
    let run = context.run_claude(&options).run();
    Some((context, run))
}

#[test]
fn an_agent_that_repairs_one_failure_per_iteration_is_not_stopped_for_those_that_are_left() {
    for (flag, check) in [
        ("--test", CARGO),
        ("--build", RUSTC),
        ("--test", OWN),
        ("--test", TERSE),
    ] {
        let Some((_context, run)) = run("native", flag, &format!("{COUNT} {check}")) else {
            return;
        };
        let run = run.expect(45);
        assert!(!run.err().contains("Same error"), "{}", run.err());
    }
}

#[test]
fn req_004_017_one_that_repairs_nothing_is_stopped_at_the_fifth_whatever_the_check_prints() {
    for (flag, check) in [
        ("--test", CARGO),
        ("--build", RUSTC),
        ("--test", OWN),
        ("--test", TERSE),
    ] {
        let Some((_context, run)) = run("native", flag, &format!("{STUCK} {check}")) else {
            return;
        };
        let run = run.expect(42);
        assert!(
            run.err().contains("Same error repeated 5 times"),
            "{check}: {}",
            run.err()
        );
    }
}

#[test]
fn req_004_018_where_messages_are_compared_they_are_the_same_whatever_is_gained() {
    let check = format!("{COUNT} {CARGO}");
    let Some((_context, run)) = run("cub", "--test", &check) else {
        return;
    };
    run.expect(42);
}

#[test]
fn of_a_runner_that_nobody_knows_no_number_of_tests_is_told() {
    let Some((context, run)) = run("native", "--test", &format!("{COUNT} {OWN}")) else {
        return;
    };
    let said = run.expect(45).err();
    assert!(said.contains(" · tests failed"), "{said}");
    assert!(!said.contains("0 passed"), "{said}");
    let signals = String::from_utf8(context.kept(2, "completion_signals.json")).unwrap();
    assert!(signals.contains("\"tests_failed\": null"), "{signals}");
    assert!(signals.contains("\"checks_failed\": 1"), "{signals}");
}

/// The unknown speaks neither for the work nor against it, but that the check failed does.
#[test]
fn req_000_031_to_033_a_claim_is_unproven_while_a_runner_that_nobody_knows_fails() {
    let done = r"echo $FUSEBOX_ITERATION >> done.txt; finish '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---'";
    let Some(context) = TestContext::with_claude(done) else {
        return;
    };
    let check = format!("{COUNT} {OWN}");
    let options = [
        "--on-stagnation",
        "abort",
        "--max-iterations",
        "9",
        "--test",
        &check,
    ];
    let said = context.run_claude(&options).run().expect(42).err();
    assert!(
        said.contains("Completion claimed without evidence in 3 iterations in a row"),
        "{said}"
    );
}

#[test]
fn the_warning_in_the_prompt_names_what_is_the_matter() {
    let Some(context) = TestContext::with_claude(CHANGE) else {
        return;
    };
    let check = format!("{STUCK} {CARGO}");
    let options = [
        "--on-stagnation",
        "abort",
        "--max-iterations",
        "9",
        "--test",
        &check,
    ];
    context.run_claude(&options).run().expect(42);
    let prompt = context.told(4);
    for line in [
        "The circuit breaker warns: Same error repeated 3 times. If that goes on, it stops the run.",
        "- assertion `left == right` failed (in case_3)",
    ] {
        assert!(prompt.contains(line), "{prompt}");
    }
}
