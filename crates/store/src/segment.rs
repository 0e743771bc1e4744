//! One file of the log: the live one, or one that is sealed.
//!
//! Everything above this speaks of offsets in the log as a whole; only here are
//! they turned into offsets in a file.

use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::disk::DiskFile;
use crate::frame::{Hash, Mark};
use crate::header::{self, Beginning};
use crate::store::Location;
use crate::{Error, Tamper};

/// An open file of the log, its beginning verified.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) file: DiskFile,
    pub(crate) beginning: Beginning,
}

impl Segment {
    /// Verifies the beginning of `file`.
    pub(crate) fn admit(file: DiskFile, location: &Location) -> Result<Self, Error> {
        let beginning = header::read(&file, location)?;
        Ok(Self { file, beginning })
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Where the log ended when the file was opened.
    pub(crate) fn end(&self) -> u64 {
        let frames = self
            .file
            .len()
            .saturating_sub(self.beginning.frames_offset());
        self.beginning.before.end.saturating_add(frames)
    }

    /// How many bytes of records there are up to `end`.
    pub(crate) fn bytes_until(&self, end: u64) -> u64 {
        end.saturating_sub(self.beginning.before.end)
    }

    pub(crate) fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, Error> {
        self.file.read_at(buffer, self.in_file(offset))
    }

    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_at(bytes, self.in_file(offset))
    }

    /// Cuts off whatever is behind `end`.
    pub(crate) fn cut(&self, end: u64) -> Result<(), Error> {
        self.file.set_len(self.in_file(end))
    }

    /// Whether the record of this mark is in this file, by its hash.
    pub(crate) fn holds(&self, mark: &Mark) -> Result<bool, Error> {
        let range = self.beginning.opening.mark.end..=self.end();
        if !range.contains(&mark.end) {
            return Ok(false);
        }
        // A frame ends with its hash.
        let mut hash = [0; 32];
        self.read_at(&mut hash, mark.end - 32)?;
        Ok(hash == mark.hash)
    }

    /// The encoded state that this file goes on from; `None` in the first one.
    pub(crate) fn state(&self) -> Result<Option<Vec<u8>>, Error> {
        if self.beginning.is_genesis() {
            return Ok(None);
        }
        let mut state = vec![0; self.beginning.state_len];
        self.file
            .read_at(&mut state, self.beginning.state_offset())?;
        let hash: Hash = Sha256::digest(&state).into();
        if hash != self.beginning.state_hash {
            let path = self.path().to_owned();
            return Err(Tamper::HeaderDamaged { path }.into());
        }
        Ok(Some(state))
    }

    /// An offset of the log as one of the file. What lies before this file can
    /// only come from damaged notes; it is taken for the beginning, where no
    /// record of theirs is.
    fn in_file(&self, offset: u64) -> u64 {
        self.bytes_until(offset)
            .saturating_add(self.beginning.frames_offset())
    }
}
