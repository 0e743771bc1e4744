//! Tools that were used without asking.
//!
//! What hooks were told of is kept beside the session, eight bytes for each call. When the
//! turn has ended, the agent's own transcript says what was really called since the prompt.
//! Whatever ran and is not known here went past us, and a breaker that can be passed is open.

use std::collections::HashSet;
use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fusebox_agents::hook::{Answer, ReadTraces, Trace};
use fusebox_files::regular::{self, Links};
use sha2::{Digest, Sha256};

use super::{Desk, words};
use crate::failure::Failure;

/// More calls than any turn has: whoever made the list longer wanted it not to be read.
const MOST_KNOWN: u64 = 128 * 1024;
/// The most of a transcript that is read after a turn.
const MOST_READ: u64 = 16 * 1024 * 1024;
const WIDTH: usize = 8;

impl Desk {
    fn known_file(&self) -> PathBuf {
        known_beside(&self.turn_file())
    }

    /// A tool was asked for.
    pub(super) fn know(&self, id: Option<&str>) {
        let Some(id) = id else {
            return;
        };
        // What cannot be noted will be missed at the end of the turn, which is the safe side.
        if let Ok(mut file) = regular::append(&self.known_file()) {
            let _ = file.write_all(&short(id));
        }
    }

    /// A turn begins: what is known of the last one no longer matters. Answers with how far
    /// the transcript has come.
    pub(super) fn forget_known(&self) -> Option<u64> {
        // It may not be there yet.
        let _ = fs::remove_file(self.known_file());
        let transcript = self.call.transcript.as_ref()?;
        Some(fs::metadata(transcript).map_or(0, |about| about.len()))
    }

    /// Opens the breaker if a tool ran in this turn that nobody asked for.
    pub(super) fn trip_if_bypassed(&self, from: Option<u64>) -> Result<Option<Answer>, Failure> {
        let (Some(read), Some(transcript), Some(from)) = (self.traces, &self.call.transcript, from)
        else {
            return Ok(None);
        };
        let Some(id) = unasked(&self.known_file(), transcript, from, read) else {
            return Ok(None);
        };
        let outcome = self.session.trip_unasked(format!(
            "a tool of {} ran without asking: call {} is in its transcript and was never \
             shown to the hook",
            self.agent,
            fusebox_view::escape::line(&id, 80)
        ))?;
        Ok(Some(Answer::Halt(words::open(&outcome))))
    }
}

/// A call that ran since `from` and that no hook was told of.
fn unasked(known: &Path, transcript: &Path, from: u64, read: ReadTraces) -> Option<String> {
    // A list that cannot be believed names nobody who asked.
    let known = regular::read(known, MOST_KNOWN * WIDTH as u64).unwrap_or_default();
    let mut file = regular::open(transcript, Links::Follow).ok()?;
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut text = Vec::new();
    file.take(MOST_READ).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let mut traces = Vec::new();
    text.lines().for_each(|line| read(line, &mut traces));
    let known: HashSet<&[u8]> = known.chunks_exact(WIDTH).collect();
    let called: HashSet<&str> = traces
        .iter()
        .filter_map(|trace| match trace {
            Trace::Called { id } => Some(id.as_str()),
            Trace::Ran { .. } => None,
        })
        .collect();
    traces.iter().find_map(|trace| match trace {
        Trace::Ran { id } if called.contains(id.as_str()) && !known.contains(&short(id)[..]) => {
            Some(id.clone())
        }
        _ => None,
    })
}

/// The tools of a session that were asked for, beside the rest that is remembered of it.
pub(super) fn known_beside(turn: &Path) -> PathBuf {
    turn.with_extension("known")
}

fn short(id: &str) -> [u8; WIDTH] {
    let digest = Sha256::digest(id);
    let mut short = [0; WIDTH];
    short.copy_from_slice(&digest[..WIDTH]);
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, traces: &mut Vec<Trace>) {
        let id = line[1..].to_owned();
        traces.push(match line.as_bytes()[0] {
            b'c' => Trace::Called { id },
            _ => Trace::Ran { id },
        });
    }

    /// In a turn with as many calls as are known at all, the one that nobody asked for is found
    /// before the agent has lost its patience.
    #[test]
    fn one_call_among_thousands_that_went_past_is_named() {
        let directory = tempfile::tempdir().expect("a directory");
        let [known, transcript] = ["known", "transcript"].map(|name| directory.path().join(name));
        let ids: Vec<String> = (0..MOST_KNOWN).map(|number| format!("t{number}")).collect();
        let told: String = ids.iter().map(|id| format!("c{id}\nr{id}\n")).collect();
        fs::write(&transcript, told).expect("written");
        let asked = |ids: &[String]| -> Vec<u8> { ids.iter().flat_map(|id| short(id)).collect() };
        fs::write(&known, asked(&ids)).expect("written");
        assert_eq!(unasked(&known, &transcript, 0, read), None);
        fs::write(&known, asked(&ids[1..])).expect("written");
        let passed = unasked(&known, &transcript, 0, read);
        assert_eq!(passed.as_deref(), Some("t0"));
    }
}
