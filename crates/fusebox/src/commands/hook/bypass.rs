//! Tools that were used without asking.
//!
//! What hooks were told of is kept beside the session, eight bytes for each call. When the
//! turn has ended, the agent's own transcript says what was really called since the prompt.
//! Whatever ran and is not known here went past us, and a breaker that can be passed is open.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use fusebox_agents::hook::{Answer, ReadTraces, Trace};
use fusebox_core::circuit::Cause;
use fusebox_core::machine::{self, Trip};
use sha2::{Digest, Sha256};

use super::{Desk, words};
use crate::authority;
use crate::failure::Failure;

/// How many calls of a turn are known. In a longer one it is not told who asked.
const MOST_KNOWN: u64 = 8 * 1024;
/// The most of a transcript that is read after a turn.
const MOST_READ: u64 = 16 * 1024 * 1024;
const WIDTH: usize = 8;

impl Desk {
    fn known_file(&self) -> PathBuf {
        self.turn_file().with_extension("known")
    }

    /// A tool was asked for.
    pub(super) fn know(&self, id: Option<&str>) {
        let Some(id) = id else {
            return;
        };
        let mut options = File::options();
        let opened = options
            .append(true)
            .create(true)
            .mode(0o600)
            .open(self.known_file());
        // What cannot be noted is not asked about, either: see `unasked`.
        if let Ok(mut file) = opened {
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
        let trip = Trip {
            reason: format!(
                "a tool of {} ran without asking: call {} is in its transcript and was never \
                 shown to the hook",
                self.agent,
                fusebox_view::escape::line(&id, 80)
            ),
            by: authority::anyone(),
            cause: Cause::Supervisor,
        };
        let tripped = |circuit: &_, policy: &_, now: &_| machine::trip(circuit, policy, trip, now);
        let outcome = self.session.apply(tripped)?;
        Ok(Some(Answer::Halt(words::open(&outcome))))
    }
}

/// A call that ran since `from` and that no hook was told of.
fn unasked(known: &Path, transcript: &Path, from: u64, read: ReadTraces) -> Option<String> {
    let known = fs::read(known).unwrap_or_default();
    if known.len() as u64 > MOST_KNOWN * WIDTH as u64 {
        return None;
    }
    let mut file = File::open(transcript).ok()?;
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut text = Vec::new();
    file.take(MOST_READ).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let mut traces = Vec::new();
    text.lines().for_each(|line| read(line, &mut traces));
    let called = |id: &String| traces.contains(&Trace::Called { id: id.clone() });
    let is_known = |id: &str| known.chunks_exact(WIDTH).any(|one| one == short(id));
    traces.iter().find_map(|trace| match trace {
        Trace::Ran { id } if called(id) && !is_known(id) => Some(id.clone()),
        _ => None,
    })
}

fn short(id: &str) -> [u8; WIDTH] {
    let digest = Sha256::digest(id);
    let mut short = [0; WIDTH];
    short.copy_from_slice(&digest[..WIDTH]);
    short
}
