//! Processes as the system's table shows them.

use fusebox_darwin::State;

/// When a process began, and the number of its parent; `None` if nothing of it runs.
pub(super) fn running(pid: i32) -> Option<(u64, i32)> {
    let process = fusebox_darwin::process(pid)?;
    (process.state != State::Dead).then_some((process.start, process.parent))
}

/// Whether the number is held by a process of which nothing runs any more.
pub(super) fn ended(pid: i32) -> bool {
    fusebox_darwin::process(pid).is_some_and(|process| process.state == State::Dead)
}

/// Whether it can be seen at all who runs.
pub(super) fn table_is_readable() -> bool {
    let own = i32::try_from(std::process::id()).unwrap_or(0);
    running(own).is_some()
}

/// The id of the machine itself; empty where it does not tell.
pub(super) fn machine() -> String {
    fusebox_darwin::machine().unwrap_or_default()
}

/// There is one for all.
pub(super) fn namespace() -> String {
    String::new()
}
