//! The records of one update, made ready before anything is written.
//!
//! Whatever can be refused is refused here: a body that is too large, a record
//! that the state will not fold, a state that no slot can hold. What comes out
//! can fail only for reasons of the disk.

use crate::belief::Last;
use crate::frame::{self, MAX_BATCH, MAX_BODY, Mark, Record};
use crate::slots::MAX_STATE;
use crate::{Draft, Error, Folded};

/// Frames to be appended, and what is true once they are.
pub(crate) struct Batch {
    pub(crate) frames: Vec<u8>,
    pub(crate) last: Last,
    /// The encoded state after the last record.
    pub(crate) state: Vec<u8>,
}

impl Batch {
    /// Frames the drafts behind `before` and folds them into `state`.
    pub(crate) fn prepare<S: Folded>(
        drafts: &[Draft],
        before: Last,
        state: &mut S,
    ) -> Result<Self, Error> {
        let mut frames = Vec::new();
        let mut last = before;
        for (index, draft) in drafts.iter().enumerate() {
            refuse_large("the body of the record", draft.body.len(), MAX_BODY)?;
            let mark = frame::append(&mut frames, draft, &last.mark, index + 1 < drafts.len());
            refuse_large("the batch of records", frames.len(), MAX_BATCH)?;
            state
                .fold(&record(draft, mark))
                .map_err(Error::DraftRefused)?;
            last = Last {
                start: last.mark.end,
                mark,
            };
        }
        let state = encode(state)?;
        Ok(Self {
            frames,
            last,
            state,
        })
    }
}

/// The state as bytes that fit into a slot.
pub(crate) fn encode<S: Folded>(state: &S) -> Result<Vec<u8>, Error> {
    let bytes = state.encode();
    refuse_large("the state", bytes.len(), MAX_STATE)?;
    Ok(bytes)
}

fn record(draft: &Draft, mark: Mark) -> Record<'_> {
    Record {
        seq: mark.seq,
        kind: draft.kind,
        version: draft.version,
        body: &draft.body,
        mark,
    }
}

fn refuse_large(what: &'static str, bytes: usize, limit: usize) -> Result<(), Error> {
    if bytes > limit {
        return Err(Error::TooLarge { what, bytes, limit });
    }
    Ok(())
}
