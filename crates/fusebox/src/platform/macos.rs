//! What is said on macOS.

/// Where the system shows its processes.
pub(crate) const PROCESS_TABLE: &str = "the process table";
/// What to do when the program cannot tell where it is.
pub(crate) const TO_FIND_ITSELF: &str = "put it where it can be read, and start it by its path";
/// What to do when it cannot be seen who starts a command.
pub(crate) const TO_SEE_PROCESSES: &str = "run it where `ps -ax` shows everybody's processes";
