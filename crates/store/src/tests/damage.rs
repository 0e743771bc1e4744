//! Every byte that a decision rests on, changed or cut off.

use std::fs;
use std::path::Path;

use super::{Bench, Tally, code, draft, later_boot, tally_of};
use crate::trace::{self, Effect};
use crate::{Error, Mark, Repair, View};

const MASKS: [u8; 3] = [0x01, 0x80, 0xff];
const SLOT: usize = 128 * 1024;
/// Header and opening record of a log that goes on from nothing.
const BEGINNING: usize = 268 + 112;

/// Bytes of a slot that are in use, from its own length field.
fn used(slots: &[u8], slot: usize) -> usize {
    let length = slots[slot + 28..slot + 32].try_into().unwrap();
    usize::try_from(u32::from_le_bytes(length)).unwrap()
}

/// Calls `judge` with the answer to each single-byte change in `range`.
fn flip_each(
    bench: &Bench,
    path: &Path,
    range: std::ops::Range<usize>,
    mut judge: impl FnMut(usize, Result<View<Tally>, Error>),
) -> usize {
    let sound = fs::read(path).unwrap();
    let mut tried = 0;
    for at in range {
        for mask in MASKS {
            let mut bytes = sound.clone();
            bytes[at] ^= mask;
            fs::write(path, &bytes).unwrap();
            judge(at, bench.store().peek());
            tried += 1;
        }
    }
    fs::write(path, &sound).unwrap();
    tried
}

/// Writes the last bytes first, so that file sizes stay what they were.
fn cut_each(bench: &Bench, path: &Path, lengths: impl Iterator<Item = usize>) -> usize {
    let sound = fs::read(path).unwrap();
    let mut tried = 0;
    for length in lengths {
        fs::write(path, &sound[..length]).unwrap();
        super::tamper(bench.store().peek());
        tried += 1;
    }
    fs::write(path, &sound).unwrap();
    tried
}

#[test]
fn every_changed_byte_of_slot_tail_and_head_is_found() {
    let bench = Bench::with(&["one", "two", "three"]);
    let slots = fs::read(bench.slots()).unwrap();
    // Genesis went into the first slot, so the third record is in the second.
    let newest = SLOT..SLOT + used(&slots, SLOT);
    let older = 0..used(&slots, 0);
    let log_len = fs::read(bench.log()).unwrap().len();
    let last_record = log_len - (80 + 5)..log_len;
    let head_len = fs::read(bench.head()).unwrap().len();

    let must_be_found = |at: usize, answer: Result<View<Tally>, Error>| {
        assert!(
            matches!(answer, Err(Error::Tampered(_))),
            "byte {at}: {answer:?}"
        );
    };
    let mut tried = flip_each(&bench, &bench.slots(), newest, must_be_found);
    tried += flip_each(&bench, &bench.log(), last_record, must_be_found);
    tried += flip_each(&bench, &bench.log(), 0..BEGINNING, must_be_found);
    tried += flip_each(&bench, &bench.head(), 0..head_len, must_be_found);
    // The older slot is what the newest will replace; nothing rests on it.
    tried += flip_each(&bench, &bench.slots(), older, |at, answer| {
        assert_eq!(
            answer.unwrap().state,
            tally_of(&["one", "two", "three"]),
            "byte {at}"
        );
    });
    println!("proof: damage {tried} changed bytes");
    assert_eq!(bench.store().peek().unwrap().repairs, []);
}

#[test]
fn every_cut_is_found() {
    let bench = Bench::with(&["one", "two", "three"]);
    let length = |path: &Path| usize::try_from(fs::metadata(path).unwrap().len()).unwrap();
    let (log, head) = (length(&bench.log()), length(&bench.head()));
    let mut tried = cut_each(&bench, &bench.log(), 0..log);
    tried += cut_each(&bench, &bench.head(), 0..head);
    let around_slots = (0..300)
        .chain((300..2 * SLOT).step_by(997))
        .chain(SLOT..SLOT + 300);
    tried += cut_each(&bench, &bench.slots(), around_slots);
    println!("proof: damage {tried} cuts");
}

#[test]
fn every_changed_byte_of_old_records_is_found_by_full_verification() {
    let bench = Bench::with(&["one", "two", "three", "four"]);
    let sound = fs::read(bench.log()).unwrap();
    for at in 0..sound.len() {
        for mask in MASKS {
            let mut bytes = sound.clone();
            bytes[at] ^= mask;
            fs::write(bench.log(), &bytes).unwrap();
            assert!(
                matches!(bench.store().verify_all(), Err(Error::Tampered(_))),
                "byte {at} mask {mask:#x}"
            );
        }
    }
}

