//! Trouble that is put into healthy sessions is noticed.

use fusebox_core::calls::CallPolicy;
use fusebox_replay::{Case, Group, ROUNDS, Trouble, inject, notice};

use crate::fixtures::*;

/// Sessions in which every call is another one.
fn healthy() -> Vec<Case> {
    let sessions = (0..40).map(|session| {
        let text = claude_session(12 + session, |round| format!("{} things left", 100 - round));
        let text = text.lines().enumerate().map(|(number, line)| {
            line.replace("make test", &format!("make part_{}", number % 37)) + "\n"
        });
        let text = text
            .collect::<String>()
            .replace("\"is_error\":true", "\"is_error\":false");
        let mut case = Case::from(record(&text).1.remove(0));
        case.session = format!("session {session}");
        case.group = Group::Supervised;
        case
    });
    sessions.collect()
}

#[test]
fn trouble_is_the_same_for_the_same_seed_and_begins_in_the_middle() {
    for case in &healthy()[..5] {
        for trouble in Trouble::ALL {
            let one = inject(case, trouble, 1).unwrap();
            let again = inject(case, trouble, 1).unwrap();
            assert_eq!((&one.events, &one.rounds), (&again.events, &again.rounds));
            assert_eq!(one.events[..one.onset], case.events[..one.onset]);
            assert!(one.onset > 0 && one.onset < case.events.len());
            assert_eq!(one.rounds.len(), ROUNDS);
            assert!(one.rounds.is_sorted_by(|one, next| one < next));
        }
    }
}

#[test]
fn nearly_all_trouble_of_every_kind_is_noticed_within_six_rounds() {
    for seed in 1..=4 {
        for (trouble, noticed) in notice(&healthy(), &CallPolicy::native(), seed) {
            let warned = noticed.warned;
            assert!(warned.of >= 30, "{trouble:?}: {noticed:?}");
            assert!(warned.percent() >= 95.0, "{trouble:?}: {noticed:?}");
        }
    }
}
