//! macOS places threads itself.

/// Starts a thread.
pub(super) fn start_here<T>(start: impl FnOnce() -> T) -> T {
    start()
}
