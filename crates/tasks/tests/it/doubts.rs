//! Tasks that an agent made away with, and who may say that this was meant.

use fusebox_tasks::{Doubt, Doubted};

use crate::support::{Place, at};

fn gone(id: &str) -> Doubted {
    Doubted {
        id: id.into(),
        doubt: Doubt::Vanished,
        proven: 0,
    }
}

fn doubted(place: &Place) -> Vec<String> {
    place.desk().doubts().unwrap().into_keys().collect()
}

#[test]
fn a_doubt_outlives_whoever_had_it_until_it_is_back_shown_or_settled_outside() {
    let place = Place::with("fix_plan.md", "- [ ] T-1 a\n- [ ] T-2 b\n");
    let mut desk = place.desk();
    let all = ["T-1", "T-2", "T-3"].map(gone);
    desk.doubt(&all, &at(0)).unwrap();
    assert_eq!(doubted(&place), ["T-1", "T-2", "T-3"]);
    let settled = ["T-3".to_owned()];
    let items = desk.look(&at(1)).unwrap();
    let mut inside = place.desk().inside(true);
    inside.done("T-1", None, "they say so", &at(1)).unwrap();
    inside.settle(&settled, "they say so", "x", &at(1)).unwrap();
    inside.settle_what_is_back(&items, &at(1)).unwrap();
    assert_eq!(doubted(&place), ["T-1", "T-2", "T-3"]);
    let items = desk.look(&at(2)).unwrap();
    desk.settle_what_is_back(&items, &at(2)).unwrap();
    assert_eq!(doubted(&place), ["T-1", "T-3"], "T-2 is to be done");
    desk.done("T-1", None, "seen", &at(3)).unwrap();
    assert_eq!(doubted(&place), ["T-3"]);
    desk.settle(&settled, "not needed", "ana", &at(4)).unwrap();
    assert!(doubted(&place).is_empty());
    // Shown meanwhile by somebody who was quicker.
    desk.doubt(&[gone("T-1")], &at(5)).unwrap();
    assert!(doubted(&place).is_empty());
}

#[test]
fn another_list_in_the_place_of_one_does_not_hide_what_that_has_lost() {
    let place = Place::with("fix_plan.md", "- [ ] T-1 a\n");
    let mut desk = place.desk();
    desk.doubt(&[gone("T-2"), gone("T-3")], &at(0)).unwrap();
    std::fs::remove_file(place.root().join("fix_plan.md")).unwrap();
    place.write(
        "prd.json",
        r#"{"userStories": [{"id": "T-2", "title": "b", "passes": false}]}"#,
    );
    let mut desk = place.desk();
    let items = desk.look(&at(1)).unwrap();
    assert_eq!(doubted(&place), ["T-2", "T-3"]);
    desk.settle_what_is_back(&items, &at(1)).unwrap();
    assert_eq!(doubted(&place), ["T-3"]);
}

#[test]
fn however_many_are_lost_the_record_stays_bounded_and_none_is_forgotten() {
    let place = Place::in_memory();
    place.write("fix_plan.md", "- [ ] (others) a\n");
    let mut desk = place.desk();
    desk.doubt(&[gone(&"x".repeat(100_000))], &at(0)).unwrap();
    assert_eq!(doubted(&place), ["(others)"]);
    for round in 0..5 {
        let many: Vec<_> = (0..1_000)
            .map(|n| gone(&format!("T-{round}-{n}")))
            .collect();
        desk.doubt(&many, &at(round)).unwrap();
        desk.doubt(&many, &at(round)).unwrap();
    }
    let kept = doubted(&place);
    assert!((1_000..=1_001).contains(&kept.len()), "{}", kept.len());
    let file = std::fs::metadata(place.own().join("claims.jsonl")).unwrap();
    assert!(file.len() < 1 << 20, "{} bytes", file.len());
    // A person goes through what is named, and the others are still there.
    let named: Vec<_> = kept.into_iter().filter(|id| id != "(others)").collect();
    desk.settle(&named, "not needed", "ana", &at(9)).unwrap();
    assert_eq!(doubted(&place), ["(others)"]);
    desk.settle(&["(others)".into()], "nor those", "ana", &at(9))
        .unwrap();
    assert!(doubted(&place).is_empty());
}
