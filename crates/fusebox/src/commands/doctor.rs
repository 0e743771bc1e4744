//! `fusebox doctor`: verify everything that is remembered.

use fusebox_store::{Error as StoreError, Tamper};
use fusebox_view::phrase;
use serde::Serialize;

use super::Context;
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;
use crate::speech::shown;

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
    };
    if !speech.json {
        speech.data(&places(&sound));
    }
    sound.records = verify(&session)?.unwrap_or(0);
    if speech.json {
        speech.json(&sound);
    } else {
        speech.data(&verdict(sound.records));
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
pub(crate) fn verify(session: &Session) -> Result<Option<u64>, Failure> {
    match session.store.verify_all() {
        Ok(last) => Ok(last.map(|mark| mark.seq)),
        Err(StoreError::Tampered(tamper)) => {
            latch(session, &tamper)?;
            Err(StoreError::Tampered(tamper).into())
        }
        Err(other) => Err(other.into()),
    }
}

fn latch(session: &Session, tamper: &Tamper) -> Result<(), Failure> {
    Ok(session.store.quarantine(tamper, session.stamp())?)
}
