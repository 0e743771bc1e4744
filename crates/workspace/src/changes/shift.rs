//! How far the work moved: a sum over the files that hold it.
//!
//! A tree that comes back says that edits were undone. Where an agent keeps a diary no tree ever
//! does, so beside the trees there is a sum over sources and tests. It is kept up to date
//! from what differs alone: each file that does takes what it was out of the sum and puts what
//! it is in. When the sum comes back, so has the work, whatever was written about it.

use sha2::{Digest, Sha256};

use super::FileChange;
use crate::FileKind;

/// Programs that read our JSON keep no more bits of a number than these.
const BITS: u32 = 53;
const MASK: u64 = (1 << BITS) - 1;

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
    /// Whether the file holds the work, as far as that can be told: sources and tests do. What
    /// else there is may be a diary under any name, and is not counted at all, so that the sum
    /// depends on what is there and never on how it came to be there.
    pub(super) fn holds_work(&self) -> bool {
        matches!(self.file_kind(), FileKind::Code | FileKind::Test)
    }
}