/// A record that reached the log when the process died before its slot: nobody
/// was told of it, so it may vanish, but it may not turn into another.
#[test]
fn a_record_beyond_the_notes_is_whole_or_gone_or_tampering() {
    let bench = Bench::with(&["one", "two"]);
    let notes = [bench.slots(), bench.head()].map(|path| (path.clone(), fs::read(path).unwrap()));
    let before = fs::read(bench.log()).unwrap().len();
    bench.add("three").unwrap();
    for (path, bytes) in notes {
        fs::write(path, bytes).unwrap();
    }
    let after = fs::read(bench.log()).unwrap().len();
    assert_eq!(
        bench.store().peek().unwrap().state,
        tally_of(&["one", "two", "three"])
    );
    let (mut found, mut gone) = (0, 0);
    flip_each(
        &bench,
        &bench.log(),
        before..after,
        |at, answer| match answer {
            Err(Error::Tampered(_)) => found += 1,
            Ok(view) if view.state == tally_of(&["one", "two"]) => gone += 1,
            other => panic!("byte {at}: {other:?}"),
        },
    );
    // Only a length that now reaches beyond the end looks like a torn write.
    assert!(
        found > 50 * gone.min(1) && gone <= 9,
        "{found} found, {gone} gone"
    );
}

#[test]
fn appended_bytes_are_a_torn_record_or_tampering() {
    let bench = Bench::with(&["one"]);
    let sound = fs::read(bench.log()).unwrap();
    let garbage = |count: usize| [sound.clone(), vec![0; count]].concat();
    fs::write(bench.log(), garbage(10)).unwrap();
    assert_eq!(bench.store().peek().unwrap().state, tally_of(&["one"]));
    fs::write(bench.log(), garbage(200)).unwrap();
    assert_eq!(code(bench.store().peek()), "chain-broken");
    let after_reboot = bench.store_in(later_boot()).peek().unwrap();
    assert_eq!(after_reboot.state, tally_of(&["one"]));
    assert!(after_reboot.repairs[0].is_warning());
    // No write is longer than this, so nothing longer was torn.
    fs::write(bench.log(), garbage(1_048_576)).unwrap();
    let longest = bench.store_in(later_boot()).peek().unwrap();
    assert_eq!(longest.repairs, [Repair::TornTail { bytes: 1_048_576 }]);
    fs::write(bench.log(), garbage(1_048_577)).unwrap();
    assert_eq!(code(bench.store_in(later_boot()).peek()), "chain-broken");
}

#[test]
fn a_slot_alone_tells_that_a_wrong_record_was_written_in_this_boot() {
    let bench = Bench::with(&["one"]);
    let later = bench.store_in(later_boot());
    let errno = rustix::io::Errno::NOSPC.raw_os_error();
    trace::failing(trace::Operation::Write, "default", errno, || {
        super::add_to(&later, &["two"]).unwrap();
    });
    let sound = fs::read(bench.log()).unwrap();
    fs::write(bench.log(), [sound, vec![0; 200]].concat()).unwrap();
    assert_eq!(code(later.peek()), "chain-broken");
}

#[test]
fn unsound_notes_are_rebuilt_after_another_boot_only() {
    let bodies = ["one", "two", "three"];
    let table = [
        // what is overwritten with zeros, the code in the same boot
        (vec![(true, 0..2 * SLOT)], "slot-damaged"),
        (vec![(true, SLOT..SLOT + 40)], "slot-damaged"),
        (vec![(false, 0..20)], "head-damaged"),
    ];
    for (zeroed, expected) in table {
        let bench = Bench::with(&bodies);
        for (in_slots, range) in zeroed {
            let path = if in_slots {
                bench.slots()
            } else {
                bench.head()
            };
            let mut bytes = fs::read(&path).unwrap();
            bytes[range].fill(0);
            fs::write(&path, bytes).unwrap();
        }
        assert_eq!(code(bench.store().peek()), expected);
        let later = bench.store_in(later_boot());
        let view = later.peek().unwrap();
        assert_eq!(view.state, tally_of(&bodies));
        assert!(!view.repairs.is_empty());
        super::add_to(&later, &["four"]).unwrap();
        let mended = later.peek().unwrap();
        assert_eq!((mended.seq, mended.repairs), (4, vec![]));
    }
}

