//! Many writers, one truth.

use std::thread;
use std::time::Duration;

use super::{Bench, Tally, add_to, boot, draft, location_in, tally_of};
use crate::{Draft, Error, Location, Store, Tamper};

const WRITERS: usize = 8;
const UPDATES: usize = 200;

#[test]
fn eight_writers_lose_no_record() {
    let bench = Bench::new();
    let mut seqs = Vec::new();
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let bench = &bench;
                scope.spawn(move || {
                    let mut mine = Vec::new();
                    for update in 0..UPDATES {
                        // A handle of its own each time, as separate processes have.
                        let store = bench.store();
                        let mut seen = 0;
                        let view = store
                            .update(1, |view| {
                                seen = view.state.count;
                                Ok::<_, Error>(vec![draft(format!("{writer}/{update}").as_bytes())])
                            })
                            .unwrap();
                        assert_eq!(view.state.count, seen + 1, "somebody came in between");
                        mine.push(view.seq);
                    }
                    mine
                })
            })
            .collect();
        for writer in writers {
            seqs.extend(writer.join().unwrap());
        }
    });
    seqs.sort_unstable();
    let expected: Vec<u64> = (1..=(WRITERS * UPDATES) as u64).collect();
    assert_eq!(seqs, expected);
    let log = bench.store().log().unwrap().unwrap();
    let mut reader = log.reader(None);
    let mut bodies = std::collections::BTreeSet::new();
    while let Some(record) = reader.next_record().unwrap() {
        assert!(
            bodies.insert(record.body.to_vec()),
            "a record was stored twice"
        );
    }
    assert_eq!(bodies.len(), WRITERS * UPDATES);
}

/// While a restart is under way, the answer is that it is; the marker may be
/// met in the moment before it says why.
fn sound_or_restarting<T>(answer: Result<T, Error>) {
    match answer {
        Ok(_) => {}
        Err(Error::Tampered(found @ Tamper::Latched { .. })) => {
            assert!(
                ["restart-unfinished", "unknown"].contains(&found.code()),
                "{found}"
            );
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn readers_and_restarts_never_see_half_a_store() {
    let bench = Bench::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..40 {
                bench.store().restart(9, &[draft(b"reset")]).unwrap();
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..200 {
                    sound_or_restarting(add_to(&bench.store(), &["x"]));
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..400 {
                sound_or_restarting(bench.store().peek());
            }
        });
    });
    assert!(
        bench.store().peek().unwrap().seq > 0,
        "the last restart left no marker"
    );
    bench.store().verify_all().unwrap();
}

#[test]
fn a_lock_that_is_never_released_is_not_waited_for_forever() {
    let bench = Bench::with(&["one"]);
    let held = std::fs::File::open(bench.log()).unwrap();
    held.lock().unwrap();
    let mut location = location_in(bench.root.path(), boot());
    location.patience = Duration::from_millis(30);
    let store = Store::<Tally>::open(location).unwrap();
    assert!(matches!(store.peek(), Err(Error::Busy { .. })));
    assert!(matches!(add_to(&store, &["two"]), Err(Error::Busy { .. })));
    drop(held);
    add_to(&store, &["two"]).unwrap();
}

#[test]
fn first_use_by_several_at_once_creates_one_whole_store() {
    for _ in 0..60 {
        let bench = Bench::new();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let view = bench.add("x").unwrap();
                    assert_eq!(view.repairs, [], "a store that was not whole was seen");
                });
            }
        });
        assert_eq!(bench.store().verify_all().unwrap().unwrap().seq, 4);
    }
}

#[test]
fn a_log_replaced_during_the_wait_is_not_written_to() {
    let bench = Bench::with(&["old"]);
    let replacement = Bench::with(&["new"]);
    let held = std::fs::File::open(bench.log()).unwrap();
    held.lock().unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| bench.add("next").unwrap());
        // Long enough for the other thread to have opened the old log. Should
        // it be slower still, the test passes without having tested anything.
        thread::sleep(Duration::from_millis(200));
        for file in [Bench::log, Bench::slots, Bench::head] {
            std::fs::rename(file(&replacement), file(&bench)).unwrap();
        }
        drop(held);
        assert_eq!(waiting.join().unwrap().state, tally_of(&["new", "next"]));
    });
}

#[test]
fn what_follows_an_update_happens_before_anybody_else_comes_in() {
    let bench = Bench::with(&["one"]);
    let impatient = Location {
        patience: Duration::from_millis(20),
        ..location_in(bench.root.path(), boot())
    };
    let other: Store<Tally> = Store::open(impatient).unwrap();
    let mut followed = 0;
    let two = |_: &_| Ok::<_, Error>(vec![draft(b"two")]);
    let view = bench.store().update_then(1, two, |view| {
        followed = view.state.count;
        assert!(matches!(other.peek(), Err(Error::Busy { .. })));
    });
    assert_eq!((followed, view.unwrap().state.count), (2, 2));
    assert_eq!(other.peek().unwrap().state.count, 2);
    let refused = |_: &_| Err::<Vec<Draft>, _>(Error::NoHome);
    let answer = bench
        .store()
        .update_then(1, refused, |_| panic!("nothing was stored"));
    assert!(matches!(answer, Err(Error::NoHome)));
}
