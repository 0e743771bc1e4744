//! `fusebox doctor`: verify everything that is remembered.

use fusebox_store::{Error as StoreError, Log, Tamper};
use fusebox_supervise::sandbox;
use fusebox_view::{escape, phrase};
use serde::Serialize;

use super::Context;
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;
use crate::speech::shown;

/// The widest that a line of the system's is shown.
const WIDTH: usize = 200;

/// A sound memory, as data.
#[derive(Serialize)]
struct Sound<'a> {
    schema: u32,
    workspace: String,
    circuit: &'a str,
    directory: String,
    head: String,
    /// How many records were verified; 0 if nothing was ever recorded.
    records: u64,
    /// How many were pruned before them.
    pruned: u64,
    /// What `--sandbox` can really enforce here.
    sandbox: String,
}

pub(super) fn run(context: &Context<'_>) -> Result<u8, Failure> {
    let session = context.session_despite_config()?;
    let place = session.store.location();
    let speech = context.speech;
    let mut sound = Sound {
        schema: 1,
        workspace: shown(&session.located.root),
        circuit: session.circuit.as_str(),
        directory: shown(&place.dir),
        head: shown(&place.head_file),
        records: 0,
        pruned: 0,
        sandbox: sandbox::level().to_string(),
    };
    if !speech.json {
        speech.data(&places(&sound));
    }
    if let Some(history) = verify(&session)? {
        let pruned = history.pruned().map_or(0, |past| past.records);
        sound.pruned = pruned;
        // The first record is number 0 and was there before anything happened.
        sound.records = (history.end().seq + 1).saturating_sub(pruned.max(1));
    }
    if speech.json {
        speech.json(&sound);
    } else {
        speech.data(&verdict(sound.records));
        if sound.pruned > 0 {
            speech.data(&format!("pruned     {}\n", pruned(sound.pruned)));
        }
        let level = escape::line(&sound.sandbox, WIDTH);
        speech.data(&format!("sandbox    {level}\n"));
    }
    if let Some(orphans) = session.orphans() {
        speech.say(&orphans);
    }
    Ok(exit::GO)
}

fn places(sound: &Sound<'_>) -> String {
    let Sound {
        workspace,
        circuit,
        directory,
        head,
        ..
    } = sound;
    format!("workspace  {workspace}\ncircuit    {circuit} in {directory}\nhead       {head}\n")
}

fn verdict(records: u64) -> String {
    match records {
        0 => "memory     empty: nothing was ever recorded here\n".into(),
        count => format!(
            "memory     sound: {} verified\n",
            phrase::count(count, "record")
        ),
    }
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
pub(super) fn pruned(records: u64) -> String {
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
