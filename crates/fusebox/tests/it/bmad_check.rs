//! Sessions of somebody else's loop: `check` and `record` read the features as `run` does.

use crate::bmad::Bmad;
use crate::call::Finished;

const DONE: &str = r#"{"features": [
  {"id": "F1", "status": "pass"}, {"id": "F2", "status": "blocked"}]}"#;
const HALF: &str = r#"{"features": [
  {"id": "F1", "status": "pass"}, {"id": "F2", "status": "pending"}, {"id": "F3", "status": "pending"}]}"#;

fn ask(bmad: &Bmad, args: &[&str]) -> Finished {
    let preset = ["--preset", "bmad"];
    let args: Vec<&str> = preset.iter().chain(args).copied().collect();
    bmad.0.fusebox(&args).run()
}

/// The same list with one more feature that passes.
fn pass(bmad: &Bmad, id: &str) {
    let list = bmad.read("feature_list.json");
    let before = format!(r#""{id}", "status": "pending""#);
    let after = format!(r#""{id}", "status": "pass""#);
    assert!(list.contains(&before), "{list}");
    bmad.write("feature_list.json", &list.replace(&before, &after));
}

#[test]
fn req_003_009_a_loop_of_checks_ends_when_no_feature_is_left() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.write("feature_list.json", DONE);
    ask(&bmad, &["check", "--peek"]).expect(40);
    bmad.says(&[]);
    assert_eq!(bmad.0.state(), "Closed", "looking changes nothing");
    ask(&bmad, &["check"]).expect(40);
    bmad.says(&["circuit_breaker_status=COMPLETE"]);
    ask(&bmad, &["check"]).expect(40);
    let history = bmad.0.fusebox(&["history", "--json"]).run().expect(0);
    let ends = history.out().matches("\"kind\":\"completed\"").count();
    assert!(ends <= 1, "it ended once: {}", history.out());
}

#[test]
fn req_003_021_to_024_and_026_a_recorded_session_succeeds_if_a_feature_has_come_to_pass_in_it() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.write("feature_list.json", HALF);
    // F1 passes already, and that is nobody's success.
    ask(&bmad, &["check", "-q"]).expect(0);
    ask(&bmad, &["record", "--from-git"]).expect(0);
    bmad.says(&[
        "consecutive_failures=1",
        "last_session_success=false",
        "features_completed=1",
        "features_pending=2",
    ]);
    ask(&bmad, &["check", "--from-git"]).expect(0);
    pass(&bmad, "F2");
    ask(&bmad, &["record", "--from-git"]).expect(0);
    bmad.says(&[
        "consecutive_failures=0",
        "last_session_success=true",
        "features_completed=2",
        "features_pending=1",
        "features_fail=0",
        "features_blocked=0",
    ]);
    // What somebody says who knows better stays.
    ask(&bmad, &["check"]).expect(0);
    let told = bmad
        .0
        .fusebox(&["record", "-"])
        .input(r#"{"features_passed": 0}"#);
    told.run().expect(0);
    bmad.says(&["consecutive_failures=1"]);
    // Without a check, it is held against how many passed after the last session.
    ask(&bmad, &["record"]).expect(0);
    bmad.says(&["consecutive_failures=2"]);
    pass(&bmad, "F3");
    // That was the last one, and the next check would say so.
    ask(&bmad, &["record"]).expect(40);
    bmad.says(&[
        "consecutive_failures=0",
        "features_completed=3",
        "circuit_breaker_status=COMPLETE",
    ]);
}

#[test]
fn req_003_093_a_list_that_cannot_be_read_lets_no_session_begin() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.write("feature_list.json", HALF);
    ask(&bmad, &["check"]).expect(0);
    bmad.write("feature_list.json", "{bad");
    let told = ask(&bmad, &["record"]).expect(10);
    assert!(told.err().contains("feature_list.json"), "{}", told.err());
    bmad.says(&["consecutive_failures=1"]);
    for args in [&["check"][..], &["check", "--peek"], &["record"]] {
        ask(&bmad, args).expect(10);
    }
    // An open breaker outranks that.
    for _ in 0..2 {
        ask(&bmad, &["record"]).expect(10);
    }
    ask(&bmad, &["record"]).expect(42);
    ask(&bmad, &["check"]).expect(42);
}
