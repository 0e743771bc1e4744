//! What was found that this store would not have left behind.
//!
//! Each variant is one row of the table in `belief.rs`. The code is what
//! scripts and records compare; the sentence is for people and may be reworded.

use std::path::PathBuf;

use crate::utc;

/// One finding, with the path it was found at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Tamper {
    /// Other files of the circuit exist, so there was a log.
    #[error("the log {} is missing although {} exists", path.display(), evidence.display())]
    LogMissing {
        /// Where the log should be.
        path: PathBuf,
        /// What shows that it existed.
        evidence: PathBuf,
    },
    /// The workspace is known, but its directory is gone.
    #[error("the store {} was deleted: {} still refers to it", path.display(), evidence.display())]
    StoreMissing {
        /// The workspace's directory.
        path: PathBuf,
        /// What shows that it existed.
        evidence: PathBuf,
    },
    /// A circuit that held records is gone with everything that was its own.
    #[error("the circuit {} was deleted: {} lists it", path.display(), evidence.display())]
    CircuitMissing {
        /// The circuit's directory.
        path: PathBuf,
        /// The list of the workspace's circuits.
        evidence: PathBuf,
    },
    /// The workspace says that it keeps a second list of its circuits, and there
    /// is none that checks.
    #[error("the list of circuits {} is missing or was changed", path.display())]
    ListMissing {
        /// Where it should be.
        path: PathBuf,
    },
    /// A directory's index entry leads to a store that is not the directory's.
    #[error("the index entry {} leads to another workspace's store", path.display())]
    IndexMismatch {
        /// The index entry.
        path: PathBuf,
    },
    /// A link to the directory of another workspace stands where a workspace was.
    #[error("{} leads to another workspace than the one that was there", path.display())]
    RootReplaced {
        /// The path under which it was last used.
        path: PathBuf,
    },
    /// There is a store, and nothing that says whose.
    #[error("the description {} of the workspace is missing or was changed", path.display())]
    DescriptionMissing {
        /// Where it should be.
        path: PathBuf,
    },
    /// A workspace says that it belongs to a repository, and nothing lists the
    /// work trees of that.
    #[error("the lists {} of the work trees of a repository are gone: {} refers to them", path.display(), evidence.display())]
    FamilyMissing {
        /// Where the first of them should be.
        path: PathBuf,
        /// The description of the workspace.
        evidence: PathBuf,
    },
    /// The log is shorter than the shortest log ever created.
    #[error("the log {} was cut to {len} bytes", path.display())]
    LogShort {
        /// The log.
        path: PathBuf,
        /// Its length.
        len: u64,
    },
    /// The log's first bytes do not check.
    #[error("the header of the log {} is damaged", path.display())]
    HeaderDamaged {
        /// The log.
        path: PathBuf,
    },
    /// The log of another circuit.
    #[error("the log {} belongs to the circuit {label:?}", path.display())]
    LogForeign {
        /// The log.
        path: PathBuf,
        /// The circuit its header names.
        label: String,
    },
    /// The log of the same circuit of another workspace.
    #[error("the log {} belongs to another workspace", path.display())]
    LogOfAnotherWorkspace {
        /// The log.
        path: PathBuf,
    },
    /// The log ends before the record a slot was written for.
    #[error("the log {} was cut: record {seq} was stored and is gone", path.display())]
    LogCut {
        /// The log.
        path: PathBuf,
        /// The newest record known to have been stored.
        seq: u64,
    },
    /// The record under the newest slot is not the one it was written for.
    #[error("record {seq} in the log {} was changed", path.display())]
    RecordDamaged {
        /// The log.
        path: PathBuf,
        /// The record.
        seq: u64,
    },
    /// A record does not follow from the one before it.
    #[error("the log {} is damaged at byte {offset}", path.display())]
    ChainBroken {
        /// The log.
        path: PathBuf,
        /// Where the first unsound record starts.
        offset: u64,
    },
    /// A sealed part of the log is gone, and nobody noted that it was pruned.
    #[error("the sealed log {} with record {seq} is missing and was not pruned", path.display())]
    SegmentMissing {
        /// Where it should be.
        path: PathBuf,
        /// Its first record.
        seq: u64,
    },
    /// The slots file is gone although it was created.
    #[error("the state slots {} are missing", path.display())]
    SlotsMissing {
        /// Where they should be.
        path: PathBuf,
    },
    /// The slots file has a fixed size, and this is not it.
    #[error("the state slots {} have {len} bytes, which they never had", path.display())]
    SlotsResized {
        /// The slots.
        path: PathBuf,
        /// Their length.
        len: u64,
    },
    /// The slot that the head vouches for does not check.
    #[error("the state slot for record {seq} in {} is damaged or was put back", path.display())]
    SlotDamaged {
        /// The slots.
        path: PathBuf,
        /// The record whose slot was completed.
        seq: u64,
    },
    /// The head is gone although it was created.
    #[error("the head {} is missing", path.display())]
    HeadMissing {
        /// Where it should be.
        path: PathBuf,
    },
    /// The head does not check.
    #[error("the head {} is damaged", path.display())]
    HeadDamaged {
        /// The head.
        path: PathBuf,
    },
    /// The head knows of a record that the log does not have.
    #[error("the log was rolled back: {} knows record {head}, the log ends at {log}", path.display())]
    HeadAhead {
        /// The head.
        path: PathBuf,
        /// The record it names.
        head: u64,
        /// The last record of the log.
        log: u64,
    },
    /// The head names a record that is not the one in the log.
    #[error("{} names a record {seq} that is not in the log", path.display())]
    HeadMismatch {
        /// The head.
        path: PathBuf,
        /// The record it names.
        seq: u64,
    },
    /// The head was put back to an earlier state.
    #[error("{} was put back to record {head} while the state is at {slot}", path.display())]
    HeadStale {
        /// The head.
        path: PathBuf,
        /// The record it names.
        head: u64,
        /// The record of the newest slot.
        slot: u64,
    },
    /// Something that is not a regular file stands in a file's place.
    #[error("{} is {found}, not a file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What is there.
        found: &'static str,
    },
    /// Bytes that check, but that the owner of the state calls nonsense.
    #[error("{} holds what no release would have written: {why}", path.display())]
    StateRefused {
        /// The file.
        path: PathBuf,
        /// What the owner said.
        why: String,
    },
    /// A flush failed, so nobody knows what is on the disk.
    #[error("the disk failed to store {}: {why}", path.display())]
    StorageFailed {
        /// The file being flushed.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// A fresh start was begun and not finished.
    #[error("the fresh start of {} was not finished", path.display())]
    RestartUnfinished {
        /// The circuit's directory.
        path: PathBuf,
    },
    /// Found earlier and not yet cleared by a person.
    #[error("{found} (since {}, noted in {})", utc::second(*since_ms), path.display())]
    Latched {
        /// The marker.
        path: PathBuf,
        /// The code of the first finding.
        code: String,
        /// Its sentence.
        found: String,
        /// When it was found, in wall-clock milliseconds.
        since_ms: u64,
    },
}

