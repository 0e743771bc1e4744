//! Tools that are under way: let through, and not yet told to have ended.
//!
//! Whoever sends a prompt, begins a session or takes a snapshot while one of them runs may be
//! that very tool: anything it starts can call a hook as the agent does. So what is missing
//! then is its doing, and nothing is taken for a person's wish. Where it comes from in the
//! process table tells less: a shell that replaces itself stands where a hook stands.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::turn::{self, Turn};

/// A tool that has not ended after this long was refused by a person, or ended with its agent:
/// neither is told.
pub(crate) const LONGEST: Duration = Duration::from_secs(10 * 60);
/// More at once are remembered by the latest of them.
const MOST: usize = 8;

/// A call that was let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Flight {
    call: u64,
    /// In seconds of the wall clock.
    since: u64,
}

impl Turn {
    pub(crate) fn take_off(&mut self, call: &str) {
        self.land(call);
        if self.flights.len() >= MOST {
            self.flights.remove(0);
        }
        let (call, since) = (name(call), now());
        self.flights.push(Flight { call, since });
    }

    pub(crate) fn land(&mut self, call: &str) {
        let (call, now) = (name(call), now());
        self.flights
            .retain(|flight| flight.call != call && flight.is_recent(now));
    }

    /// Whether a tool of this session is under way.
    pub(crate) fn is_in_flight(&self) -> bool {
        let now = now();
        self.flights.iter().any(|flight| flight.is_recent(now))
    }
}

impl Flight {
    /// A clock that was put back does not make a tool end.
    fn is_recent(self, now: u64) -> bool {
        now.saturating_sub(self.since) < LONGEST.as_secs()
    }
}

/// Whether a tool of any session of the workspace is under way.
pub(crate) fn is_tool_under_way(workspace: &Path) -> bool {
    let entries = fs::read_dir(turn::directory(workspace));
    let recent = entries.into_iter().flatten().flatten().filter(|entry| {
        let path = entry.path();
        let is_session = entry.file_name().to_string_lossy().contains('-');
        let is_turn = is_session && path.extension().is_none();
        is_turn && turn::silence(entry).is_none_or(|silence| silence < LONGEST)
    });
    let mut paths = recent.map(|entry| entry.path());
    // What cannot be read may be just being written: by a tool that was let through, for one.
    paths.any(|path| turn::seen(&path).map_or_else(|| path.exists(), |turn| turn.is_in_flight()))
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

fn name(call: &str) -> u64 {
    let digest = Sha256::digest(call);
    digest[..8]
        .iter()
        .fold(0, |name, byte| name << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_under_way_until_it_ends_or_has_long_been_silent() {
        let mut turn = Turn::default();
        assert!(!turn.is_in_flight());
        turn.take_off("a");
        turn.take_off("b");
        turn.land("a");
        assert!(turn.is_in_flight());
        turn.land("b");
        assert!(!turn.is_in_flight());
        turn.take_off("c");
        turn.flights[0].since -= LONGEST.as_secs();
        assert!(!turn.is_in_flight());
    }

    #[test]
    fn a_session_that_was_just_written_and_cannot_be_read_counts_as_one_with_a_tool() {
        let workspace = tempfile::tempdir().expect("a directory");
        let path = turn::file(workspace.path(), "claude", "s", None);
        turn::update(&path, |_| ()).expect("kept");
        assert!(!is_tool_under_way(workspace.path()));
        fs::write(&path, "{").expect("damaged");
        assert!(is_tool_under_way(workspace.path()));
        let long_ago = SystemTime::now() - LONGEST - Duration::from_secs(1);
        let file = fs::File::options().write(true).open(&path);
        let dated = file.and_then(|file| file.set_modified(long_ago));
        dated.expect("dated back");
        assert!(!is_tool_under_way(workspace.path()));
    }

    #[test]
    fn what_is_remembered_of_them_stays_small() {
        let mut turn = Turn::default();
        for number in 0..1000 {
            turn.take_off(&number.to_string());
        }
        assert_eq!(turn.flights.len(), MOST);
        turn.land("999");
        assert_eq!(turn.flights.len(), MOST - 1);
    }
}
