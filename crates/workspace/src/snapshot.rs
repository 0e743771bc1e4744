use std::fmt;
use std::str::FromStr;

use crate::Repositories;

/// The identity of a measured state: two equal ids mean equal content.
///
/// It is the id of a tree in the shadow repository, so it can be written to a log, read
/// back after a restart, and still be compared with a later one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SnapshotId(String);

/// The text is not a snapshot id.
#[derive(Debug, thiserror::Error)]
#[error("a snapshot id is 40 lowercase hexadecimal digits, not {0:?}")]
pub struct NotASnapshotId(String);

impl FromStr for SnapshotId {
    type Err = NotASnapshotId;

    fn from_str(text: &str) -> Result<Self, NotASnapshotId> {
        let is_hex = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 40 && text.bytes().all(is_hex) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotASnapshotId(text.chars().take(80).collect()))
        }
    }
}

impl SnapshotId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SnapshotId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// One measurement of the whole workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// What the workspace looked like.
    pub id: SnapshotId,
    /// How many files and symbolic links it holds.
    pub files: usize,
    /// How many of them are known by their metadata only: too large, or not readable.
    pub unhashed: usize,
    /// The shadow was found damaged and was built anew. Earlier snapshots can no longer be
    /// compared with this one, unless their ids are equal.
    pub rebuilt: bool,
    /// Some repository's index could not be read, so that files there which are both tracked
    /// and ignored were not measured.
    pub index_unread: bool,
    /// The repositories whose work trees were measured, the root's own among them.
    pub repositories: Repositories,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_a_log_and_nothing_else_passes_for_one() {
        let text = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(text.parse::<SnapshotId>().unwrap().to_string(), text);
        for wrong in [
            "",
            "HEAD",
            "--output=/etc/passwd",
            &text[1..],
            &text.to_uppercase(),
        ] {
            wrong.parse::<SnapshotId>().unwrap_err();
        }
    }
}
