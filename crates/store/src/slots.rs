//! Two places for the state, used in turn.
//!
//! The slot being written is never the one that holds the newest state, so a
//! crash inside the write leaves the other whole. Slots are not flushed: the
//! log can always replace them, and a flush would double the price of an
//! update.
//!
//! A slot is, in little endian: magic (8), format (4), the release that wrote it
//! (16), length of the whole (4), sequence number (8), start and end of the record
//! it covers (8 + 8), that record's hash (32), boot (16), the state, and the
//! SHA-256 of all of it (32). The first five stay what and where they are in
//! every format.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::belief::Last;
use crate::disk::DiskFile;
use crate::frame::{Hash, Mark};
use crate::version::{FORMAT, Writer};
use crate::{BootId, Error};

const MAGIC: &[u8; 8] = b"FBSLOTS\n";
const LENGTH_AT: usize = 8 + 4 + Writer::LEN;
const SEQ_AT: usize = LENGTH_AT + 4;
const SLOT_HEADER: usize = SEQ_AT + 8 + 8 + 8 + 32 + 16;
const CAPACITY: usize = 128 * 1024;
/// The size of the file, which never changes.
pub(crate) const SLOTS_LEN: u64 = 2 * CAPACITY as u64;
/// Largest encoded state.
pub const MAX_STATE: usize = CAPACITY - SLOT_HEADER - 32;
/// A first read this long covers most states whole, and spares a second.
const FIRST_READ: usize = 4096;

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    First,
    Second,
}

impl Which {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    pub(crate) fn offset(self) -> u64 {
        match self {
            Self::First => 0,
            Self::Second => CAPACITY as u64,
        }
    }
}

/// A slot whose checksum was right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slot {
    /// The record it covers.
    pub(crate) last: Last,
    pub(crate) boot: BootId,
    /// The release that wrote it.
    pub(crate) writer: Writer,
    pub(crate) state: Vec<u8>,
}

impl Slot {
    /// The slot for a state that this release came to.
    pub(crate) fn new(last: Last, boot: BootId, state: Vec<u8>) -> Self {
        let writer = Writer::this();
        Self {
            last,
            boot,
            writer,
            state,
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let whole = SLOT_HEADER + self.state.len() + 32;
        let mut bytes = Vec::with_capacity(whole);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.extend_from_slice(self.writer.bytes());
        // States are checked against `MAX_STATE` before they come here.
        let length = u32::try_from(whole).unwrap_or(u32::MAX);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&self.last.mark.seq.to_le_bytes());
        bytes.extend_from_slice(&self.last.start.to_le_bytes());
        bytes.extend_from_slice(&self.last.mark.end.to_le_bytes());
        bytes.extend_from_slice(&self.last.mark.hash);
        bytes.extend_from_slice(&self.boot.0);
        bytes.extend_from_slice(&self.state);
        let checksum: Hash = Sha256::digest(&bytes).into();
        bytes.extend_from_slice(&checksum);
        bytes
    }

    /// Takes apart bytes of exactly the length that their header gives; `None`
    /// when they do not check.
    fn decode(bytes: &[u8], path: &Path) -> Result<Option<Self>, Error> {
        let Some((content, stored)) = bytes.split_last_chunk::<32>() else {
            return Ok(None);
        };
        let checksum: Hash = Sha256::digest(content).into();
        if checksum != *stored {
            return Ok(None);
        }
        match Self::take_apart(content) {
            Some((format, slot)) if format > FORMAT => {
                Err(Error::newer(path, slot.writer.name(), format, FORMAT))
            }
            other => Ok(other.map(|(_, slot)| slot)),
        }
    }

