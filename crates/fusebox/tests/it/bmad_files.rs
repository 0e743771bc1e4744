//! The files of the workflow: validated, broken, edited by others.

use std::fs;

use crate::bmad::{Bmad, IN_VAIN, LIST};
use crate::context::{TestContext, nobody_can_play_a_person};

#[test]
fn req_003_069_to_076_and_080_and_096_validation_tells_and_changes_nothing() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.run(&["--once"], IN_VAIN).expect(0);
    let sound = bmad.call(&["validate"]).expect(0);
    assert!(
        sound.out().starts_with("✓ 1. threshold_range") && sound.out().ends_with("\nvalid\n"),
        "{}",
        sound.out()
    );
    let odd = bmad
        .read("claude-progress.txt")
        .replace("status=HEALTHY", "status=TRIGGERED")
        .replace("threshold=5", "threshold=99");
    bmad.write("claude-progress.txt", &odd);
    let memory = bmad.0.memory();
    let found = bmad.call(&["validate", "--json"]).expect(0).json();
    assert_eq!(found["valid"], false);
    let verdicts: Vec<_> = found["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["warn", "pass", "fail", "pass", "fail"]);
    bmad.call(&["validate", "--strict"])
        .expect(20)
        .says("manual edit of the tracking files, a bug in the workflow, or an inconsistent state");
    bmad.0
        .fusebox(&["run", "--mode", "validate"])
        .run()
        .expect(0);
    assert_eq!(bmad.read("claude-progress.txt"), odd);
    assert_eq!(bmad.0.memory(), memory);
    bmad.0
        .fusebox(&["--circuit", "n", "validate"])
        .run()
        .expect(5)
        .says("keeps no claude-progress.txt");
}

#[test]
fn req_003_091_to_095_and_100_every_exit_code_means_one_thing() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    let create = |code: i32, says: &str| {
        let run = bmad
            .run(&["--mode", "create", "--once"], "touch ran")
            .expect(code)
            .says(says);
        assert_eq!(
            bmad.0.work().join("ran").exists(),
            code == 0,
            "{}",
            run.err()
        );
    };
    bmad.write("feature_list.json", "{\"features\": [");
    create(10, "feature_list.json: this is not valid JSON");
    // Also in the middle of a run, and without naming the mode.
    bmad.run(&["--once"], "true").expect(10);
    assert_eq!(bmad.read("feature_list.json"), "{\"features\": [");
    bmad.write("feature_list.json", "{\"features\": []}");
    create(3, "holds no features");
    fs::remove_file(bmad.0.work().join("feature_list.json")).unwrap();
    create(
        1,
        "neither feature_list.json nor app_spec.txt nor app_spec.xml",
    );
    bmad.write("app_spec.xml", "<app><feature></app>");
    create(8, "app_spec.xml");
    bmad.write("app_spec.txt", "");
    create(8, "app_spec.txt: it is empty");
    bmad.write("app_spec.txt", "A shop.");
    create(0, "");
    let plain = TestContext::new();
    fs::write(plain.work().join("feature_list.json"), LIST).unwrap();
    plain
        .fusebox(&[
            "--preset", "bmad", "run", "--mode", "create", "--once", "--", "true",
        ])
        .run()
        .expect(4)
        .says("not a git repository");
    // Whoever names no mode creates, and needs the same; only what was asked to be left out is.
    let Some(prepared) = TestContext::with_repository() else {
        return;
    };
    let options = ["--preset", "bmad", "--max-iterations", "2"];
    let in_vain = |options: &[&str]| prepared.supervise(options, "touch ran").run();
    let none = "neither feature_list.json nor app_spec.txt nor app_spec.xml";
    in_vain(&options).expect(1).says(none);
    assert!(!prepared.work().join("ran").exists());
    in_vain(&[&options[..], &["--skip-preflight"]].concat()).expect(45);
    // Our own first six stand aside, also where nobody names the preset any more.
    bmad.call(&["record", "--error"]).expect(32);
    bmad.0.fusebox(&["reset", "--reason", "x"]).run().expect(35);
    bmad.run(&["--once"], "exit 3").expect(0);
}

