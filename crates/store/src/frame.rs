//! Records and the frames that hold them in the log.
//!
//! A frame is, in little endian:
//!
//! | bytes | content |
//! |---|---|
//! | 4 | length of the body; the top bit says that the batch goes on |
//! | 2 + 2 | kind and version |
//! | 8 | sequence number |
//! | 32 | hash of the frame before (of the header for the first) |
//! | n | body |
//! | 32 | SHA-256 of all of the above |
//!
//! The batch bit makes several records of one update appear together or not at
//! all: a batch whose last frame is missing is torn as a whole.

use sha2::{Digest, Sha256};

/// A SHA-256 value.
pub type Hash = [u8; 32];

/// Largest body of one record.
pub const MAX_BODY: usize = 256 * 1024;

/// Largest sum of the frames written by one update. Only one batch is ever in
/// flight, so nothing a crash leaves behind is longer.
pub const MAX_BATCH: usize = 1024 * 1024;

/// Bytes of a frame before its body.
pub(crate) const PREFIX: usize = 48;
/// Bytes of a frame that are not its body.
pub(crate) const OVERHEAD: usize = PREFIX + 32;
/// Longest frame.
pub(crate) const MAX_FRAME: usize = MAX_BODY + OVERHEAD;

const BATCH_GOES_ON: u32 = 1 << 31;

/// A record that is yet to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// What the record is about; the caller's numbering.
    pub kind: u16,
    /// The version of the body's format.
    pub version: u16,
    /// The caller's bytes, at most [`MAX_BODY`] of them.
    pub body: Vec<u8>,
}

/// A stored record, its frame verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its number; the first record of a caller is 1.
    pub seq: u64,
    /// What it is about.
    pub kind: u16,
    /// The version of the body's format.
    pub version: u16,
    /// The caller's bytes.
    pub body: &'a [u8],
    /// Where it stands in the log.
    pub mark: Mark,
}

/// The end of a record: enough to find it again and to know it is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The record's number.
    pub seq: u64,
    /// The offset just behind its frame.
    pub end: u64,
    /// The hash of its frame.
    pub hash: Hash,
}

/// The fixed first part of a frame. Nothing in it is verified yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prefix {
    pub(crate) body_len: usize,
    pub(crate) batch_goes_on: bool,
    kind: u16,
    version: u16,
    seq: u64,
    prev: Hash,
}

impl Prefix {
    /// Reads the prefix at the start of `bytes`; `None` when there are too few.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (kind, rest) = rest.split_first_chunk::<2>()?;
        let (version, rest) = rest.split_first_chunk::<2>()?;
        let (seq, rest) = rest.split_first_chunk::<8>()?;
        let (prev, _) = rest.split_first_chunk::<32>()?;
        let length = u32::from_le_bytes(*length);
        Some(Self {
            // A length that does not fit is absurd, and absurd is what the
            // caller will find it.
            body_len: usize::try_from(length & !BATCH_GOES_ON).unwrap_or(usize::MAX),
            batch_goes_on: length & BATCH_GOES_ON != 0,
            kind: u16::from_le_bytes(*kind),
            version: u16::from_le_bytes(*version),
            seq: u64::from_le_bytes(*seq),
            prev: *prev,
        })
    }

    /// Whether the frame claims to be the one right after `before`.
    pub(crate) fn follows(&self, before: &Mark) -> bool {
        self.prev == before.hash && self.seq == before.seq.wrapping_add(1)
    }

    /// The record of a frame that was found sound.
    pub(crate) fn record<'a>(&self, body: &'a [u8], mark: Mark) -> Record<'a> {
        Record {
            seq: self.seq,
            kind: self.kind,
            version: self.version,
            body,
            mark,
        }
    }
}

/// The mark of a whole frame that starts at `start`, whatever stands before
/// it, if its own length and hash are right.
pub(crate) fn mark_of(frame: &[u8], start: u64) -> Option<Mark> {
    let prefix = Prefix::parse(frame)?;
    let (content, stored) = frame.split_last_chunk::<32>()?;
    let hash: Hash = Sha256::digest(content).into();
    let sound = prefix.body_len.checked_add(OVERHEAD) == Some(frame.len()) && hash == *stored;
    // Where it starts may have been said by a file that anybody can write.
    let end = start.checked_add(frame.len() as u64)?;
    sound.then_some(Mark {
        seq: prefix.seq,
        end,
        hash,
    })
}

/// Writes one frame behind `out` and returns its mark.
pub(crate) fn append(out: &mut Vec<u8>, draft: &Draft, before: &Mark, batch_goes_on: bool) -> Mark {
    let start = out.len();
    let seq = before.seq.wrapping_add(1);
    // Bodies are checked against `MAX_BODY` before they come here.
    let length = u32::try_from(draft.body.len()).unwrap_or(u32::MAX);
    let flag = if batch_goes_on { BATCH_GOES_ON } else { 0 };
    out.extend_from_slice(&(length | flag).to_le_bytes());
    out.extend_from_slice(&draft.kind.to_le_bytes());
    out.extend_from_slice(&draft.version.to_le_bytes());
    out.extend_from_slice(&seq.to_le_bytes());
    out.extend_from_slice(&before.hash);
    out.extend_from_slice(&draft.body);
    let hash: Hash = Sha256::digest(&out[start..]).into();
    out.extend_from_slice(&hash);
    Mark {
        seq,
        end: before.end.saturating_add((out.len() - start) as u64),
        hash,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::NOTHING;

    /// A header that was made up may say that what came before ended anywhere.
    #[test]
    fn a_frame_that_would_end_beyond_all_files_is_none() {
        let draft = Draft {
            kind: 1,
            version: 1,
            body: b"{}".to_vec(),
        };
        let mut bytes = Vec::new();
        let mark = append(&mut bytes, &draft, &NOTHING, false);
        assert_eq!(mark_of(&bytes, NOTHING.end), Some(mark));
        assert_eq!(mark_of(&bytes, u64::MAX), None);
    }
}