    fn take_apart(content: &[u8]) -> Option<(u32, Self)> {
        let rest = content.strip_prefix(MAGIC)?;
        let (format, rest) = rest.split_first_chunk::<4>()?;
        let (writer, rest) = rest.split_first_chunk::<{ Writer::LEN }>()?;
        let (_length, rest) = rest.split_first_chunk::<4>()?;
        let (seq, rest) = rest.split_first_chunk::<8>()?;
        let (start, rest) = rest.split_first_chunk::<8>()?;
        let (end, rest) = rest.split_first_chunk::<8>()?;
        let (hash, rest) = rest.split_first_chunk::<32>()?;
        let (boot, state) = rest.split_first_chunk::<16>()?;
        let slot = Self {
            last: Last {
                start: u64::from_le_bytes(*start),
                mark: Mark {
                    seq: u64::from_le_bytes(*seq),
                    end: u64::from_le_bytes(*end),
                    hash: *hash,
                },
            },
            boot: BootId(*boot),
            writer: Writer::from_bytes(*writer),
            state: state.to_vec(),
        };
        Some((u32::from_le_bytes(*format), slot))
    }
}

/// The first bytes of one slot; enough to know which record it claims.
struct Claim {
    which: Which,
    seq: u64,
    first_bytes: Vec<u8>,
}

impl Claim {
    fn read(file: &DiskFile, which: Which) -> Result<Self, Error> {
        let mut first_bytes = vec![0; FIRST_READ];
        let len = file.read_at(&mut first_bytes, which.offset())?;
        first_bytes.truncate(len);
        let seq = first_bytes.get(SEQ_AT..).and_then(<[u8]>::first_chunk);
        Ok(Self {
            which,
            seq: seq.map_or(0, |bytes| u64::from_le_bytes(*bytes)),
            first_bytes,
        })
    }

    /// Reads the rest and verifies the whole; `None` when it does not check.
    fn verify(mut self, file: &DiskFile) -> Result<Option<Slot>, Error> {
        let length = self.first_bytes.get(LENGTH_AT..);
        let length = length.and_then(<[u8]>::first_chunk);
        let whole = length.and_then(|bytes| usize::try_from(u32::from_le_bytes(*bytes)).ok());
        let Some(whole) = whole.filter(|whole| (SLOT_HEADER..=CAPACITY).contains(whole)) else {
            return Ok(None);
        };
        let already = self.first_bytes.len();
        self.first_bytes.resize(whole, 0);
        if whole > already {
            let rest = &mut self.first_bytes[already..];
            file.read_at(rest, self.which.offset() + already as u64)?;
        }
        Slot::decode(&self.first_bytes, file.path())
    }
}

/// The newest slot that checks, if any, and where the next one goes.
pub(crate) struct Newest {
    pub(crate) slot: Option<Slot>,
    /// The place that may be overwritten.
    pub(crate) spare: Which,
}

/// Reads both claims and verifies the higher one; the lower is only looked
/// into when that fails.
pub(crate) fn read_newest(file: &DiskFile) -> Result<Newest, Error> {
    let mut claims = [
        Claim::read(file, Which::First)?,
        Claim::read(file, Which::Second)?,
    ];
    claims.sort_by_key(|claim| std::cmp::Reverse(claim.seq));
    for claim in claims {
        let spare = claim.which.other();
        if let Some(slot) = claim.verify(file)? {
            return Ok(Newest {
                slot: Some(slot),
                spare,
            });
        }
    }
    Ok(Newest {
        slot: None,
        spare: Which::First,
    })
}

/// Reads and verifies one slot.
pub(crate) fn read_one(file: &DiskFile, which: Which) -> Result<Option<Slot>, Error> {
    Claim::read(file, which)?.verify(file)
}

/// A door for the fuzzer: whatever is said under a checksum that is right.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_sealed(content: &[u8]) {
    let checksum: Hash = Sha256::digest(content).into();
    let bytes = [content, &checksum].concat();
    if let Ok(Some(slot)) = Slot::decode(&bytes, Path::new("slots")) {
        let again = Slot::decode(&slot.encode(), Path::new("slots"));
        assert!(again.is_ok_and(|again| again.is_some_and(|again| again.last == slot.last)));
    }
}
