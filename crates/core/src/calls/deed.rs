//! What is kept of a call until it is answered.

use super::digest::Digest;
use super::event::Call;
use super::kind::CallKind;
use super::row::row;

row! {
    /// A call without its words.
    pub(super) struct Deed {
        /// The tool and its arguments.
        call: Digest,
        kind: CallKind,
        /// It changes files, as far as the call itself tells.
        changes: bool,
        target: Option<Digest>,
        /// What an edit takes away.
        old: Option<Digest>,
        /// What it puts in its place.
        new: Option<Digest>,
        /// It reads a piece of a file.
        is_page: bool,
    }
}

impl From<&Call> for Deed {
    fn from(call: &Call) -> Self {
        let edit = call.edit.unwrap_or_default();
        Self {
            call: call.digest,
            kind: call.kind,
            changes: call.changes,
            target: call.target,
            old: edit.old,
            new: edit.new,
            is_page: call.span.is_some(),
        }
    }
}
