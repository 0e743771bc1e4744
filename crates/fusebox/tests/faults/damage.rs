//! Every byte of log, slots and head: flipped, and cut off.
//!
//! What the next check reads must answer for itself: any change there is exit
//! code 4, and stays so when the bytes are put back. What it does not read may
//! not change its answer, and older records are the doctor's to find.

use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::openings::Openings;
use crate::place::{Place, Standing};
use crate::sampling::{for_each, proof, sample};

/// Where a slot says how long it is and which record it stands for.
const SLOT_LEN: Range<usize> = 28..32;
const SLOT_SEQ: Range<usize> = 32..40;
const SLOT_RECORD_START: Range<usize> = 40..48;
const SECOND_SLOT: usize = 128 * 1024;
/// Where a log says how much went before it and how long the state is that it
/// began with, and where that state starts.
const LOG_BEFORE: Range<usize> = 112..120;
const LOG_STATE_LEN: Range<usize> = 200..204;
const LOG_STATE: usize = 268;

/// One way to damage a file.
#[derive(Clone, Copy, Debug)]
enum Harm {
    /// One bit of this byte.
    Flip(usize),
    /// Everything from this byte on.
    Cut(usize),
}

impl Harm {
    fn to(self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        match self {
            Self::Flip(at) => bytes[at] ^= 1 << (at % 8),
            Self::Cut(at) => bytes.truncate(at),
        }
        bytes
    }
}

/// What the harm must lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// The very next check finds it.
    Found,
    /// A check may pass over it, if its answer is the same; a doctor finds it.
    FoundByDoctor,
    /// Nothing that counts is stored there.
    Harmless,
}

/// A file, what is done to it, and what must come of that.
type Case = (fn(&Place) -> PathBuf, Harm, Expected);

fn cases(place: &Place) -> Vec<Case> {
    let (log, slots) = (fs::read(place.log()), fs::read(place.slots()));
    let (log, slots, head) = (
        log.unwrap(),
        slots.unwrap(),
        fs::read(place.head()).unwrap(),
    );
    let newest = newest_slot(&slots);
    let last_record = number(&slots[newest.start..], SLOT_RECORD_START);
    let last_record =
        last_record - number(&log, LOG_BEFORE) + LOG_STATE + number(&log, LOG_STATE_LEN);
    let older = if newest.start == 0 { SECOND_SLOT } else { 0 };
    let older = older..older + newest.len();
    let mut cases = Vec::new();
    let mut add = |file: fn(&Place) -> PathBuf, range: Range<usize>, most, expected| {
        let positions: Vec<_> = range.collect();
        let flips = sample(&positions, most).into_iter().map(Harm::Flip);
        cases.extend(flips.map(|harm| (file, harm, expected)));
    };
    add(Place::head, 0..head.len(), 60, Expected::Found);
    add(Place::slots, newest, 80, Expected::Found);
    add(Place::slots, older, 20, Expected::Harmless);
    add(Place::log, last_record..log.len(), 60, Expected::Found);
    add(Place::log, 0..last_record, 60, Expected::FoundByDoctor);
    let mut cut = |file: fn(&Place) -> PathBuf, len: usize, most| {
        let positions: Vec<_> = (0..len).collect();
        let cuts = sample(&positions, most).into_iter().map(Harm::Cut);
        cases.extend(cuts.map(|harm| (file, harm, Expected::Found)));
    };
    cut(Place::head, head.len(), 30);
    cut(Place::log, log.len(), 60);
    // Of the slots, only the length is judged; the rest of the file is padding.
    cut(Place::slots, slots.len().min(512), 20);
    cases
}

fn newest_slot(slots: &[u8]) -> Range<usize> {
    let seq = |start: usize| number(&slots[start..], SLOT_SEQ);
    let start = if seq(0) > seq(SECOND_SLOT) {
        0
    } else {
        SECOND_SLOT
    };
    start..start + number(&slots[start..], SLOT_LEN)
}

fn number(bytes: &[u8], at: Range<usize>) -> usize {
    let digits = bytes[at].iter().rev();
    digits.fold(0, |sum, byte| sum * 256 + usize::from(*byte))
}

/// Does every harm to a memory that stands at `origin`.
fn damage_everywhere(name: &str, origin: &Place) {
    let began = Instant::now();
    let sound = origin.copy();
    let code = sound.fusebox(&["check"]).code;
    let after = sound.standing();
    let cases = cases(origin);
    let found = AtomicUsize::new(0);
    let (was_open, openings) = (origin.standing().is_open(), Openings::default());
    for_each(&cases, |(file, harm, expected)| {
        let place = origin.copy();
        let path = file(&place);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, harm.to(&bytes)).unwrap();
        let context = format!("{harm:?} in {}", path.display());
        let told = place.fusebox(&["check", "--json"]);
        if was_open {
            openings.must_deny(told.code, &context);
        }
        if told.code == Some(4) {
            assert_ne!(*expected, Expected::Harmless, "{context}: {told:?}");
            assert_eq!(told.json()["state"], "Open", "{context}");
            fs::write(&path, &bytes).unwrap();
            place.expect(4, &["check"]);
            found.fetch_add(1, Ordering::Relaxed);
        } else {
            assert_ne!(*expected, Expected::Found, "{context}: {told:?}");
            assert_eq!(told.code, code, "{context}: {told:?}");
            assert_eq!(place.standing(), after, "{context}");
        }
        if *expected == Expected::FoundByDoctor {
            place.expect(4, &["doctor"]);
            place.expect(4, &["check"]);
        }
    });
    let found = found.into_inner();
    let told = format!(
        "{name}, {found} found by the next check, in {:.1?}",
        began.elapsed()
    );
    proof("damage", cases.len(), &told);
    openings.tell();
}

#[test]
fn a_damaged_memory_that_watches_is_open() {
    let place = Place::new();
    place.expect(0, &["record", "--files-changed", "0"]);
    place.expect(0, &["record", "--files-changed", "0"]);
    damage_everywhere("watching", &place);
}

#[test]
fn a_damaged_memory_that_is_open_stays_open() {
    let place = Place::new();
    place.expect(0, &["record", "--files-changed", "1"]);
    place.expect(0, &["trip", "--reason", "for the test"]);
    assert!(place.standing().is_open());
    damage_everywhere("open", &place);
}

#[test]
fn a_damaged_memory_whose_log_was_sealed_is_open() {
    let place = Place::new().sealing_at(1);
    for _ in 0..2 {
        place.expect(0, &["record", "--files-changed", "0"]);
    }
    assert!(place.find("circuits/default/log.0").is_some());
    damage_everywhere("sealed", &place);
}

#[test]
fn a_memory_that_lost_a_file_is_open() {
    for file in [Place::log, Place::slots, Place::head] {
        let place = Place::new();
        place.expect(0, &["record", "--files-changed", "1"]);
        fs::remove_file(file(&place)).unwrap();
        place.expect(4, &["check"]);
        assert_eq!(place.standing(), Standing::Distrusted);
    }
}