impl Tamper {
    /// A short name that never changes. A latched finding keeps the code it
    /// was first given.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::LogMissing { .. } => "log-missing",
            Self::StoreMissing { .. } => "store-missing",
            Self::CircuitMissing { .. } => "circuit-missing",
            Self::ListMissing { .. } => "list-missing",
            Self::IndexMismatch { .. } => "index-mismatch",
            Self::RootReplaced { .. } => "root-replaced",
            Self::DescriptionMissing { .. } => "description-missing",
            Self::FamilyMissing { .. } => "family-missing",
            Self::LogShort { .. } => "log-short",
            Self::HeaderDamaged { .. } => "header-damaged",
            Self::LogForeign { .. } => "log-foreign",
            Self::LogOfAnotherWorkspace { .. } => "log-of-another-workspace",
            Self::LogCut { .. } => "log-cut",
            Self::RecordDamaged { .. } => "record-damaged",
            Self::ChainBroken { .. } => "chain-broken",
            Self::SegmentMissing { .. } => "segment-missing",
            Self::SlotsMissing { .. } => "slots-missing",
            Self::SlotsResized { .. } => "slots-resized",
            Self::SlotDamaged { .. } => "slot-damaged",
            Self::HeadMissing { .. } => "head-missing",
            Self::HeadDamaged { .. } => "head-damaged",
            Self::HeadAhead { .. } => "head-ahead",
            Self::HeadMismatch { .. } => "head-mismatch",
            Self::HeadStale { .. } => "head-stale",
            Self::NotAFile { .. } => "not-a-file",
            Self::StateRefused { .. } => "state-refused",
            Self::StorageFailed { .. } => "storage-failed",
            Self::RestartUnfinished { .. } => "restart-unfinished",
            Self::Latched { code, .. } => code,
        }
    }
}
