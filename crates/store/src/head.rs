//! The copy of the log's head that is kept somewhere else.
//!
//! It is one line of text of fixed width, so that it is always overwritten in
//! place by a single write within one disk sector: a crash leaves the old line
//! or the new one, and a person can read either. Whatever the format, the line
//! begins with its name, the format and the release that wrote it, and ends with
//! the SHA-256 of everything before.

use sha2::{Digest, Sha256};

use crate::disk::DiskFile;
use crate::frame::{Hash, Mark};
use crate::version::{FORMAT, Writer};
use crate::{BootId, Error, hex};

const INTRODUCTION: &str = "fusebox-head";
/// Longer than the line of any format to come; ours is less than half of it.
const MAX_LINE: usize = 512;

/// How far the log had come, and in which boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) mark: Mark,
    pub(crate) boot: BootId,
}

impl Head {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let content = format!(
            "{INTRODUCTION} {FORMAT} {:.<16} {:020} {:020} {} {}",
            Writer::this().name(),
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
        let mut bytes = [0; MAX_LINE];
        if file.len() > bytes.len() as u64 {
            return Ok(None);
        }
        let len = file.read_at(&mut bytes, 0)?;
        match Line::parse(&bytes[..len]) {
            Some(line) if line.format > FORMAT => {
                let writer = line.writer.to_owned();
                Err(Error::newer(file.path(), writer, line.format, FORMAT))
            }
            Some(line) => Ok(line.head()),
            None => Ok(None),
        }
    }
}

/// A line whose checksum is right.
struct Line<'a> {
    format: u32,
    writer: &'a str,
    rest: &'a str,
}

impl<'a> Line<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let line = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
        let (content, checksum) = line.rsplit_once(' ')?;
        let digest: Hash = Sha256::digest(content.as_bytes()).into();
        if hex::decode(checksum.as_bytes()) != Some(digest) {
            return None;
        }
        let rest = content.strip_prefix(INTRODUCTION)?.strip_prefix(' ')?;
        let (format, rest) = rest.split_once(' ')?;
        let (writer, rest) = rest.split_once(' ')?;
        Some(Self {
            format: format.parse().ok()?,
            // Filled up, so that every release's line is of the same width.
            writer: writer.trim_end_matches('.'),
            rest,
        })
    }

    fn head(&self) -> Option<Head> {
        let mut fields = self.rest.split(' ');
        let seq = fields.next()?.parse().ok()?;
        let end = fields.next()?.parse().ok()?;
        let hash = hex::decode(fields.next()?.as_bytes())?;
        let boot = BootId(hex::decode(fields.next()?.as_bytes())?);
        let mark = Mark { seq, end, hash };
        fields.next().is_none().then_some(Head { mark, boot })
    }
}

/// A door for the fuzzer: whatever is said under a checksum that is right.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_sealed(content: &[u8]) {
    let checksum: Hash = Sha256::digest(content).into();
    let bytes = [content, b" ", hex::encode(&checksum).as_bytes(), b"\n"].concat();
    if let Some(head) = Line::parse(&bytes).and_then(|line| line.head()) {
        let again = head.encode();
        assert_eq!(Line::parse(&again).and_then(|line| line.head()), Some(head));
    }
}