/// A file that is gone is written anew from the memory, the number of sessions as well.
#[test]
fn a_progress_file_that_was_lost_goes_on_with_the_number_of_sessions() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.run(&["--max-iterations", "2"], IN_VAIN).expect(45);
    bmad.says(&["session_count=2", "consecutive_failures=2"]);
    fs::remove_file(bmad.0.work().join("claude-progress.txt")).unwrap();
    bmad.run(&["--max-iterations", "1"], IN_VAIN);
    bmad.says(&["session_count=3", "consecutive_failures=3"]);
}

#[test]
fn req_d_024_and_033_edits_of_the_progress_file_accuse_and_never_excuse() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.trigger();
    let ours = bmad.read("claude-progress.txt");
    for (from, to) in [
        (
            "circuit_breaker_status=TRIGGERED",
            "circuit_breaker_status=HEALTHY",
        ),
        ("consecutive_failures=5", "consecutive_failures=0"),
        (
            "circuit_breaker_threshold=5",
            "circuit_breaker_threshold=50",
        ),
    ] {
        bmad.write("claude-progress.txt", &ours.replace(from, to));
        bmad.call(&["check"])
            .expect(34)
            .says("claude-progress.txt was edited to say");
        bmad.call(&["check"]).expect(42);
        bmad.says(&[
            "circuit_breaker_status=TRIGGERED",
            "consecutive_failures=5",
            "circuit_breaker_threshold=5",
        ]);
    }
    let Some(other) = Bmad::new() else {
        return;
    };
    other.run(&["--once"], IN_VAIN).expect(0);
    let ours = other.read("claude-progress.txt");
    other.write(
        "claude-progress.txt",
        &ours.replace("consecutive_failures=1", "consecutive_failures=3"),
    );
    other
        .call(&["check"])
        .expect(0)
        .says("taken over from claude-progress.txt: consecutive_failures=3");
    let ours = other.read("claude-progress.txt");
    other.write(
        "claude-progress.txt",
        &ours.replace("status=HEALTHY", "status=TRIGGERED"),
    );
    other.call(&["check"]).expect(42);
    let Some(lower) = Bmad::new() else {
        return;
    };
    lower.run(&["--max-iterations", "2"], IN_VAIN).expect(45);
    let ours = lower.read("claude-progress.txt");
    lower.write(
        "claude-progress.txt",
        &ours.replace("threshold=5", "threshold=2"),
    );
    lower.call(&["check"]).expect(42);
    lower.says(&[
        "circuit_breaker_threshold=2",
        "circuit_breaker_status=TRIGGERED",
    ]);
    // A name that is there twice is nobody's word.
    let text = format!(
        "consecutive_failures=0\n{}",
        lower.read("claude-progress.txt")
    );
    lower.write("claude-progress.txt", &text);
    lower
        .call(&["check"])
        .expect(34)
        .says("`consecutive_failures` is there twice");
    assert_eq!(lower.read("claude-progress.txt"), text);
}

/// Where the originals are wrong, by name.
#[test]
fn what_the_originals_decide_wrongly() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    // agent.py: 0 of 10 passed, and no session can ever fail. circuit_breaker.py: it
    // trips at the sixth. step-13: one feature that ever passed makes every session
    // a success (F1 has).
    bmad.trigger();
    assert_eq!(bmad.sessions(), 5);
    // step-01b: without a progress file, 42 on a fresh state.
    let Some(fresh) = Bmad::new() else {
        return;
    };
    fresh.call(&["--preset", "bmad", "check"]).expect(0);
    // Its banner prints the names of variables.
    assert!(!bmad.read("autonomous_summary_report.md").contains('$'));
    // VALIDATE: its check of the list always fails.
    fresh.call(&["validate", "--strict"]).expect(0);
    // EDIT [F] and [T]: "Invalid value", whatever is entered.
    if !nobody_can_play_a_person() {
        bmad.edit("C,F,why,X").expect(0);
        bmad.says(&["consecutive_failures=0"]);
    }
    // step-12: 42 for "not a git repository".
    let plain = TestContext::new();
    let run = [
        "--preset",
        "bmad",
        "run",
        "--skip-preflight",
        "--once",
        "--",
        "true",
    ];
    plain.fusebox(&run).run().expect(0);
}
