//! How far the work moved: a sum over the files that hold it.
//!
//! A tree that comes back says that edits were undone. Where an agent keeps a diary no tree ever
//! does, so beside the trees there is a sum over everything but notes. It is kept up to date
//! from what differs alone: each file that does takes what it was out of the sum and puts what
//! it is in. When the sum comes back, so has the work, whatever was written about it.

use sha2::{Digest, Sha256};

use super::{ChangeKind, FileChange};
use crate::FileKind;

/// Programs that read our JSON keep no more bits of a number than these.
const BITS: u32 = 53;
const MASK: u64 = (1 << BITS) - 1;

/// Words in a file's path that say that it is about the work.
const ABOUT_WORK: [&str; 22] = [
    "changelog",
    "changes",
    "devlog",
    "diary",
    "handoff",
    "history",
    "journal",
    "learnings",
    "lessons",
    "log",
    "logbook",
    "logs",
    "memory",
    "note",
    "notes",
    "plan",
    "progress",
    "scratchpad",
    "status",
    "tasks",
    "todo",
    "worklog",
];

/// What a change does to the sum. Both contents are by their names, and none where there is no
/// file.
pub(super) fn of(path: &[u8], before: Option<&[u8]>, after: Option<&[u8]>) -> u64 {
    let share = |content: Option<&[u8]>| content.map_or(0, |content| share(path, content));
    share(after).wrapping_sub(share(before)) & MASK
}

/// Both moves, one after the other.
pub(super) fn and(one: u64, other: u64) -> u64 {
    one.wrapping_add(other) & MASK
}

fn share(path: &[u8], content: &[u8]) -> u64 {
    let mut digest = Sha256::new();
    digest.update((path.len() as u64).to_be_bytes());
    digest.update(path);
    digest.update(content);
    let mut first = [0; 8];
    first.copy_from_slice(&digest.finalize()[..8]);
    u64::from_be_bytes(first) >> (u64::BITS - BITS)
}

impl FileChange {
    /// Whether the change is to a text about the work: by its place, by its name, or because
    /// nothing was done to it but to write more. Sources and tests hold the work whatever they
    /// are called, and often grow.
    pub(super) fn is_about_work(&self) -> bool {
        let kind = self.file_kind();
        if matches!(kind, FileKind::Code | FileKind::Test) {
            return false;
        }
        let grew = self.kind == ChangeKind::Modified
            && self.deleted_lines == Some(0)
            && self.added_lines.is_some_and(|added| added > 0);
        let grows = grew && matches!(kind, FileKind::Docs | FileKind::Other);
        grows || self.is_bookkeeping() || self.is_named_for_notes()
    }

    fn is_named_for_notes(&self) -> bool {
        let path = self.path.to_string_lossy().to_ascii_lowercase();
        let mut words = path.split(|letter: char| !letter.is_ascii_alphanumeric());
        words.any(|word| ABOUT_WORK.contains(&word))
    }
}
