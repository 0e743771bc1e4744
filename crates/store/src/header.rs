//! The first bytes of a log, and the record every log starts with.
//!
//! The header's checksum is the hash that the first record follows from, so
//! the chain vouches for the header as well.

use sha2::{Digest, Sha256};

use crate::circuit_name::MAX_NAME;
use crate::disk::DiskFile;
use crate::frame::{self, Draft, Hash, Mark, OVERHEAD, Prefix};
use crate::{CircuitName, Error, Tamper};

const MAGIC: &[u8; 8] = b"FUSEBOX\n";
const FORMAT: u32 = 1;
const HEADER_LEN: usize = 8 + 4 + 4 + MAX_NAME + 8 + 32;
/// Length of the shortest log: the header and the genesis record, whose body
/// is empty.
pub(crate) const GENESIS_END: u64 = (HEADER_LEN + OVERHEAD) as u64;
/// Where the genesis record starts.
pub(crate) const GENESIS_START: u64 = HEADER_LEN as u64;

/// The bytes of a log without records, and the mark of its genesis record.
pub(crate) fn fresh_log(circuit: &CircuitName, at_ms: u64) -> (Vec<u8>, Mark) {
    let mut bytes = Vec::new();
    let name = circuit.as_str().as_bytes();
    let mut label = [0; MAX_NAME];
    label[..name.len()].copy_from_slice(name);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&FORMAT.to_le_bytes());
    bytes.extend_from_slice(&u32::try_from(name.len()).unwrap_or(0).to_le_bytes());
    bytes.extend_from_slice(&label);
    bytes.extend_from_slice(&at_ms.to_le_bytes());
    let checksum: Hash = Sha256::digest(&bytes).into();
    bytes.extend_from_slice(&checksum);
    let empty = Draft {
        kind: 0,
        version: 0,
        body: Vec::new(),
    };
    let genesis = frame::append(&mut bytes, &empty, &before_genesis(checksum), false);
    (bytes, genesis)
}

/// What the genesis record, number 0, follows: the header, whose number one
/// below zero wraps.
fn before_genesis(checksum: Hash) -> Mark {
    Mark {
        seq: u64::MAX,
        end: GENESIS_START,
        hash: checksum,
    }
}

/// Verifies the header and the genesis record and returns the latter's mark.
pub(crate) fn read(log: &DiskFile, circuit: &CircuitName) -> Result<Mark, Error> {
    let path = log.path().to_owned();
    let mut bytes = [0; HEADER_LEN + OVERHEAD];
    if log.read_at(&mut bytes, 0)? < bytes.len() {
        return Err(Tamper::LogShort {
            path,
            len: log.len(),
        }
        .into());
    }
    let (header, genesis) = bytes.split_at(HEADER_LEN);
    let label =
        verified_label(header).ok_or_else(|| Tamper::HeaderDamaged { path: path.clone() })?;
    if label != circuit.as_str().as_bytes() {
        let label = String::from_utf8_lossy(label).into_owned();
        return Err(Tamper::LogForeign { path, label }.into());
    }
    verified_genesis(header, genesis).ok_or_else(|| Tamper::HeaderDamaged { path }.into())
}

fn verified_genesis(header: &[u8], genesis: &[u8]) -> Option<Mark> {
    let before = before_genesis(*header.last_chunk()?);
    let mark = frame::mark_of(genesis, GENESIS_START)?;
    Prefix::parse(genesis)?.follows(&before).then_some(mark)
}

fn verified_label(header: &[u8]) -> Option<&[u8]> {
    let (content, stored) = header.split_last_chunk::<32>()?;
    let checksum: Hash = Sha256::digest(content).into();
    let rest = content
        .strip_prefix(MAGIC)?
        .strip_prefix(&FORMAT.to_le_bytes())?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    (checksum == *stored).then(|| rest.get(..length.min(MAX_NAME)))?
}
