//! What can go wrong, told apart by what follows from it.

use std::path::PathBuf;

/// A list that could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The list cannot be asked. That is not the same as an empty list, and no
    /// reason to take anything from anybody.
    #[error("the task source {source_name} is not available: {why}")]
    Unavailable {
        /// Which list.
        source_name: String,
        /// Why.
        why: String,
    },
    /// The list cannot be understood.
    #[error("{path}: {why}")]
    Malformed {
        /// The file.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// Somebody else was quicker.
    #[error("task {task} was changed by somebody else meanwhile: {why}")]
    Lost {
        /// Which task.
        task: String,
        /// What the list said.
        why: String,
    },
    /// There is no such task.
    #[error("no task `{task}` in {source_name}")]
    NoSuchTask {
        /// Which task.
        task: String,
        /// Which list.
        source_name: String,
    },
}

/// What a claim, a release or a verdict failed for.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// The list.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Our own record of claims cannot be read or written.
    #[error("the claims in {path} cannot be {verb}: {why}", path = path.display())]
    Journal {
        /// The file.
        path: PathBuf,
        /// What was tried.
        verb: &'static str,
        /// Why it failed.
        why: String,
    },
    /// Our own record of claims is not what we wrote there.
    #[error("the claims in {path} were deleted or changed: {why}", path = path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// What shows it.
        why: String,
    },
    /// Somebody has it.
    #[error("task {task} is taken: {by}")]
    Taken {
        /// Which task.
        task: String,
        /// Who has it, and what shows that they live.
        by: String,
    },
    /// It is not to be worked on.
    #[error("task {task} cannot be claimed: {why}")]
    NotReady {
        /// Which task.
        task: String,
        /// Why not.
        why: String,
    },
    /// The claim that is spoken for is no longer the one in force.
    #[error("task {task}: {why}")]
    NotYours {
        /// Which task.
        task: String,
        /// What holds instead.
        why: String,
    },
}
