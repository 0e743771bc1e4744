//! Writing, in the one order that `belief.rs` can judge: first what an earlier
//! crash left undone, then the records, then the slot, then the head.

use std::io;

use crate::batch::{self, Batch};
use crate::belief::{Belief, Files, Last};
use crate::creation;
use crate::disk::DiskFile;
use crate::head::Head;
use crate::slots::{Slot, Which};
use crate::store::{Location, View};
use crate::{BootId, Draft, Error, Folded, Tamper};

/// Stores the drafts behind what is believed.
pub(crate) fn store<S: Folded>(
    files: &mut Files,
    belief: Belief<S>,
    drafts: &[Draft],
    location: &Location,
) -> Result<View<S>, Error> {
    let mut notes = mend(files, &belief, location)?;
    let Belief { mut view, last, .. } = belief;
    let batch = Batch::prepare(drafts, last, &mut view.state)?;
    append(&files.log, &batch, last)?;
    // From here on the records are durable and the answer is yes. Whatever
    // keeps a note from being written, the next update finds the log ahead of
    // it and catches up. The head must not be written without the slot,
    // because it would vouch for it.
    let _ = notes
        .write_slot(batch.last, batch.state)
        .and_then(|()| notes.write_head(batch.last));
    view.seq = batch.last.mark.seq;
    Ok(view)
}

/// Brings log, slots and head to say what is believed.
fn mend<S: Folded>(
    files: &mut Files,
    belief: &Belief<S>,
    location: &Location,
) -> Result<Notes, Error> {
    let (last, boot) = (belief.last, location.boot);
    if files.log.len() > last.mark.end {
        files.log.set_len(last.mark.end)?;
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
fn append(log: &DiskFile, batch: &Batch, before: Last) -> Result<(), Error> {
    if let Err(error) = log.write_at(&batch.frames, before.mark.end) {
        // Should the cut fail too, the next update finds a torn tail.
        let _ = log.set_len(before.mark.end);
        return Err(Error::writing("append to", log.path(), error));
    }
    log.sync_data().map_err(|error| {
        // After a failed flush the system may have dropped the data and call
        // the next flush a success, so there is nothing to retry.
        let (path, why) = (log.path().to_owned(), error.to_string());
        Tamper::StorageFailed { path, why }.into()
    })
}

/// The two files that say what the log has come to.
struct Notes {
    slots: DiskFile,
    head: DiskFile,
    spare: Which,
    boot: BootId,
}

impl Notes {
    fn write_slot(&mut self, last: Last, state: Vec<u8>) -> io::Result<()> {
        let boot = self.boot;
        let slot = Slot { last, boot, state };
        self.slots.write_at(&slot.encode(), self.spare.offset())?;
        self.spare = self.spare.other();
        Ok(())
    }

    fn write_head(&self, last: Last) -> io::Result<()> {
        let (mark, boot) = (last.mark, self.boot);
        self.head.write_at(&Head { mark, boot }.encode(), 0)
    }
}
