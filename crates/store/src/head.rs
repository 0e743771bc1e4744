//! The copy of the log's head that is kept somewhere else.
//!
//! It is one line of text of fixed width, so that it is always overwritten in
//! place by a single write within one disk sector: a crash leaves the old line
//! or the new one, and a person can read either.

use sha2::{Digest, Sha256};

use crate::disk::DiskFile;
use crate::frame::{Hash, Mark};
use crate::{BootId, Error, hex};

const INTRODUCTION: &str = "fusebox-head 1";
const LINE_LEN: usize = INTRODUCTION.len() + 1 + 20 + 1 + 20 + 1 + 64 + 1 + 32 + 1 + 64 + 1;

/// How far the log had come, and in which boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) mark: Mark,
    pub(crate) boot: BootId,
}

impl Head {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let content = format!(
            "{INTRODUCTION} {:020} {:020} {} {}",
            self.mark.seq,
            self.mark.end,
            hex::encode(&self.mark.hash),
            hex::encode(&self.boot.0),
        );
        let checksum: Hash = Sha256::digest(content.as_bytes()).into();
        format!("{content} {}\n", hex::encode(&checksum)).into_bytes()
    }

    /// Reads the head; `None` when it does not check.
    pub(crate) fn read(file: &DiskFile) -> Result<Option<Self>, Error> {
        let mut bytes = [0; LINE_LEN];
        if file.len() != bytes.len() as u64 {
            return Ok(None);
        }
        let len = file.read_at(&mut bytes, 0)?;
        Ok(Self::decode(&bytes[..len]))
    }

    /// Accepts exactly the bytes that [`Head::encode`] would give, which
    /// covers the checksum and every liberty number parsing might take.
    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut fields = std::str::from_utf8(bytes)
            .ok()?
            .strip_prefix(INTRODUCTION)?
            .split_ascii_whitespace();
        let seq = fields.next()?.parse().ok()?;
        let end = fields.next()?.parse().ok()?;
        let hash = hex::decode(fields.next()?.as_bytes())?;
        let boot = BootId(hex::decode(fields.next()?.as_bytes())?);
        let head = Self {
            mark: Mark { seq, end, hash },
            boot,
        };
        (head.encode() == bytes).then_some(head)
    }
}
