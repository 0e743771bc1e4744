//! The whole memory of a circuit, read record by record.

use fusebox_store::{Error as StoreError, Log};

use super::Session;
use crate::failure::Failure;

impl Session {
    /// Verifies every record, and latches what is found wrong: old records are not
    /// read by the next check, so it could not notice by itself.
    pub(crate) fn verify(&self) -> Result<Option<Log>, Failure> {
        let verified = self.store.log().and_then(|log| {
            log.as_ref().map(Log::verify).transpose()?;
            Ok(log)
        });
        match verified {
            Ok(log) => Ok(log),
            Err(StoreError::Tampered(tamper)) => {
                self.store.quarantine(&tamper, self.stamp())?;
                Err(StoreError::Tampered(tamper).into())
            }
            Err(other) => Err(other.into()),
        }
    }
}
