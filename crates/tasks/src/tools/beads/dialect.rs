//! What is said to `bd`, in each dialect.
//!
//! One id in each call: with several, a success may be that of another one.

use crate::source::{Capabilities, Move};
use crate::status::Status;
use crate::task::Task;

/// How long a lease of the dialect without heartbeats holds, in seconds. It is
/// renewed by claiming anew.
const LEASE_SECONDS: &str = "3600";

/// Which `bd` this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Claims without leases.
    Go,
    /// Leases, heartbeats, and guards that fail with exit code 13.
    GoLeases,
    /// The other implementation: leases without guards, no word for giving up.
    Rust,
}

/// The calls that a move takes, and whether the list has recorded it then.
pub(super) enum Said {
    Recorded(Vec<Vec<String>>),
    BesideThePoint(Vec<Vec<String>>),
}

impl Dialect {
    pub(super) fn capabilities(self) -> Capabilities {
        Capabilities {
            claim: true,
            lease: self != Self::Go,
            guard: self == Self::GoLeases,
            start_time: true,
            block: self != Self::Rust,
            close: true,
            shared: true,
        }
    }

    /// The calls that list everything that is not done.
    pub(super) fn lists(self) -> &'static [&'static [&'static str]] {
        match self {
            // Lists are cut off at fifty unless told otherwise.
            Self::Go | Self::GoLeases => &[
                &["list", "--status", "open", "--limit", "0", "--json"],
                &["list", "--status", "in_progress", "--limit", "0", "--json"],
                &["list", "--status", "blocked", "--limit", "0", "--json"],
            ],
            // It takes an unknown status for all of them.
            Self::Rust => &[&["list", "--json"]],
        }
    }

    pub(super) fn ready(self) -> &'static [&'static str] {
        match self {
            Self::Go | Self::GoLeases => &["ready", "--limit", "0", "--json"],
            Self::Rust => &["ready", "--json"],
        }
    }

    /// What to say for a move of a task that was seen so.
    pub(super) fn say(self, seen: &Task, to: &Move<'_>) -> Said {
        let id = seen.id.as_str();
        let was_done = seen.status == Status::Done;
        match (self, to) {
            (Self::Rust, Move::Claim { .. } | Move::Heartbeat { .. }) => {
                recorded(&[&["claim", id, "--lease-secs", LEASE_SECONDS, "--json"]])
            }
            (Self::Rust, Move::Open { note }) => {
                let note = ["update", id, "--notes", note, "--json"];
                let open: &[&str] = match (was_done, &seen.holder.name) {
                    (true, _) => &["reopen", id, "--json"],
                    (false, Some(_)) => &["unclaim", id, "--json"],
                    (false, None) => &["update", id, "--status", "open", "--json"],
                };
                recorded(&[open, &note])
            }
            (Self::Rust, Move::Block { reason }) => {
                let note = ["update", id, "--notes", reason, "--json"];
                let free = ["unclaim", id, "--json"];
                let held = seen.holder.name.is_some();
                let calls: &[&[&str]] = if held { &[&free, &note] } else { &[&note] };
                Said::BesideThePoint(owned(calls))
            }
            (_, Move::Claim { actor, .. }) => {
                recorded(&[&["update", id, "--claim", "--actor", actor, "--json"]])
            }
            (Self::GoLeases, Move::Heartbeat { actor }) => {
                recorded(&[&["heartbeat", id, "--actor", actor, "--json"]])
            }
            // Every change is a commit in its database; a sign of life is not worth one.
            (Self::Go, Move::Heartbeat { .. }) => Said::BesideThePoint(Vec::new()),
            (_, Move::Open { note }) if was_done => {
                recorded(&[&["reopen", id, "--reason", note, "--json"]])
            }
            (_, Move::Open { note }) => {
                let mut call = vec![
                    "update",
                    id,
                    "--status",
                    "open",
                    "--assignee",
                    "",
                    "--append-notes",
                    note,
                    "--json",
                ];
                if self == Self::GoLeases && seen.status == Status::InProgress {
                    call.extend(["--if-status", "in_progress"]);
                    call.extend(
                        seen.holder
                            .name
                            .as_deref()
                            .into_iter()
                            .flat_map(|name| ["--if-assignee", name]),
                    );
                }
                recorded(&[&call])
            }
            (_, Move::Block { reason }) => recorded(&[&[
                "update",
                id,
                "--status",
                "blocked",
                "--append-notes",
                reason,
                "--json",
            ]]),
            (_, Move::Close { evidence, .. }) => {
                recorded(&[&["close", id, "--reason", evidence, "--json"]])
            }
        }
    }
}

fn recorded(calls: &[&[&str]]) -> Said {
    Said::Recorded(owned(calls))
}

fn owned(calls: &[&[&str]]) -> Vec<Vec<String>> {
    let words = |call: &&[&str]| call.iter().map(|&word| word.to_owned()).collect();
    calls.iter().map(words).collect()
}
