//! What is said on Linux.

/// Where the system shows its processes.
pub(crate) const PROCESS_TABLE: &str = "/proc";
/// What to do when the program cannot tell where it is.
pub(crate) const TO_FIND_ITSELF: &str = "mount /proc";
/// What to do when it cannot be seen who starts a command.
pub(crate) const TO_SEE_PROCESSES: &str = "mount /proc, and run outside of a container to release";
