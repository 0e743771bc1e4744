//! Two places for the state, used in turn.
//!
//! The slot being written is never the one that holds the newest state, so a
//! crash inside the write leaves the other whole. Slots are not flushed: the
//! log can always replace them, and a flush would double the price of an
//! update.
//!
//! A slot is, in little endian: magic (8), sequence number (8), start and end
//! of the record it covers (8 + 8), that record's hash (32), boot (16), length
//! of the state (4), the state, and the SHA-256 of all of it (32).

use sha2::{Digest, Sha256};

use crate::belief::Last;
use crate::disk::DiskFile;
use crate::frame::{Hash, Mark};
use crate::{BootId, Error};

const MAGIC: &[u8; 8] = b"FBSLOT1\n";
const SLOT_HEADER: usize = 8 + 8 + 8 + 8 + 32 + 16 + 4;
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
    pub(crate) state: Vec<u8>,
}

impl Slot {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(SLOT_HEADER + self.state.len() + 32);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&self.last.mark.seq.to_le_bytes());
        bytes.extend_from_slice(&self.last.start.to_le_bytes());
        bytes.extend_from_slice(&self.last.mark.end.to_le_bytes());
        bytes.extend_from_slice(&self.last.mark.hash);
        bytes.extend_from_slice(&self.boot.0);
        // States are checked against `MAX_STATE` before they come here.
        let length = u32::try_from(self.state.len()).unwrap_or(u32::MAX);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&self.state);
        let checksum: Hash = Sha256::digest(&bytes).into();
        bytes.extend_from_slice(&checksum);
        bytes
    }

    /// Takes apart bytes of exactly the length that their header gives.
    fn decode(bytes: &[u8]) -> Option<Self> {
        let (content, stored) = bytes.split_last_chunk::<32>()?;
        let checksum: Hash = Sha256::digest(content).into();
        if checksum != *stored {
            return None;
        }
        let rest = content.strip_prefix(MAGIC)?;
        let (seq, rest) = rest.split_first_chunk::<8>()?;
        let (start, rest) = rest.split_first_chunk::<8>()?;
        let (end, rest) = rest.split_first_chunk::<8>()?;
        let (hash, rest) = rest.split_first_chunk::<32>()?;
        let (boot, rest) = rest.split_first_chunk::<16>()?;
        let (_, state) = rest.split_first_chunk::<4>()?;
        Some(Self {
            last: Last {
                start: u64::from_le_bytes(*start),
                mark: Mark {
                    seq: u64::from_le_bytes(*seq),
                    end: u64::from_le_bytes(*end),
                    hash: *hash,
                },
            },
            boot: BootId(*boot),
            state: state.to_vec(),
        })
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
        let seq = first_bytes.get(8..16).and_then(<[u8]>::first_chunk);
        Ok(Self {
            which,
            seq: seq.map_or(0, |bytes| u64::from_le_bytes(*bytes)),
            first_bytes,
        })
    }

    /// Reads the rest and verifies the whole; `None` when it does not check.
    fn verify(mut self, file: &DiskFile) -> Result<Option<Slot>, Error> {
        let length = self
            .first_bytes
            .get(SLOT_HEADER - 4..)
            .and_then(<[u8]>::first_chunk);
        let state_len = length.and_then(|bytes| usize::try_from(u32::from_le_bytes(*bytes)).ok());
        let Some(state_len) = state_len.filter(|length| *length <= MAX_STATE) else {
            return Ok(None);
        };
        let already = self.first_bytes.len();
        let whole = SLOT_HEADER + state_len + 32;
        self.first_bytes.resize(whole, 0);
        if whole > already {
            let rest = &mut self.first_bytes[already..];
            file.read_at(rest, self.which.offset() + already as u64)?;
        }
        Ok(Slot::decode(&self.first_bytes))
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
