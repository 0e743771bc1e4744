//! The engine's state in the store's terms.

use fusebox_core::{Circuit, Entry, Moment};
use fusebox_store::{Draft, FoldError, Folded, Record};
use serde::{Deserialize, Serialize};

/// The version of the records this release writes.
const RECORD_VERSION: u16 = 1;
/// The version of the state this release writes.
const STATE_VERSION: u16 = 1;

/// A circuit that the store can fold.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Memory(pub(crate) Circuit);

#[derive(Serialize, Deserialize)]
struct Stored<C> {
    version: u16,
    circuit: C,
}

#[derive(Deserialize)]
struct VersionOnly {
    version: u16,
}

/// An entry as the store takes it.
pub(crate) fn draft(entry: &Entry) -> Draft {
    Draft {
        kind: entry.event.kind(),
        version: RECORD_VERSION,
        body: to_json(entry),
    }
}

/// A record as the engine wrote it.
pub(crate) fn entry(record: &Record<'_>) -> Result<Entry, FoldError> {
    if record.version > RECORD_VERSION {
        let what = format!("record {} of kind {}", record.seq, record.kind);
        return Err(FoldError::Newer {
            what,
            version: record.version,
            known: RECORD_VERSION,
        });
    }
    serde_json::from_slice(record.body)
        .map_err(|error| FoldError::Invalid(format!("record {}: {error}", record.seq)))
}

/// When a record was written, and nothing else of it: a search by time passes over far
/// more than it finds.
pub(crate) fn wall_ms(record: &Record<'_>) -> Option<i64> {
    #[derive(Deserialize)]
    struct When {
        at: Moment,
    }
    let when: When = serde_json::from_slice(record.body).ok()?;
    Some(when.at.wall_ms)
}

impl Folded for Memory {
    fn genesis() -> Self {
        Self::default()
    }

    fn fold(&mut self, record: &Record<'_>) -> Result<(), FoldError> {
        self.0.fold(&entry(record)?);
        Ok(())
    }

    fn encode(&self) -> Vec<u8> {
        to_json(&Stored {
            version: STATE_VERSION,
            circuit: &self.0,
        })
    }

    fn decode(bytes: &[u8]) -> Result<Self, FoldError> {
        let invalid = |error: serde_json::Error| FoldError::Invalid(error.to_string());
        match serde_json::from_slice::<Stored<Circuit>>(bytes) {
            Ok(stored) if stored.version == STATE_VERSION => Ok(Self(stored.circuit)),
            other => {
                let VersionOnly { version } = serde_json::from_slice(bytes).map_err(invalid)?;
                let newer = FoldError::Newer {
                    what: "the state".into(),
                    version,
                    known: STATE_VERSION,
                };
                Err(if version > STATE_VERSION {
                    newer
                } else {
                    other.err().map_or(newer, invalid)
                })
            }
        }
    }
}

/// Plain data with string keys: writing it to memory cannot fail.
#[expect(
    clippy::expect_used,
    reason = "the types written here have no map with other keys and no failing field"
)]
fn to_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("plain data")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_state_is_told_from_a_damaged_one() {
        let state = Memory::default();
        assert_eq!(Memory::decode(&state.encode()), Ok(state));
        let newer = br#"{"version": 9, "circuit": {"shape": "unknown"}}"#;
        assert!(matches!(
            Memory::decode(newer),
            Err(FoldError::Newer { version: 9, .. })
        ));
        for damaged in [
            &b""[..],
            b"{}",
            br#"{"version": 1, "circuit": 3}"#,
            b"\xff\x00",
        ] {
            assert!(
                matches!(Memory::decode(damaged), Err(FoldError::Invalid(_))),
                "{damaged:?}"
            );
        }
    }
}
