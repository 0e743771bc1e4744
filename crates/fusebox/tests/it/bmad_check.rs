//! Sessions of somebody else's loop: `check` and `record` read the features as `run` does.

use std::fs;

use crate::bmad::{Bmad, IN_VAIN};
use crate::call::Finished;
use crate::context::nobody_can_play_a_person;

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
fn req_003_009_and_089_what_was_complete_goes_on_when_features_wait_again() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.write("feature_list.json", DONE);
    ask(&bmad, &["check"]).expect(40);
    bmad.write("feature_list.json", HALF);
    ask(&bmad, &["check", "--peek"]).expect(0);
    bmad.says(&["circuit_breaker_status=COMPLETE"]);
    ask(&bmad, &["check"]).expect(0);
    bmad.says(&["circuit_breaker_status=HEALTHY"]);
    // A session that is reported without having asked counts as well.
    bmad.write("feature_list.json", DONE);
    ask(&bmad, &["check"]).expect(40);
    bmad.write("feature_list.json", HALF);
    ask(&bmad, &["record"]).expect(0);
    bmad.says(&["circuit_breaker_status=HEALTHY", "features_pending=2"]);
    // A breaker that is open stays so.
    ask(&bmad, &["trip", "--reason", "look"]).expect(0);
    ask(&bmad, &["check"]).expect(42);
    bmad.write("feature_list.json", DONE);
    ask(&bmad, &["check"]).expect(42);
}

/// Sets a threshold in the user's configuration, beside what it holds.
fn configure(bmad: &Bmad, trip: u32) {
    let path = bmad.0.path("config/fusebox/config.toml");
    let held = fs::read_to_string(&path).unwrap();
    let text = format!("{held}\n[signals.failed_sessions]\ntrip = {trip}\n");
    fs::write(path, text).unwrap();
}

#[test]
fn req_003_006_and_020_and_061_a_threshold_that_is_lowered_to_the_counter_triggers_at_the_next_question()
 {
    for asks in [&["check"][..], &["run", "--skip-preflight", "--", "false"]] {
        let Some(bmad) = Bmad::new() else {
            return;
        };
        bmad.run(&["--max-iterations", "3"], IN_VAIN).expect(45);
        configure(&bmad, 3);
        ask(&bmad, &["check", "--peek"]).expect(42);
        let told = ask(&bmad, asks).expect(42);
        assert!(
            told.out().contains("CIRCUIT BREAKER TRIGGERED"),
            "{}",
            told.out()
        );
        bmad.says(&[
            "consecutive_failures=3",
            "circuit_breaker_threshold=3",
            "circuit_breaker_status=TRIGGERED",
        ]);
        ask(&bmad, &["validate", "--strict"]).expect(0);
    }
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.run(&["--max-iterations", "3"], IN_VAIN).expect(45);
    bmad.run(&["--stagnation-threshold", "2"], IN_VAIN)
        .expect(42);
    assert_eq!(bmad.sessions(), 3, "no other session began");
}

#[test]
fn req_003_021_to_023_a_new_name_for_what_passes_is_no_success() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.write("feature_list.json", HALF);
    ask(&bmad, &["check"]).expect(0);
    bmad.write("feature_list.json", &HALF.replace("F1", "F1-again"));
    ask(&bmad, &["record"]).expect(0);
    bmad.says(&["consecutive_failures=1", "features_completed=1"]);
    let rename = "sed -i 's/F1[^\"]*/F1-'$FUSEBOX_ITERATION/ feature_list.json";
    bmad.run(&["--max-iterations", "9"], rename).expect(42);
    bmad.says(&["consecutive_failures=5"]);
}

#[test]
fn req_003_020_a_threshold_that_is_lowered_in_mid_run_lets_no_other_session_begin() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    let file = "$XDG_CONFIG_HOME/fusebox/config.toml";
    let lower = format!(
        "[ $FUSEBOX_ITERATION = 2 ] && printf '\\n[signals.failed_sessions]\\ntrip = 2\\n' >> {file}"
    );
    bmad.run(&["--max-iterations", "9"], &format!("{lower}; {IN_VAIN}"))
        .expect(42);
    assert_eq!(bmad.sessions(), 2);
    bmad.says(&["consecutive_failures=2", "circuit_breaker_threshold=2"]);
}

#[test]
fn req_003_062_a_threshold_that_is_raised_outside_of_edit_releases_nothing_and_the_file_agrees() {
    for raised in [None, Some(8)] {
        let Some(bmad) = Bmad::new() else {
            return;
        };
        bmad.run(&["--stagnation-threshold", "2"], IN_VAIN)
            .expect(42);
        raised.iter().for_each(|trip| configure(&bmad, *trip));
        ask(&bmad, &["check"]).expect(42);
        bmad.says(&[
            "consecutive_failures=2",
            "circuit_breaker_threshold=2",
            "circuit_breaker_status=TRIGGERED",
        ]);
        ask(&bmad, &["validate", "--strict"]).expect(0);
        if nobody_can_play_a_person() {
            return;
        }
        bmad.edit("C,F,0,fixed,X").expect(0);
        bmad.says(&[
            &format!("circuit_breaker_threshold={}", raised.unwrap_or(5)),
            "circuit_breaker_status=HEALTHY",
        ]);
    }
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
    for mode in [&[][..], &["--mode", "create"]] {
        bmad.run(mode, IN_VAIN).expect(42);
    }
    assert_eq!(bmad.sessions(), 0);
}
