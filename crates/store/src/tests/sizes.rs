//! What is as large as may be is stored and read like anything else.

use super::{Bench, boot, draft, location_in};
use crate::trace::reads_of;
use crate::{Draft, Error, FoldError, Folded, Record, SEGMENT_BYTES, Store};

/// A state that does not grow with what is folded into it.
#[derive(Debug, PartialEq, Eq)]
struct Bytes(u64);

impl Folded for Bytes {
    fn genesis() -> Self {
        Self(0)
    }

    fn fold(&mut self, record: &Record<'_>) -> Result<(), FoldError> {
        self.0 += record.body.len() as u64;
        Ok(())
    }

    fn encode(&self) -> Vec<u8> {
        self.0.to_le_bytes().to_vec()
    }

    fn decode(bytes: &[u8]) -> Result<Self, FoldError> {
        let bytes = bytes.try_into();
        let bytes = bytes.map_err(|_| FoldError::Invalid("not a number".to_owned()))?;
        Ok(Self(u64::from_le_bytes(bytes)))
    }
}

fn store_in(bench: &Bench) -> Store<Bytes> {
    Store::open(location_in(bench.root.path(), boot())).unwrap()
}

fn add(store: &Store<Bytes>, drafts: Vec<Draft>) -> Result<Bytes, Error> {
    store.update(1, |_| Ok(drafts)).map(|view| view.state)
}

#[test]
fn the_largest_body_and_the_largest_batch_are_stored_and_nothing_larger() {
    let bench = Bench::new();
    let store = store_in(&bench);
    let large = |bytes: usize| draft(&vec![7; bytes]);
    assert_eq!(add(&store, vec![large(262_144)]).unwrap(), Bytes(262_144));
    // Four frames of 80 bytes besides their bodies.
    let mut batch = vec![large(262_144 - 80); 4];
    assert_eq!(add(&store, batch.clone()).unwrap(), Bytes(1_310_400));
    batch[3] = large(262_144 - 79);
    for (drafts, too_large, most) in [
        (vec![large(262_145)], 262_145, 262_144),
        (batch, 1_048_577, 1_048_576),
    ] {
        match add(&store, drafts) {
            Err(Error::TooLarge { bytes, limit, .. }) => {
                assert_eq!((bytes, limit), (too_large, most));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(store.peek().unwrap().state, Bytes(1_310_400));
    assert_eq!(store.verify_all().unwrap().unwrap().seq, 5);
    assert_eq!(SEGMENT_BYTES, 8_388_608);
}

/// Reading each record on its own would make a look at the past cost a hundred
/// times as much.
#[test]
fn records_are_read_many_at_a_time_and_none_twice() {
    let bench = Bench::new();
    let store = store_in(&bench);
    // Frames of 1,000 bytes; 262 of them are in one window.
    for _ in 0..2 {
        add(&store, vec![draft(&[7; 920]); 1_000]).unwrap();
    }
    let log = store.log().unwrap().unwrap();
    let (reads, bytes) = reads_of(|| assert_eq!(log.verify().unwrap().seq, 2_000));
    assert_eq!(reads, 8);
    // The record that a window ends in is read again with the next.
    assert!((2_000_000..2_008_000).contains(&bytes), "{bytes} bytes");
}
