use std::time::Duration;

/// How much work one measurement may be.
///
/// The workspace is written by the party that is being measured, so every quantity
/// that it controls has a ceiling here.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Time for one scan of the workspace.
    pub scan: Duration,
    /// Time for one git process. A first snapshot is one scan feeding one process.
    pub per_command: Duration,
    /// Files larger than this are told apart by their metadata instead of their content.
    pub hashed_file_bytes: u64,
    /// Content read in one snapshot. Files beyond it are told apart by their metadata
    /// for as long as that metadata stays the same.
    pub hashed_bytes: u64,
    /// Paths that one scan may meet.
    pub paths: usize,
    /// Files of objects that the shadow may hold before it is started anew.
    pub object_files: usize,
    /// Bytes that they may have together.
    pub object_bytes: u64,
    /// File changes that a comparison lists; its totals stay exact.
    pub listed_changes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            scan: Duration::from_secs(60),
            per_command: Duration::from_secs(60),
            hashed_file_bytes: 50 << 20,
            hashed_bytes: 1 << 30,
            paths: 2_000_000,
            object_files: 20_000,
            object_bytes: 2 << 30,
            listed_changes: 1000,
        }
    }
}
