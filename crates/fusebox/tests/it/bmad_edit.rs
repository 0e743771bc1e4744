//! What a person edits, and what follows at once.

use serde_json::Value;

use crate::bmad::{Bmad, IN_VAIN, LIST, passes};
use crate::context::nobody_can_play_a_person;

#[test]
fn req_003_047_to_053_and_059_and_067_and_096_and_098_edit_resets_and_the_loop_goes_on() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.trigger();
    // Without a reason nothing happens, and without the right to neither.
    bmad.edit("C,F,,X")
        .expect(0)
        .says("Without a reason nothing is changed");
    bmad.0
        .fusebox(&["edit", "--answer", "C,F,why,X"])
        .run()
        .expect(35);
    bmad.0
        .fusebox(&["edit"])
        .run()
        .expect(35)
        .says("no terminal");
    bmad.says(&["circuit_breaker_status=TRIGGERED"]);
    let edited = bmad.edit("C,F,API key set up,B,X").expect(0);
    for words in [
        "[C] Circuit Breaker",
        "[F] Reset consecutive_failures to 0",
        "[A] Reset all (failures + status)",
        "[T] Change Threshold",
        "After fixing root cause of failures",
        "What the last sessions ran into:",
        "no API key",
        "Circuit Breaker: ✓ HEALTHY · consecutive failures 0",
    ] {
        assert!(
            edited.err().contains(words),
            "{words} is not in\n{}",
            edited.err()
        );
    }
    bmad.says(&["consecutive_failures=0", "circuit_breaker_status=HEALTHY"]);
    let history = bmad.call(&["history", "--json"]).json_lines();
    assert!(
        history
            .iter()
            .any(|row| row["kind"] == "failures forgotten" && row["reason"] == "API key set up")
    );
    // The cause is still there, so it triggers again.
    bmad.trigger();
    bmad.call(&["trip", "--reason", "by hand"]).expect(0);
    bmad.edit("C,A,looked at it,X").expect(0);
    bmad.says(&["consecutive_failures=0", "circuit_breaker_status=HEALTHY"]);
    bmad.run(&["--once"], &passes("F2")).expect(0);
}

/// A trip by hand leaves no failures to forget; only the whole reset clears it.
#[test]
fn req_d_029_the_whole_reset_clears_what_no_failure_caused() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.call(&["--preset", "bmad", "trip", "--reason", "by hand"])
        .expect(0);
    bmad.edit("C,F,why,X").expect(0);
    bmad.says(&["circuit_breaker_status=TRIGGERED"]);
    bmad.edit("C,A,why,X").expect(0);
    bmad.says(&["circuit_breaker_status=HEALTHY"]);
}

#[test]
fn req_003_019_and_051_and_054_to_055_and_068_and_097_and_099_and_101_an_edited_threshold_moves_the_status_both_ways()
 {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.trigger();
    let raised = bmad.edit("C,T,7,features are large,X").expect(0);
    assert!(
        raised
            .err()
            .contains("Don't just increase threshold without fixing root causes"),
        "{}",
        raised.err()
    );
    assert!(raised.err().contains("a symptom, not the problem"));
    assert!(
        raised
            .err()
            .contains("Expected failure rate higher than threshold allows")
    );
    bmad.says(&[
        "circuit_breaker_threshold=7",
        "circuit_breaker_status=HEALTHY",
        "consecutive_failures=5",
    ]);
    // It holds in the next run, and for the next check.
    bmad.run(&["--max-iterations", "9"], IN_VAIN).expect(42);
    assert_eq!(bmad.sessions(), 7);
    bmad.edit("C,T,99,trying,X")
        .expect(0)
        .says("NOT RECOMMENDED");
    bmad.says(&["circuit_breaker_status=HEALTHY"]);
    let lowered = bmad.edit("C,T,2,too long,X").expect(0);
    assert!(
        lowered.err().contains("Very sensitive, triggers quickly")
            && !lowered.err().contains("Caution")
    );
    bmad.says(&[
        "circuit_breaker_threshold=2",
        "circuit_breaker_status=TRIGGERED",
    ]);
    for never in ["0", "-1", "100", "off"] {
        bmad.edit(&format!("C,T,{never},x,X"))
            .expect(0)
            .says("no off switch");
        bmad.says(&["circuit_breaker_threshold=2"]);
    }
    let metrics = bmad.call(&["history", "--metrics", "--json"]).json();
    let set: Vec<&Value> = metrics["thresholds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|set| &set["threshold"])
        .collect();
    assert_eq!(set, [7, 99, 2]);
}

#[test]
fn req_003_058_a_person_marks_a_feature_as_blocked() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.run(&["--once"], IN_VAIN).expect(0);
    let edited = bmad
        .edit("F,F2,needs a contract,F,F9,X")
        .expect(0)
        .says("F2 is blocked")
        .says("no such feature");
    assert!(edited.err().contains("- F3  Pay"), "{}", edited.err());
    let expected = LIST.replace(
        "\"pending\", \"attempts\": 0",
        "\"blocked\", \"attempts\": 0, \"blocked_reason\": \"needs a contract\"",
    );
    assert_eq!(bmad.read("feature_list.json"), expected);
}

#[test]
fn req_d_050_a_person_sets_the_status() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.run(&["--once"], IN_VAIN).expect(0);
    bmad.0
        .fusebox(&["edit", "--answer", "C,S,TRIGGERED,why,X"])
        .run()
        .expect(35);
    bmad.edit("C,S,BROKEN,X").expect(0).says("no such status");
    bmad.edit("C,S,triggered,look at this,X").expect(0);
    bmad.says(&["circuit_breaker_status=TRIGGERED"]);
    bmad.edit("C,S,COMPLETE,why,X")
        .expect(0)
        .says("Reset it first");
    bmad.says(&["circuit_breaker_status=TRIGGERED"]);
    bmad.edit("C,S,HEALTHY,looked at it,X").expect(0);
    bmad.says(&["circuit_breaker_status=HEALTHY", "consecutive_failures=0"]);
    bmad.edit("C,S,COMPLETE,enough,X").expect(0);
    bmad.says(&["circuit_breaker_status=COMPLETE"]);
}
