//! Disks that are full or broken.

use rustix::io::Errno;

use super::{Bench, code, tally_of};
use crate::trace::{Operation, failing};
use crate::{Error, Repair};

#[test]
fn a_full_disk_stores_nothing_and_latches_nothing() {
    for errno in [Errno::NOSPC, Errno::DQUOT, Errno::FBIG] {
        let bench = Bench::with(&["one"]);
        let answer = failing(Operation::Write, "log", errno.raw_os_error(), || {
            bench.add("two")
        });
        assert!(matches!(answer, Err(Error::Full { .. })), "{answer:?}");
        let view = bench.store().peek().unwrap();
        assert_eq!((view.state, view.repairs), (tally_of(&["one"]), vec![]));
        bench.add("two").unwrap();
        assert_eq!(
            bench.store().peek().unwrap().state,
            tally_of(&["one", "two"])
        );
    }
}

#[test]
fn a_log_that_cannot_be_sealed_takes_the_record_all_the_same() {
    for (operation, file) in [
        (Operation::Write, "log.new"),
        (Operation::Sync, "log.new"),
        (Operation::Sync, "heads/default"),
    ] {
        let bench = Bench::with(&["one"]);
        let store = bench.sealing(1);
        let errno = Errno::NOSPC.raw_os_error();
        let told = failing(operation, file, errno, || {
            super::add_to(&store, &["two"]).unwrap().repairs
        });
        assert!(
            matches!(&told[..], [unsealed @ Repair::NotSealed { .. }] if unsealed.is_warning()),
            "{file}: {told:?}"
        );
        let seen = store.peek().unwrap();
        assert_eq!((seen.seq, seen.repairs), (2, vec![]), "{file}");
        let sealed = super::add_to(&store, &["three"]).unwrap();
        assert_eq!(sealed.repairs, [], "{file}");
        let bodies = tally_of(&["one", "two", "three"]);
        assert_eq!(store.peek().unwrap().state, bodies);
        assert_eq!(store.verify_all().unwrap().unwrap().seq, 4);
    }
}

#[test]
fn a_full_disk_on_first_use_is_said_and_leaves_first_use() {
    let bench = Bench::new();
    for file in ["log.new", "slots.new", "default.new"] {
        let answer = failing(Operation::Write, file, Errno::NOSPC.raw_os_error(), || {
            bench.add("one")
        });
        assert!(
            matches!(answer, Err(Error::Full { .. })),
            "{file}: {answer:?}"
        );
        assert!(bench.store().peek().unwrap().is_first_use());
    }
    assert_eq!(bench.add("one").unwrap().seq, 1);
}

#[test]
fn a_failed_flush_latches() {
    let bench = Bench::with(&["one"]);
    let answer = failing(Operation::Sync, "log", Errno::IO.raw_os_error(), || {
        bench.add("two")
    });
    assert_eq!(code(answer), "storage-failed");
    assert_eq!(code(bench.store().peek()), "storage-failed");
    assert_eq!(code(bench.add("three")), "storage-failed");
    bench.store().restart(9, &[]).unwrap();
    assert_eq!(bench.add("fresh").unwrap().state, tally_of(&["fresh"]));
}

#[test]
fn a_note_that_cannot_be_written_does_not_undo_the_record() {
    let head = Repair::HeadBehind { records: 1 };
    for (file, repairs) in [
        ("slots", vec![Repair::LogAhead { records: 1 }, head.clone()]),
        ("default", vec![head]),
    ] {
        let bench = Bench::with(&["one"]);
        let view = failing(Operation::Write, file, Errno::NOSPC.raw_os_error(), || {
            let view = bench.add("two").unwrap();
            // As long as the notes cannot follow, nothing more is taken.
            assert!(matches!(bench.add("three"), Err(Error::Full { .. })));
            view
        });
        assert_eq!(view.state, tally_of(&["one", "two"]));
        let seen = bench.store().peek().unwrap();
        assert_eq!(seen.state, tally_of(&["one", "two"]));
        assert_eq!(seen.repairs, repairs);
        bench.add("three").unwrap();
        assert_eq!(bench.store().peek().unwrap().repairs, []);
    }
}
