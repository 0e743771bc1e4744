//! How the tasks stood before the iteration under way, for whoever begins after a run that was
//! killed in the middle of it.
//!
//! It lies beside our memory as long as an iteration is under way, and the grant in the log names
//! its fingerprint. Where nobody saw the end of the iteration, the log goes on naming it until a run
//! that works through the list has looked: one that was deleted or changed meanwhile is missed.

use std::fs;
use std::path::PathBuf;

use fusebox_files::regular;
use sha2::{Digest, Sha256};

use super::TaskLine;
use crate::exit;
use crate::failure::Failure;
use crate::run::ledger::Ledger;
use crate::run::screen::Screen;
use crate::session::Session;
use crate::tasks;

/// More than any list that is read can come to.
const MOST_BYTES: u64 = 64 << 20;

/// Where it is kept.
pub(super) struct Standing(PathBuf);

impl Standing {
    pub(super) fn of(session: &Session) -> Self {
        let name = format!("run-{}.tasks", session.circuit);
        Self(session.located.workspace_dir().join(name))
    }

    /// Writes it down and returns its fingerprint.
    pub(super) fn keep(&self, ledger: &Ledger) -> Result<String, Failure> {
        let text = ledger.to_text();
        fusebox_files::replace(&self.0, &text).map_err(|error| {
            let what = format!("cannot write {}: {error}", self.0.display());
            Failure::new(exit::STATE, what)
        })?;
        Ok(fingerprint(&text))
    }

    /// The iteration is over, and what it did to the list was looked at.
    pub(super) fn forget(&self) {
        let _ = fs::remove_file(&self.0);
    }

    /// What a run that was killed has left, if it has; `named` is what its grant says of it.
    /// An error says what is wrong with it.
    fn left(&self, named: Option<&str>) -> Result<Option<Ledger>, &'static str> {
        let text = match regular::read(&self.0, MOST_BYTES) {
            Ok(text) => text,
            Err(_) if named.is_none() => return Ok(None),
            Err(_) => return Err("is gone"),
        };
        if named.is_some_and(|named| named != fingerprint(&text)) {
            return Err("was changed");
        }
        Ledger::of_text(&text).map(Some).ok_or("cannot be read")
    }
}

impl TaskLine {
    /// Holds the list against how it stood before an iteration that nobody saw the end of:
    /// nothing shows what was closed since. `named` is what the log says of it. It stays where it is
    /// until the log no longer does.
    pub(in crate::run) fn take_over(
        &mut self,
        session: &Session,
        named: Option<&str>,
        screen: &Screen,
    ) -> Result<(), Failure> {
        match self.standing.left(named) {
            Ok(None) => return Ok(()),
            Ok(Some(ledger)) => self.ledger = ledger,
            Err(why) => {
                let reason = format!(
                    "How the tasks stood before the last iteration {why}; its supervisor was killed"
                );
                screen.say(&reason);
                session.trip_unasked(reason)?;
                return Ok(());
            }
        }
        let now = tasks::now(self.clock);
        self.ledger
            .compare(&mut self.open.desk, None, false, &now, screen)
            .map(drop)
    }
}

fn fingerprint(text: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(text))
}
