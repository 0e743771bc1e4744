//! `fusebox doctor`: verify everything that is remembered.

use fusebox_store::{Error as StoreError, Tamper};
use fusebox_view::phrase;

use super::Context;
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;
use crate::speech::shown;

pub(super) fn run(context: &Context<'_>) -> Result<u8, Failure> {
    let session = context.session()?;
    let place = session.store.location();
    let speech = context.speech;
    speech.data(&format!("workspace  {}\n", shown(&session.located.root)));
    speech.data(&format!(
        "circuit    {} in {}\n",
        session.circuit,
        shown(&place.dir)
    ));
    speech.data(&format!("head       {}\n", shown(&place.head_file)));
    match verify(&session)? {
        Some(records) => speech.data(&format!(
            "memory     sound: {} verified\n",
            phrase::count(records, "record")
        )),
        None => speech.data("memory     empty: nothing was ever recorded here\n"),
    }
    Ok(exit::GO)
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
