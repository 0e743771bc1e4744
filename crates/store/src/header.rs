//! How every log begins: a header, the state so far, and the opening record.
//!
//! The first log of a circuit begins with nothing; each later one goes on where
//! a sealed one ended, and says so: which record came before, up to which record
//! the past was pruned, and what everything before folds to. The opening record
//! is the next link of the chain and its body is the header's checksum, so the
//! chain vouches for the header and, through the digest there, for the state.
//!
//! | bytes | content |
//! |---|---|
//! | 8 + 4 + 16 | magic, format, release that wrote it |
//! | 4 + 64 | the circuit's name, and behind it, where there is room, the workspace's digest |
//! | 8 | wall clock at creation |
//! | 48 | mark of the record before the opening one |
//! | 48 | mark of the last record that was pruned |
//! | 4 + 32 | length and SHA-256 of the state |
//! | 32 | SHA-256 of all of the above |
//!
//! The workspace's digest takes the last 16 bytes of the field that holds the name.
//! Earlier releases left them empty and do not look at them, so a log of theirs is
//! anybody's until it is sealed, and they can read ours.
//!
//! Offsets in marks count from the first opening record of the circuit and run
//! on from log to log, so that slots, head and read model need not know how many
//! files there are.

use sha2::{Digest, Sha256};

use crate::belief::Last;
use crate::circuit_name::MAX_NAME;
use crate::disk::DiskFile;
use crate::frame::{self, Draft, Hash, Mark, OVERHEAD, Prefix};
use crate::slots::MAX_STATE;
use crate::store::{Location, WORKSPACE_DIGEST};
use crate::version::{FORMAT, Writer};
use crate::{Error, Tamper};

const MAGIC: &[u8; 8] = b"FUSEBOX\n";
const MARK_LEN: usize = 8 + 8 + 32;
const HEADER_LEN: usize = 8 + 4 + Writer::LEN + 4 + MAX_NAME + 8 + 2 * MARK_LEN + 4 + 32 + 32;
/// A name that is longer leaves no room for the workspace's digest.
const ROOM_FOR_NAME: usize = MAX_NAME - WORKSPACE_DIGEST;
/// Length of the opening record, whose body is a hash.
const OPENING_LEN: usize = OVERHEAD + 32;
/// What stands before the first record ever: its number plus one wraps to zero.
pub(crate) const NOTHING: Mark = Mark {
    seq: u64::MAX,
    end: 0,
    hash: [0; 32],
};

/// The verified beginning of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Beginning {
    pub(crate) format: u32,
    pub(crate) writer: Writer,
    /// Wall clock, in milliseconds.
    pub(crate) created_ms: u64,
    /// The record before the opening one.
    pub(crate) before: Mark,
    /// The last record that was pruned; [`NOTHING`] if none was.
    pub(crate) floor: Mark,
    /// The opening record.
    pub(crate) opening: Last,
    pub(crate) state_len: usize,
    pub(crate) state_hash: Hash,
}

impl Beginning {
    /// Whether this is the first log of the circuit.
    pub(crate) fn is_genesis(&self) -> bool {
        self.before == NOTHING
    }

    /// The number of the opening record.
    pub(crate) fn first_seq(&self) -> u64 {
        self.opening.mark.seq
    }

    /// Where in the file the state is, if there is one.
    pub(crate) fn state_offset(&self) -> u64 {
        HEADER_LEN as u64
    }

    /// Where in the file the opening record is.
    pub(crate) fn frames_offset(&self) -> u64 {
        (HEADER_LEN + self.state_len) as u64
    }
}

/// What a new log goes on from.
pub(crate) struct GoesOn<'a> {
    pub(crate) before: Mark,
    pub(crate) floor: Mark,
    /// The encoded state after `before`; empty for the first log.
    pub(crate) state: &'a [u8],
}

impl GoesOn<'static> {
    /// The first log of a circuit goes on from nothing.
    pub(crate) fn genesis() -> Self {
        Self {
            before: NOTHING,
            floor: NOTHING,
            state: &[],
        }
    }
}

/// The bytes of a log without records but the opening one, and that one's place.
pub(crate) fn fresh_log(location: &Location, at_ms: u64, from: &GoesOn<'_>) -> (Vec<u8>, Last) {
    log_in_format(FORMAT, location, at_ms, from)
}

/// The same in another format than this release's, of which there is none yet:
/// earlier formats are laid out alike.
pub(crate) fn log_in_format(
    format: u32,
    location: &Location,
    at_ms: u64,
    from: &GoesOn<'_>,
) -> (Vec<u8>, Last) {
    let name = location.circuit.as_str().as_bytes();
    let mut label = [0; MAX_NAME];
    label[..name.len()].copy_from_slice(name);
    if name.len() <= ROOM_FOR_NAME {
        label[ROOM_FOR_NAME..].copy_from_slice(&location.workspace_digest());
    }
    let mut bytes = Vec::with_capacity(HEADER_LEN + from.state.len() + OPENING_LEN);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&format.to_le_bytes());
    bytes.extend_from_slice(Writer::this().bytes());
    bytes.extend_from_slice(&u32::try_from(name.len()).unwrap_or(0).to_le_bytes());
    bytes.extend_from_slice(&label);
    bytes.extend_from_slice(&at_ms.to_le_bytes());
    put_mark(&mut bytes, &from.before);
    put_mark(&mut bytes, &from.floor);
    // States are checked against `MAX_STATE` before they come here.
    let state_len = u32::try_from(from.state.len()).unwrap_or(u32::MAX);
    bytes.extend_from_slice(&state_len.to_le_bytes());
    bytes.extend_from_slice(&Sha256::digest(from.state));
    let checksum: Hash = Sha256::digest(&bytes).into();
    bytes.extend_from_slice(&checksum);
    bytes.extend_from_slice(from.state);
    let opening = Draft {
        kind: 0,
        version: 0,
        body: checksum.to_vec(),
    };
    let mark = frame::append(&mut bytes, &opening, &from.before, false);
    let start = from.before.end;
    (bytes, Last { start, mark })
}

