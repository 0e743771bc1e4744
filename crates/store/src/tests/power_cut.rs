//! A machine that stops: what was not flushed may be there or not, whole or
//! torn, in any combination.

use super::crash::{crash_states, must_go_on, store_at};
use super::disk_model::{Disk, is_durable};
use super::{Bench, add_to, later_boot};
use crate::trace::{self, Effect};

/// What can become of one effect that was not flushed.
#[derive(Clone, Copy)]
enum Fate {
    Kept,
    Lost,
    Torn,
    Hollow,
}

/// The head's line lies within one sector, which a disk writes whole; anything
/// else that is a write may arrive in part.
fn fates(effect: &Effect) -> &'static [Fate] {
    match effect {
        Effect::Write { path, .. } if path.ends_with("heads/default") => &[Fate::Kept, Fate::Lost],
        Effect::Write { path, .. } if path.ends_with("log") => {
            &[Fate::Kept, Fate::Lost, Fate::Torn, Fate::Hollow]
        }
        Effect::Write { .. } => &[Fate::Kept, Fate::Lost, Fate::Torn],
        _ => &[Fate::Kept, Fate::Lost],
    }
}

/// Every disk that a power cut right after `history` can leave.
pub(crate) fn power_cut_states(disk: &Disk, history: &[Effect]) -> Vec<Disk> {
    let mut states = vec![disk.clone()];
    for (index, effect) in history.iter().enumerate() {
        let fates = if is_durable(history, index) {
            &[Fate::Kept][..]
        } else {
            fates(effect)
        };
        let mut next = Vec::new();
        for state in &states {
            for fate in fates {
                let mut state = state.clone();
                match (fate, effect) {
                    (Fate::Lost, _) => {}
                    (Fate::Torn, Effect::Write { bytes, .. }) => {
                        state.apply_torn(effect, bytes.len() / 2);
                    }
                    (Fate::Hollow, _) => state.apply_hollow(effect),
                    _ => state.apply(effect),
                }
                next.push(state);
            }
        }
        states = next;
    }
    states
}

#[test]
fn a_power_cut_loses_nothing_acknowledged_and_raises_no_alarm() {
    let bodies = ["one", "two", "three", "four"];
    let bench = Bench::with(&["one"]);
    // A flush of everything, as the system does by itself every few seconds.
    let before = Disk::capture(bench.root.path());
    let mut history = Vec::new();
    let mut tried = 0;
    for acknowledged in 1..bodies.len() {
        let effects = trace::effects_of(|| {
            bench.add(bodies[acknowledged]).unwrap();
        });
        for effect in effects {
            history.push(effect);
            for state in power_cut_states(&before, &history) {
                let root = state.materialise(bench.root.path());
                must_go_on(
                    &store_at(root.path(), later_boot()),
                    acknowledged as u64,
                    &bodies,
                );
                tried += 1;
            }
        }
    }
    println!("proof: power-cuts {tried} while one process writes");
    assert!(tried > 500);
}

#[test]
fn dying_while_mending_after_a_power_cut_raises_no_alarm() {
    let bodies = ["one", "two", "three", "after"];
    let bench = Bench::with(&["one"]);
    let before = Disk::capture(bench.root.path());
    let history = trace::effects_of(|| {
        bench.add("two").unwrap();
        bench.add("three").unwrap();
    });
    let mut tried = 0;
    for state in power_cut_states(&before, &history) {
        let root = state.materialise(bench.root.path());
        let store = store_at(root.path(), later_boot());
        let before_mending = Disk::capture(root.path());
        let mending = trace::effects_of(|| {
            add_to(&store, &["after"]).unwrap();
        });
        for state in crash_states(&before_mending, &mending, 100) {
            let again = state.materialise(root.path());
            must_go_on(&store_at(again.path(), later_boot()), 3, &bodies);
            tried += 1;
        }
    }
    println!("proof: power-cuts {tried} and a crash thereafter");
    assert!(tried > 200);
}

#[test]
fn a_power_cut_during_creation_leaves_first_use_or_a_store() {
    let bench = Bench::new();
    let before = Disk::capture(bench.root.path());
    let history = trace::effects_of(|| {
        bench.add("one").unwrap();
    });
    let mut tried = 0;
    for end in 0..=history.len() {
        let acknowledged = u64::from(end == history.len());
        for state in power_cut_states(&before, &history[..end]) {
            let root = state.materialise(bench.root.path());
            must_go_on(&store_at(root.path(), later_boot()), acknowledged, &["one"]);
            tried += 1;
        }
    }
    println!("proof: power-cuts {tried} during creation");
    assert!(tried > 40);
}
