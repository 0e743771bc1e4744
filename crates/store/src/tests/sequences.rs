//! Random histories against a model.

use proptest::prelude::*;

use super::{Bench, boot, draft, later_boot, tally_of};
use crate::Error;

#[derive(Debug, Clone)]
enum Action {
    Update(Vec<Vec<u8>>),
    Peek,
    Reboot,
    Verify,
}

fn action() -> impl Strategy<Value = Action> {
    let body = prop_oneof![
        8 => proptest::collection::vec(any::<u8>(), 0..40),
        1 => proptest::collection::vec(any::<u8>(), 3_900..4_200),
    ];
    prop_oneof![
        5 => proptest::collection::vec(body, 0..4).prop_map(Action::Update),
        2 => Just(Action::Peek),
        1 => Just(Action::Reboot),
        1 => Just(Action::Verify),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_state_is_always_the_fold_of_all_records(actions in proptest::collection::vec(action(), 1..25)) {
        let bench = Bench::new();
        let mut model: Vec<Vec<u8>> = Vec::new();
        let mut rebooted = false;
        for action in actions {
            let store = bench.store_in(if rebooted { later_boot() } else { boot() });
            match action {
                Action::Update(bodies) => {
                    let drafts = bodies.iter().map(|body| draft(body)).collect();
                    model.extend(bodies);
                    let view = store.update(1, |_| Ok::<_, Error>(drafts)).unwrap();
                    prop_assert_eq!(view.seq, model.len() as u64);
                    prop_assert_eq!(view.state, tally_of(&model));
                }
                Action::Peek => {
                    let view = store.peek().unwrap();
                    prop_assert_eq!(view.state, tally_of(&model));
                    prop_assert!(view.repairs.is_empty());
                }
                Action::Reboot => rebooted = !rebooted,
                Action::Verify => {
                    let end = store.verify_all().unwrap();
                    prop_assert_eq!(end.map_or(0, |mark| mark.seq), model.len() as u64);
                }
            }
        }
    }
}
