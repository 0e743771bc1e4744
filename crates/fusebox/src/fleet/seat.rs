//! Who we are in a fleet: the same for as long as our journal lasts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fusebox_files::regular;
use fusebox_fleet::{Coordinator, FleetError, Id, Scope, Worker, connect};
use serde::{Deserialize, Serialize};

use super::journal::is_another;
use super::party::Party;
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;
use crate::tasks;

/// Longer than it takes to write a card.
const PATIENCE: Duration = Duration::from_secs(5);
/// No card is longer.
const MOST_BYTES: u64 = 64 * 1024;

/// A place at the table: a coordinator, and who we are to it.
pub(crate) struct Seat {
    pub(crate) coordinator: Box<dyn Coordinator>,
    pub(crate) worker: Worker,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) card: Card,
}

/// What is remembered of ourselves between two runs.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    path: PathBuf,
    pub(crate) written: Written,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Written {
    worker: Id,
    /// The last record of our journal that has arrived.
    pub(crate) delivered: Option<String>,
}

impl Seat {
    /// Takes it. Nothing is connected yet.
    pub(crate) fn take(
        session: &Session,
        party: &Party,
        agent: Option<&str>,
    ) -> Result<Self, Failure> {
        session.located.register()?;
        let dir = session.located.workspace_dir();
        let card = Card::of(session, dir.join(format!("fleet-{}.json", session.circuit)))?;
        Ok(Self {
            coordinator: connect(&party.address)?,
            worker: Worker {
                id: card.written.worker.clone(),
                host: tasks::here(session.clock).host_name().to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                repository: party.repository.clone(),
                agent: agent.map(str::to_owned),
            },
            scopes: party.scopes(agent),
            card,
        })
    }

    /// Another one for the same worker, with a connection of its own.
    pub(crate) fn beside(&self, party: &Party) -> Result<Self, FleetError> {
        Ok(Self {
            coordinator: connect(&party.address)?,
            worker: self.worker.clone(),
            scopes: self.scopes.clone(),
            card: self.card.clone(),
        })
    }
}

impl Card {
    /// Who we are: as it is written down, or somebody new where that tells nobody.
    fn of(session: &Session, path: PathBuf) -> Result<Self, Failure> {
        if let Some(written) = Written::valid(session, &path)? {
            return Ok(Self { path, written });
        }
        let failed = |error: std::io::Error| {
            Failure::new(exit::STATE, format!("{}: {error}", path.display()))
        };
        // Two commands that begin at once are still one worker.
        let _held =
            fusebox_files::lock_beside(&path, PATIENCE).map_err(|busy| failed(busy.into()))?;
        if let Some(written) = Written::valid(session, &path)? {
            return Ok(Self { path, written });
        }
        let card = Self {
            path: path.clone(),
            written: Written {
                worker: Id::random(),
                delivered: None,
            },
        };
        card.write().map_err(failed)?;
        Ok(card)
    }

    pub(crate) fn write(&self) -> std::io::Result<()> {
        fusebox_files::replace(&self.path, &serde_json::to_vec(&self.written)?)
    }
}

impl Written {
    /// What is written down, unless it cannot be read or the journal that this worker told of is
    /// gone: numbers begin anew with a new one, and under the old name they would be taken for
    /// known.
    fn valid(session: &Session, path: &Path) -> Result<Option<Self>, Failure> {
        let bytes = regular::read(path, MOST_BYTES).unwrap_or_default();
        let Ok(written) = serde_json::from_slice::<Self>(&bytes) else {
            return Ok(None);
        };
        let is_another = match session.store.log()? {
            Some(log) => is_another(&log, written.delivered.as_deref())?,
            None => false,
        };
        Ok((!is_another).then_some(written))
    }
}
