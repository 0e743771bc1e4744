//! A process that dies: every prefix of what it wrote, in the same boot.
//!
//! Writes to log and slots are cut at every length. Those to the head are not:
//! they lie within one page, and the system looks for a deadly signal only
//! between pages.

use std::path::Path;

use super::disk_model::Disk;
use super::{Bench, Tally, add_to, boot, location_in, tally_of};
use crate::trace::{self, Effect};
use crate::{Store, View};

pub(crate) fn store_at(root: &Path, boot: crate::BootId) -> Store<Tally> {
    Store::open(location_in(root, boot)).unwrap()
}

/// Every state that dying during `effects` can leave, starting from `disk`.
pub(crate) fn crash_states(disk: &Disk, effects: &[Effect], tear_step: usize) -> Vec<Disk> {
    let mut states = vec![disk.clone()];
    let mut so_far = disk.clone();
    for effect in effects {
        if let Effect::Write { path, bytes, .. } = effect
            && !path.starts_with(path.ancestors().nth(2).unwrap().join("heads"))
        {
            for arrived in (1..bytes.len()).step_by(tear_step) {
                let mut torn = so_far.clone();
                torn.apply_torn(effect, arrived);
                states.push(torn);
            }
        }
        so_far.apply(effect);
        states.push(so_far.clone());
    }
    states
}

/// Checks what a store says after a crash and that it goes on from there.
pub(crate) fn must_go_on(store: &Store<Tally>, acknowledged: u64, bodies: &[&str]) -> View<Tally> {
    let place = store.location().dir.display();
    let view = store
        .peek()
        .unwrap_or_else(|error| panic!("{error} in {place}"));
    assert!(
        view.state.count >= acknowledged,
        "record {acknowledged} was lost: {view:?}"
    );
    let kept = usize::try_from(view.state.count).unwrap();
    assert_eq!(view.state, tally_of(&bodies[..kept]));
    store
        .verify_all()
        .unwrap_or_else(|error| panic!("{error} in {place}"));
    let mut expected = bodies[..kept].to_vec();
    expected.push("after the crash");
    let next = add_to(store, &["after the crash"]).unwrap();
    assert_eq!(next.state, tally_of(&expected));
    assert!(next.seq > view.seq);
    let mended = store.peek().unwrap();
    assert_eq!((mended.state, mended.repairs), (next.state, vec![]));
    assert_eq!(store.verify_all().unwrap().unwrap().seq, next.seq);
    view
}

fn must_survive(bench: &Bench, acknowledged: u64, bodies: &[&str], batch: &[&str]) -> usize {
    let before = Disk::capture(bench.root.path());
    let effects = trace::effects_of(|| {
        add_to(&bench.store(), batch).unwrap();
    });
    let states = crash_states(&before, &effects, 1);
    for state in &states {
        let root = state.materialise(bench.root.path());
        let view = must_go_on(&store_at(root.path(), boot()), acknowledged, bodies);
        let whole = acknowledged + batch.len() as u64;
        assert!(
            view.seq <= acknowledged || view.seq == whole,
            "half a batch: {view:?}"
        );
    }
    states.len()
}

#[test]
fn dying_anywhere_in_an_update_loses_nothing_acknowledged() {
    let mut tried = must_survive(&Bench::new(), 0, &["one"], &["one"]);
    tried += must_survive(&Bench::with(&["one"]), 1, &["one", "two"], &["two"]);
    let bodies = ["one", "two", "three", "four", "five"];
    tried += must_survive(&Bench::with(&bodies[..2]), 2, &bodies, &bodies[2..]);
    println!("proof: faults {tried} crash states");
    assert!(tried > 900);
}

#[test]
fn dying_again_while_mending_loses_nothing_acknowledged() {
    let bodies = ["one", "two", "three", "after"];
    let bench = Bench::with(&bodies[..2]);
    let before = Disk::capture(bench.root.path());
    let effects = trace::effects_of(|| {
        bench.add("three").unwrap();
    });
    let mut tried = 0;
    for state in crash_states(&before, &effects, 40) {
        let root = state.materialise(bench.root.path());
        let store = store_at(root.path(), boot());
        let kept = usize::try_from(store.peek().unwrap().seq).unwrap();
        let expected = [&bodies[..kept], &["after"]].concat();
        let before_mending = Disk::capture(root.path());
        let mending = trace::effects_of(|| {
            add_to(&store, &["after"]).unwrap();
        });
        for state in crash_states(&before_mending, &mending, 40) {
            let again = state.materialise(root.path());
            must_go_on(&store_at(again.path(), boot()), kept as u64, &expected);
            tried += 1;
        }
    }
    println!("proof: faults {tried} states after two crashes");
    assert!(tried > 150);
}