#[test]
fn without_any_sound_note_there_is_nothing_to_believe() {
    let bench = Bench::with(&["one"]);
    fs::write(bench.head(), "x").unwrap();
    fs::write(bench.slots(), vec![0; 2 * SLOT]).unwrap();
    assert_eq!(code(bench.store_in(later_boot()).peek()), "head-damaged");
}

#[test]
fn an_old_head_is_found_in_the_same_boot() {
    let bench = Bench::with(&["one"]);
    let old = fs::read(bench.head()).unwrap();
    bench.add("two").unwrap();
    bench.add("three").unwrap();
    fs::write(bench.head(), old).unwrap();
    assert_eq!(code(bench.store().peek()), "head-stale");
    assert_eq!(bench.store_in(later_boot()).peek().unwrap().seq, 3);
}

#[test]
fn a_newer_release_is_not_tampering_and_nonsense_is() {
    let with_last = |version: u16, body: &[u8]| {
        let bench = Bench::with(&["one"]);
        // Writes a sound frame that the present state refuses.
        let location = super::location_in(bench.root.path(), super::boot());
        let log = crate::disk::DiskFile::open(&bench.log(), crate::disk::Access::Write)
            .unwrap()
            .unwrap();
        let before = crate::Store::<Tally>::open(location)
            .unwrap()
            .log()
            .unwrap()
            .unwrap()
            .end();
        let mut frame = Vec::new();
        let refused = crate::Draft {
            version,
            ..draft(body)
        };
        crate::frame::append(&mut frame, &refused, &before, false);
        log.write_at(&frame, log.len()).unwrap();
        bench
    };
    assert!(matches!(
        with_last(2, b"x").store().peek(),
        Err(Error::Newer { .. })
    ));
    assert_eq!(
        code(with_last(1, b"nonsense").store().peek()),
        "state-refused"
    );
}

#[test]
fn a_sound_record_that_follows_another_is_not_taken_for_the_next() {
    let bench = Bench::with(&["one", "two"]);
    let sound = fs::read(bench.log()).unwrap();
    let end = bench.store().log().unwrap().unwrap().end();
    let seq = end.seq + 1;
    for before in [
        Mark {
            hash: [9; 32],
            ..end
        },
        Mark { seq, ..end },
    ] {
        let mut frame = Vec::new();
        crate::frame::append(&mut frame, &draft(b"three"), &before, false);
        fs::write(bench.log(), [&sound[..], &frame].concat()).unwrap();
        assert_eq!(code(bench.store().peek()), "chain-broken", "{before:?}");
    }
}

#[test]
fn the_beginning_of_another_log_does_not_go_with_this_ones_records() {
    let bench = Bench::with(&["one"]);
    let genesis = crate::header::GoesOn::genesis();
    let (other, _) = crate::header::fresh_log(bench.store().location(), 9, &genesis);
    let mut bytes = fs::read(bench.log()).unwrap();
    bytes[..268].copy_from_slice(&other[..268]);
    fs::write(bench.log(), bytes).unwrap();
    assert_eq!(code(bench.store().peek()), "header-damaged");
}

#[test]
fn drafts_that_cannot_be_stored_change_nothing() {
    let bench = Bench::with(&["one"]);
    let too_much = |drafts: Vec<crate::Draft>| {
        let effects = trace::effects_of(|| {
            let answer = bench.store().update(1, |_| Ok::<_, Error>(drafts));
            assert!(
                matches!(answer, Err(Error::TooLarge { .. } | Error::DraftRefused(_))),
                "{answer:?}"
            );
        });
        assert!(
            !effects
                .iter()
                .any(|effect| matches!(effect, Effect::Write { .. }))
        );
    };
    too_much(vec![draft(&vec![0; 262_145])]);
    too_much(vec![draft(&vec![0; 130_897])]);
    too_much(vec![draft(&vec![0; 100_000]); 11]);
    too_much(vec![draft(b"nonsense")]);
    assert_eq!(bench.store().peek().unwrap().seq, 1);
    // With it, the state is as long as a slot can hold.
    let large = vec![7; 130_896];
    bench
        .store()
        .update(1, |_| Ok::<_, Error>(vec![draft(&large)]))
        .unwrap();
    assert_eq!(
        bench.store().peek().unwrap().state,
        tally_of(&[&b"one"[..], &large])
    );
}
