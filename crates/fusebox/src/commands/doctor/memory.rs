//! The memory: every record verified, and the chain intact.

use fusebox_store::{Error as StoreError, Log, Tamper};
use fusebox_view::phrase;
use serde::Serialize;

use crate::failure::Failure;
use crate::finding::Finding;
use crate::session::Session;
use crate::speech::shown;

/// A sound memory, as data.
#[derive(Serialize)]
pub(super) struct Sound<'a> {
    schema: u32,
    workspace: String,
    circuit: &'a str,
    directory: String,
    head: String,
    /// How many records were verified; 0 if nothing was ever recorded.
    records: u64,
    /// How many were pruned before them.
    pruned: u64,
}

/// Verifies everything that is remembered.
pub(super) fn look(session: &Session) -> Result<Sound<'_>, Failure> {
    let place = session.store.location();
    let mut sound = Sound {
        schema: 1,
        workspace: shown(&session.located.root),
        circuit: session.circuit.as_str(),
        directory: shown(&place.dir),
        head: shown(&place.head_file),
        records: 0,
        pruned: 0,
    };
    if let Some(history) = verify(session)? {
        let pruned = history.pruned().map_or(0, |past| past.records);
        sound.pruned = pruned;
        // The first record is number 0 and was there before anything happened.
        sound.records = (history.end().seq + 1).saturating_sub(pruned.max(1));
    }
    Ok(sound)
}

pub(super) fn finding(sound: &Sound<'_>) -> Finding {
    let what = match sound.records {
        0 => "empty: nothing was ever recorded here".to_owned(),
        count => format!("sound: {} verified", phrase::count(count, "record")),
    };
    let gone = match sound.pruned {
        0 => String::new(),
        records => format!("; {}", pruned(records)),
    };
    Finding::fine("memory", format!("{what}{gone}"))
}

/// Verifies every record, and latches what is found wrong: old records are not
/// read by the next check, so it could not notice by itself.
pub(crate) fn verify(session: &Session) -> Result<Option<Log>, Failure> {
    let verified = session.store.log().and_then(|log| {
        log.as_ref().map(Log::verify).transpose()?;
        Ok(log)
    });
    match verified {
        Ok(log) => Ok(log),
        Err(StoreError::Tampered(tamper)) => {
            latch(session, &tamper)?;
            Err(StoreError::Tampered(tamper).into())
        }
        Err(other) => Err(other.into()),
    }
}

/// What is said of a past that is gone.
pub(crate) fn pruned(records: u64) -> String {
    let is_one = records == 1;
    format!(
        "{} before record {records} {} pruned; the log remembers the hash of the last",
        phrase::count(records, "record"),
        if is_one { "was" } else { "were" }
    )
}

fn latch(session: &Session, tamper: &Tamper) -> Result<(), Failure> {
    Ok(session.store.quarantine(tamper, session.stamp())?)
}
