//! What an update costs must not depend on how much happened before.

use super::{Bench, add_to, draft};
use crate::trace::{effects_of, reads_of};
use crate::{Error, Store};

fn fill(store: &Store<super::Tally>, records: usize) {
    let mut left = records;
    while left > 0 {
        let batch = left.min(10_000);
        store
            .update(1, |_| Ok::<_, Error>(vec![draft(b"0123456789"); batch]))
            .unwrap();
        left -= batch;
    }
    // The last record alone, so that both logs end alike.
    add_to(store, &["0123456789"]).unwrap();
}

fn cost(records: usize) -> ((u64, u64), (u64, u64), usize) {
    let bench = Bench::new();
    fill(&bench.store(), records);
    let peek = reads_of(|| drop(bench.store().peek().unwrap()));
    let mut effects = 0;
    let update = reads_of(|| {
        effects = effects_of(|| drop(bench.add("0123456789").unwrap())).len();
    });
    (peek, update, effects)
}

#[test]
fn a_long_history_costs_what_a_short_one_does() {
    let short = cost(10);
    // Once a log was sealed, its successor's opening record is a read of its own.
    let (sealed, longer) = (cost(100_000), cost(200_000));
    assert_eq!(sealed, longer);
    let ((reads, bytes), ..) = sealed;
    println!("a peek takes {reads} reads of {bytes} bytes");
    assert!(reads == short.0.0 + 1 && reads <= 6 && bytes < 10_000);
}
