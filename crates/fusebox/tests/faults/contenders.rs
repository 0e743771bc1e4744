//! Processes that start at the same moment, where nothing was there before.

use std::fs;
use std::time::{Duration, Instant};

use crate::agents::{AGES, Supervised, eventually, have};
use crate::place::{Place, Standing};

const ROUNDS: usize = 20;

/// Says that it runs, and waits for the word to end.
const AGENT: &str = "echo x >>ran; until [ -e go ]; do sleep 0.02; done";

#[test]
fn of_two_supervisors_exactly_one_runs() {
    if !have("git") {
        return;
    }
    for round in 0..ROUNDS {
        let place = Place::new();
        let args = ["run", "--once", "--json", "--", "sh", "-c", AGENT];
        let mut both = [(); 2].map(|()| Supervised::start(&place, &args));
        let loser = wait_for_one(&mut both);
        let refusal = both[loser].stderr();
        // Only now may the winner end: until then the loser had no chance.
        assert!(eventually(AGES, || place.workspace().join("ran").exists()).is_some());
        fs::write(place.workspace().join("go"), "").unwrap();
        let codes = both.map(|run| run.end().0);
        let context = format!("round {round}: {codes:?}, {refusal}");
        assert_eq!(
            (codes[loser], codes[1 - loser]),
            (Some(5), Some(0)),
            "{context}"
        );
        let ran = fs::read_to_string(place.workspace().join("ran")).unwrap();
        assert_eq!(ran, "x\n", "round {round}");
    }
    println!("{ROUNDS} times two supervisors at once: one ran, one was refused");
}

#[test]
fn of_eight_first_uses_none_is_lost() {
    for round in 0..ROUNDS {
        let place = Place::new();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| place.expect(0, &["limit", "take", "1"]));
            }
        });
        let Standing::Believed { calls_used, .. } = place.standing() else {
            panic!("round {round}: not believed");
        };
        assert_eq!(calls_used, 8, "round {round}");
    }
    println!("{ROUNDS} times eight first uses at once: none was lost");
}

/// Which of the two ends first; it must be within [`AGES`].
fn wait_for_one(both: &mut [Supervised; 2]) -> usize {
    let began = Instant::now();
    loop {
        if let Some(ended) = both.iter_mut().position(Supervised::has_ended) {
            return ended;
        }
        assert!(began.elapsed() < AGES, "neither was refused");
        std::thread::sleep(Duration::from_millis(5));
    }
}