/// Verifies the header and the opening record, but not the state: that is only
/// looked at when nothing newer is left.
pub(crate) fn read(log: &DiskFile, location: &Location) -> Result<Beginning, Error> {
    let path = || log.path().to_owned();
    // The first log has no state, so one read fetches both.
    let mut bytes = [0; HEADER_LEN + OPENING_LEN];
    let len = log.read_at(&mut bytes, 0)?;
    let short = || Tamper::LogShort {
        path: path(),
        len: log.len(),
    };
    let (header, behind) = bytes[..len]
        .split_at_checked(HEADER_LEN)
        .ok_or_else(short)?;
    let damaged = || Tamper::HeaderDamaged { path: path() };
    let header = Header::parse(header).ok_or_else(damaged)?;
    if header.format > FORMAT {
        return Err(Error::newer(
            log.path(),
            header.writer.name(),
            header.format,
            FORMAT,
        ));
    }
    if header.label != location.circuit.as_str().as_bytes() {
        let label = String::from_utf8_lossy(&header.label).into_owned();
        return Err(Tamper::LogForeign {
            path: path(),
            label,
        }
        .into());
    }
    if header
        .workspace
        .is_some_and(|digest| digest != location.workspace_digest())
    {
        return Err(Tamper::LogOfAnotherWorkspace { path: path() }.into());
    }
    let mut opening = [0; OPENING_LEN];
    let len = if header.state_len == 0 {
        opening[..behind.len()].copy_from_slice(behind);
        behind.len()
    } else {
        log.read_at(&mut opening, (HEADER_LEN + header.state_len) as u64)?
    };
    if len < OPENING_LEN {
        return Err(short().into());
    }
    header.beginning(&opening).ok_or_else(|| damaged().into())
}

/// The fields of a header whose checksum was right.
struct Header {
    format: u32,
    writer: Writer,
    label: Vec<u8>,
    /// Whose log it is, if it says so.
    workspace: Option<[u8; WORKSPACE_DIGEST]>,
    created_ms: u64,
    before: Mark,
    floor: Mark,
    state_len: usize,
    state_hash: Hash,
    checksum: Hash,
}

impl Header {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let (content, stored) = bytes.split_last_chunk::<32>()?;
        let checksum: Hash = Sha256::digest(content).into();
        if checksum != *stored {
            return None;
        }
        let rest = content.strip_prefix(MAGIC)?;
        let (format, rest) = rest.split_first_chunk::<4>()?;
        let (writer, rest) = rest.split_first_chunk::<{ Writer::LEN }>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (label, rest) = rest.split_first_chunk::<MAX_NAME>()?;
        let (created, rest) = rest.split_first_chunk::<8>()?;
        let (before, rest) = take_mark(rest)?;
        let (floor, rest) = take_mark(rest)?;
        let (state_len, state_hash) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let workspace = label.last_chunk().filter(|_| length <= ROOM_FOR_NAME);
        let state_len = usize::try_from(u32::from_le_bytes(*state_len)).ok()?;
        Some(Self {
            format: u32::from_le_bytes(*format),
            writer: Writer::from_bytes(*writer),
            label: label.get(..length)?.to_vec(),
            workspace: workspace.copied().filter(|digest| *digest != [0; _]),
            created_ms: u64::from_le_bytes(*created),
            before,
            floor,
            state_len,
            state_hash: *state_hash.first_chunk()?,
            checksum,
        })
    }

    /// The beginning, if this is the opening record that belongs to it.
    fn beginning(self, opening: &[u8]) -> Option<Beginning> {
        let mark = frame::mark_of(opening, self.before.end)?;
        let body = opening.get(frame::PREFIX..frame::PREFIX + 32)?;
        let sound = Prefix::parse(opening)?.follows(&self.before)
            && body == self.checksum
            && self.state_len <= MAX_STATE;
        sound.then_some(Beginning {
            format: self.format,
            writer: self.writer,
            created_ms: self.created_ms,
            before: self.before,
            floor: self.floor,
            opening: Last {
                start: self.before.end,
                mark,
            },
            state_len: self.state_len,
            state_hash: self.state_hash,
        })
    }
}

fn put_mark(bytes: &mut Vec<u8>, mark: &Mark) {
    bytes.extend_from_slice(&mark.seq.to_le_bytes());
    bytes.extend_from_slice(&mark.end.to_le_bytes());
    bytes.extend_from_slice(&mark.hash);
}

fn take_mark(bytes: &[u8]) -> Option<(Mark, &[u8])> {
    let (seq, rest) = bytes.split_first_chunk::<8>()?;
    let (end, rest) = rest.split_first_chunk::<8>()?;
    let (hash, rest) = rest.split_first_chunk::<32>()?;
    let mark = Mark {
        seq: u64::from_le_bytes(*seq),
        end: u64::from_le_bytes(*end),
        hash: *hash,
    };
    Some((mark, rest))
}

/// A door for the fuzzer: whatever is said under a checksum that is right.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_sealed(content: &[u8]) {
    let checksum: Hash = Sha256::digest(content).into();
    let bytes = [content, &checksum].concat();
    if let Some(header) = Header::parse(&bytes) {
        let _ = header.beginning(&bytes);
    }
    let _ = frame::mark_of(&bytes, 0);
}
