//! What becomes of a process whose parent has ended.
//!
//! This decides how a tree is known. Where orphans fall to the keeper, kinship
//! alone finds everyone, and the system says when nobody is left. Where they
//! fall to the first process of the machine, they have to be searched for, by
//! what was seen of them before ([`crate::lineage`]).

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;

pub(crate) use system::{Heir, die_with_parent, inherit_orphans};

/// What becomes of a process whose parent has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orphans {
    /// It becomes the keeper's child, or the supervisor's if the keeper is lost:
    /// nobody leaves the tree.
    Adopted,
    /// It becomes a child of the machine's first process. The tree is found by
    /// kinship as it was seen while it lived, by session, and by the cookie.
    /// Whoever leaves all three at once is not found.
    Searched,
}

impl Orphans {
    /// What this system does.
    pub const HERE: Self = system::ORPHANS;
}
