//! Bringing a store into being, on first use and after tampering.
//!
//! Each file appears under its name only when it is whole and flushed, and the
//! log appears first. A crash in between leaves either nothing, or a log
//! without records that lacks its company, which `belief.rs` knows for an
//! unfinished creation. A fresh start after tampering may begin with records,
//! because the marker stands until the very end.

use std::path::PathBuf;

use crate::batch::{self, Batch};
use crate::belief::Last;
use crate::disk::{self, Access, DiskFile};
use crate::head::Head;
use crate::header::{self, GoesOn};
use crate::slots::{SLOTS_LEN, Slot};
use crate::store::{DEFAULT_PATIENCE, Location, View};
use crate::{Draft, Error, Folded, Tamper, quarantine, roll};

/// Creates the store, unless another process just did.
pub(crate) fn create<S: Folded>(location: &Location, at_ms: u64) -> Result<(), Error> {
    disk::ensure_directory(&location.dir)?;
    let _one_creator = disk::lock_directory(&location.dir, location.patience)?;
    if disk::exists(&location.log_path())? {
        return Ok(());
    }
    let (bytes, last) = header::fresh_log(location, at_ms, &GoesOn::genesis());
    let _locked_until_whole = place_log(location, &bytes)?;
    surround_log(location, last, batch::encode(&S::genesis())?)?;
    Ok(())
}

/// Sets aside whatever is there and creates a store that begins with `drafts`.
pub(crate) fn restart<S: Folded>(
    location: &Location,
    at_ms: u64,
    drafts: &[Draft],
) -> Result<View<S>, Error> {
    let mut state = S::genesis();
    let (mut bytes, genesis) = header::fresh_log(location, at_ms, &GoesOn::genesis());
    let batch = Batch::prepare(drafts, genesis, &mut state)?;
    bytes.extend_from_slice(&batch.frames);

    disk::ensure_directory(&location.dir)?;
    let _one_creator = disk::lock_directory(&location.dir, location.patience)?;
    let path = location.dir.clone();
    quarantine::mark(location, &Tamper::RestartUnfinished { path }, at_ms)?;
    // An update that is under way may finish; the next one finds the marker.
    let _last_update =
        match DiskFile::open_locked(&location.log_path(), Access::Write, location.patience) {
            Err(busy @ Error::Busy { .. }) => return Err(busy),
            // What cannot even be opened is exactly what is to be set aside.
            other => other.ok().flatten(),
        };
    quarantine::set_aside(location)?;
    let _locked_until_whole = place_log(location, &bytes)?;
    surround_log(location, batch.last, batch.state)?;
    roll::enter_anew(location)?;
    quarantine::unmark(location)?;
    Ok(View {
        state,
        seq: batch.last.mark.seq,
        repairs: Vec::new(),
    })
}

/// Creates slots and head for a log that has neither, or only the former.
pub(crate) fn surround_log(
    location: &Location,
    last: Last,
    state: Vec<u8>,
) -> Result<(DiskFile, DiskFile), Error> {
    let boot = location.boot;
    let slot = Slot::new(last, boot, state);
    let slots = Unplaced::create(location.slots_path(), &slot.encode())?;
    slots.file.set_len(SLOTS_LEN)?;
    let slots = slots.place()?;

    disk::ensure_directory(disk::parent_of(&location.head_file))?;
    let mark = last.mark;
    let head = Unplaced::create(location.head_file.clone(), &Head { mark, boot }.encode())?;
    Ok((slots, head.place()?))
}

/// The log is locked before it can be seen, so that nobody reads a store that
/// is not whole yet.
fn place_log(location: &Location, bytes: &[u8]) -> Result<DiskFile, Error> {
    Unplaced::create(location.log_path(), bytes)?
        .locked()?
        .place()
}

/// Writes a small file so that its name holds either the old content or the
/// new one. No lock of a circuit covers these files, so whoever writes one
/// locks its directory: the temporary name belongs to one writer at a time.
pub(crate) fn write_whole(path: PathBuf, bytes: &[u8]) -> Result<(), Error> {
    let _one_writer = disk::lock_directory(disk::parent_of(&path), DEFAULT_PATIENCE)?;
    Unplaced::create(path, bytes)?.place().map(|_| ())
}

/// A file that does not have its name yet.
pub(crate) struct Unplaced {
    file: DiskFile,
    path: PathBuf,
}

impl Unplaced {
    pub(crate) fn create(path: PathBuf, bytes: &[u8]) -> Result<Self, Error> {
        let mut temporary = path.clone().into_os_string();
        temporary.push(".new");
        let file = DiskFile::create(temporary.as_ref())?;
        let written = file.write_at(bytes, 0);
        written.map_err(|error| Error::writing("write", file.path(), error))?;
        Ok(Self { file, path })
    }

    /// Takes the file's lock before anybody can know the file.
    pub(crate) fn locked(self) -> Result<Self, Error> {
        self.file.lock_new()?;
        Ok(self)
    }

    /// Makes the content durable.
    pub(crate) fn flushed(self) -> Result<Self, Error> {
        let flushed = self.file.sync_data();
        flushed.map_err(|error| Error::writing("flush", self.file.path(), error))?;
        Ok(self)
    }

    /// Makes the content durable and gives the file its name.
    fn place(self) -> Result<DiskFile, Error> {
        self.flushed()?.name()
    }

    /// Gives a file that was flushed its name, durably.
    pub(crate) fn name(mut self) -> Result<DiskFile, Error> {
        self.file.rename_to(&self.path)?;
        disk::sync_directory(disk::parent_of(&self.path))?;
        Ok(self.file)
    }
}
