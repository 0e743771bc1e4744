//! The memory: every record verified, the chain intact, and room for the next one.

use std::path::{Path, PathBuf};

use fusebox_store::Log;
use fusebox_view::phrase;
use serde::Serialize;

use crate::exit;
use crate::failure::Failure;
use crate::finding::Finding;
use crate::session::Session;
use crate::speech::shown;
use crate::storable;

/// The memory, as data.
#[derive(Serialize)]
pub(super) struct Memory<'a> {
    workspace: String,
    circuit: &'a str,
    /// Unknown where the state directory cannot be looked at.
    directory: Option<String>,
    head: Option<String>,
    /// How many records were verified; 0 if nothing was ever recorded, unknown where
    /// they cannot be believed.
    records: Option<u64>,
    /// How many were pruned before them.
    pruned: Option<u64>,
}

/// What came of looking.
pub(super) struct Look<'a> {
    root: PathBuf,
    circuit: &'a str,
    /// The circuit's directory and its head.
    place: Option<(&'a Path, &'a Path)>,
    /// How many records were verified, and how many pruned before.
    verified: Option<(u64, u64)>,
    /// Why nothing is believed, or cannot be written down.
    pub(super) trouble: Option<Failure>,
}

/// Verifies everything that is remembered.
pub(super) fn look(session: &Session) -> Result<Look<'_>, Failure> {
    let place = session.store.location();
    let mut look = Look {
        root: session.located.root.clone(),
        circuit: session.circuit.as_str(),
        place: Some((&place.dir, &place.head_file)),
        verified: None,
        trouble: None,
    };
    match session.verify() {
        Ok(log) => {
            look.verified = Some(log.as_ref().map_or((0, 0), counted));
            look.trouble = storable::refused(session);
        }
        // Somebody else is at work: nothing was found out.
        Err(failure) if failure.code == exit::INTERNAL => return Err(failure),
        Err(failure) => look.trouble = Some(failure),
    }
    Ok(look)
}

impl<'a> Look<'a> {
    /// Where not even the place can be looked at.
    pub(super) fn out_of_reach(circuit: &'a str, root: &Path, failure: &Failure) -> Self {
        Self {
            root: root.to_owned(),
            circuit,
            place: None,
            verified: None,
            trouble: Some(failure.clone()),
        }
    }

    pub(super) fn memory(&self) -> Memory<'_> {
        Memory {
            workspace: shown(&self.root),
            circuit: self.circuit,
            directory: self.place.map(|(directory, _)| shown(directory)),
            head: self.place.map(|(_, head)| shown(head)),
            records: self.verified.map(|(records, _)| records),
            pruned: self.verified.map(|(_, pruned)| pruned),
        }
    }

    pub(super) fn finding(&self) -> Finding {
        if let Some(failure) = &self.trouble {
            // The last hint is what to do; that a person should ask the doctor is said
            // before it, and done.
            let fix = failure.hints.last().cloned().unwrap_or_default();
            return Finding::broken("memory", &*failure.what, fix).with_code(failure.code);
        }
        let (records, gone) = self.verified.unwrap_or_default();
        let what = match records {
            0 => "empty: nothing was ever recorded here".to_owned(),
            count => format!("sound: {} verified", phrase::count(count, "record")),
        };
        let gone = match gone {
            0 => String::new(),
            records => format!("; {}", pruned(records)),
        };
        Finding::fine("memory", format!("{what}{gone}"))
    }
}

fn counted(log: &Log) -> (u64, u64) {
    let pruned = log.pruned().map_or(0, |past| past.records);
    // The first record is number 0 and was there before anything happened.
    ((log.end().seq + 1).saturating_sub(pruned.max(1)), pruned)
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
