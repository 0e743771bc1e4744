//! What is worth a warning is told where the loop runs, once, and never among the data.

use crate::bmad::{Bmad, IN_VAIN};
use crate::call::Finished;
use crate::context::TestContext;

/// The warnings among what was said.
fn warnings(told: &Finished) -> Vec<String> {
    assert!(!told.out().contains("fusebox: warning"), "{}", told.out());
    let told = told.err();
    let lines = told.lines();
    lines
        .filter_map(|line| line.strip_prefix("fusebox: warning: "))
        .map(str::to_owned)
        .collect()
}

/// The warnings of `times` records, in order.
fn recorded(preset: &str, times: usize, report: &[&str]) -> Vec<String> {
    let context = TestContext::new();
    let args = [&["record", "--exit-zero", "--preset", preset], report].concat();
    let mut all = Vec::new();
    for _ in 0..times {
        all.extend(warnings(&context.fusebox(&args).run().expect(0)));
    }
    all
}

#[test]
fn req_004_077_too_many_iterations_on_a_task_are_told_once() {
    let report = ["--files-changed", "1", "--task", "T-1"];
    let told = recorded("superkit", 24, &report);
    assert_eq!(told, ["21 iterations on a single task"]);
}

#[test]
fn req_001_085_coming_to_watch_is_told_and_a_trip_is_no_warning() {
    let told = recorded("native", 3, &["--files-changed", "0"]);
    assert_eq!(told, ["WATCHING · No progress for 2 iterations"]);
    let context = TestContext::new();
    let quiet = ["record", "--quiet", "--files-changed", "0"];
    for _ in 0..2 {
        assert_eq!(context.fusebox(&quiet).run().expect(0).err(), "");
    }
}

#[test]
fn req_d_021_an_opening_that_halts_nothing_is_told_as_a_warning() {
    let context = TestContext::new();
    let record = ["record", "--files-changed", "0"];
    let record = || {
        let call = context.fusebox(&record);
        call.env("FUSEBOX_ON_STAGNATION", "alert").run().expect(0)
    };
    (0..2).for_each(|_| drop(record()));
    assert_eq!(warnings(&record()), ["OPEN · No progress for 3 iterations"]);
}

#[test]
fn req_000_005_a_run_that_works_on_tests_alone_is_told_once() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "mkdir -p tests; echo \"x = $FUSEBOX_ITERATION\" >> tests/test_a.py";
    let options = ["--preset", "cub", "--max-iterations", "5"];
    let run = context.supervise(&options, script).run().expect(45);
    let told = warnings(&run);
    let on_tests = told.iter().filter(|line| line.contains("tests alone"));
    assert_eq!(on_tests.count(), 1, "{}", run.err());
}

#[test]
fn the_failure_before_the_last_is_told_in_the_words_of_its_workflow() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    let words = "NEXT FAILURE TRIGGERS CIRCUIT BREAKER!";
    let run = bmad.run(&["--max-iterations", "3"], IN_VAIN).expect(45);
    assert!(!run.err().contains(words), "{}", run.err());
    let run = bmad.run(&["--max-iterations", "9"], IN_VAIN).expect(42);
    let told = warnings(&run);
    let told = told.iter().filter(|line| *line == words).count();
    assert_eq!(told, 1, "{}", run.err());
}
