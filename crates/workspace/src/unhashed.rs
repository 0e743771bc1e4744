//! Files that are told apart by their metadata, and how a snapshot remembers them.
//!
//! Their list is stored as a file of its own next to the tree of hashed files, so that one
//! id covers both and both can be compared later.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::ledger::{Content, Entry};

/// Why a file's content was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unhashed {
    /// Larger than one file may be.
    Large,
    /// Past what one snapshot may read.
    OverBudget,
    /// Not readable for us.
    Closed,
    /// Its path has a component that git refuses to store, such as `.GIT`.
    Unstorable,
}

impl Unhashed {
    pub(crate) const ALL: [Self; 4] = [
        Self::Large,
        Self::OverBudget,
        Self::Closed,
        Self::Unstorable,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Large => "large",
            Self::OverBudget => "over-budget",
            Self::Closed => "closed",
            Self::Unstorable => "unstorable",
        }
    }
}

/// What the list says of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) size: u64,
    /// Whether it was not readable for us.
    pub(crate) closed: bool,
    /// Everything but the path, for comparison.
    description: Vec<u8>,
}

/// Writes the list: for each file its description, a space, its path and a NUL.
pub(crate) fn write_list(entries: &[Entry]) -> Vec<u8> {
    let mut list = Vec::new();
    for entry in entries {
        let Content::Unhashed(why) = entry.content else {
            continue;
        };
        let stamp = &entry.stamp;
        let mut line = String::new();
        let _ = write!(
            line,
            "{} {} {}.{:09} {}.{:09} {} ",
            stamp.size,
            why.word(),
            stamp.modified.0,
            stamp.modified.1,
            stamp.changed.0,
            stamp.changed.1,
            stamp.inode,
        );
        list.extend_from_slice(line.as_bytes());
        list.extend_from_slice(&entry.path);
        list.push(0);
    }
    list
}

/// Reads the list back, by path; `None` if it is not one of ours.
pub(crate) fn read_list(list: &[u8]) -> Option<BTreeMap<Vec<u8>, Listed>> {
    let lines = list
        .split(|byte| *byte == 0)
        .filter(|line| !line.is_empty());
    lines.map(read_line).collect()
}

fn read_line(line: &[u8]) -> Option<(Vec<u8>, Listed)> {
    let mut spaces = (0..line.len()).filter(|at| line[*at] == b' ');
    let (first, second, fifth) = (spaces.next()?, spaces.next()?, spaces.nth(2)?);
    let listed = Listed {
        size: std::str::from_utf8(&line[..first]).ok()?.parse().ok()?,
        closed: &line[first + 1..second] == Unhashed::Closed.word().as_bytes(),
        description: line[..fifth].to_vec(),
    };
    Some((line[fifth + 1..].to_vec(), listed))
}
