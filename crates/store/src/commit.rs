//! Writing, in the one order that `belief.rs` can judge: first what an earlier
//! crash left undone, then the records, then the slot, then the head.

use std::io;

use crate::batch::{self, Batch};
use crate::belief::{Belief, Files, Last};
use crate::creation;
use crate::disk::DiskFile;
use crate::head::Head;
use crate::header::GoesOn;
use crate::sealed::{self, Successor};
use crate::segment::Segment;
use crate::slots::{Slot, Which};
use crate::store::{Location, View};
use crate::{BootId, Draft, Error, Folded, Repair, Tamper};

/// Stores the drafts behind what is believed.
pub(crate) fn store<S: Folded>(
    files: &mut Files,
    belief: Belief<S>,
    drafts: &[Draft],
    location: &Location,
    at_ms: u64,
) -> Result<View<S>, Error> {
    let mut notes = mend(files, &belief, location)?;
    let (last, unsealed) = seal_if_due(files, &belief, &notes, location, at_ms)?;
    let Belief { mut view, .. } = belief;
    view.repairs.extend(unsealed);
    let batch = Batch::prepare(drafts, last, &mut view.state)?;
    append(&files.log, &batch, last)?;
    // From here on the records are durable and the answer is yes.
    notes.follow(batch.last, batch.state);
    view.seq = batch.last.mark.seq;
    Ok(view)
}

/// Puts a successor in the place of a log that is long enough, and returns the
/// record that the next one follows.
///
/// The records are what matters: as long as the exchange has not begun, whatever
/// is in its way (no space, no second names on this file system) only leaves the
/// log as long as it is, and is told.
fn seal_if_due<S: Folded>(
    files: &mut Files,
    belief: &Belief<S>,
    notes: &Notes,
    location: &Location,
    at_ms: u64,
) -> Result<(Last, Option<Repair>), Error> {
    let last = belief.last;
    if !sealed::is_due(&files.log, &last.mark, location) {
        return Ok((last, None));
    }
    let state = batch::encode(&belief.view.state)?;
    let from = GoesOn {
        before: last.mark,
        floor: files.log.beginning.floor,
        state: &state,
    };
    match Successor::prepare(&files.log, notes.head(), &from, location, at_ms) {
        Ok(successor) => {
            let (live, opening) = successor.take_over(location)?;
            // The old log's lock goes with it; the new one is locked already.
            files.log = live;
            Ok((opening, None))
        }
        Err(error) => {
            let why = error.to_string();
            Ok((last, Some(Repair::NotSealed { why })))
        }
    }
}

/// Brings log, slots and head to say what is believed.
pub(crate) fn mend<S: Folded>(
    files: &mut Files,
    belief: &Belief<S>,
    location: &Location,
) -> Result<Notes, Error> {
    let (last, boot) = (belief.last, location.boot);
    if files.log.end() > last.mark.end {
        files.log.cut(last.mark.end)?;
    }
    let (Some(slots), Some(head)) = (files.slots.take(), files.head.take()) else {
        let state = batch::encode(&belief.view.state)?;
        let (slots, head) = creation::surround_log(location, last, state)?;
        let spare = Which::Second;
        return Ok(Notes {
            slots,
            head,
            spare,
            boot,
        });
    };
    let spare = belief.spare;
    let mut notes = Notes {
        slots,
        head,
        spare,
        boot,
    };
    if !belief.slot_is_current {
        let state = batch::encode(&belief.view.state)?;
        let written = notes.write_slot(last, state);
        written.map_err(|error| Error::writing("write", notes.slots.path(), error))?;
    }
    if !belief.head_is_current {
        let written = notes.write_head(last);
        written.map_err(|error| Error::writing("write", notes.head.path(), error))?;
    }
    Ok(notes)
}

/// Appends the batch and makes it durable.
fn append(log: &Segment, batch: &Batch, before: Last) -> Result<(), Error> {
    if let Err(error) = log.write_at(&batch.frames, before.mark.end) {
        // Should the cut fail too, the next update finds a torn tail.
        let _ = log.cut(before.mark.end);
        return Err(Error::writing("append to", log.path(), error));
    }
    log.file.sync_data().map_err(|error| {
        // After a failed flush the system may have dropped the data and call
        // the next flush a success, so there is nothing to retry.
        let (path, why) = (log.path().to_owned(), error.to_string());
        Tamper::StorageFailed { path, why }.into()
    })
}

/// The two files that say what the log has come to.
pub(crate) struct Notes {
    slots: DiskFile,
    head: DiskFile,
    spare: Which,
    boot: BootId,
}

impl Notes {
    pub(crate) fn head(&self) -> &DiskFile {
        &self.head
    }

    /// Notes what the log, flushed by now, has come to. Whatever keeps a note
    /// from being written, the next update finds the log ahead of it and catches
    /// up. The head must not be written without the slot, because it would vouch
    /// for it.
    pub(crate) fn follow(&mut self, last: Last, state: Vec<u8>) {
        let slot = self.write_slot(last, state);
        let _ = slot.and_then(|()| self.write_head(last));
    }

    fn write_slot(&mut self, last: Last, state: Vec<u8>) -> io::Result<()> {
        let boot = self.boot;
        let slot = Slot::new(last, boot, state);
        self.slots.write_at(&slot.encode(), self.spare.offset())?;
        self.spare = self.spare.other();
        Ok(())
    }

    fn write_head(&self, last: Last) -> io::Result<()> {
        let (mark, boot) = (last.mark, self.boot);
        self.head.write_at(&Head { mark, boot }.encode(), 0)
    }
}
