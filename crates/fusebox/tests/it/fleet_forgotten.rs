//! The state of a fleet in a directory is taken away, or put back.

use crate::context::{KEY, TestContext, nobody_can_play_a_person};
use crate::fleet::Fleet;

/// What somebody does to the state of a fleet that is halted, and what is then said of it.
const FORGOTTEN: &[(&str, &str)] = &[
    ("rm state.json", "state.json is missing"),
    ("rm -r .", "state.json is missing"),
    ("cp early state.json", "was put back to an earlier one"),
    ("echo '{}' >state.json", "state.json was replaced"),
    ("cp other state.json", "is another fleet's"),
    (": >state.json", "state.json: EOF"),
    ("rm state.json; mkdir state.json", "state.json"),
];

#[test]
fn a_halt_is_not_forgotten_with_the_state_of_the_fleet() {
    for (done, said) in FORGOTTEN {
        let fleet = Fleet::new();
        let elsewhere = Fleet::new();
        let ann = TestContext::new();
        let state = fleet.directory.path().join("fleet/state.json");
        let other = elsewhere.directory.path().join("fleet/state.json");
        fleet.run(&ann, &["limit", "take"]).expect(0);
        elsewhere.run(&ann, &["limit", "take"]).expect(0);
        std::fs::copy(&state, state.with_file_name("early")).unwrap();
        std::fs::copy(&other, state.with_file_name("other")).unwrap();
        fleet
            .run(
                &ann,
                &["fleet", "halt", "--scope", "fleet", "--reason", "enough"],
            )
            .expect(0);
        fleet.run(&ann, &["limit", "take"]).expect(42);
        let place = state.parent().unwrap();
        let script = done.replace("rm -r .", &format!("rm -r {}", place.display()));
        let shell = std::process::Command::new("sh")
            .args(["-c", &script])
            .current_dir(place)
            .status();
        assert!(shell.unwrap().success(), "{done}");
        for _ in 0..2 {
            fleet.run(&ann, &["limit", "take"]).expect(4).says(said);
        }
        fleet
            .run(&ann, &["run", "--once", "--", "touch", "ran"])
            .expect(4)
            .says(said);
        assert!(!ann.work().join("ran").exists(), "{done}");
        // Whoever cannot show that they are a person does not get it going again.
        fleet.run(&ann, &["fleet", "init"]).expect(5);
        if nobody_can_play_a_person() {
            continue;
        }
        ann.hold_key();
        fleet
            .call(&ann, &["fleet", "init"])
            .env("FUSEBOX_OPERATOR_KEY", KEY)
            .run()
            .expect(0);
        fleet.run(&ann, &["limit", "take"]).expect(0);
    }
    println!("proof: tampering {} with a fleet", FORGOTTEN.len());
}

#[test]
fn whoever_was_away_takes_part_in_what_the_others_made_of_the_fleet() {
    let fleet = Fleet::new();
    let (ann, bob) = (TestContext::new(), TestContext::new());
    fleet.run(&ann, &["limit", "take"]).expect(0);
    for _ in 0..3 {
        fleet.run(&bob, &["limit", "take"]).expect(0);
    }
    fleet.run(&ann, &["limit", "take"]).expect(0);
}
