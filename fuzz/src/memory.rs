//! What is kept of the past, and what is asked from outside.

use fusebox_core::{Circuit, Entry};

/// Any bytes as an entry of the journal: refused, or folded without a panic.
pub(crate) fn journal(bytes: &[u8]) {
    let mut circuit = Circuit::default();
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Ok(entry) = serde_json::from_slice::<Entry>(line) {
            circuit.fold(&entry);
        }
    }
    let state = serde_json::to_vec(&circuit).expect("a state can be written");
    let again: Circuit = serde_json::from_slice(&state).expect("and read");
    assert_eq!(again, circuit);
    let _ = serde_json::from_slice::<Circuit>(bytes);
}

/// A request of a browser, or of whoever plays one.
pub(crate) fn http(bytes: &[u8]) {
    let _ = fusebox_serve::is_request(bytes);
}

/// What git answers of two snapshots.
pub(crate) fn diff(bytes: &[u8]) {
    fusebox_workspace::doors::listing(bytes);
}

/// A configuration that came with a repository, or that a user wrote.
pub(crate) fn config(bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes) {
        fusebox::doors::config_of_project(text);
        fusebox::doors::config_of_user(text);
    }
}

/// What a program says that talks to us over a pipe.
pub(crate) fn pipe(bytes: &[u8]) {
    fusebox::doors::pipe(bytes);
}

/// What an agent says it spent.
pub(crate) fn telemetry(bytes: &[u8]) {
    fusebox::doors::telemetry(bytes);
}

/// What anything inside a step may say to its supervisor.
pub(crate) fn switchboard(bytes: &[u8]) {
    fusebox::doors::switchboard(bytes);
}

/// What a loop reports of an iteration.
pub(crate) fn report(bytes: &[u8]) {
    fusebox::doors::report(bytes);
}

/// The files of the memory, whose checksums an agent can make right as well.
pub(crate) fn stored(bytes: &[u8]) {
    fusebox_store::read_stored(bytes);
}

/// What the keeper of a tree tells its supervisor, with names that a process gave itself.
pub(crate) fn supervisor(bytes: &[u8]) {
    fusebox_supervise::doors::news(&String::from_utf8_lossy(bytes));
}
